#pragma once

#include "trammel/first_jet.hpp"
#include "trammel/formula_drawing.hpp"
#include "trammel/joint.hpp"
#include "trammel/second_jet.hpp"

namespace trammel {

/// Sets `jets`, which come as zeros, to R exp(x~) at x = 0, x the variables from `first` on: R (I + x~ + x~ x~ / 2), with
/// x~ x~ = x x^T - (x . x) I.
template <int first, class Jet>
void set_to_rotation(const Mat3& R, Mat3T<Jet>& jets) {
  for (int i = 0; i < 3; ++i) {
    const Vec3 row = R.row(i).transpose();
    for (int j = 0; j < 3; ++j) {
      Jet& entry = jets(i, j);
      entry.value = row[j];
      entry.gradient.template segment<3>(first) = Vec3::Unit(j).cross(row);
      if constexpr (requires { entry.hessian; }) {
        auto H = entry.hessian.template block<3, 3>(first, first);
        H.col(j) += 0.5 * row;
        H.row(j) += 0.5 * row.transpose();
        H.diagonal().array() -= row[j];
      }
    }
  }
}

/// R exp(x~) as jets at x = 0.
template <class Jet, int first>
Mat3T<Jet> jets_of_rotation(const Mat3& R) {
  Mat3T<Jet> jets;
  set_to_rotation<first>(R, jets);
  return jets;
}

/// A joint written as one formula. The author derives from it and gives the residual as a function templated on its
/// scalar S; all derivatives are found from it (forward mode, second order, in the few relative coordinates):
///
///     class OnSphere : public trammel::Constraint<OnSphere, 1> {
///      public:
///       static constexpr std::array<trammel::Dimension, 1> dimensions{trammel::Dimension::length};
///
///       explicit OnSphere(const trammel::Parameters& in) : radius_(in.real("radius")) {}
///
///       template <class S>
///       void residual(const Relative<S>& x, Residual<S>& C) const {
///         C[0] = (trammel::dot(x.p_AB_A, x.p_AB_A) / radius_ - radius_) / 2;
///       }
///
///      private:
///       double radius_;
///     };
///
///     TRAMMEL_PLUGIN("on_sphere", "1.0") {
///       using trammel::Parameter;
///       registry.add(trammel::joint_type<OnSphere>(
///           "on_sphere", "keeps marker B on a sphere about marker A",
///           {Parameter::make(Parameter::Kind::real, "radius", "m", "radius of the sphere").positive().must()}));
///     }
///
/// `x` holds R_AB, p_AB_A, the joint's coordinates c, and, with `explicit_time`, t. An equation of these is objective
/// by itself. Use `sin`, `sqrt`, `max`, `trammel::dot`, `trammel::cross` without `std::`; a branch must not depend on which
/// scalar is used. `Vec3 surface(double u, double v) const` or `Vec3 curve(double s) const`, in the axes of A, is drawn beside
/// the joint. By hand: see Joint.
template <class Derived, int equations, int coordinates = 0, bool explicit_time = false>
class Constraint : public Joint<Derived, equations, coordinates> {
  using Base = Joint<Derived, equations, coordinates>;

  struct NoTime {};
  template <class S>
  struct Time {
    S t;
  };
  template <class S>
  struct RelativeOf : std::conditional_t<explicit_time, Time<S>, NoTime> {
    Mat3T<S> R_AB;
    Vec3T<S> p_AB_A;
    Eigen::Matrix<S, coordinates, 1> c;
  };

 public:
  static constexpr bool depends_on_time = explicit_time;

  template <class S>
  using Relative = RelativeOf<S>;
  template <class S>
  using Residual = Eigen::Matrix<S, equations, 1>;

  void terms(const RelativeState<coordinates>& at, bool second, typename Base::Terms& out) const {
    if (second)
      fill<SecondJet<variables>>(at, out);
    else
      fill<FirstJet<variables>>(at, out);
  }

  void draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const {
    Base::draw(x, contributions, canvas);
    MarkerMotion A;
    this->site().A.evaluate(x, 0, MotionLevel::pose, A);
    draw_formula(static_cast<const Derived&>(*this), A.R_WM, A.p_WM, canvas);
  }

 private:
  // Variables: d p_AB_A, dtheta, c, and time where it is one.
  static constexpr int n = 6 + coordinates;
  static constexpr int variables = n + (explicit_time ? 1 : 0);

  template <class S>
  void fill(const RelativeState<coordinates>& at, typename Base::Terms& out) const {
    constexpr bool second = requires(S s) { s.hessian; };
    Relative<S> x;
    set_to_rotation<3>(at.R_AB, x.R_AB);
    for (int i = 0; i < 3; ++i) {
      x.p_AB_A[i].value = at.p_AB_A[i];
      x.p_AB_A[i].gradient[i] = 1;
    }
    for (int i = 0; i < coordinates; ++i) {
      x.c[i].value = at.c[i];
      x.c[i].gradient[6 + i] = 1;
    }
    if constexpr (explicit_time) {
      x.t.value = at.t;
      x.t.gradient[n] = 1;
    }

    Residual<S> C;
    static_cast<const Derived&>(*this).residual(x, C);
    for (int i = 0; i < equations; ++i) {
      out.C[i] = C[i].value;
      out.G.row(i) = C[i].gradient.template head<n>().transpose();
      if constexpr (explicit_time) out.C_t[i] = C[i].gradient[n];
      if constexpr (second) {
        out.H[static_cast<std::size_t>(i)] = C[i].hessian.template topLeftCorner<n, n>();
        if constexpr (explicit_time) {
          out.C_tt[i] = C[i].hessian(n, n);
          out.G_t.row(i) = C[i].hessian.template block<1, n>(n, 0);
        }
      }
    }
  }
};

}  // namespace trammel
