#pragma once

#include "kernel/model.hpp"
#include "trammel/export.hpp"

namespace trammel {

/// Records, during its lifetime, whose code is running, so that a fatal signal in a plugin can be reported with a
/// name. Calls can be nested. A call stores a few pointers only; the entity is looked up on request.
class TRAMMEL_API PluginCall {
 public:
  /// Instance `instance` of `range`; the number may change during the call.
  PluginCall(const Model& model, const ElementRange& range, const int& instance);
  /// Any code of an entity.
  explicit PluginCall(const Entity& entity);
  /// A library, by its path, that registers its types.
  explicit PluginCall(const char* library);
  ~PluginCall();
  PluginCall(const PluginCall&) = delete;
  PluginCall& operator=(const PluginCall&) = delete;

  /// The innermost running call; null if there is none.
  static const PluginCall* innermost();

  /// The entity of the running code, or null. Allocates nothing, so that a signal handler may call it.
  const Entity* entity() const;
  const char* library() const { return library_; }

 private:
  const Model* model_ = nullptr;
  const ElementRange* range_ = nullptr;
  const int* instance_ = nullptr;
  const Entity* entity_ = nullptr;
  const char* library_ = nullptr;
  const PluginCall* outer_;
};

}  // namespace trammel
