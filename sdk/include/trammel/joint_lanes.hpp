#pragma once

#include <array>
#include <cstddef>

#include "trammel/joint_structure.hpp"
#include "trammel/joint_terms.hpp"
#include "trammel/local_lanes.hpp"
#include "trammel/marker.hpp"

namespace trammel::detail {

/// One marker of each of several joints, all of them fixed to frames. `axes`: whether the axes of the marker are wanted.
template <bool axes>
struct MarkerLanes {
  Mat3T<Lanes> R_WF, R_WM, R_FM;
  Vec3T<Lanes> p_FM_F, p_WM, compensation_W, v_WM, w_WM_M;
  bool turned = false;  ///< the axes of some marker are not those of its frame; else R_FM is not set

  /// The frames' blocks are the local blocks `first` and `first` + 1.
  MarkerLanes(const std::array<const Marker*, Lanes::count>& markers, const LocalStateLanes& x, int first,
              bool rates)
      : R_WF(x.rotation(first + 1)),
        p_FM_F(read_lanes<Vec3T<Lanes>>([&](std::size_t k) { return markers[k]->p_FM_F().data(); })),
        p_WM(x.position(first)),
        compensation_W(x.compensation(first)) {
    Vec3T<Lanes> v_WF, w_WF_F;
    if (rates) {
      v_WF = x.velocity(first);
      w_WF_F = x.velocity(first + 1);
    }
    if constexpr (axes)
      for (const Marker* const marker : markers) turned |= marker->is_turned();
    add_to_place(p_WM, compensation_W, R_WF.lazyProduct(p_FM_F));
    if (rates) v_WM = v_WF + R_WF.lazyProduct(w_WF_F.cross(p_FM_F));
    if constexpr (axes) {
      if (turned) R_FM = read_lanes<Mat3T<Lanes>>([&](std::size_t k) { return markers[k]->R_FM().data(); });
      R_WM = turned ? Mat3T<Lanes>(R_WF.lazyProduct(R_FM)) : R_WF;
      if (rates) w_WM_M = turned ? Vec3T<Lanes>(R_FM.transpose().lazyProduct(w_WF_F)) : w_WF_F;
    }
  }

  /// The rows of the frame for a force on the marker's origin in world components, and a moment in the marker's.
  Vec6T<Lanes> rows(const Vec3T<Lanes>& force_W, const Vec3T<Lanes>& moment_M) const {
    Vec3T<Lanes> moment_F = p_FM_F.cross(R_WF.transpose().lazyProduct(force_W));
    if constexpr (axes) moment_F += turned ? Vec3T<Lanes>(R_FM.lazyProduct(moment_M)) : moment_M;
    Vec6T<Lanes> all;
    all << force_W, moment_F;
    return all;
  }
};

/// The residuals and rates of several joints of one class between frames, all of whose equations are evaluated: what JointPullback gives
/// for each of them alone.
template <class J>
class JointLanes {
  static constexpr JointStructure s = StructureOf<J>::value;
  static constexpr int equations = J::equation_count, coordinates = J::coordinate_count;
  static constexpr int nd = s.displacements, nr = s.rotations;
  static constexpr bool in_world = s.in_world, axes = nr > 0 || !in_world;
  using Equations = Eigen::Matrix<Lanes, equations, 1>;
  using Coordinates = Eigen::Matrix<Lanes, coordinates, 1>;
  using Markers = MarkerLanes<axes>;

 public:
  Vec6T<Lanes> on_A, on_B;
  Coordinates on_coordinates;
  Equations C, rate;

  /// `joint` is any of them; c and c_rate are their coordinates and the rates of these.
  JointLanes(const J& joint, const Markers& A, const Markers& B, const Equations& lambda,
             const Coordinates& c, const Coordinates& c_rate, double t, bool rates) {
    const Vec3T<Lanes> p_AB_W = (B.p_WM - A.p_WM) + (B.compensation_W - A.compensation_W);
    RelativeState<coordinates, Lanes> x;
    Mat3T<Lanes> R_AW;
    if constexpr (axes) {
      R_AW = A.R_WM.transpose();
      x.R_AB = R_AW.lazyProduct(B.R_WM);
    }
    if constexpr (in_world)
      x.p_AB_A.fill(Lanes(0.0));
    else
      x.p_AB_A = R_AW.lazyProduct(p_AB_W);
    x.c = c;
    x.t = t;
    Terms terms{typename Terms::NotSet()};
    joint.terms(x, false, terms);
    Vec3T<Lanes> f, m, moment_on_A;
    for (Vec3T<Lanes>* const v : {&f, &m, &moment_on_A}) v->fill(Lanes(0.0));
    on_coordinates.fill(Lanes(0.0));
    for (int i = 0; i < nd; ++i) f[s.first + i] = lambda[i];
    for (int i = nd; i < nd + nr; ++i) m += lambda[i] * terms.G.row(i).template segment<3>(3).transpose();
    for (int i = 0; i < equations; ++i)
      for_each_coordinate(i, [&](int k) { on_coordinates[k] += lambda[i] * terms.G(i, 6 + k); });
    if constexpr (nr > 0) moment_on_A -= x.R_AB.lazyProduct(m);
    if constexpr (!in_world) {
      moment_on_A -= x.p_AB_A.cross(f);
      f = A.R_WM.lazyProduct(f).eval();
    }
    on_A = A.rows(-f, moment_on_A);
    on_B = B.rows(f, m);

    C = terms.C;
    if constexpr (in_world) C.template head<nd>() = p_AB_W.template segment<nd>(s.first);
    if (!rates) return;
    Vec3T<Lanes> u = B.v_WM - A.v_WM, w;
    if constexpr (!in_world) u = R_AW.lazyProduct(u).eval() + x.p_AB_A.cross(A.w_WM_M);
    if constexpr (nr > 0) w = B.w_WM_M - x.R_AB.transpose().lazyProduct(A.w_WM_M);
    for (int i = 0; i < equations; ++i) {
      rate[i] = Lanes(0.0);
      if (i < nd)
        rate[i] = u[s.first + i];
      else if (i < nd + nr)
        rate[i] = terms.G.row(i).template segment<3>(3).dot(w);
      for_each_coordinate(i, [&](int k) { rate[i] += terms.G(i, 6 + k) * c_rate[k]; });
    }
  }

  using MarkersOfJoint = Markers;
  using Multipliers = Equations;
  using CoordinateLanes = Coordinates;

 private:
  using Terms = JointTerms<equations, coordinates, Lanes>;

  template <class F>
  static void for_each_coordinate(int i, F&& f) {
    for (int k = 0; k < coordinates; ++k)
      if ((s.rows[i].coordinates >> static_cast<unsigned>(k) & 1U) != 0) f(k);
  }
};

}  // namespace trammel::detail
