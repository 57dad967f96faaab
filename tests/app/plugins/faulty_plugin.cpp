#include <sys/resource.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "trammel/builder.hpp"
#include "trammel/constraint.hpp"
#include "trammel/plugin.hpp"

namespace {

using namespace trammel;
using Kind = Parameter::Kind;

/// A coordinate with an equation that has no root: x^2 + 1 = 0.
struct NoRoot {
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double q = *x.value(0);
    out.residual()(0) = q * q + 1;
    if (out.request.tangent) out.K()(0, 0) = 2 * q;
  }
};

/// A coordinate that nothing holds: neither mass nor stiffness.
struct Adrift {
  double force;
  void evaluate(const LocalState&, LocalSystem& out) const { out.residual()(0) = force; }
};

/// A mass on a line that stops being evaluated at a time, on the rank that owns it.
struct Bomb {
  double at;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    if (x.time() > at) throw std::runtime_error("the fuse has burnt down");
    out.residual()(0) = *x.second_rate(0);
    if (out.request.tangent) out.M()(0, 0) = 1;
  }
};

/// A mass on a line that refuses to be evaluated, to be differentiated or to be accepted from a time on.
struct Refusing {
  double at;
  std::string what;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    if (what == "residual" || (what == "tangent" && out.request.tangent)) refuse(x.time());
    out.residual()(0) = *x.second_rate(0) - std::sin(x.time());
    if (out.request.tangent) out.M()(0, 0) = 1;
  }
  Review review(const LocalState& x, const StepInfo&) {
    if (what == "review") refuse(x.time());
    return Review::keep();
  }
  void refuse(double time) const {
    if (time > at) throw RejectStep("the spring is coil-bound");
  }
};

/// Reads through a null pointer from a time on.
struct NullPointer {
  double at;
  const double* nowhere = nullptr;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual()(0) = *x.second_rate(0);
    if (x.time() > at) out.residual()(0) += *static_cast<const volatile double*>(nowhere);
    if (out.request.tangent) out.M()(0, 0) = 1;
  }
};

/// Recurses without end when its outputs are recorded, or when it is drawn.
struct Endless {
  int deep(int n) const {
    const volatile int kept = n;
    return n < 0 ? n : deep(n + 1) + kept;
  }
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual()(0) = *x.second_rate(0);
    if (out.request.tangent) out.M()(0, 0) = 1;
  }
  void outputs(const LocalState&, const ReactionContributions&, OutputSink& sink) const {
    sink.scalar("depth", "", deep(0));
  }
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
    const std::array<Vec3, 1> at{Vec3(x.time() < drawn_from ? 0 : deep(0), 0, 0)};
    canvas.points(Canvas::Layer::bodies, at);
  }

  double drawn_from = 0;  ///< [s]
};

BlockId coordinate(Builder& builder, double start = 0) {
  const double rest = 0;
  const Measure measure = Measure::length();
  return builder.add_coordinates("x", {&start, 1}, {&rest, 1}, {&measure, 1}, "m");
}

/// A sphere whose author does not say what its equation measures.
class Undeclared : public Constraint<Undeclared, 1> {
 public:
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = trammel::dot(x.p_AB_A, x.p_AB_A) - 1.0;
  }
};

/// The same, declared with a size that is none.
class WithoutSize : public Constraint<WithoutSize, 1> {
 public:
  std::vector<Row> rows() const { return {{.measure = Measure::nominal(0)}}; }
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = trammel::dot(x.p_AB_A, x.p_AB_A) - 1.0;
  }
};

/// One equation, and two rows.
class TwoRows : public Constraint<TwoRows, 1> {
 public:
  std::vector<Row> rows() const { return rows_of(Dimension::length, 2); }
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = x.p_AB_A[2];
  }
};

}  // namespace

TRAMMEL_PLUGIN("faulty", "1.0") {
  const auto add = [&registry](std::string name, std::vector<Parameter> parameters,
                               std::function<void(const Parameters&, Builder&)> build) {
    Type type;
    type.name = std::move(name);
    type.category = Type::Category::body;
    type.summary = "for tests";
    type.parameters = std::move(parameters);
    type.build = std::move(build);
    registry.add(std::move(type));
  };
  registry.add(joint_type<Undeclared>("undeclared", "for tests"));
  registry.add(joint_type<WithoutSize>("without_size", "for tests"));
  registry.add(joint_type<TwoRows>("two_rows", "for tests"));
  add("two_measures", {}, [](const Parameters&, Builder& b) {
    const double zero = 0;
    const std::array<Measure, 2> measures{Measure::length(), Measure::length()};
    b.add(Adrift{1}, {b.add_coordinates("x", {&zero, 1}, {}, measures, "m")});
  });
  add("no_root", {}, [](const Parameters&, Builder& b) { b.add(NoRoot{}, {coordinate(b, 0.7)}); });
  add("adrift", {}, [](const Parameters&, Builder& b) { b.add(Adrift{1}, {coordinate(b)}); });
  add("bomb", {Parameter::make(Kind::real, "at", "s", "when it throws").must()},
      [](const Parameters& in, Builder& b) { b.add(Bomb{in.real("at")}, {coordinate(b)}); });
  add("refusing",
      {Parameter::make(Kind::real, "at", "s", "from when on").must(),
       Parameter::make(Kind::text, "what", "", "residual, tangent or review").defaults("residual")},
      [](const Parameters& in, Builder& b) {
        b.add(Refusing{in.real("at"), in.text("what")}, {coordinate(b)});
      });
  add("null_pointer", {Parameter::make(Kind::real, "at", "s", "when it is read").must()},
      [](const Parameters& in, Builder& b) { b.add(NullPointer{in.real("at")}, {coordinate(b)}); });
  add("endless",
      {Parameter::make(Kind::real, "drawn_from", "s", "from when on drawing it has no end").defaults("1e9")},
      [](const Parameters& in, Builder& b) { b.add(Endless{in.real("drawn_from")}, {coordinate(b)}); });
  add("null_in_build", {}, [](const Parameters&, Builder& b) {
    const volatile double* nowhere = nullptr;
    coordinate(b, *nowhere);
  });
  add("failed_assertion", {}, [](const Parameters&, Builder&) { std::abort(); });
  // A limit on the size of files looks to a program like a full disk.
  add("full_disk", {Parameter::make(Kind::integer, "bytes", "", "largest size of a file").must()},
      [](const Parameters& in, Builder&) {
        const auto bytes = static_cast<rlim_t>(in.integer("bytes"));
        const rlimit limit{bytes, bytes};
        std::signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
      });
  add("throws", {Parameter::make(Kind::integer, "rank", "", "the rank that throws; -1: all").defaults("-1")},
      [](const Parameters& in, Builder&) {
        // A plugin knows no MPI; the launcher says which rank it is.
        const char* launched = std::getenv("OMPI_COMM_WORLD_RANK");
        const int rank = launched == nullptr ? 0 : std::atoi(launched);
        if (in.integer("rank") < 0 || in.integer("rank") == rank) throw std::runtime_error("it broke");
      });
}
