#pragma once

#include <memory>
#include <utility>

#include "trammel/function.hpp"

namespace trammel {

/// A function of time from a formula on jets: time_function([](Jet t) { return sin(2.0 * t); }).
template <class Formula>
FunctionPtr time_function(Formula formula) {
  class OfTime final : public Function {
   public:
    explicit OfTime(Formula f) : Function("a formula", {}), formula_(std::move(f)) {}

   private:
    Jet do_at(double t) const override { return formula_(Jet::time(t)); }
    Formula formula_;
  };
  return std::make_shared<OfTime>(std::move(formula));
}

}  // namespace trammel
