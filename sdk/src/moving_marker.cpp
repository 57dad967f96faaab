#include "trammel/moving_marker.hpp"

#include "marker_offset.hpp"
#include "trammel/error.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

class MovingMarker final : public MarkerShape {
 public:
  MovingMarker(Marker base, const std::array<FunctionPtr, 3>& translation, const RotationLaw& rotation)
      : base_(std::move(base)), translation_(translation), rotation_(rotation) {
    for (const FunctionPtr& f : translation_) require_time_only(f);
    for (const FunctionPtr& f : rotation_.vector) require_time_only(f);
    require_time_only(rotation_.angle);
    if (rotation_.angle && !(rotation_.axis.norm() > 0))
      throw Error("the axis of a rotation must not be zero");
    rotation_.axis.normalize();
  }

  std::vector<BlockId> blocks() const override { return base_.blocks(); }
  std::vector<int> block_sizes() const override { return base_.block_sizes(); }

  void evaluate(const LocalState& x, int first, MotionLevel level, MarkerMotion& out) const override {
    base_.evaluate(x, first, level, out);
    add_offset(offset(x.time()), level, out);
  }

  void add_second_order(const LocalState& x, int first, const MarkerMotion&, const Vec6& w,
                        Eigen::Ref<Eigen::MatrixXd> K) const override {
    const OffsetMotion o = offset(x.time());
    MarkerMotion base;
    base_.evaluate(x, first, MotionLevel::jacobian, base);
    base_.add_second_order(x, first, base, wrench_at_base(base.R_WM, o.R_BM, o.p_BM_B, w), K);
    add_offset_second_order(base, o.p_BM_B, w, K);
  }

 private:
  static void require_time_only(const FunctionPtr& f) {
    if (f && !f->depends_on_time_only())
      throw Error(f->where(), "the motion '" + f->text() + "' of a marker reads the signal '" +
                                  f->signals().front() + "', but only a function of time is allowed here");
  }

  static Jet jet(const FunctionPtr& f, double t) { return f ? f->motion_at(t) : Jet(); }

  OffsetMotion offset(double t) const {
    OffsetMotion o;
    for (int i = 0; i < 3; ++i) {
      const Jet p = jet(translation_[static_cast<std::size_t>(i)], t);
      o.p_BM_B[i] = p.value;
      o.rate[i] = p.first;
      o.second_rate[i] = p.second;
    }
    if (rotation_.angle) {
      const Jet a = rotation_.angle->motion_at(t);
      o.R_BM = so3::exp(rotation_.axis * a.value);
      o.w_BM_M = rotation_.axis * a.first;
      o.alpha_BM_M = rotation_.axis * a.second;
      return o;
    }
    Vec3 theta, rate, second;
    for (int i = 0; i < 3; ++i) {
      const Jet a = jet(rotation_.vector[static_cast<std::size_t>(i)], t);
      theta[i] = a.value;
      rate[i] = a.first;
      second[i] = a.second;
    }
    o.R_BM = so3::exp(theta);
    const Mat3 T = so3::T(theta);
    o.w_BM_M = T * rate;
    o.alpha_BM_M = T * second + so3::dT(theta, rate) * rate;
    return o;
  }

  Marker base_;
  std::array<FunctionPtr, 3> translation_;
  RotationLaw rotation_;
};

}  // namespace

Marker moving_marker(const Marker& base, const std::array<FunctionPtr, 3>& translation,
                     const RotationLaw& rotation) {
  if (base.is_point())
    throw Error("marker '" + base.name() + "' is a point: nothing can move relative to it");
  return Marker::on_shape(std::make_shared<MovingMarker>(base, translation, rotation)).named(base.name());
}

}  // namespace trammel
