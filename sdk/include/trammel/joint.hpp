#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "trammel/branch_monitor.hpp"
#include "trammel/by_processor.hpp"
#include "trammel/glyph.hpp"
#include "trammel/joint_assembly.hpp"
#include "trammel/joint_lanes.hpp"
#include "trammel/joint_pullback.hpp"
#include "trammel/joint_site.hpp"
#include "trammel/joint_terms.hpp"
#include "trammel/registry.hpp"

namespace trammel {

struct CoordinateName {
  std::string_view name, unit;
  Measure measure;
};

namespace detail {
/// Where the multipliers of a group of equations are stored.
struct GroupAt {
  int block = -1;  ///< in the stencil
  int row = 0;     ///< its first row in the local system, counted after the rows of the markers
  bool evaluated = true;
};
}  // namespace detail

/// Consecutive coordinates of a joint that form one block.
struct CoordinateGroup {
  std::string_view block;  ///< its name
  int count = 0;
};

/// Consecutive equations of a joint whose multipliers form one block.
struct MultiplierGroup {
  std::string_view block = "multipliers";  ///< its name
  int rows = 0;
  /// Name and unit of the output of its multipliers; no output if empty.
  std::string_view output = "multipliers", unit = "";
  int first = 0;  ///< number of its first multiplier in that output, from 0
  /// The part of the two frames (positions or rotations) whose identification satisfies these equations. The joint
  /// offers this identification to the layout. Only for joints that declare their `sparsity` and have the parameter
  /// `share`.
  std::optional<FramePart> identifies = std::nullopt;
};

namespace detail {
template <class Groups>
constexpr bool identifies_any(const Groups& groups) {
  for (const MultiplierGroup& group : groups)
    if (group.identifies) return true;
  return false;
}
}  // namespace detail

/// A joint of `equations` scalar equations C(R_AB, p_AB_A, c, t) = 0 with coordinates c of its own. The author gives
/// the derivatives (or derives from Constraint, which finds them):
///
///     void terms(const RelativeState<coordinates>& x, bool second, JointTerms<equations, coordinates>& out) const;
///
/// `out` is zero before the call. Fill H only if `second` is true. This class supplies the rest: residual, tangents
/// and rates in the unknowns of the bodies that carry the markers, outputs and drawing. Order of the blocks in the
/// local system: those of A, those of B, the coordinates, the multipliers.
///
/// Derived declares what its equations measure, `static constexpr std::array<Dimension, equations> dimensions`, and
/// names its coordinates, `static constexpr std::array<CoordinateName, coordinates> coordinate_names`. If an
/// equation measures neither a length nor an angle, `std::vector<Row> rows() const` with a typical size of each
/// equation replaces `dimensions`. It may set
/// `static constexpr JointRequirement requirement` and give `Vector<coordinates> initial_coordinates(const RelativeState<coordinates>&)
/// const`. If the equations have an unwanted second solution (half a turn away), `bool on_branch(const
/// RelativeState<coordinates>&) const` returns false there: a step that ends with it is halved, and a start there
/// is an error.
///
/// A joint may declare on which arguments each equation depends, and is then assembled faster: `static constexpr
/// std::array<RowSparsity, equations> sparsity`. Order of the equations: consecutive components of the
/// displacement, then equations of the rotation, then those of the coordinates alone. In this case `out` is not
/// zeroed, and `terms` sets only the declared entries, except the derivatives of displacement components by the
/// displacement, which are 1. With `static constexpr bool meets = true` the displacement equations are in the axes
/// of the world, p_WB - p_WA = 0; their C is then used at the start only, and `x.p_AB_A` is zero in an evaluation.
/// Equations that are satisfied by identified blocks are not evaluated, and have no multipliers.
///
/// The coordinates form one block and the multipliers another, unless `coordinate_groups` and `multiplier_groups`
/// divide them. The glyph of the joint follows from the motions that its equations leave free, unless
/// `static void draw_glyph(const Glyph& glyph)` draws another, or `void draw_glyph(const Glyph&, const
/// RelativeState<coordinates>&) const` one that depends on the coordinates. `Vector<coordinates>
/// initial_rates(const RelativeStart&) const` gives the initial rates of the coordinates; without it they are those
/// of least norm that satisfy the equations.
///
/// A joint with declared sparsity whose `terms` is a template of the scalar, and reads no parameter of the joint, may derive from
/// JointInLanes too.
///
/// A joint with a history of its own passes a class History that is derived from JointHistory. Its functions begin,
/// review and commit must call those of this class.
template <class Derived, int equations, int coordinates = 0, class History = JointHistory>
class Joint {
 public:
  static_assert(equations >= 1 && coordinates >= 0 && coordinates <= 32);  // a bit each in RowSparsity
  static constexpr int equation_count = equations;
  static constexpr int coordinate_count = coordinates;
  static constexpr JointRequirement requirement{JointAxes::own, false, true};
  /// Not declared here: a joint that does not declare what its equations measure is refused.
  static constexpr std::array<Dimension, equations> dimensions{};
  static constexpr std::array<CoordinateGroup, 1> coordinate_groups{{{"coordinates", coordinates}}};
  static constexpr std::array<MultiplierGroup, 1> multiplier_groups{{{.rows = equations}}};
  static constexpr bool meets = false;

  using Terms = JointTerms<equations, coordinates>;
  using Coordinates = Eigen::Matrix<double, coordinates, 1>;

  const JointSite& site() const { return site_; }
  void set_site(JointSite site) {
    site_ = std::move(site);
    blocks_A_ = site_.A.block_count();
    blocks_ = site_.block_count();
    rigid_ = !site_.A.has_shape() && !site_.B.has_shape();
    int block = blocks_ + (coordinates > 0 ? static_cast<int>(Derived::coordinate_groups.size()) : 0);
    int row = coordinates;
    for (std::size_t g = 0; g < group_count(); ++g) {
      groups_[g] = {block++, row};
      row += Derived::multiplier_groups[g].rows;
    }
    connects_frames_ = site_.A.is_rigid_frame() && site_.B.is_rigid_frame();
  }
  /// False for equations that are satisfied because blocks are identified.
  bool is_evaluated(std::size_t group) const { return groups_[group].evaluated; }
  /// Called by the layout: `yes` if the equations with the multipliers `block` are satisfied because blocks are
  /// identified. Returns false if the joint has no other equations.
  bool identified(int block, bool yes) {
    for (std::size_t g = 0; g < group_count(); ++g) {
      const std::optional<FramePart> part = Derived::multiplier_groups[g].identifies;
      if (!part || groups_[g].block != block) continue;
      static_assert(is_sparse() || !detail::identifies_any(Derived::multiplier_groups),
                    "equations that identify frames declare their sparsity");
      (*part == FramePart::position ? site_.shares_position : site_.shares_rotation) = yes;
      groups_[g].evaluated = !yes;
      if (yes) connects_frames_ = false;
    }
    return is_any_evaluated();
  }

  bool couples(int row, int column) const {
    if constexpr (is_sparse())
      return couples_sparsely(std::min(row, column), std::max(row, column));
    else
      return row != multiplier_block(0) || column != multiplier_block(0);
  }

  RelativeState<coordinates> relative(const LocalState& x) const {
    MarkerMotion A, B;
    site_.A.evaluate(x, 0, MotionLevel::pose, A);
    site_.B.evaluate(x, blocks_A_, MotionLevel::pose, B);
    const Mat3 R_AW = A.R_WM.transpose();
    return at(x, R_AW * B.R_WM, R_AW * p_AB_W(A, B));
  }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    if constexpr (is_sparse()) {
      if (!is_any_evaluated()) return;
      if (rigid_ && !out.request.tangent && !out.request.bias) return evaluate_residual(x, out);
    }
    MarkerMotion A, B;
    evaluate_markers(site_, x, out.request, A, B);
    evaluate_between(x, A, B, out);
  }

  /// For JointInLanes: false unless all of them connect two frames and have no equation that is satisfied by identified blocks.
  TRAMMEL_BY_PROCESSOR [[gnu::flatten]] static bool residuals_in_lanes(std::span<const Derived* const> joints,
                                                                       std::span<const LocalState> x,
                                                                       std::span<LocalSystem* const> out) {
    static_assert(is_sparse());
    using Joints = detail::JointLanes<Derived>;
    const Request& request = out[0]->request;
    if (request.bias) return false;
    std::array<const Marker*, Lanes::count> A{}, B{};
    for (std::size_t k = 0; k < A.size(); ++k) {
      const Joint& joint = *joints[k];
      if (!joint.connects_frames_) return false;
      A[k] = &joint.site_.A;
      B[k] = &joint.site_.B;
    }
    const LocalStateLanes at(x);
    typename Joints::Multipliers lambda;
    int equation = 0;
    const auto read_group = [&]<std::size_t g>(std::integral_constant<std::size_t, g>) {
      constexpr int rows = Derived::multiplier_groups[g].rows;
      lambda.template segment<rows>(equation) = at.template values<rows>(joints[0]->groups_[g].block);
      equation += rows;
    };
    [&]<std::size_t... g>(std::index_sequence<g...>) {
      (read_group(std::integral_constant<std::size_t, g>()), ...);
    }
    (std::make_index_sequence<group_count()>());
    typename Joints::CoordinateLanes c, c_rate;
    joints[0]->for_each_coordinate([&](int i, int block, int number) {
      c[i] = at.value(block, number);
      if (request.rates) c_rate[i] = at.rate(block, number);
    });
    using Markers = typename Joints::MarkersOfJoint;
    const Joints all(*joints[0], Markers(A, at, 0, request.rates), Markers(B, at, 2, request.rates), lambda,
                     c, c_rate, at.time(), request.rates);
    constexpr int of_coordinates = 12, of_equations = of_coordinates + coordinates;
    write_residuals(all.on_A, 0, out);
    write_residuals(all.on_B, 6, out);
    write_residuals(all.on_coordinates, of_coordinates, out);
    write_residuals(all.C, of_equations, out);
    if (request.rates) write_rates(all.rate, of_equations, out);
    return true;
  }

  void begin(const LocalState& x, const Begin& how) {
    static_assert(
        requires(const Derived& d, const RelativeState<coordinates>& s) { d.on_branch(s); } ||
            !requires(Derived & d, RelativeState<coordinates> & s) { d.on_branch(s); },
        "on_branch must be const and take a const state");
    if constexpr (has_branches())
      if (how.active) history_.branch.begin(derived().on_branch(relative(x)));
  }
  Review review(const LocalState& x, const StepInfo& step) {
    if constexpr (has_branches())
      return history_.branch.review(derived().on_branch(relative(x)), step);
    else
      return Review::keep();
  }
  void commit(const LocalState&, const StepInfo& step) {
    if (step.active) history_.branch.commit();
  }
  History& history() { return history_; }
  const History& history() const { return history_; }
  /// Whether `review` and `commit` do anything: those of this class watch the branch alone.
  static constexpr bool has_review() {
    return has_branches() || !requires {
      requires std::is_same_v<decltype(&Derived::review),
                              Review (Joint::*)(const LocalState&, const StepInfo&)>;
      requires std::is_same_v<decltype(&Derived::commit),
                              void (Joint::*)(const LocalState&, const StepInfo&)>;
    };
  }
  /// Whether `energy` may be other than zero: that of this class is the work of markers with a motion of their own.
  bool has_energy() const {
    if constexpr (requires {
                    requires std::is_same_v<decltype(&Derived::energy),
                                            Energy (Joint::*)(const LocalState&) const>;
                  })
      return moves_in_time();
    else
      return true;
  }

  Energy energy(const LocalState& x) const {
    // Uses B v = -C_t of the constraint, so that errors of the velocities do not count as work.
    Energy e;
    if (!moves_in_time()) return e;
    MarkerMotion A, B;
    const Wrenches w = wrenches(x, A, B);
    e.dissipated_power = site_.dissipated_power(x, w.on_A, w.on_B) - w.by_time;
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const {
    MarkerMotion A, B;
    site_.report(A, B, reaction(x, contributions, A, B), sink);
    if constexpr (requires { derived().report_multipliers(x, sink); })
      derived().report_multipliers(x, sink);
    else
      report_multiplier_groups(x, sink);
    if constexpr (coordinates > 0)
      for_each_coordinate([&](int i, int block, int number) {
        const CoordinateName& c = Derived::coordinate_names[static_cast<std::size_t>(i)];
        const std::string name(c.name), units(c.unit);
        sink.scalar(name, units, x.value(block)[number]);
        sink.scalar(name + "_rate", rate_unit(units), x.rate(block)[number]);
        sink.scalar(name + "_acceleration", rate_unit(units, 2), x.second_rate(block)[number]);
      });
  }

  void draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const {
    MarkerMotion A, B;
    site_.draw(A, B, reaction(x, contributions, A, B), canvas);
    const Glyph glyph(canvas, A, B, site_.size);
    if (!glyph.shown()) return;
    if constexpr (requires { derived().draw_glyph(glyph); }) {
      derived().draw_glyph(glyph);
    } else if constexpr (requires(const Derived& d) { d.draw_glyph(glyph, relative(x)); }) {
      derived().draw_glyph(glyph, relative(x));
    } else {
      Terms terms(false);
      derived().terms(relative(x), false, terms);
      complete(terms);
      glyph.free_motions(terms.G);
    }
  }

  /// Sets the entries of G that a joint with declared sparsity leaves unset: the derivatives, 1, of displacement
  /// components.
  static void complete(Terms& terms) {
    if constexpr (is_sparse())
      for (int i = 0; i < structure().displacements; ++i) terms.G(i, structure().first + i) = 1;
  }

 protected:
  void report_multiplier_groups(const LocalState& x, OutputSink& sink) const {
    for (std::size_t g = 0; g < group_count(); ++g) {
      const MultiplierGroup& group = Derived::multiplier_groups[g];
      const auto rows = static_cast<std::size_t>(group.rows);
      if (is_evaluated(g) && !group.output.empty())
        report_numbered(sink, group.output, group.unit, group.first + 1,
                        {x.value(multiplier_block(g)), rows});
    }
  }
  /// The block of a group's multipliers in the joint's stencil.
  int multiplier_block(std::size_t group) const { return groups_[group].block; }

 private:
  static constexpr std::size_t most_groups = 4;
  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  static constexpr bool is_sparse() {
    return requires { Derived::sparsity; };
  }
  static constexpr bool has_branches() {
    return requires(const Derived& d, const RelativeState<coordinates>& s) { d.on_branch(s); };
  }

  static constexpr std::size_t group_count() {
    static_assert(std::tuple_size_v<std::remove_cvref_t<decltype(Derived::multiplier_groups)>> <=
                  most_groups);
    return Derived::multiplier_groups.size();
  }
  struct Wrenches : JointWrenches {
    double by_time;  ///< lambda . C_t of the terms [W]
  };

  bool is_any_evaluated() const {
    for (std::size_t g = 0; g < group_count(); ++g)
      if (is_evaluated(g)) return true;
    return false;
  }

  /// Calls f(coordinate, its block, its number there).
  template <class F>
  void for_each_coordinate(F&& f) const {
    if constexpr (coordinates > 0) {
      int block = blocks_, i = 0;
      for (const CoordinateGroup& group : Derived::coordinate_groups) {
        for (int k = 0; k < group.count; ++k) f(i++, block, k);
        ++block;
      }
    }
  }
  Coordinates coordinate_values(const LocalState& x) const {
    Coordinates c;
    for_each_coordinate([&](int i, int block, int number) { c[i] = x.value(block)[number]; });
    return c;
  }
  Coordinates coordinate_rates(const LocalState& x) const {
    Coordinates c;
    for_each_coordinate([&](int i, int block, int number) { c[i] = x.rate(block)[number]; });
    return c;
  }

  RelativeState<coordinates> at(const LocalState& x, const Mat3& R_AB, const Vec3& p_AB_A) const {
    RelativeState<coordinates> s;
    s.R_AB = R_AB;
    s.p_AB_A = p_AB_A;
    if constexpr (coordinates > 0) s.c = coordinate_values(x);
    s.t = x.time();
    return s;
  }

  /// The assembly between rigid markers: what the terms leave zero costs nothing.
  struct RigidPullback {
    static constexpr JointStructure s = detail::StructureOf<Derived>::value;
    static constexpr auto kind = s.in_world ? detail::Displacement::in_world : detail::Displacement::in_A;
    using type =
        detail::JointPullback<kind, 3, s.displacements, s.rotations, &detail::StructureOf<Derived>::value>;
  };

  // Flattened: most of the time goes into calls of products of 3 x 3 otherwise.
  [[gnu::flatten]] void evaluate_between(const LocalState& x, const MarkerMotion& A, const MarkerMotion& B,
                                         LocalSystem& out) const {
    const bool second = needs_curvature(out.request);
    if constexpr (is_sparse())
      if (rigid_)
        return with_terms(x, A, B, out, second, [&](const auto&... parts) {
          typename RigidPullback::type(site_, x, parts..., out).add();
        });
    with_terms(x, A, B, out, second, [&](const auto&... parts) { assemble_joint(site_, x, parts..., out); });
  }
  /// The residual between rigid markers, with the rates that are asked for. All of it is one function, out of which no address
  /// leads: what these equations do not depend on is neither computed nor stored.
  TRAMMEL_BY_PROCESSOR [[gnu::flatten]] void evaluate_residual(const LocalState& x, LocalSystem& out) const {
    MarkerMotion A, B;
    site_.A.evaluate_rigid(x, 0, out.request.rates, A);
    site_.B.evaluate_rigid(x, blocks_A_, out.request.rates, B);
    with_terms(x, A, B, out, false, [&](const auto&... parts) {
      typename RigidPullback::type(site_, x, parts..., out).add_residual();
    });
  }
  /// Calls use(relative pose, terms, structure, rows). It is compiled for each use: what one does not read costs it nothing.
  template <class Use>
  void with_terms(const LocalState& x, const MarkerMotion& A, const MarkerMotion& B, const LocalSystem& out,
                  bool second, Use&& use) const {
    const RelativePose pose = relative_pose(A, B, Derived::meets);
    Coordinates rate;
    if (out.request.rates || out.request.bias) rate = coordinate_rates(x);
    Terms terms = unset_terms(second);
    derived().terms(at(x, pose.R_AB, pose.p_AB_A), second, terms);
    use(pose, terms.view(), structure(), rows_in(x, A.dofs + B.dofs, rate.data()));
  }
  /// Terms in the state in which `terms` expects them: zeroed, or unset with declared sparsity.
  static Terms unset_terms(bool second) {
    if constexpr (is_sparse())
      return Terms(typename Terms::NotSet{});
    else
      return Terms(second);
  }
  static const JointStructure& structure() {
    static constexpr JointStructure unknown;
    if constexpr (is_sparse())
      return detail::StructureOf<Derived>::value;
    else
      return unknown;
  }

  /// Rows from equation `e` on.
  template <int e, int count>
  RowsAt rows_from(const LocalState& x, int coordinate_row) const {
    if constexpr (count == 0) {
      return {};
    } else {
      constexpr std::pair<int, int> place = [] {
        int start = 0;
        for (int g = 0;; ++g) {
          const int rows = Derived::multiplier_groups[static_cast<std::size_t>(g)].rows;
          if (e < start + rows) return std::pair(g, e - start);
          start += rows;
        }
      }();
      static_assert(
          place.second + count <= Derived::multiplier_groups[static_cast<std::size_t>(place.first)].rows,
          "equations of one kind have one block of multipliers");
      const detail::GroupAt& group = groups_[static_cast<std::size_t>(place.first)];
      if (!group.evaluated) return {};
      return {x.value(group.block) + place.second, coordinate_row + group.row + place.second};
    }
  }
  JointRows rows_in(const LocalState& x, int coordinate_row, const double* rates) const {
    JointRows rows;
    if constexpr (is_sparse()) {
      constexpr JointStructure s = detail::StructureOf<Derived>::value;
      rows.displacement = rows_from<0, s.displacements>(x, coordinate_row);
      rows.rotation = rows_from<s.displacements, s.rotations>(x, coordinate_row);
      rows.tie = rows_from<s.displacements + s.rotations, s.ties>(x, coordinate_row);
    } else {
      rows.any = rows_from<0, equations>(x, coordinate_row);
    }
    rows.coordinate_row = coordinate_row;
    rows.coordinate_rates = rates;
    return rows;
  }

  bool moves_in_time() const {
    if constexpr (requires {
                    { Derived::depends_on_time } -> std::convertible_to<bool>;
                  })
      return Derived::depends_on_time || site_.moves_in_time();
    else
      return site_.moves_in_time();
  }

  /// Wrenches of the joint on A and B, and the power of its explicit time dependence. Leaves the motions of the
  /// markers at the level `jacobian` in A and B.
  Wrenches wrenches(const LocalState& x, MarkerMotion& A, MarkerMotion& B) const {
    site_.A.evaluate(x, 0, MotionLevel::jacobian, A);
    site_.B.evaluate(x, blocks_A_, MotionLevel::jacobian, B);
    const RelativePose pose = relative_pose(A, B, Derived::meets);
    Terms terms(false);
    derived().terms(at(x, pose.R_AB, pose.p_AB_A), false, terms);
    return {joint_wrenches(pose, terms.view(), structure(), rows_in(x, 0, nullptr)),
            multipliers(x).dot(terms.C_t)};
  }
  /// All multipliers of the joint, in the order of its equations; zero for equations that are not evaluated.
  typename Terms::Vector multipliers(const LocalState& x) const {
    typename Terms::Vector all = Terms::Vector::Zero();
    int row = 0;
    for (std::size_t g = 0; g < group_count(); ++g) {
      const int rows = Derived::multiplier_groups[g].rows;
      if (is_evaluated(g)) std::copy_n(x.value(groups_[g].block), rows, all.data() + row);
      row += rows;
    }
    return all;
  }

  JointForces reaction(const LocalState& x, const ReactionContributions& contributions, MarkerMotion& A,
                       MarkerMotion& B) const {
    const Wrenches w = wrenches(x, A, B);
    return site_.forces(A.R_WM, B.R_WM, w.on_A, w.on_B, contributions);
  }

  /// Whether the tangent has entries for the blocks a <= b of the stencil. Only for declared sparsity.
  bool couples_sparsely(int a, int b) const {
    const int first_multiplier =
        blocks_ + (coordinates > 0 ? static_cast<int>(Derived::coordinate_groups.size()) : 0);
    const bool is_a_coordinate = a >= blocks_;
    if (a >= first_multiplier) return false;
    // Whether `couple` is true for any evaluated equation (if b is a block of multipliers: of the group of b).
    const auto any = [&](auto couple) {
      int e = 0;
      for (std::size_t g = 0; g < group_count(); ++g)
        for (int i = 0; i < Derived::multiplier_groups[g].rows; ++i, ++e)
          if (is_evaluated(g) && (b < first_multiplier || groups_[g].block == b) &&
              couple(Derived::sparsity[static_cast<std::size_t>(e)]))
            return true;
      return false;
    };
    const auto side = [this](int block) { return block < blocks_A_ ? 0 : 1; };
    const auto turns = [&](int block) {
      const Marker& marker = side(block) == 0 ? site_.A : site_.B;
      return marker.has_shape() || block != (side(block) == 0 ? 0 : blocks_A_);
    };
    const auto swings = [&](int block) { return !(side(block) == 0 ? site_.A : site_.B).at_frame_origin(); };
    constexpr bool in_world = Derived::meets;
    if (b >= first_multiplier) {
      if (is_a_coordinate)
        return any([&](const RowSparsity& r) { return (r.coordinates & mask_of(a)) != 0; });
      if (!turns(a)) return any([](const RowSparsity& r) { return r.displacement >= 0; });
      return any([&](const RowSparsity& r) {
        return r.rotation || (r.displacement >= 0 && (!in_world || swings(a)));
      });
    }
    if (b >= blocks_) {
      const unsigned mask = mask_of(b);
      if (is_a_coordinate)
        return any(
            [&](const RowSparsity& r) { return (r.curved & mask) != 0 && (r.curved & mask_of(a)) != 0; });
      return turns(a) && any([&](const RowSparsity& r) { return r.rotation && (r.curved & mask) != 0; });
    }
    const bool rotation = any([](const RowSparsity&r) { return r.rotation; }),
               force = any([](const RowSparsity&r) { return r.displacement >= 0; });
    if (turns(a) && turns(b)) {
      if (rotation) return true;
      if (in_world) return side(a) == side(b) && force && swings(a);
      return force && (side(a) == 0 || side(b) == 0 || !site_.B.at_frame_origin());
    }
    // Forces in the axes of A rotate with A.
    return !in_world && force && ((turns(a) && side(a) == 0) || (turns(b) && side(b) == 0));
  }
  /// The coordinates of a block, as bits.
  unsigned mask_of(int block) const {
    unsigned mask = 0;
    for_each_coordinate(
        [&](int i, int of, int) { mask |= of == block ? 1U << static_cast<unsigned>(i) : 0U; });
    return mask;
  }

  int blocks_A_ = 0, blocks_ = 0;
  bool rigid_ = true;             ///< no marker has a shape
  bool connects_frames_ = false;  ///< and both are fixed to frames of which no block is identified
  std::array<detail::GroupAt, most_groups> groups_{};
  JointSite site_;
  History history_;
};

/// A second base of a class derived from Joint: residuals of several of these joints are evaluated at once, in the lanes of wide
/// registers (trammel/lanes.hpp).
template <class J>
struct JointInLanes {
  static constexpr int together = Lanes::count;
  static bool evaluate_residuals(std::span<const J* const> joints, std::span<const LocalState> x,
                                 std::span<LocalSystem* const> out) {
    return J::residuals_in_lanes(joints, x, out);
  }
};

namespace detail {

/// Throws Error if the equations of a joint are not satisfied at the start. `length`: of the model [m].
TRAMMEL_API void require_closed(const Parameters& in, std::span<const double> C, std::span<const Row> rows,
                                double length);

/// Throws Error if a joint declares another number of rows than it has equations.
TRAMMEL_API void require_count(const Parameters& in, std::size_t rows, int equations);

template <class J>
std::vector<Row> rows_of_joint(const J& joint) {
  if constexpr (requires { joint.rows(); })
    return joint.rows();
  else
    return rows_of(J::dimensions);
}

template <class E>
E made_from(const Parameters& in) {
  if constexpr (std::constructible_from<E, const Parameters&>)
    return E(in);
  else
    return E();
}

}  // namespace detail

/// Adds a joint, whose site must be set, to the model: its coordinates with their initial values and rates, its
/// multipliers, and the instance. Throws Error if its equations are not satisfied at the start and `assemble` is
/// not `yes`.
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
  J::complete(terms);
  const std::vector<Row> rows = detail::rows_of_joint(joint);
  detail::require_count(in, rows.size(), J::equation_count);
  if (!in.flag("assemble"))
    detail::require_closed(in, {terms.C.data(), static_cast<std::size_t>(J::equation_count)}, rows,
                           builder.length());
  if constexpr (nc > 0) {
    Eigen::VectorXd rate;
    if constexpr (requires { joint.initial_rates(motion); })
      rate = joint.initial_rates(motion);
    else
      rate = coordinate_rates(terms.view(), motion.twist);
    int i = 0;
    for (const CoordinateGroup& group : J::coordinate_groups) {
      const auto count = static_cast<std::size_t>(group.count);
      const auto names = std::span(J::coordinate_names).subspan(static_cast<std::size_t>(i), count);
      std::vector<Measure> measures(count);
      std::ranges::transform(names, measures.begin(), &CoordinateName::measure);
      const BlockId block =
          builder.add_coordinates(group.block, {start.c.data() + i, count}, {rate.data() + i, count},
                                  measures, std::string(names[0].unit));
      for (std::size_t k = 0; k < count; ++k)
        builder.offer_coordinate(names[k].name, std::string(names[k].unit), block, static_cast<int>(k));
      stencil.push_back(block);
      i += group.count;
    }
  }
  auto row = rows.begin();
  for (std::size_t g = 0; g < J::multiplier_groups.size(); ++g) {
    const MultiplierGroup& group = J::multiplier_groups[g];
    stencil.push_back(builder.add_multiplier(group.block, {row, row + group.rows}));
    if (group.identifies) joint.site().offer_identity(in, builder, *group.identifies, stencil.back());
    row += group.rows;
  }
  builder.add(std::move(joint), std::move(stencil));
}

/// The joint type of a class J derived from Joint or Constraint. J is constructible from Parameters or by default.
/// `own` are the parameters of J in addition to those of all joints.
template <class J>
Type joint_type(std::string name, std::string summary, std::vector<Parameter> own = {}) {
  return joint_type(std::move(name), std::move(summary), detail::requirement_of<J>(), std::move(own),
                    [](const Parameters& in, Builder& builder) {
                      J joint = detail::made_from<J>(in);
                      joint.set_site(read_joint_site(in, builder, detail::requirement_of<J>()));
                      add_joint(in, builder, std::move(joint));
                    });
}

}  // namespace trammel
