#include "trammel/marker.hpp"

#include "marker_offset.hpp"
#include "trammel/error.hpp"

namespace trammel {

const Mat3 Marker::no_turn = Mat3::Identity();
const std::string Marker::name_of_ground = "ground", Marker::no_name;

template <class Change>
Marker Marker::with_rest(Change&& change) const {
  auto rest = std::make_shared<Rest>();
  rest->name = name();
  if (rest_ != nullptr) *rest = *rest_;
  change(*rest);
  Marker m = *this;
  m.turn_ = rest->turn.get();
  m.rest_ = std::move(rest);
  return m;
}

void Marker::set_R_FM(const Mat3& R_FM) {
  // A rotation with this diagonal is the identity.
  const bool turns = !(R_FM(0, 0) == 1 && R_FM(1, 1) == 1 && R_FM(2, 2) == 1);
  if (!turns && !is_turned()) return;
  *this = with_rest([&](Rest& rest) { rest.turn = turns ? std::make_shared<const Mat3>(R_FM) : nullptr; });
}

Marker Marker::ground(const Mat3& R_WM, const Vec3& p_WM) {
  Marker m;
  m.set_R_FM(R_WM);
  m.p_FM_F_ = p_WM;
  return m;
}

Marker Marker::on_frame(const Frame& frame, const Mat3& R_FM, const Vec3& p_FM_F) {
  Marker m;
  m.kind_ = Kind::frame;
  m.frame_ = frame;
  m.set_R_FM(R_FM);
  m.p_FM_F_ = p_FM_F;
  m.offset_is_identity_ = p_FM_F.isZero(0) && !m.is_turned();
  return m;
}

Marker Marker::on_point(BlockId position) {
  Marker m;
  m.kind_ = Kind::point;
  m.frame_.position = position;
  return m;
}

Marker Marker::on_shape(std::shared_ptr<const MarkerShape> shape) {
  Marker m;
  m.kind_ = Kind::shape;
  return m.with_rest([&](Rest& rest) { rest.shape = std::move(shape); });
}

Marker Marker::offset(const Mat3& R_MN, const Vec3& p_MN_M) const {
  if (is_point()) {
    if (p_MN_M.isZero(0)) return *this;
    throw Error("marker '" + name() + "' is a point without orientation: it cannot carry an offset");
  }
  Marker m = *this;
  m.p_FM_F_ = p_FM_F_ + R_FM() * p_MN_M;
  m.set_R_FM(R_FM() * R_MN);
  m.offset_is_identity_ = m.p_FM_F_.isZero(0) && !m.is_turned();
  return m;
}

Marker Marker::named(std::string name) const {
  return with_rest([&](Rest& rest) { rest.name = std::move(name); });
}

std::vector<BlockId> Marker::blocks() const {
  switch (kind_) {
    case Kind::ground:
      return {};
    case Kind::frame:
      return {frame_.position, frame_.rotation};
    case Kind::point:
      return {frame_.position};
    case Kind::shape:
      return shape()->blocks();
  }
  return {};
}

std::vector<int> Marker::block_sizes() const {
  return has_shape() ? shape()->block_sizes() : std::vector<int>(static_cast<std::size_t>(block_count()), 3);
}

Vec6 Marker::acceleration(const LocalState& x, int first, const MarkerMotion& motion) const {
  Vec6 rate = motion.bias;
  int column = 0, k = first;
  for (const int size : block_sizes()) {
    rate += motion.J.middleCols(column, size) * ConstVectorMap(x.second_rate(k++), size);
    column += size;
  }
  return rate;
}

namespace {

// Each completes a marker's pose and, from `velocity` on, its twist.

void complete_in_world(MotionLevel level, MarkerMotion& out) {
  out.J.resize(6, 0);
  if (level != MotionLevel::full) return;
  out.twist_gradient.resize(6, 0);
  out.bias.setZero();
}

void complete_at_point(MotionLevel level, MarkerMotion& out) {
  out.J.setIdentity(6, 3);
  if (level != MotionLevel::full) return;
  out.twist_gradient.setZero(6, 3);
  out.bias.setZero();
}

void complete_in_frame(const LocalState& x, int first, const Mat3& R_FM, const Vec3& p_FM_F,
                       MotionLevel level, MarkerMotion& out) {
  const Eigen::Map<const Mat3> R_WF = x.rotation(first + 1);
  out.J.resize(6, 6);
  Eigen::Map<Mat6> J(out.J.data());
  J.topLeftCorner<3, 3>().setIdentity();
  // -R_WF p~
  J.block<3, 1>(0, 3) = R_WF.col(2) * p_FM_F[1] - R_WF.col(1) * p_FM_F[2];
  J.block<3, 1>(0, 4) = R_WF.col(0) * p_FM_F[2] - R_WF.col(2) * p_FM_F[0];
  J.block<3, 1>(0, 5) = R_WF.col(1) * p_FM_F[0] - R_WF.col(0) * p_FM_F[1];
  J.bottomLeftCorner<3, 3>().setZero();
  J.bottomRightCorner<3, 3>() = R_FM.transpose();
  if (level != MotionLevel::full) return;
  const Vec3 w = x.velocity(first + 1);
  const Vec3 w_x_p = w.cross(p_FM_F);
  out.twist_gradient.setZero(6, 6);
  out.twist_gradient.topRightCorner<3, 3>().noalias() = R_WF * skew(-w_x_p);
  out.bias.head<3>().noalias() = R_WF * w.cross(w_x_p);
  out.bias.tail<3>().setZero();
}

}  // namespace

void Marker::evaluate(const LocalState& x, int first, MotionLevel level, MarkerMotion& out) const {
  if (has_shape()) {
    out.compensation_W.setZero();
    shape()->evaluate(x, first, level, out);
    if (!offset_is_identity_) add_offset(OffsetMotion{R_FM(), p_FM_F_}, level, out);
    return;
  }
  evaluate_rigid(x, first, level == MotionLevel::velocity || level == MotionLevel::full, out);
  if (level == MotionLevel::pose) return;
  if (is_ground())
    complete_in_world(level, out);
  else if (is_point())
    complete_at_point(level, out);
  else
    complete_in_frame(x, first, R_FM(), p_FM_F_, level, out);
}

void Marker::add_second_order(const LocalState& x, int first, const MarkerMotion& motion, const Vec6& w,
                              Eigen::Ref<Eigen::MatrixXd> K) const {
  switch (kind_) {
    case Kind::ground:
    case Kind::point:
      break;
    case Kind::frame:
      // The moment row of J^T w is p x (R_WF^T f) + R_FM m, and R_WF turns.
      K.block<3, 3>(3, 3) += skew(p_FM_F_) * skew(x.rotation(first + 1).transpose() * w.head<3>());
      break;
    case Kind::shape:
      if (offset_is_identity_) {
        shape()->add_second_order(x, first, motion, w, K);
      } else {
        MarkerMotion base;
        shape()->evaluate(x, first, MotionLevel::jacobian, base);
        shape()->add_second_order(x, first, base, wrench_at_base(base.R_WM, R_FM(), p_FM_F_, w), K);
        add_offset_second_order(base, p_FM_F_, w, K);
      }
      break;
  }
}

}  // namespace trammel
