#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "trammel/joint_site.hpp"
#include "trammel/local_system.hpp"

namespace trammel::lower_pairs {

/// Equations in the relative rotation R_AB and coordinates c, with derivatives by z = (dtheta; c),
/// R_AB <- R_AB exp(dtheta~). H holds second derivatives in the exponential chart: symmetric.
template <int equations, int coordinates>
struct RotationTerms {
  static constexpr int variables = 3 + coordinates;
  using Hessian = Eigen::Matrix<double, variables, variables>;

  Eigen::Matrix<double, equations, 1> C;
  Eigen::Matrix<double, equations, variables> G;
  std::array<Hessian, static_cast<std::size_t>(equations)> H;
};

/// Joints whose markers have one origin: C = p_WB - p_WA, in the world, unless the position block is shared; and
/// `equations` equations in R_AB and the coordinates, unless the rotation block is shared. Derived gives
///
///     static void rotation(const Mat3& R_AB, const double* c, bool second, RotationTerms<equations, coordinates>&);
///
/// Local system: blocks of A, blocks of B, the coordinates, the force multiplier (3), the moment multiplier.
///
/// The world form of the first part is what makes it sparse: its rows are +-1 in the positions, and only the rotation
/// blocks have a geometric stiffness. It holds on the constraint only that it is objective.
template <class Derived, int equations, int coordinates>
class MeetingJoint {
 public:
  static constexpr int equation_count = equations;
  static constexpr int coordinate_count = coordinates;
  using Terms = RotationTerms<equations, coordinates>;

  explicit MeetingJoint(JointSite site) : site_(std::move(site)) {
    has_force_ = !site_.shares_position;
    has_moment_ = equations > 0 && !site_.shares_rotation;
    rigid_ = !site_.A.has_shape() && !site_.B.has_shape();
    blocks_A_ = site_.A.block_count();
    blocks_ = site_.block_count();
  }

  const JointSite& site() const { return site_; }
  bool has_force_multiplier() const { return has_force_; }
  bool has_moment_multiplier() const { return has_moment_; }

  bool couples(int row, int column) const {
    const Role a = role(std::min(row, column)), b = role(std::max(row, column));
    switch (b.part) {
      case Part::moment:
        return a.part == Part::turning || a.part == Part::coordinate;
      case Part::force:
        return a.part == Part::moving || (a.part == Part::turning && swings(a.side));
      case Part::coordinate:
        return has_moment_ && a.part != Part::moving;
      case Part::turning:
        if (a.part != Part::turning) return false;
        return has_moment_ || (a.side == b.side && has_force_ && swings(a.side));
      case Part::moving:
        return false;
    }
    return true;
  }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    if (!has_force_ && !has_moment_) return;
    const Request& request = out.request;
    const MotionLevel level = request.bias || (request.rates && request.tangent) ? MotionLevel::full
                              : request.rates                                    ? MotionLevel::velocity
                                                                                 : MotionLevel::jacobian;
    MarkerMotion A, B;
    site_.A.evaluate(x, 0, level, A);
    site_.B.evaluate(x, blocks_A_, level, B);
    if (rigid_)
      fill<3>(x, A, B, out);
    else
      fill<Eigen::Dynamic>(x, A, B, out);
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    if (!site_.moves_in_time()) return e;
    MarkerMotion A, B;
    const auto [row_A, row_B] = rows(x, A, B);
    e.lost_power = site_.lost_power(x, A, B, row_A, row_B);
    return e;
  }

  void outputs(const LocalState& x, const ReactionShares& shares, OutputSink& sink) const {
    MarkerMotion A, B;
    const auto [row_A, row_B] = rows(x, A, B);
    site_.report(A, B, site_.forces(A.R_WM, B.R_WM, row_A, row_B, shares), sink);
    static constexpr std::string_view names[] = {"1", "2", "3"};
    if (has_force_) sink.values("force_multipliers", "N", names, {x.value(force_block()), 3});
    if constexpr (equations > 0)
      if (has_moment_)
        sink.values("moment_multipliers", "N m", std::span(names).first(equations),
                    {x.value(moment_block()), static_cast<std::size_t>(equations)});
    if constexpr (coordinates > 0) {
      sink.scalar("angle", "rad", x.value(blocks_)[0]);
      sink.scalar("angle_rate", "rad/s", x.rate(blocks_)[0]);
      sink.scalar("angle_acceleration", "rad/s^2", x.second_rate(blocks_)[0]);
    }
  }

  void draw(const LocalState& x, const ReactionShares& shares, Canvas& canvas) const {
    MarkerMotion A, B;
    const auto [row_A, row_B] = rows(x, A, B);
    site_.draw(A, B, site_.forces(A.R_WM, B.R_WM, row_A, row_B, shares), canvas);
    if constexpr (requires { Derived::draw_body(canvas, A, B, 0.0); })
      if (site_.size > 0) Derived::draw_body(canvas, A, B, site_.size);
  }

 protected:
  /// Index of the coordinate block in the stencil.
  int coordinate_block() const { return blocks_; }

 private:
  enum class Part { moving, turning, coordinate, force, moment };
  struct Role {
    Part part;
    int side = 0;
  };

  template <int width>
  using Turning =
      Eigen::Matrix<double, 3, width, Eigen::ColMajor, 3, width == Eigen::Dynamic ? max_marker_dofs : width>;

  /// One marker as the rows see it. Where both markers are rigid only the three columns of its rotation are dense.
  template <int width>
  struct Side {
    const Marker& marker;
    const MarkerMotion& motion;
    int first_block;
    int column;  ///< of the marker's first unknown
    double sign;
    int dense;         ///< first dense column
    int columns;       ///< how many
    Turning<width> T;  ///< relative rotation by the dense columns

    Side(const Marker& m, const MarkerMotion& at, int block, int first_column, double s)
        : marker(m), motion(at), first_block(block), column(first_column), sign(s) {
      dense = width == 3 ? column + 3 : column;
      columns = width == 3 ? (motion.dofs == 6 ? 3 : 0) : motion.dofs;
    }
    auto translation(const MarkerJacobian& J) const { return part(J, 0); }
    auto rotation(const MarkerJacobian& J) const { return part(J, 3); }

   private:
    auto part(const MarkerJacobian& J, int row) const {
      if constexpr (width == 3)
        return J.template block<3, 3>(row, 3);
      else
        return J.middleRows<3>(row);
    }
  };

  int force_block() const { return blocks_ + (coordinates > 0 ? 1 : 0); }
  int moment_block() const { return force_block() + (has_force_ ? 1 : 0); }

  Role role(int k) const {
    if (k < blocks_) {
      const int side = k < blocks_A_ ? 0 : 1;
      const Marker& m = side == 0 ? site_.A : site_.B;
      if (m.has_shape()) return {Part::turning, side};
      return {k == (side == 0 ? 0 : blocks_A_) ? Part::moving : Part::turning, side};
    }
    if (coordinates > 0 && k == blocks_) return {Part::coordinate};
    return {has_force_ && k == force_block() ? Part::force : Part::moment};
  }
  /// True where the marker's origin moves as its frame turns.
  bool swings(int side) const { return !(side == 0 ? site_.A : site_.B).at_frame_origin(); }

  Vec3 force(const LocalState& x) const {
    return has_force_ ? Vec3(Eigen::Map<const Vec3>(x.value(force_block()))) : Vec3(Vec3::Zero());
  }

  /// Rows of B^T lambda at both markers.
  std::pair<Vec6, Vec6> rows(const LocalState& x, MarkerMotion& A, MarkerMotion& B) const {
    site_.A.evaluate(x, 0, MotionLevel::jacobian, A);
    site_.B.evaluate(x, blocks_A_, MotionLevel::jacobian, B);
    const Mat3 R_AB = A.R_WM.transpose() * B.R_WM;
    Vec3 m = Vec3::Zero();
    if constexpr (equations > 0) {
      if (has_moment_) {
        Terms terms;
        Derived::rotation(R_AB, coordinates > 0 ? x.value(blocks_) : nullptr, false, terms);
        m = terms.G.template leftCols<3>().transpose() *
            Eigen::Map<const Eigen::Matrix<double, equations, 1>>(x.value(moment_block()));
      }
    }
    std::pair<Vec6, Vec6> r;
    r.first << -force(x), -(R_AB * m);
    r.second << force(x), m;
    return r;
  }

  template <int width>
  void fill(const LocalState& x, const MarkerMotion& A, const MarkerMotion& B, LocalSystem& out) const {
    Side<width> a(site_.A, A, 0, 0, -1), b(site_.B, B, blocks_A_, A.dofs, 1);
    const int coordinate = A.dofs + B.dofs;
    const int force_row = coordinate + coordinates;
    const Vec3 lambda = force(x);
    const Mat3 R_AB = A.R_WM.transpose() * B.R_WM;
    Vec3 m = Vec3::Zero();
    if (has_force_) {
      out.residual().template segment<3>(force_row) = B.p_WM - A.p_WM;
      for (const Side<width>* s : {&a, &b}) force_rows(*s, force_row, lambda, out);
    }
    if constexpr (equations > 0)
      if (has_moment_) m = moment_rows(x, R_AB, a, b, coordinate, force_row + (has_force_ ? 3 : 0), out);
    if (!out.request.tangent) return;
    Vec6 wrench;
    if (A.dofs > 0) {
      wrench << -lambda, -(R_AB * m);
      turn_wrench(x, a, wrench, out);
    }
    if (B.dofs > 0) {
      wrench << lambda, m;
      turn_wrench(x, b, wrench, out);
    }
  }

  template <int width>
  static void turn_wrench(const LocalState& x, const Side<width>& s, const Vec6& wrench, LocalSystem& out) {
    if constexpr (width == 3) {
      if (s.columns == 0 || s.marker.at_frame_origin()) return;
      const auto R_WF = x.rotation(s.first_block + 1);
      out.K().template block<3, 3>(s.dense, s.dense).noalias() +=
          skew(s.marker.p_FM_F()) * skew(R_WF.transpose() * wrench.head<3>());
    } else {
      s.marker.add_second_order(x, s.first_block, s.motion, wrench,
                                out.K().block(s.column, s.column, s.motion.dofs, s.motion.dofs));
    }
  }

  template <int width>
  static void force_rows(const Side<width>& s, int row, const Vec3& lambda, LocalSystem& out) {
    if (s.motion.dofs == 0 && s.marker.is_ground()) return;
    auto r = out.residual();
    const bool plain = width == 3;  // the columns of the position are the identity
    if (plain) r.template segment<3>(s.column) += s.sign * lambda;
    if (s.columns > 0)
      r.template segment<width>(s.dense, s.columns) +=
          s.sign * (s.translation(s.motion.J).transpose() * lambda);
    if (out.request.tangent) {
      auto K = out.K();
      if (plain)
        for (int i = 0; i < 3; ++i) K(row + i, s.column + i) = K(s.column + i, row + i) = s.sign;
      if (s.columns > 0) {
        const Turning<width> J = s.sign * s.translation(s.motion.J);
        K.template block<3, width>(row, s.dense, 3, s.columns) = J;
        K.template block<width, 3>(s.dense, row, s.columns, 3) = J.transpose();
      }
    }
    if (out.request.rates) {
      out.rate().template segment<3>(row) += s.sign * s.motion.twist.template head<3>();
      if (out.request.tangent && s.columns > 0)
        out.rate_gradient().template block<3, width>(row, s.dense, 3, s.columns) =
            s.sign * s.translation(s.motion.twist_gradient);
    }
    if (out.request.bias) out.bias().template segment<3>(row) += s.sign * s.motion.bias.template head<3>();
  }

  /// Returns the relative moment of B^T lambda, in B's components.
  template <int width>
  Vec3 moment_rows(const LocalState& x, const Mat3& R_AB, Side<width>& a, Side<width>& b, int coordinate,
                   int row, LocalSystem& out) const {
    constexpr bool has_coordinates = coordinates > 0;
    const Request& request = out.request;
    Terms terms;
    Derived::rotation(R_AB, has_coordinates ? x.value(blocks_) : nullptr,
                      request.tangent || request.rates || request.bias, terms);
    const Eigen::Map<const Eigen::Matrix<double, equations, 1>> lambda(x.value(moment_block()));
    const auto G = terms.G.template leftCols<3>();
    const auto G_c = terms.G.template rightCols<coordinates>();
    const Vec3 m = G.transpose() * lambda;
    if (a.columns > 0) a.T = -(R_AB.transpose().lazyProduct(a.rotation(a.motion.J)));
    if (b.columns > 0) b.T = b.rotation(b.motion.J);

    auto r = out.residual();
    r.template segment<equations>(row) = terms.C;
    for (const Side<width>* s : {&a, &b})
      if (s->columns > 0) r.template segment<width>(s->dense, s->columns) += s->T.transpose() * m;
    if constexpr (has_coordinates) r.template segment<coordinates>(coordinate) += G_c.transpose() * lambda;

    if (request.tangent) {
      auto K = out.K();
      typename Terms::Hessian H = lambda[0] * terms.H[0];
      for (int i = 1; i < equations; ++i) H += lambda[i] * terms.H[static_cast<std::size_t>(i)];
      const Mat3 m_cross = skew(m);
      // The gradient's derivative on the group is H + m~/2; in A's rows the moment turns with the relative rotation.
      const Mat3 S_B = H.template topLeftCorner<3, 3>() + 0.5 * m_cross;
      const Mat3 S_A = S_B - m_cross;
      for (const Side<width>* s : {&a, &b}) {
        if (s->columns == 0) continue;
        using RowsOfS =
            Eigen::Matrix<double, equations, width, equations == 1 ? Eigen::RowMajor : Eigen::ColMajor,
                          equations, width == Eigen::Dynamic ? max_marker_dofs : width>;
        const RowsOfS B = G * s->T;
        K.template block<equations, width>(row, s->dense, equations, s->columns) = B;
        K.template block<width, equations>(s->dense, row, s->columns, equations) = B.transpose();
        const Turning<width> S_T_A = S_A * s->T, S_T_B = S_B * s->T;
        if (a.columns > 0)
          K.template block<width, width>(a.dense, s->dense, a.columns, s->columns) += a.T.transpose() * S_T_A;
        if (b.columns > 0)
          K.template block<width, width>(b.dense, s->dense, b.columns, s->columns) += b.T.transpose() * S_T_B;
        if constexpr (has_coordinates) {
          using RowsOfC =
              Eigen::Matrix<double, coordinates, width, coordinates == 1 ? Eigen::RowMajor : Eigen::ColMajor,
                            coordinates, width == Eigen::Dynamic ? max_marker_dofs : width>;
          const RowsOfC h = H.template bottomLeftCorner<coordinates, 3>() * s->T;
          K.template block<coordinates, width>(coordinate, s->dense, coordinates, s->columns) = h;
          K.template block<width, coordinates>(s->dense, coordinate, s->columns, coordinates) = h.transpose();
        }
      }
      if constexpr (has_coordinates) {
        K.template block<coordinates, coordinates>(coordinate, coordinate) =
            H.template bottomRightCorner<coordinates, coordinates>();
        K.template block<equations, coordinates>(row, coordinate) = G_c;
        K.template block<coordinates, equations>(coordinate, row) = G_c.transpose();
      }
    }
    if (request.rates || request.bias) moment_rates(x, R_AB, a, b, coordinate, row, terms, out);
    return m;
  }

  template <int width>
  void moment_rates(const LocalState& x, const Mat3& R_AB, const Side<width>& a, const Side<width>& b,
                    int coordinate, int row, const Terms& terms, LocalSystem& out) const {
    const Mat3 R_BA = R_AB.transpose();
    const Vec3 w_A = R_BA * a.motion.twist.template tail<3>();
    const Vec3 w = b.motion.twist.template tail<3>() - w_A;
    Eigen::Matrix<double, Terms::variables, 1> xi;
    xi.template head<3>() = w;
    if constexpr (coordinates > 0)
      xi.template tail<coordinates>() =
          Eigen::Map<const Eigen::Matrix<double, coordinates, 1>>(x.rate(blocks_));
    const auto G = terms.G.template leftCols<3>();

    if (out.request.rates) {
      out.rate().template segment<equations>(row) += terms.G * xi;
      if (out.request.tangent) {
        Eigen::Matrix<double, equations, Terms::variables> by_z;
        for (int i = 0; i < equations; ++i) {
          by_z.row(i) = xi.transpose() * terms.H[static_cast<std::size_t>(i)];
          by_z.row(i).template head<3>() += 0.5 * w.cross(Vec3(G.row(i).transpose())).transpose();
        }
        // The relative angular velocity itself changes as the relative rotation does.
        by_z.template leftCols<3>() -= G * skew(w_A);
        auto gradient = out.rate_gradient();
        for (const Side<width>* s : {&a, &b})
          if (s->columns > 0)
            gradient.template block<equations, width>(row, s->dense, equations, s->columns) +=
                by_z.template leftCols<3>() * s->T;
        if constexpr (width != 3) {
          if (a.columns > 0)
            gradient.block(row, a.dense, equations, a.columns) -=
                G * (R_BA * a.rotation(a.motion.twist_gradient));
          if (b.columns > 0)
            gradient.block(row, b.dense, equations, b.columns) += G * b.rotation(b.motion.twist_gradient);
        }
        if constexpr (coordinates > 0)
          gradient.template block<equations, coordinates>(row, coordinate) +=
              by_z.template rightCols<coordinates>();
      }
    }
    if (out.request.bias) {
      const Vec3 alpha =
          b.motion.bias.template tail<3>() - R_BA * a.motion.bias.template tail<3>() + w.cross(w_A);
      auto bias = out.bias();
      for (int i = 0; i < equations; ++i)
        bias[row + i] += G.row(i).dot(alpha) + xi.dot(terms.H[static_cast<std::size_t>(i)] * xi);
    }
  }

  JointSite site_;
  bool has_force_ = true, has_moment_ = true, rigid_ = true;
  int blocks_A_ = 0, blocks_ = 0;
};

/// Adds what the joint owns besides its coordinates to its stencil, and the joint to the model.
template <class J>
void add_meeting_joint(Builder& builder, J joint, std::vector<BlockId> stencil) {
  if (joint.has_force_multiplier()) stencil.push_back(builder.add_multiplier("force", 3, "m"));
  if constexpr (J::equation_count > 0)
    if (joint.has_moment_multiplier())
      stencil.push_back(builder.add_multiplier("moment", J::equation_count, "rad"));
  builder.add(std::move(joint), std::move(stencil));
}

}  // namespace trammel::lower_pairs
