#pragma once

#include <span>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/marker.hpp"

namespace trammel {

/// The motion of some markers relative to the first of them, A, and its pull-back to the blocks of all; RelativeMotion
/// for any number of markers.
///
/// For each marker B after the first, variations are zeta = (d p_AB_A; dtheta) with R_AB <- R_AB exp(dtheta~), and twists
/// (d/dt p_AB_A; w_AB_B): six numbers each, in the order of the markers. Wrenches w are power-conjugate to the twists.
class TRAMMEL_API RelativeGroup {
 public:
  struct Pose {
    Mat3 R_AB;
    Vec3 p_AB_A;
  };

  std::vector<MarkerMotion> markers;
  std::vector<Pose> poses;         ///< of all markers but the first
  Eigen::VectorXd twist;           ///< 6 numbers a pose
  Eigen::VectorXd bias;            ///< rate of the twist when all block accelerations vanish
  Eigen::MatrixXd J;               ///< zeta = J dq, columns in the order of the markers
  Eigen::MatrixXd twist_gradient;  ///< d(twist)/dq along the increments, v fixed

  int dofs() const { return dofs_; }

  /// Evaluates the markers, whose blocks stand one after the other from index `first_block` on.
  void evaluate(const LocalState& x, std::span<const Marker> of, int first_block, MotionLevel level);

  /// Adds d(J^T w)/dq.
  void add_second_order(const LocalState& x, std::span<const Marker> of, int first_block,
                        const Eigen::VectorXd& w, Eigen::Ref<Eigen::MatrixXd> K) const;

  /// Wrench on marker k in the sense of J^T w: (force in world components; moment about its origin in its own axes).
  Vec6 wrench_on(int k, const Eigen::VectorXd& w) const;

  /// J v: the twist without what markers that move by functions of time add.
  Eigen::VectorXd twist_of_blocks(const LocalState& x, std::span<const Marker> of, int first_block) const;
  /// The rest of the twist; exactly zero where no marker moves by a function of time.
  Eigen::VectorXd explicit_twist(const LocalState& x, std::span<const Marker> of, int first_block) const;
  /// Rate of the twist at the accelerations of x; evaluated with MotionLevel::full.
  Eigen::VectorXd twist_rate(const LocalState& x, std::span<const Marker> of, int first_block) const;

 private:
  int column(int k) const { return columns_[static_cast<std::size_t>(k)]; }

  std::vector<int> columns_;
  int dofs_ = 0;
  Reserved<2> reserved_;
};

/// Blocks of some markers, one after the other.
TRAMMEL_API std::vector<BlockId> blocks_of(std::span<const Marker> markers);

}  // namespace trammel
