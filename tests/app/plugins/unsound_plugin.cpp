#include "trammel/constraint.hpp"
#include "trammel/glyph.hpp"
#include "trammel/joint.hpp"
#include "trammel/joint_scene.hpp"
#include "trammel/marker.hpp"
#include "trammel/marker_constraint.hpp"
#include "trammel/plugin.hpp"
#include "trammel/relative_motion.hpp"

namespace {

using namespace trammel;

// Half of |p|^2/r - r with r = 1 m, unless another formula is given.

/// A distance whose second derivatives the author forgot.
class WrongStiffness : public Joint<WrongStiffness, 1> {
 public:
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};

  void terms(const RelativeState<0>& x, bool, Terms& out) const {
    out.C[0] = 0.5 * (x.p_AB_A.squaredNorm() - 1);
    out.G.leftCols<3>() = x.p_AB_A.transpose();
  }
};

/// A sphere whose gradient has a factor too many.
class WrongGradient : public Joint<WrongGradient, 1> {
 public:
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};

  void terms(const RelativeState<0>& x, bool second, Terms& out) const {
    out.C[0] = 0.5 * (x.p_AB_A.squaredNorm() - 1);
    out.G.leftCols<3>() = 1.001 * x.p_AB_A.transpose();
    if (second) out.H[0].topLeftCorner<3, 3>().setIdentity();
  }
};

/// Keeps B above A along the world's x: right in all derivatives, but space has no x of its own.
class NotObjective {
 public:
  explicit NotObjective(JointSite site) : site_(std::move(site)) {}
  const JointSite& site() const { return site_; }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    MarkerMotion A, B;
    site_.A.evaluate(x, 0, MotionLevel::full, A);
    site_.B.evaluate(x, site_.A.block_count(), MotionLevel::full, B);
    const int row = A.dofs + B.dofs;
    const double lambda = *x.value(site_.block_count());
    out.residual()(row) = B.p_WM.x() - A.p_WM.x();
    if (out.request.rates) out.rate()(row) = B.twist[0] - A.twist[0];
    if (out.request.bias) out.bias()(row) = B.bias[0] - A.bias[0];
    int first = 0, column = 0;
    for (const auto& [marker, motion, sign] :
         {std::tuple(&site_.A, &A, -1.0), std::tuple(&site_.B, &B, 1.0)}) {
      const int n = motion->dofs;
      const Eigen::VectorXd G = sign * motion->J.row(0).transpose();
      out.residual().segment(column, n) += lambda * G;
      if (out.request.tangent) {
        out.K().block(row, column, 1, n) = G.transpose();
        out.K().block(column, row, n, 1) = G;
        const Vec6 w = sign * lambda * Vec6::Unit(0);
        marker->add_second_order(x, first, *motion, w, out.K().block(column, column, n, n));
      }
      if (out.request.rates && out.request.tangent)
        out.rate_gradient().block(row, column, 1, n) = sign * motion->twist_gradient.row(0);
      first += marker->block_count();
      column += n;
    }
  }

 private:
  JointSite site_;
};

/// B stays on a torus about A's e3: right, but its formula is not smooth on the axis and on the circle inside.
class Torus : public Constraint<Torus, 1> {
 public:
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const S d = sqrt(x.p_AB_A[0] * x.p_AB_A[0] + x.p_AB_A[1] * x.p_AB_A[1]) - 0.6;
    C[0] = sqrt(d * d + x.p_AB_A[2] * x.p_AB_A[2]) - 0.2;
  }
};

/// Half the square of the distance with a gradient that is wrong and no place where it holds.
class WrongAndOpen : public Joint<WrongAndOpen, 1> {
 public:
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};

  void terms(const RelativeState<0>& x, bool second, Terms& out) const {
    out.C[0] = 0.5 * (x.p_AB_A.squaredNorm() + 100);
    out.G.leftCols<3>() = 1.001 * x.p_AB_A.transpose();
    if (second) out.H[0].topLeftCorner<3, 3>().setIdentity();
  }
};

/// A distance; `more` is added to the equation.
template <class Derived>
class Distance : public Joint<Derived, 1> {
 public:
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};

  void terms(const RelativeState<0>& x, bool second, JointTerms<1, 0>& out) const {
    out.C[0] = 0.5 * (x.p_AB_A.squaredNorm() - 1) + static_cast<const Derived&>(*this).more();
    out.G.template leftCols<3>() = x.p_AB_A.transpose();
    if (second) out.H[0].template topLeftCorner<3, 3>().setIdentity();
  }
};

class Sound : public Distance<Sound> {
 public:
  double more() const { return 0; }
};

/// Counts its evaluations.
class Counting : public Distance<Counting> {
 public:
  double more() const { return 1e-13 * ++evaluations_; }

 private:
  mutable int evaluations_ = 0;
};

/// Notes in a member where it is evaluated and where it is drawn, and draws a line to that place.
class DrawsFromAMember : public Distance<DrawsFromAMember> {
 public:
  double more() const { return 0; }
  void terms(const RelativeState<0>& x, bool second, JointTerms<1, 0>& out) const {
    place_ = x.p_AB_A;
    Distance::terms(x, second, out);
  }
  void draw_glyph(const Glyph& glyph, const RelativeState<0>& x) const {
    place_ = x.p_AB_A;
    for (int i = 0; i < 2; ++i) glyph.line(glyph.A, std::array{Vec3(0, 0, 0), place_});
  }

 private:
  mutable Vec3 place_ = Vec3::Zero();
};

/// Reports its distance from a variable that all joints of the type have in common.
class ReportsFromAStatic : public Distance<ReportsFromAStatic> {
 public:
  double more() const { return 0; }
  void terms(const RelativeState<0>& x, bool second, JointTerms<1, 0>& out) const {
    distance = x.p_AB_A.norm();
    Distance::terms(x, second, out);
  }
  void report_multipliers(const LocalState& x, OutputSink& sink) const {
    distance = x.time();
    sink.scalar("beginning", "s", distance);
    sink.scalar("end", "s", distance);
  }

 private:
  static inline double distance = 0;
};

/// Evaluates what its drawing left.
class ReadsItsDrawing : public Distance<ReadsItsDrawing> {
 public:
  double more() const { return 1e-13 * drawn_; }
  void draw_glyph(const Glyph& glyph, const RelativeState<0>& x) const {
    drawn_ = x.p_AB_A.norm();
    glyph.line(glyph.A, std::array{Vec3(0, 0, 0), x.p_AB_A});
  }

 private:
  mutable double drawn_ = 0;
};

/// Reads a member that its constructor does not set.
class Unset : public Distance<Unset> {
 public:
  explicit Unset(const Parameters&) {}
  double more() const { return offset_; }

 private:
  double offset_;
};

class ThrowsANumber : public Distance<ThrowsANumber> {
 public:
  double more() const { throw 42; }
};

/// Throws where derivatives are asked for.
class ThrowsLater : public Joint<ThrowsLater, 1> {
 public:
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};

  void terms(const RelativeState<0>& x, bool second, Terms& out) const {
    if (second) throw 42;
    out.C[0] = 0.5 * (x.p_AB_A.squaredNorm() - 1);
  }
};

/// A particle that, where several are evaluated together, forgets its inertia or energy if it is the second.
enum class Forgets { residual, tangents, energy };
template <Forgets what>
class LazyTogether {
 public:
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual() = x.acceleration(0);
    if (out.request.tangent) out.M().setIdentity();
  }
  static constexpr int together = 3;
  static bool evaluate_residuals(std::span<const LazyTogether* const>, std::span<const LocalState> x,
                                 std::span<LocalSystem* const> out) {
    for (const std::size_t k : remembered(Forgets::residual)) out[k]->residual() = x[k].acceleration(0);
    return true;
  }
  static bool evaluate_tangents(std::span<const LazyTogether* const>, std::span<const LocalState> x,
                                std::span<LocalSystem* const> out) {
    for (std::size_t k = 0; k < together; ++k) out[k]->residual() = x[k].acceleration(0);
    for (const std::size_t k : remembered(Forgets::tangents)) out[k]->M().setIdentity();
    return true;
  }
  static bool energies(std::span<const LazyTogether* const> elements, std::span<const LocalState> x,
                       std::span<Energy> out) {
    for (const std::size_t k : remembered(Forgets::energy)) out[k] = elements[k]->energy(x[k]);
    return true;
  }
  Energy energy(const LocalState& x) const {
    Energy e;
    e.kinetic = 0.5 * x.velocity(0).squaredNorm();
    return e;
  }

 private:
  static std::vector<std::size_t> remembered(Forgets now) {
    return now == what ? std::vector<std::size_t>{0, 2} : std::vector<std::size_t>{0, 1, 2};
  }
};

template <Forgets what>
void add_lazy(Registry& registry, const char* name) {
  Type lazy;
  lazy.name = name;
  lazy.summary = "for tests";
  lazy.build = [](const Parameters&, Builder& builder) {
    builder.add(LazyTogether<what>(), {builder.add_position("position", Vec3::Zero())});
  };
  registry.add(std::move(lazy));
}

/// Its geometric stiffness is wrong from t = 0.15 on.
class WrongLater : public Joint<WrongLater, 1> {
 public:
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};
  static constexpr bool depends_on_time = true;

  void terms(const RelativeState<0>& x, bool second, Terms& out) const {
    out.C[0] = 0.5 * (x.p_AB_A.squaredNorm() - 1);
    out.G.leftCols<3>() = x.p_AB_A.transpose();
    if (second) out.H[0].topLeftCorner<3, 3>() = (x.t < 0.15 ? 1.0 : 0.7) * Mat3::Identity();
  }
};

/// Three points on a belt of length 2; nothing is wrong with it.
class Belt : public MarkerConstraint<Belt, 3, 1> {
 public:
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};
  static constexpr bool needs_rotation = false;

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = (x.p[1] - x.p[0]).norm() + (x.p[2] - x.p[1]).norm() - 2.0;
  }
};

/// The equation of an algebraic unknown reads a multiplier: that of the distance of two markers.
class BreaksRules {
 public:
  explicit BreaksRules(JointSite site) : site_(std::move(site)) {}
  const JointSite& site() const { return site_; }
  void evaluate(const LocalState& x, LocalSystem& out) const {
    RelativeMotion m;
    m.evaluate(x, site_.A, site_.B, 0, MotionLevel::full);
    const int n = m.dofs(), blocks = site_.block_count();
    const double lambda = x.value(blocks + 1)[0];
    Vec6 w = Vec6::Zero();
    w[0] = lambda;
    out.residual().head(n) = m.J.transpose().lazyProduct(w);
    out.residual()[n] = x.value(blocks)[0] - 0.5 * lambda;
    out.residual()[n + 1] = m.p_AB_A[0];
    if (out.request.rates) {
      out.rate()[n + 1] = m.twist[0];
      if (out.request.tangent) out.rate_gradient().row(n + 1).head(n) = m.twist_gradient.row(0);
    }
    if (out.request.bias) out.bias()[n + 1] = m.bias[0];
    if (!out.request.tangent) return;
    auto K = out.K();
    K.row(n + 1).head(n) = m.J.row(0);
    K.col(n + 1).head(n) = m.J.row(0).transpose();
    m.add_second_order(x, site_.A, site_.B, 0, w, K.topLeftCorner(n, n));
    K(n, n) = 1;
    K(n, n + 1) = -0.5;
  }

 private:
  JointSite site_;
};

}  // namespace

TRAMMEL_PLUGIN("unsound", "1.0") {
  registry.add(joint_type<Torus>("torus", "for tests"));
  registry.add(joint_type<WrongAndOpen>("wrong_and_open", "for tests"));
  registry.add(joint_type<Sound>("sound", "for tests"));
  registry.add(joint_type<Counting>("counting", "for tests"));
  registry.add(joint_type<DrawsFromAMember>("draws_from_a_member", "for tests"));
  registry.add(joint_type<ReportsFromAStatic>("reports_from_a_static", "for tests"));
  registry.add(joint_type<ReadsItsDrawing>("reads_its_drawing", "for tests"));
  registry.add(joint_type<Unset>("unset", "for tests"));
  registry.add(joint_type<ThrowsANumber>("throws_a_number", "for tests"));
  registry.add(joint_type<ThrowsLater>("throws_later", "for tests"));
  registry.add(joint_type<WrongStiffness>("wrong_stiffness", "for tests"));
  registry.add(joint_type<WrongGradient>("wrong_gradient", "for tests"));
  registry.add(joint_type<WrongLater>("wrong_later", "for tests"));
  registry.add(marker_joint_type<Belt>("sound_belt", "for tests"));

  add_lazy<Forgets::residual>(registry, "forgets_residual");
  add_lazy<Forgets::tangents>(registry, "forgets_tangents");
  add_lazy<Forgets::energy>(registry, "forgets_energy");

  Type breaks_rules;
  breaks_rules.name = "breaks_rules";
  breaks_rules.category = Type::Category::joint;
  breaks_rules.summary = "for tests";
  breaks_rules.parameters = joint_parameters({JointAxes::own, false, true});
  breaks_rules.build = [](const Parameters& in, Builder& builder) {
    BreaksRules joint(read_joint_site(in, builder, {JointAxes::own, false, true}));
    std::vector<BlockId> stencil = joint.site().blocks();
    const double guess = 0;
    const Measure measure = Measure::length();
    stencil.push_back(builder.add_algebraic("z", {&guess, 1}, {&measure, 1}, "m"));
    stencil.push_back(builder.add_multiplier("force", rows_of(Dimension::length, 1)));
    builder.add(std::move(joint), std::move(stencil));
  };
  registry.add(std::move(breaks_rules));
  Type counted = joint_type<WrongStiffness>("wrong_degrees_of_freedom", "for tests");
  counted.degrees_of_freedom = 4;
  registry.add(std::move(counted));

  registry.add(joint_type<WrongStiffness>("wrong_in_scene", "for tests"));
  registry.add(joint_type<WrongStiffness>("no_such_scene", "for tests"));

  Type absolute;
  absolute.name = "not_objective";
  absolute.category = Type::Category::joint;
  absolute.summary = "for tests";
  absolute.parameters = joint_parameters({JointAxes::own, false, true});
  absolute.build = [](const Parameters& in, Builder& builder) {
    NotObjective joint(read_joint_site(in, builder, {JointAxes::own, false, true}));
    std::vector<BlockId> stencil = joint.site().blocks();
    stencil.push_back(builder.add_multiplier("force", rows_of(Dimension::length, 1)));
    builder.add(std::move(joint), std::move(stencil));
  };
  Type declared = absolute;
  declared.name = "declared_absolute";
  declared.absolute = true;
  registry.add(std::move(absolute));
  registry.add(std::move(declared));

  Type secret = joint_type<WrongStiffness>(
      "no_example", "for tests",
      {Parameter::make(Parameter::Kind::list, "secret", "", "nobody can guess it").must()});
  registry.add(std::move(secret));
}

TRAMMEL_JOINT_SCENES {
  const std::string bodies = R"(trammel: 1
bodies:
  a: {type: rigid_body, mass: 1, inertia: [1, 2, 2.5]}
  b: {type: rigid_body, mass: 1, inertia: [1, 2, 2.5]}
)";
  scenes.push_back(
      {.joint = "wrong_in_scene",
       .title = "two bodies",
       .text = bodies + "joints: {joint: {type: wrong_in_scene, between: [a, b], assemble: yes}}\n"});
  scenes.push_back({.joint = "sound", .title = "still", .text = R"(trammel: 1
bodies:
  a: {type: rigid_body, mass: 1, inertia: [1, 2, 2.5]}
  b: {type: rigid_body, mass: 1, inertia: [1, 2, 2.5], position: [1, 0, 0]}
joints: {joint: {type: sound, between: [a, b]}}
)"});
  scenes.push_back(
      {.joint = "no_such_scene",
       .title = "nothing",
       .text = bodies + "joints: {other: {type: no_such_scene, between: [a, b], assemble: yes}}\n"});
}
