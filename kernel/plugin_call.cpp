#include "kernel/plugin_call.hpp"

#include <algorithm>

namespace trammel {

namespace {
// By thread: one evaluates, another draws. A signal handler reads it, so that it must not have to be allocated first.
[[gnu::tls_model("initial-exec")]] thread_local const PluginCall* running = nullptr;
}  // namespace

PluginCall::PluginCall(const Model& model, const ElementRange& range, const int& instance)
    : model_(&model), range_(&range), instance_(&instance), outer_(running) {
  running = this;
}

PluginCall::PluginCall(const Entity& entity) : entity_(&entity), outer_(running) { running = this; }

PluginCall::PluginCall(const char* library) : library_(library), outer_(running) { running = this; }

PluginCall::~PluginCall() { running = outer_; }

const PluginCall* PluginCall::innermost() { return running; }

const Entity* PluginCall::entity() const {
  if (range_ == nullptr) return entity_;
  const int count = range_->size();
  if (count == 0) return nullptr;
  const auto entity = static_cast<std::size_t>(range_->entity(std::clamp(*instance_, 0, count - 1)));
  return entity < model_->entities.size() ? &model_->entities[entity] : nullptr;
}

}  // namespace trammel
