#include "trammel/relative_group.hpp"

#include <algorithm>

#include "trammel/explicit_twist.hpp"

namespace trammel {

void RelativeGroup::evaluate(const LocalState& x, std::span<const Marker> of, int first_block,
                             MotionLevel level) {
  markers.resize(of.size());
  columns_.resize(of.size());
  dofs_ = 0;
  for (std::size_t k = 0; k < of.size(); ++k) {
    of[k].evaluate(x, first_block, level, markers[k]);
    first_block += of[k].block_count();
    columns_[k] = dofs_;
    dofs_ += markers[k].dofs;
  }
  poses.resize(of.size() - 1);
  const MarkerMotion& A = markers.front();
  const Mat3 R_AW = A.R_WM.transpose();
  for (std::size_t k = 0; k < poses.size(); ++k) {
    poses[k].R_AB.noalias() = R_AW * markers[k + 1].R_WM;
    poses[k].p_AB_A.noalias() = R_AW * p_AB_W(A, markers[k + 1]);
  }
  if (level == MotionLevel::pose) return;

  const auto size = static_cast<Eigen::Index>(6 * poses.size());
  J.setZero(size, dofs_);
  if (level != MotionLevel::jacobian) twist.resize(size);
  if (level == MotionLevel::full) {
    twist_gradient.setZero(size, dofs_);
    bias.resize(size);
  }
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const MarkerMotion& B = markers[k + 1];
    const Mat3 R_BA = poses[k].R_AB.transpose();
    const Vec3& p = poses[k].p_AB_A;
    const auto row = static_cast<Eigen::Index>(6 * k);
    const int at_B = column(static_cast<int>(k) + 1);
    auto J_A = J.block(row, 0, 6, A.dofs), J_B = J.block(row, at_B, 6, B.dofs);
    if (A.dofs > 0) {
      J_A.topRows<3>() = skew(p).lazyProduct(A.J.bottomRows<3>()) - R_AW.lazyProduct(A.J.topRows<3>());
      J_A.bottomRows<3>() = -(R_BA.lazyProduct(A.J.bottomRows<3>()));
    }
    if (B.dofs > 0) {
      J_B.topRows<3>() = R_AW.lazyProduct(B.J.topRows<3>());
      J_B.bottomRows<3>() = B.J.bottomRows<3>();
    }
    if (level == MotionLevel::jacobian) continue;

    const Vec3 w_A = A.twist.tail<3>(), w_A_B = R_BA * w_A;
    const Vec3 dv = R_AW * (B.twist.head<3>() - A.twist.head<3>());
    const Vec3 u = dv - w_A.cross(p), w = B.twist.tail<3>() - w_A_B;
    twist.segment<3>(row) = u;
    twist.segment<3>(row + 3) = w;
    if (level == MotionLevel::velocity) continue;

    const auto add = [&](auto&& into, const auto& J_of) {
      into.template topRows<3>() -= skew(w_A).lazyProduct(J_of.template topRows<3>());
      into.template bottomRows<3>() -= skew(w_A_B).lazyProduct(J_of.template bottomRows<3>());
    };
    auto by_A = twist_gradient.block(row, 0, 6, A.dofs), by_B = twist_gradient.block(row, at_B, 6, B.dofs);
    if (A.dofs > 0) {
      add(by_A, J_A);
      by_A.topRows<3>() += skew(p).lazyProduct(A.twist_gradient.bottomRows<3>()) -
                           R_AW.lazyProduct(A.twist_gradient.topRows<3>()) +
                           skew(dv).lazyProduct(A.J.bottomRows<3>());
      by_A.bottomRows<3>() -= R_BA.lazyProduct(A.twist_gradient.bottomRows<3>());
    }
    if (B.dofs > 0) {
      add(by_B, J_B);
      by_B.topRows<3>() += R_AW.lazyProduct(B.twist_gradient.topRows<3>());
      by_B.bottomRows<3>() += B.twist_gradient.bottomRows<3>();
    }
    const Vec3 alpha_A = A.bias.tail<3>();
    bias.segment<3>(row) =
        R_AW * (B.bias.head<3>() - A.bias.head<3>()) - w_A.cross(dv + u) - alpha_A.cross(p);
    bias.segment<3>(row + 3) = B.bias.tail<3>() - R_BA * alpha_A + w.cross(w_A_B);
  }
}

Vec6 RelativeGroup::wrench_on(int k, const Eigen::VectorXd& w) const {
  const Mat3& R_WA = markers.front().R_WM;
  Vec6 on = Vec6::Zero();
  if (k > 0) {
    on << R_WA * w.segment<3>(6 * (k - 1)), w.segment<3>(6 * (k - 1) + 3);
    return on;
  }
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(6 * i);
    const Vec3 f = w.segment<3>(row);
    on.head<3>() -= R_WA * f;
    on.tail<3>() -= poses[i].p_AB_A.cross(f) + poses[i].R_AB * w.segment<3>(row + 3);
  }
  return on;
}

void RelativeGroup::add_second_order(const LocalState& x, std::span<const Marker> of, int first_block,
                                     const Eigen::VectorXd& w, Eigen::Ref<Eigen::MatrixXd> K) const {
  const MarkerMotion& A = markers.front();
  for (std::size_t k = 0; k < of.size(); ++k) {
    const int n = markers[k].dofs, at = columns_[k];
    if (n > 0)
      of[k].add_second_order(x, first_block, markers[k], wrench_on(static_cast<int>(k), w),
                             K.block(at, at, n, n));
    first_block += of[k].block_count();
  }
  if (A.dofs == 0) return;
  // The wrenches turn with A and with the relative rotations, and the lever arms change.
  const auto turn_A = A.J.bottomRows<3>();
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const MarkerMotion& B = markers[k + 1];
    const auto row = static_cast<Eigen::Index>(6 * k);
    const int at_B = columns_[k + 1];
    const Mat3 f_cross = skew(Vec3(w.segment<3>(row))),
               turned_m = poses[k].R_AB * skew(Vec3(w.segment<3>(row + 3)));
    const MarkerJacobian turned =
        (MarkerJacobian(6, A.dofs) << (A.R_WM * f_cross) * turn_A, Eigen::MatrixXd::Zero(3, A.dofs))
            .finished();
    K.block(0, 0, A.dofs, A.dofs).noalias() += A.J.transpose() * turned;
    for (const auto& [first, n] : {std::pair(0, A.dofs), std::pair(at_B, B.dofs)}) {
      if (n == 0) continue;
      K.block(0, first, A.dofs, n).noalias() +=
          turn_A.transpose() * ByMarker<3>(f_cross.lazyProduct(J.block(row, first, 3, n)) +
                                           turned_m.lazyProduct(J.block(row + 3, first, 3, n)));
    }
    if (B.dofs > 0)
      K.block(at_B, 0, B.dofs, A.dofs).noalias() -= B.J.topRows<3>().transpose() * turned.topRows<3>();
  }
}

namespace {

template <class NumbersOf>
Eigen::VectorXd block_numbers(std::span<const Marker> of, int dofs, int first_block, NumbersOf numbers_of) {
  Eigen::VectorXd v(dofs);
  int column = 0;
  for (const Marker& marker : of)
    for (const int size : marker.block_sizes()) {
      v.segment(column, size) = ConstVectorMap(numbers_of(first_block++), size);
      column += size;
    }
  return v;
}

}  // namespace

Eigen::VectorXd RelativeGroup::twist_of_blocks(const LocalState& x, std::span<const Marker> of,
                                               int first_block) const {
  return J * block_numbers(of, dofs_, first_block, [&](int k) { return x.rate(k); });
}

Eigen::VectorXd RelativeGroup::explicit_twist(const LocalState& x, std::span<const Marker> of,
                                              int first_block) const {
  if (std::ranges::none_of(of, [](const Marker& m) { return m.has_shape(); }))
    return Eigen::VectorXd::Zero(twist.size());
  const Eigen::VectorXd v = block_numbers(of, dofs_, first_block, [&](int k) { return x.rate(k); });
  return without_rounding(twist - J * v, (J.cwiseAbs() * v.cwiseAbs()).maxCoeff());
}

Eigen::VectorXd RelativeGroup::twist_rate(const LocalState& x, std::span<const Marker> of,
                                          int first_block) const {
  return bias + J * block_numbers(of, dofs_, first_block, [&](int k) { return x.second_rate(k); });
}

std::vector<BlockId> blocks_of(std::span<const Marker> markers) {
  std::vector<BlockId> all;
  for (const Marker& marker : markers) {
    const std::vector<BlockId> more = marker.blocks();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace trammel
