#pragma once

#include "kernel/model.hpp"
#include "trammel/export.hpp"

namespace trammel {

/// Says whose code runs while it lives, so that a fatal signal in a plugin can be reported with a name. Calls nest. A call
/// stores a few pointers: nothing is copied, and no number is looked up before it is asked for.
class TRAMMEL_API PluginCall {
 public:
  /// Instance `instance` of `range`; the number may change during the call.
  PluginCall(const Model& model, const ElementRange& range, const int& instance);
  /// All that belongs to an entity.
  explicit PluginCall(const Entity& entity);
  /// A library that registers its types: its path.
  explicit PluginCall(const char* library);
  ~PluginCall();
  PluginCall(const PluginCall&) = delete;
  PluginCall& operator=(const PluginCall&) = delete;

  /// The call that runs; null where none does.
  static const PluginCall* innermost();

  /// The entity that the code belongs to, or null. It allocates nothing.
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
