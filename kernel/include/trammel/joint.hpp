#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "trammel/branch_watch.hpp"
#include "trammel/joint_assembly.hpp"
#include "trammel/joint_site.hpp"
#include "trammel/registry.hpp"

namespace trammel {

/// What a joint's equations depend on: the pose of marker B in marker A, the joint's own coordinates, and time.
template <int coordinates>
struct RelativeState {
  Mat3 R_AB;
  Vec3 p_AB_A;
  Eigen::Matrix<double, coordinates, 1> c;
  double t = 0;
};

/// The equations of a joint with their derivatives by z = (zeta; c): zeta = (d p_AB_A; dtheta) with
/// R_AB <- R_AB exp(dtheta~), then the joint's coordinates.
template <int equations, int coordinates>
struct JointTerms {
  static constexpr int variables = 6 + coordinates;
  using Vector = Eigen::Matrix<double, equations, 1>;
  using Gradient = Eigen::Matrix<double, equations, variables, Eigen::RowMajor>;
  using Hessian = Eigen::Matrix<double, variables, variables>;

  Vector C = Vector::Zero();
  Gradient G = Gradient::Zero();  ///< dC/dz
  /// Second derivatives of each equation in the exponential chart, R_AB exp(x~) at x = 0: symmetric.
  std::array<Hessian, equations> H;
  // Where the equations depend on time explicitly.
  Vector C_t = Vector::Zero(), C_tt = Vector::Zero();
  Gradient G_t = Gradient::Zero();

  /// Everything zero; H only where second derivatives are wanted.
  explicit JointTerms(bool second = true) {
    if (second) H.fill(Hessian::Zero());
  }

  JointTermsView view() const {
    static_assert(sizeof H == sizeof(double) * equations * variables * variables);
    return {equations,        coordinates, C.data(),    G.data(),
            H.front().data(), C_t.data(),  C_tt.data(), G_t.data()};
  }
};

struct CoordinateName {
  std::string_view name, unit;
  Measure measure;
};

/// A joint of `equations` scalar equations C(R_AB, p_AB_A, c, t) = 0 with coordinates c of its own. The author gives
/// the derivatives (or derives from Constraint, which finds them):
///
///     void terms(const RelativeState<coordinates>& x, bool second, JointTerms<equations, coordinates>& out) const;
///
/// `out` comes zeroed; H is wanted, and zeroed, where `second` is true. This class does the rest: residual, tangents and rates in
/// the unknowns of whatever carries the markers, outputs and drawing. The local system holds the blocks of A, those
/// of B, the coordinates, the multipliers.
///
/// Derived says what its equations measure, `static constexpr std::array<Dimension, equations> dimensions`, and its
/// coordinates, `static constexpr std::array<CoordinateName, coordinates> coordinate_names`. Equations that measure neither
/// lengths nor angles are declared by `std::vector<Row> rows() const` instead, with a size that is typical of each. It may set
/// `static constexpr JointDemand demand` and give `Vector<coordinates> initial_coordinates(const RelativeState<coordinates>&)
/// const`. Where the equations have a second solution that is not
/// meant (half a turn away), `bool on_branch(const RelativeState<coordinates>&) const` tells them apart: a step that
/// ends on the wrong one is cut, a start there is an error.
///
/// A joint that remembers more gives its History, derived from JointHistory; it then calls begin, review and commit of
/// this class from its own.
template <class Derived, int equations, int coordinates = 0, class History = JointHistory>
class Joint {
 public:
  static_assert(equations >= 1 && equations <= max_block_size && coordinates <= max_block_size);
  static constexpr int equation_count = equations;
  static constexpr int coordinate_count = coordinates;
  static constexpr JointDemand demand{JointAxes::own, false, true};
  /// Undeclared: a joint that does not say what its equations measure is refused.
  static constexpr std::array<Dimension, equations> dimensions{};

  using Terms = JointTerms<equations, coordinates>;
  using Coordinates = Eigen::Matrix<double, coordinates, 1>;

  const JointSite& site() const { return site_; }
  void set_site(JointSite site) {
    site_ = std::move(site);
    blocks_ = site_.block_count();
  }

  bool couples(int row, int column) const {
    const int multiplier = blocks_ + (coordinates > 0 ? 1 : 0);
    return row != multiplier || column != multiplier;
  }

  RelativeState<coordinates> relative(const LocalState& x) const {
    RelativeMotion motion;
    motion.evaluate(x, site_.A, site_.B, 0, MotionLevel::pose);
    return at(x, motion);
  }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Request& request = out.request;
    const bool full = request.bias || (request.rates && request.tangent);
    const bool second = request.tangent || full;
    RelativeMotion motion;
    motion.evaluate(x, site_.A, site_.B, 0,
                    full              ? MotionLevel::full
                    : request.rates   ? MotionLevel::velocity
                    : request.tangent ? MotionLevel::jacobian
                                      : MotionLevel::pose);
    Terms terms(second);
    derived().terms(at(x, motion), second, terms);
    assemble_joint(site_, x, motion, terms.view(), blocks_, multiplier_block(), out);
  }

  void begin(const LocalState& x, const Begin& how) {
    if constexpr (requires(const Derived& d, const RelativeState<coordinates>& s) { d.on_branch(s); })
      if (how.active) history_.branch.begin(derived().on_branch(relative(x)));
  }
  Review review(const LocalState& x, const StepInfo& step) {
    if constexpr (requires(const Derived& d, const RelativeState<coordinates>& s) { d.on_branch(s); })
      return history_.branch.review(derived().on_branch(relative(x)), step);
    else
      return Review::keep();
  }
  void commit(const LocalState&, const StepInfo& step) {
    if (step.active) history_.branch.commit();
  }
  History& history() { return history_; }
  const History& history() const { return history_; }

  Energy energy(const LocalState& x) const {
    // A constraint that moves in time does work on the system: lambda . (B v) leaves it.
    Energy e;
    if (!moves_in_time()) return e;
    RelativeMotion motion;
    motion.evaluate(x, site_.A, site_.B, 0, MotionLevel::velocity);
    Terms terms(false);
    derived().terms(at(x, motion), false, terms);
    const Vec6 w = terms.view().wrench(x.value(multiplier_block()));
    e.lost_power = site_.lost_power(x, motion.A, motion.B, motion.wrench_on_A(w), motion.wrench_on_B(w));
    if constexpr (coordinates > 0)
      e.lost_power += (terms.G.template rightCols<coordinates>().transpose() * multipliers(x)).dot(rates(x));
    return e;
  }

  void outputs(const LocalState& x, const ReactionShares& shares, OutputSink& sink) const {
    RelativeMotion motion;
    const JointForces forces = reaction(x, shares, motion);
    site_.report(motion.A, motion.B, forces, sink);
    report_multipliers(x, sink);
    if constexpr (coordinates > 0) {
      const int k = blocks_;
      for (int i = 0; i < coordinates; ++i) {
        const CoordinateName& c = Derived::coordinate_names[static_cast<std::size_t>(i)];
        const std::string name(c.name), units(c.unit);
        sink.scalar(name, units, x.value(k)[i]);
        sink.scalar(name + "_rate", units + "/s", x.rate(k)[i]);
        sink.scalar(name + "_acceleration", units + "/s^2", x.second_rate(k)[i]);
      }
    }
  }

  void draw(const LocalState& x, const ReactionShares& shares, Canvas& canvas) const {
    RelativeMotion motion;
    const JointForces forces = reaction(x, shares, motion);
    site_.draw(motion.A, motion.B, forces, canvas);
  }

 private:
  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  int multiplier_block() const { return blocks_ + (coordinates > 0 ? 1 : 0); }

  Eigen::Map<const Eigen::Matrix<double, equations, 1>> multipliers(const LocalState& x) const {
    return Eigen::Map<const Eigen::Matrix<double, equations, 1>>(x.value(multiplier_block()));
  }
  Eigen::Map<const Coordinates> rates(const LocalState& x) const {
    return Eigen::Map<const Coordinates>(x.rate(blocks_));
  }

  RelativeState<coordinates> at(const LocalState& x, const RelativeMotion& motion) const {
    RelativeState<coordinates> s;
    s.R_AB = motion.R_AB;
    s.p_AB_A = motion.p_AB_A;
    if constexpr (coordinates > 0) s.c = Eigen::Map<const Coordinates>(x.value(blocks_));
    s.t = x.time();
    return s;
  }

  bool moves_in_time() const {
    if constexpr (requires {
                    { Derived::depends_on_time } -> std::convertible_to<bool>;
                  })
      return Derived::depends_on_time || site_.moves_in_time();
    else
      return site_.moves_in_time();
  }

  JointForces reaction(const LocalState& x, const ReactionShares& shares, RelativeMotion& motion) const {
    motion.evaluate(x, site_.A, site_.B, 0, MotionLevel::jacobian);
    Terms terms(false);
    derived().terms(at(x, motion), false, terms);
    const Vec6 w = terms.view().wrench(x.value(multiplier_block()));
    return site_.forces(motion.A.R_WM, motion.B.R_WM, motion.wrench_on_A(w), motion.wrench_on_B(w), shares);
  }

  void report_multipliers(const LocalState& x, OutputSink& sink) const {
    static constexpr std::string_view names[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    sink.values("multipliers", "", std::span(names).first(equations),
                {multipliers(x).data(), static_cast<std::size_t>(equations)});
  }

  JointSite site_;
  int blocks_ = 0;
  History history_;
};

namespace detail {

/// Throws Error where the equations of a joint do not hold at the start.
TRAMMEL_API void require_closed(const Parameters& in, std::span<const double> C, std::span<const Row> rows,
                                double length);

/// Throws Error where a joint declares other rows than it has equations.
TRAMMEL_API void require_count(const Parameters& in, std::size_t rows, int equations);

template <class J>
std::vector<Row> rows_of_joint(const J& joint) {
  if constexpr (requires { joint.rows(); })
    return joint.rows();
  else
    return rows_of(J::dimensions);
}

}  // namespace detail

/// Adds a joint whose site is set to the model: its coordinates, at the values and rates that the markers start with,
/// its multipliers, and itself. Throws Error where it is open at the start and `assemble` is not `yes`.
template <class J>
void add_joint(const Parameters& in, Builder& builder, J joint) {
  constexpr int nc = J::coordinate_count;
  std::vector<BlockId> stencil = joint.site().blocks();
  const RelativeStart motion = relative_start(builder, joint.site());
  RelativeState<nc> start;
  start.R_AB = motion.R_AB;
  start.p_AB_A = motion.p_AB_A;
  if constexpr (nc > 0) {
    start.c.setZero();
    if constexpr (requires { joint.initial_coordinates(start); }) start.c = joint.initial_coordinates(start);
  }
  typename J::Terms terms(false);
  joint.terms(start, false, terms);
  std::vector<Row> rows = detail::rows_of_joint(joint);
  detail::require_count(in, rows.size(), J::equation_count);
  if (!in.flag("assemble"))
    detail::require_closed(in, {terms.C.data(), static_cast<std::size_t>(J::equation_count)}, rows,
                           builder.length());
  if constexpr (nc > 0) {
    const Eigen::VectorXd rate = coordinate_rates(terms.view(), motion.twist);
    std::array<Measure, static_cast<std::size_t>(nc)> measures;
    std::ranges::transform(J::coordinate_names, measures.begin(), &CoordinateName::measure);
    const BlockId block = builder.add_coordinates(
        "coordinates", {start.c.data(), static_cast<std::size_t>(nc)},
        {rate.data(), static_cast<std::size_t>(nc)}, measures, std::string(J::coordinate_names[0].unit));
    for (int i = 0; i < nc; ++i) {
      const CoordinateName& c = J::coordinate_names[static_cast<std::size_t>(i)];
      builder.offer_coordinate(c.name, std::string(c.unit), block, i);
    }
    stencil.push_back(block);
  }
  stencil.push_back(builder.add_multiplier("multipliers", std::move(rows)));
  builder.add(std::move(joint), std::move(stencil));
}

/// A case's joint type made of a class J derived from Joint or Constraint, which is constructible from Parameters (or
/// by default). `own` are the parameters that J reads besides the common ones.
template <class J>
Type joint_type(std::string name, std::string summary, std::vector<Parameter> own = {}) {
  Type type;
  type.name = std::move(name);
  type.category = Type::Category::joint;
  type.summary = std::move(summary);
  type.parameters = joint_parameters(J::demand, std::move(own));
  type.build = [](const Parameters& in, Builder& builder) {
    const auto make = [&]() {
      if constexpr (std::constructible_from<J, const Parameters&>)
        return J(in);
      else
        return J();
    };
    J joint = make();
    joint.set_site(read_joint_site(in, builder, J::demand));
    add_joint(in, builder, std::move(joint));
  };
  return type;
}

}  // namespace trammel
