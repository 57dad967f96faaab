#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trammel/builder.hpp"
#include "trammel/constraint.hpp"
#include "trammel/formula_drawing.hpp"
#include "trammel/group_assembly.hpp"
#include "trammel/motion_level.hpp"

namespace trammel {

/// A number of an element by formula: coordinate, state or algebraic unknown.
using FormulaNumber = CoordinateName;

/// `n` numbers of one kind, told apart by their index.
template <std::size_t n>
constexpr std::array<FormulaNumber, n> numbered(const FormulaNumber& each) {
  std::array<FormulaNumber, n> numbers;
  numbers.fill(each);
  return numbers;
}

template <std::size_t n>
std::array<Measure, n> measures_of(const std::array<FormulaNumber, n>& numbers) {
  std::array<Measure, n> measures;
  for (std::size_t i = 0; i < n; ++i) measures[i] = numbers[i].measure;
  return measures;
}

/// Reports numbers by their names; those of one name (`numbered`) as one list.
TRAMMEL_API void report_numbers(std::span<const FormulaNumber> numbers, const double* values,
                                const std::string& suffix, OutputSink& sink);

/// Arguments of a law between two markers, A and B; all components in the axes of A.
template <class S, int states, int algebraic>
struct PairMotion {
  Mat3T<S> R_AB;
  Vec3T<S> p_AB_A;
  Vec3T<S> v_AB_A;  ///< d/dt p_AB_A: velocity of B's origin as seen from A [m/s]
  Vec3T<S> w_AB_A;  ///< angular velocity of B in A [rad/s]
  Eigen::Matrix<S, states, 1> y;
  Eigen::Matrix<S, algebraic, 1> z;
  S t = S(0.0);  ///< [s]

  // By number of the marker after A.
  Mat3T<S>& R(int) { return R_AB; }
  Vec3T<S>& p(int) { return p_AB_A; }
  Vec3T<S>& v(int) { return v_AB_A; }
  Vec3T<S>& w(int) { return w_AB_A; }
};

/// Results of a law: force and moment on marker B, in the axes of A, and the equations of its own unknowns.
template <class S, int states, int algebraic>
struct PairForces {
  Vec3T<S> force = Vec3T<S>::Constant(S(0.0));   ///< on B at its origin [N]
  Vec3T<S> moment = Vec3T<S>::Constant(S(0.0));  ///< on B about its origin [N m]
  Eigen::Matrix<S, states, 1> rate;              ///< y'
  Eigen::Matrix<S, algebraic, 1> equation;       ///< zero where z is right

  const Vec3T<S>& force_on(int) const { return force; }
  const Vec3T<S>& moment_on(int) const { return moment; }
};

/// Arguments of an element of several markers and coordinates. Index 0 is the first marker, A: R[0] = 1,
/// p[0] = v[0] = w[0] = 0. All components in the axes of A.
template <class S, int markers, int coordinates, int states, int algebraic>
struct GroupMotion {
  std::array<Mat3T<S>, markers> R;  ///< R_AB of each marker
  std::array<Vec3T<S>, markers> p;  ///< p_AB_A [m]
  std::array<Vec3T<S>, markers> v;  ///< d/dt p_AB_A [m/s]
  std::array<Vec3T<S>, markers> w;  ///< w_AB_A [rad/s]
  Eigen::Matrix<S, coordinates, 1> c, c_rate;
  Eigen::Matrix<S, states, 1> y;
  Eigen::Matrix<S, algebraic, 1> z;
  S t = S(0.0);  ///< [s]

  GroupMotion() {
    R[0] = Mat3::Identity().template cast<S>();
    p[0] = v[0] = w[0] = Vec3::Zero().template cast<S>();
  }
};

/// Results of an element: forces and moments on each marker (those on the first follow from balance), generalized
/// forces on the coordinates, and the equations of its own unknowns.
template <class S, int markers, int coordinates, int states, int algebraic>
struct GroupForces {
  std::array<Vec3T<S>, markers> force,
      moment;  ///< at the markers' origins, in the axes of A; [0] is not read
  Eigen::Matrix<S, coordinates, 1> coordinate;
  Eigen::Matrix<S, states, 1> rate;
  Eigen::Matrix<S, algebraic, 1> equation;

  GroupForces() {
    force.fill(Vec3::Zero().template cast<S>());
    moment.fill(Vec3::Zero().template cast<S>());
    coordinate.fill(S(0.0));
  }
};

/// Common base of ForceLaw and BlockElement. Derived is the author's class; it gives `formula<S>(x, out)`.
template <class Derived, bool pair, int markers_, int coordinates_, int states_, int algebraic_>
class GroupLaw {
 public:
  static constexpr int markers = markers_, coordinates = coordinates_, states = states_,
                       algebraic = algebraic_;
  static constexpr std::array<FormulaNumber, 0> coordinate_names{}, state_names{}, algebraic_names{};

  template <class S>
  using Motion = std::conditional_t<pair, PairMotion<S, states, algebraic>,
                                    GroupMotion<S, markers, coordinates, states, algebraic>>;
  template <class S>
  using Forces = std::conditional_t<pair, PairForces<S, states, algebraic>,
                                    GroupForces<S, markers, coordinates, states, algebraic>>;

  void set_markers(std::vector<Marker> of) {
    of_ = std::move(of);
    first_own_ = 0;
    for (const Marker& marker : of_) first_own_ += marker.block_count();
    if constexpr (has_mass) mass_ = derived().mass();
  }
  std::span<const Marker> site_markers() const { return of_; }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const bool tangent = out.request.tangent;
    RelativeGroup& group = scratch();
    group.evaluate(x, of_, 0, level_of_forces(out.request));
    Terms terms;
    if (tangent)
      fill<Jet>(x, group, terms);
    else
      fill<Plain>(x, group, terms);
    assemble_law(of_, x, group, terms.view(tangent), out);
    if constexpr (has_mass) assemble_inertia(mass_, markers, coordinates, x, out);
  }

  Energy energy(const LocalState& x) const {
    static_assert(
        has_mass || !requires(Derived & d) { d.mass(); }, "mass must be const");
    RelativeGroup& group = scratch();
    group.evaluate(x, of_, 0, MotionLevel::full);
    Terms terms;
    Energy e;
    static_assert(
        requires(const Derived& d, const Motion<Jet>& m) { d.stored(m); } ||
            !requires(Derived & d, Motion<Jet> & m) { d.stored(m); },
        "stored must be const and take a const motion, or the force would count as one without an energy");
    if constexpr (requires(const Derived& d, const Motion<Jet>& m) { d.stored(m); }) {
      const Motion<Jet> motion = fill<Jet>(x, group, terms);
      const Jet stored = derived().stored(motion);
      e = law_energy(of_, x, group, terms.view(true), terms.c_rate.data(), terms.c_acceleration.data(),
                     stored.value, stored.gradient.data());
    } else {
      fill<Plain>(x, group, terms);
      e = law_energy(of_, x, group, terms.view(false), terms.c_rate.data(), terms.c_acceleration.data(), 0,
                     nullptr);
    }
    if constexpr (has_mass) e.kinetic = kinetic_energy(mass_, markers, coordinates, x);
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    RelativeGroup& group = scratch();
    group.evaluate(x, of_, 0, MotionLevel::velocity);
    Terms terms;
    fill<Plain>(x, group, terms);
    report_law(group, law_wrench(group, terms.view(false)), sink);
    report_numbers(Derived::coordinate_names, terms.c.data(), "", sink);
    report_numbers(Derived::coordinate_names, terms.c_rate.data(), "_rate", sink);
    report_numbers(Derived::state_names, terms.y.data(), "", sink);
    report_numbers(Derived::state_names, terms.y_rate.data(), "_rate", sink);
    report_numbers(Derived::algebraic_names, terms.z.data(), "", sink);
    if constexpr (requires(const Derived& d, const Motion<Plain>& m) { d.report(m, sink); }) {
      derived().report(fill<Plain>(x, group, terms), sink);
    }
  }

  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
    RelativeGroup& group = scratch();
    group.evaluate(x, of_, 0, MotionLevel::pose);
    draw_formula(derived(), group.markers, canvas);
  }

  /// Adds the blocks and the instance; the markers are set.
  static void add(const Parameters& in, Builder& builder, Derived law) {
    if constexpr (has_mass)
      for (const Marker& marker : law.of_)
        if (!marker.is_rigid_frame() || !marker.at_frame_origin() || !marker.R_FM().isIdentity(0))
          throw Error(in.where("between"), "'" + marker.name() +
                                               "' is not the origin of a frame, and an element with mass "
                                               "needs such markers");
    Motion<double> start = law.start_motion(builder);
    std::vector<BlockId> stencil = trammel::blocks_of(std::span<const Marker>(law.of_));
    if constexpr (coordinates > 0) {
      if constexpr (requires { law.initial_coordinates(start); }) start.c = law.initial_coordinates(start);
      const Eigen::Matrix<double, coordinates, 1> rates = Eigen::Matrix<double, coordinates, 1>::Zero();
      stencil.push_back(builder.add_coordinates("coordinates", numbers(start.c), numbers(rates),
                                                measures_of(Derived::coordinate_names), ""));
    }
    if constexpr (states > 0) {
      if constexpr (requires { law.initial_states(start); }) start.y = law.initial_states(start);
      stencil.push_back(
          builder.add_states("states", numbers(start.y), measures_of(Derived::state_names), ""));
    }
    if constexpr (algebraic > 0) {
      if constexpr (requires { law.initial_algebraic(start); }) start.z = law.initial_algebraic(start);
      stencil.push_back(
          builder.add_algebraic("algebraic", numbers(start.z), measures_of(Derived::algebraic_names), ""));
    }
    builder.add(std::move(law), std::move(stencil));
  }

 private:
  static constexpr bool has_mass = requires(const Derived& d) { d.mass(); };
  static constexpr int poses = markers - 1, relative = 6 * poses, kinematic = relative + coordinates;
  static constexpr int variables = 2 * kinematic + states + algebraic;
  static constexpr int rows = kinematic + states + algebraic;
  using Jet = FirstJet<variables>;
  using Plain = FirstJet<0>;

  struct Terms {
    Eigen::Matrix<double, rows, 1> values;
    Eigen::Matrix<double, rows, variables, Eigen::RowMajor> derivatives;
    Eigen::Matrix<double, coordinates, 1> c, c_rate, c_acceleration;
    Eigen::Matrix<double, states, 1> y, y_rate;
    Eigen::Matrix<double, algebraic, 1> z;

    LawTermsView view(bool with_derivatives) const {
      return {poses,        coordinates,   states,
              algebraic,    values.data(), with_derivatives ? derivatives.data() : nullptr,
              y_rate.data()};
    }
  };

  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  static RelativeGroup& scratch() {
    thread_local RelativeGroup group;
    return group;
  }

  template <class S>
  static S variable(double value, int index) {
    S x(value);
    if constexpr (S::variables > 0) x.gradient[index] = 1;
    return x;
  }
  template <class S, class Into>
  static void set(Into&& into, const double* from, int first) {
    for (Eigen::Index i = 0; i < into.size(); ++i)
      into[i] = variable<S>(from[i], first + static_cast<int>(i));
  }

  /// Sets the terms and gives the motion that they were evaluated at.
  template <class S>
  Motion<S> fill(const LocalState& x, const RelativeGroup& group, Terms& terms) const {
    const int first_state = first_own_ + (coordinates > 0 ? 1 : 0),
              first_algebraic = first_state + (states > 0 ? 1 : 0);
    if constexpr (coordinates > 0) {
      terms.c = Eigen::Map<const Eigen::Matrix<double, coordinates, 1>>(x.value(first_own_));
      terms.c_rate = Eigen::Map<const Eigen::Matrix<double, coordinates, 1>>(x.rate(first_own_));
      terms.c_acceleration =
          Eigen::Map<const Eigen::Matrix<double, coordinates, 1>>(x.second_rate(first_own_));
    }
    if constexpr (states > 0) {
      terms.y = Eigen::Map<const Eigen::Matrix<double, states, 1>>(x.value(first_state));
      terms.y_rate = Eigen::Map<const Eigen::Matrix<double, states, 1>>(x.rate(first_state));
    }
    if constexpr (algebraic > 0)
      terms.z = Eigen::Map<const Eigen::Matrix<double, algebraic, 1>>(x.value(first_algebraic));

    Motion<S> m;
    for (int k = 0; k < poses; ++k) {
      const RelativeGroup::Pose& pose = group.poses[static_cast<std::size_t>(k)];
      const Vec3 w_A = pose.R_AB * group.twist.template segment<3>(6 * k + 3);
      set_pose<S>(m, k, pose, Vec3(group.twist.template segment<3>(6 * k)), w_A);
    }
    if constexpr (!pair) {
      set<S>(m.c, terms.c.data(), relative);
      set<S>(m.c_rate, terms.c_rate.data(), kinematic + relative);
    }
    set<S>(m.y, terms.y.data(), 2 * kinematic);
    set<S>(m.z, terms.z.data(), 2 * kinematic + states);
    m.t = S(x.time());

    Forces<S> f;
    derived().template formula<S>(m, f);
    for (int k = 0; k < poses; ++k)
      for (int i = 0; i < 3; ++i) {
        if constexpr (pair) {
          take(f.force[i], 6 * k + i, terms);
          take(f.moment[i], 6 * k + 3 + i, terms);
        } else {
          take(f.force[static_cast<std::size_t>(k) + 1][i], 6 * k + i, terms);
          take(f.moment[static_cast<std::size_t>(k) + 1][i], 6 * k + 3 + i, terms);
        }
      }
    if constexpr (!pair)
      for (int i = 0; i < coordinates; ++i) take(f.coordinate[i], relative + i, terms);
    for (int i = 0; i < states; ++i) take(f.rate[i], kinematic + i, terms);
    for (int i = 0; i < algebraic; ++i) take(f.equation[i], kinematic + states + i, terms);
    return m;
  }

  template <class S>
  static void set_pose(Motion<S>& m, int k, const RelativeGroup::Pose& pose, const Vec3& v, const Vec3& w) {
    const auto into = [&](Mat3T<S>& R, Vec3T<S>& p, Vec3T<S>& v_A, Vec3T<S>& w_A) {
      if constexpr (S::variables > 0) {
        set_rotation_of(k, pose.R_AB, R);
      } else {
        for (int i = 0; i < 9; ++i) R(i) = pose.R_AB(i);
      }
      set<S>(p, pose.p_AB_A.data(), 6 * k);
      set<S>(v_A, v.data(), kinematic + 6 * k);
      set<S>(w_A, w.data(), kinematic + 6 * k + 3);
    };
    if constexpr (pair) {
      into(m.R_AB, m.p_AB_A, m.v_AB_A, m.w_AB_A);
    } else {
      const auto i = static_cast<std::size_t>(k) + 1;
      into(m.R[i], m.p[i], m.v[i], m.w[i]);
    }
  }
  template <class S>
  static void set_rotation_of(int k, const Mat3& R_AB, Mat3T<S>& R) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        R(i, j) = S(R_AB(i, j));
        R(i, j).gradient.template segment<3>(6 * k + 3) = Vec3::Unit(j).cross(Vec3(R_AB.row(i).transpose()));
      }
  }

  template <class S>
  static void take(const S& from, int row, Terms& terms) {
    terms.values[row] = from.value;
    if constexpr (S::variables > 0) terms.derivatives.row(row) = from.gradient.transpose();
  }

  Motion<double> start_motion(const Builder& builder) const {
    Motion<double> m;
    const InitialMotion a = builder.initial(of_.front());
    const Mat3 R_AW = a.R_WM.transpose();
    const Vec3 w_A = a.R_WM * a.twist.tail<3>();
    for (int k = 0; k < poses; ++k) {
      const InitialMotion b = builder.initial(of_[static_cast<std::size_t>(k) + 1]);
      const Vec3 d = b.p_WM - a.p_WM;
      const Mat3 R = R_AW * b.R_WM;
      const Vec3 p = R_AW * d, v = R_AW * (b.twist.head<3>() - a.twist.head<3>() - w_A.cross(d)),
                 w = R_AW * (b.R_WM * b.twist.tail<3>() - w_A);
      if constexpr (pair) {
        m.R_AB = R, m.p_AB_A = p, m.v_AB_A = v, m.w_AB_A = w;
      } else {
        const auto i = static_cast<std::size_t>(k) + 1;
        m.R[i] = R, m.p[i] = p, m.v[i] = v, m.w[i] = w;
      }
    }
    if constexpr (!pair) m.c.setZero(), m.c_rate.setZero();
    m.y.setZero();
    m.z.setZero();
    return m;
  }

  template <class Values>
  static std::span<const double> numbers(const Values& values) {
    return {values.data(), static_cast<std::size_t>(values.size())};
  }

  std::vector<Marker> of_;
  int first_own_ = 0;
  Eigen::MatrixXd mass_;
};

}  // namespace trammel
