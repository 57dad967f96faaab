#include <trammel/coordinate_law.hpp>
#include <trammel/plugin.hpp>

namespace {

class Tearing : public trammel::CoordinateLaw<Tearing> {
 public:
  /// The largest deflection so far, on each side [rad].
  struct History {
    static constexpr int version = 2, oldest = 1;
    double up = 0, down = 0;

    void serialize(trammel::Archive& archive, int of_version) {
      archive(up);
      if (of_version >= 2)
        archive(down);
      else
        down = up;  // version 1 did not tell the sides apart
    }
  };

  explicit Tearing(const trammel::Parameters& in) : k_(in.real("stiffness")), start_(in.real("start")) {}

  void set_target(const trammel::CoordinateTarget& target) {
    target_ = target;
    CoordinateLaw::set_target(target);
  }

  template <class S>
  void force(const State<S>& x, Force<S>& f) const {
    f.force = -stiffness(x.q) * x.q;
  }
  template <class S>
  S stored(const State<S>& x) const {
    return 0.5 * stiffness(x.q) * x.q * x.q;
  }
  template <class S>
  void report(const State<S>& x, trammel::OutputSink& sink) const {
    sink.scalar("stiffness", "N m/rad", stiffness(x.q).value);
  }

  void commit(const trammel::LocalState& x, const trammel::StepInfo&) {
    const double q = target_.value(x);
    history_.up = std::max(history_.up, q);
    history_.down = std::max(history_.down, -q);
  }
  History& history() { return history_; }

 private:
  template <class S>
  S stiffness(const S& q) const {
    const S largest = max(abs(q), S(q < S(0.0) ? history_.down : history_.up));
    return select(largest > S(start_), k_ * start_ / largest, k_);
  }

  trammel::CoordinateTarget target_;
  double k_, start_;
  History history_;
};

}  // namespace

TRAMMEL_PLUGIN("tearing", "2.0") {
  using trammel::Parameter;
  using Kind = Parameter::Kind;
  registry.add(trammel::coordinate_type<Tearing>(
      "tearing", "a spring on a joint's coordinate that tears beyond a deflection, on each side for itself",
      {Parameter::make(Kind::real, "stiffness", "N m/rad", "before it tears").positive().must(),
       Parameter::make(Kind::real, "start", "rad", "deflection from which on it tears").positive().must()}));
}
