#include "trammel/joint_reaction.hpp"

#include "trammel/lie.hpp"

namespace trammel {

JointReaction::JointReaction(std::shared_ptr<const JointView> joint, std::vector<BlockId> stencil,
                             std::vector<int> sizes, const Location& where)
    : joint_(std::move(joint)), stencil_(std::move(stencil)) {
  const JointSite& site = joint_->site();
  if (site.shares_position || site.shares_rotation)
    throw Error(where, "the reaction of a joint that shares unknowns cannot be read: give it `share: no`");
  for (const int size : sizes) dofs_ += size;
  const int blocks_A = site.A.block_count();
  int dofs_A = 0;
  for (const int size : site.A.block_sizes()) dofs_A += size;
  if (site.B.is_rigid_frame()) {
    at_B_ = true;
    rotation_block_ = blocks_A + 1;
    row_ = dofs_A;
    sign_ = -1;
  } else if (site.A.is_rigid_frame()) {
    at_B_ = false;
    rotation_block_ = 1;
    row_ = 0;
    sign_ = 1;
  } else {
    throw Error(where, "the reaction can be read where one of the joint's markers is fixed in a frame; '" +
                           site.A.name() + "' and '" + site.B.name() + "' are not");
  }
}

JointReaction JointReaction::of(int entity, Builder& builder, const Location& where) {
  auto [view, stencil] = builder.joint(entity);
  if (view == nullptr)
    throw Error(where, "joint '" + builder.entities()[static_cast<std::size_t>(entity)].name +
                           "' gives no reaction to read");
  builder.keep_multipliers(entity);
  std::vector<int> sizes = builder.sizes_of(stencil);
  return {std::move(view), std::move(stencil), std::move(sizes), where};
}

Vec6 JointReaction::evaluate(const LocalState& x, Gradient* gradient) const {
  thread_local LocalSystem residual{Request{}}, tangent{Request{true, false, false}};
  LocalSystem& system = gradient != nullptr ? tangent : residual;
  system.begin(dofs_);
  joint_->evaluate(x, system);
  const Mat3 R_WF = x.rotation(rotation_block_);
  const JointSite& site = joint_->site();
  const Marker& marker = at_B_ ? site.B : site.A;
  const Mat3 R_MF = marker.R_FM().transpose();
  const Vec3& p = marker.p_FM_F();
  const auto r = system.residual();
  const Vec3 f = sign_ * (R_WF.transpose() * r.segment<3>(row_));
  const Vec3 m = sign_ * r.segment<3>(row_ + 3) - p.cross(f);
  Vec6 wrench;
  wrench << R_MF * f, R_MF * m;
  if (gradient == nullptr) return wrench;

  gradient->resize(6, dofs_);
  const auto K = system.K();
  thread_local Eigen::Matrix<double, 3, Eigen::Dynamic> df;
  df.resize(3, dofs_);
  df.noalias() = sign_ * R_WF.transpose() * K.middleRows<3>(row_);
  df.middleCols<3>(row_ + 3) += skew(f);
  gradient->topRows<3>().noalias() = R_MF * df;
  gradient->bottomRows<3>().noalias() = R_MF * (sign_ * K.middleRows<3>(row_ + 3) - skew(p) * df);
  return wrench;
}

}  // namespace trammel
