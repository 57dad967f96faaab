#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trammel/state.hpp"

namespace trammel {

/// Some blocks of a stencil, copied: for what evaluates an instance inside another's stencil, or at changed numbers.
class LocalCopy {
 public:
  State state;
  std::vector<BlockOffset> offsets;

  void clear(double time) {
    for (std::vector<double>* field : {&state.value, &state.rate, &state.acceleration, &state.compensation})
      field->clear();
    offsets.clear();
    state.time = time;
  }
  /// Appends block k of x.
  void take(const LocalState& x, int k, BlockKind kind, int size) {
    offsets.push_back(
        {static_cast<std::int32_t>(state.value.size()), static_cast<std::int32_t>(state.rate.size())});
    append(state.value, x.value(k), value_size(kind, size));
    append(state.rate, x.rate(k), size);
    append(state.acceleration, x.second_rate(k), size);
    if (kind == BlockKind::position)
      append(state.compensation, x.compensation(k).data(), size);
    else
      state.compensation.resize(state.rate.size(), 0.0);
  }
  LocalState local() const { return {state, offsets.data()}; }

 private:
  static void append(std::vector<double>& to, const double* from, int n) {
    to.insert(to.end(), from, from + n);
  }
};

/// An object of T that lives as long as the thread, another one where evaluations nest: memory for an evaluation that may
/// lead to another of its kind.
template <class T>
class NestedScratch {
 public:
  NestedScratch() {
    if (depth() == all().size()) all().push_back(std::make_unique<T>());
    object_ = all()[depth()++].get();
  }
  ~NestedScratch() { --depth(); }
  NestedScratch(const NestedScratch&) = delete;
  NestedScratch& operator=(const NestedScratch&) = delete;
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }

 private:
  static std::vector<std::unique_ptr<T>>& all() {
    thread_local std::vector<std::unique_ptr<T>> objects;
    return objects;
  }
  static std::size_t& depth() {
    thread_local std::size_t count = 0;
    return count;
  }
  T* object_;
};

}  // namespace trammel
