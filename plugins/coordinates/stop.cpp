#include "stop.hpp"

#include "trammel/crossing.hpp"

namespace trammel::coordinates {

Review Stop::review(const LocalState& x, const StepInfo& step) const {
  if (!law_.meet || !history_.last) return Review::keep();
  std::optional<Review> first;
  for (const double bound : {law_.from, law_.to})
    if (const auto cut = cut_at({history_.last->first, history_.last->second},
                                {target_.value(x), target_.rate(x)}, bound, step);
        cut && (!first || cut->cut_time < first->cut_time))
      first = cut;
  return first.value_or(Review::keep());
}

}  // namespace trammel::coordinates
