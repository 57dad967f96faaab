#include "author.hpp"

namespace {

using namespace trammel;

/// A spring from the origin to a coordinate, with stiffness 4.
struct Spring {
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual()[0] = 4 * x.value(0)[0];
    if (out.request.tangent) out.K()(0, 0) = 4;
  }
  Energy energy(const LocalState& x) const {
    Energy e;
    e.strain = 2 * x.value(0)[0] * x.value(0)[0];
    e.dissipated_power = 0.5;
#ifdef BUILT_TOMORROW
    e.chemical = 3;
#endif
    return e;
  }
  Review review(const LocalState&, const StepInfo& step) {
    Review answer = Review::cut(0.5 * (step.start + step.end));
    answer.new_stencil = std::vector<BlockId>{5, 6};
#ifdef BUILT_TOMORROW
    answer.urgency = step.next_size;
#endif
    return answer;
  }
};

struct Point final : MarkerShape {
  std::vector<BlockId> blocks() const override { return {0}; }
  void evaluate(const LocalState&, int, MotionLevel, MarkerMotion& out) const override {
    out.R_WM.setIdentity();
    out.p_WM = Vec3(1, 2, 3);
    out.dofs = 3;
    out.J.setIdentity(6, 3);
    out.twist.setConstant(2);
    out.twist_gradient.setZero(6, 3);
    out.bias.setConstant(3);
#ifdef BUILT_TOMORROW
    out.stretch = 0.25;
#endif
  }
  void add_second_order(const LocalState&, int, const MarkerMotion&, const Vec6&,
                        Eigen::Ref<Eigen::MatrixXd>) const override {}
};

std::unique_ptr<ElementRange> make_range() {
  auto range = std::make_unique<RangeOf<Spring>>();
  range->add({}, {0}, 1, 11);
  return range;
}
std::vector<Row> make_rows() {
  std::vector<Row> rows = rows_of(Dimension::length, 3);
  rows[2].restitution = 0.75;
#ifdef BUILT_TOMORROW
  rows[1].weight = 9;
#endif
  return rows;
}
std::unique_ptr<MarkerShape> make_marker() { return std::make_unique<Point>(); }

}  // namespace

extern "C" __attribute__((visibility("default")))
const Author author{&make_range,
                    &make_rows,
                    &make_marker,
                    {sizeof(MarkerMotion), sizeof(Energy), sizeof(Review), sizeof(Row)}};
