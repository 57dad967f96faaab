#include "spring_damper.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "trammel/explicit_twist.hpp"
#include "trammel/glyph.hpp"
#include "trammel/local_copy.hpp"
#include "trammel/motion_level.hpp"

namespace trammel::spring {

namespace {

enum class Known { length, elongation, rate, other };

Known known_signal(const Function& f, const std::string& name) {
  if (name == "self.length") return Known::length;
  if (name == "self.elongation") return Known::elongation;
  if (name == "self.rate") return Known::rate;
  if (!name.starts_with("self.")) return Known::other;
  throw Error(f.where(), "the function '" + f.text() + "' of a spring reads '" + name +
                             "'; a spring knows self.length, self.elongation, self.rate, and t");
}

/// Value of the function and its derivatives by length, rate and the signals of others.
Tension evaluate_function(const Function& f, double t, double length, double elongation, double rate,
                          const SignalNumbers& others, SignalNumbers* by_others) {
  const std::size_t n = f.signals().size();
  SignalNumbers values(n);
  InlineVector<Known, max_signals> kinds(n);
  std::size_t other = 0;
  for (std::size_t i = 0; i < n; ++i) {
    kinds[i] = known_signal(f, f.signals()[i]);
    values[i] = kinds[i] == Known::length       ? length
                : kinds[i] == Known::elongation ? elongation
                : kinds[i] == Known::rate       ? rate
                                                : others[other++];
  }
  FunctionValue value;
  f.evaluate(t, values, value);
  Tension out;
  out.force = value.value;
  if (by_others != nullptr) by_others->clear();
  for (std::size_t i = 0; i < n; ++i) {
    const double slope = value.gradient(static_cast<Eigen::Index>(i));
    if (kinds[i] != Known::other)
      (kinds[i] == Known::rate ? out.by_rate : out.by_length) += slope;
    else if (by_others != nullptr)
      by_others->push_back(slope);
  }
  return out;
}

}  // namespace

std::vector<std::string> Law::others() const {
  std::vector<std::string> names;
  if (!function) return names;
  for (const std::string& name : function->signals())
    if (known_signal(*function, name) == Known::other) names.push_back(name);
  return names;
}

Tension Law::at(double t, double length, double rate, const SignalNumbers& others,
                SignalNumbers* by_others) const {
  Tension out;
  if (function) out = evaluate_function(*function, t, length, length - rest_length, rate, others, by_others);
  out.force += preload + stiffness * (length - rest_length) + damping * rate;
  out.by_length += stiffness;
  out.by_rate += damping;
  return out;
}

double Law::strain_energy(double length) const {
  const double elongation = length - rest_length;
  return preload * elongation + 0.5 * stiffness * elongation * elongation;
}

double Law::dissipated_power(double t, double length, double rate, const SignalNumbers& others) const {
  const double by_function =
      function ? evaluate_function(*function, t, length, length - rest_length, rate, others, nullptr).force
               : 0.0;
  return (damping * rate + by_function) * rate;
}

SignalNumbers SpringDamper::read(const LocalState& x, Values& values) const {
  SignalNumbers numbers(others_.size());
  if (values.size() < others_.size()) values.resize(others_.size());
  for (std::size_t i = 0; i < others_.size(); ++i) {
    values[i].forget_rates();
    others_[i]->evaluate(x, first_of_others_[i], true, values[i]);
    numbers[i] = values[i].value;
  }
  return numbers;
}

SignalNumbers SpringDamper::read(const LocalState& x) const {
  SignalNumbers numbers(others_.size());
  for (std::size_t i = 0; i < others_.size(); ++i) numbers[i] = others_[i]->value_at(x, first_of_others_[i]);
  return numbers;
}

void SpringDamper::find(const LocalState& x, MotionLevel level, Line& line) const {
  a_.evaluate(x, 0, level, line.A);
  b_.evaluate(x, a_.block_count(), level, line.B);
  const Vec3 d = line.B.p_WM - line.A.p_WM;
  line.length = d.norm();
  if (line.length > 0)
    line.n = d / line.length;
  else if (!law_.passes_through_zero())
    throw RejectStep("the ends of a spring meet: its direction is lost");
  if (level == MotionLevel::velocity || level == MotionLevel::full)
    line.rate = line.n.dot(line.B.twist.head<3>() - line.A.twist.head<3>());
}

void SpringDamper::evaluate(const LocalState& x, LocalSystem& out) const {
  Line line;
  const bool tangent = out.request.tangent;
  find(x, level_of_forces(out.request), line);
  const int na = line.A.dofs, nb = line.B.dofs;
  const NestedScratch<Values> values;
  SignalNumbers by_others;
  const SignalNumbers others = tangent ? read(x, *values) : read(x);
  const Tension F = law_.at(x.time(), line.length, line.rate, others, &by_others);

  ByMarkerPair<3> J(3, na + nb);
  J.leftCols(na) = -line.A.J.topRows<3>();
  J.rightCols(nb) = line.B.J.topRows<3>();
  const ByMarkerPair<1> direction = line.n.transpose().lazyProduct(J);
  out.residual().head(na + nb) = F.force * direction.transpose();
  if (!tangent) return;
  int column = na + nb;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    const SignalValue& s = (*values)[i];
    const auto add = [&](const Eigen::VectorXd& part, MatrixMap to) {
      to.block(0, column, na + nb, part.size()).noalias() +=
          by_others[i] * direction.transpose() * part.transpose();
    };
    add(s.gradient, out.K());
    if (s.by_rate.size() > 0) add(s.by_rate, out.D());
    if (s.by_second_rate.size() > 0) add(s.by_second_rate, out.M());
    column += static_cast<int>(s.gradient.size());
  }

  const Mat3 along = line.n * line.n.transpose();
  const double force_by_length = line.length > 0 ? F.force / line.length : law_.stiffness;
  MatrixMap all = out.K();
  auto K = all.topLeftCorner(na + nb, na + nb);
  const Mat3 stiffness = force_by_length * (Mat3::Identity() - along) + F.by_length * along;
  const ByMarkerPair<3> by_J = stiffness.lazyProduct(J);
  K = J.transpose().lazyProduct(by_J);
  Vec6 w;
  w << -F.force * line.n, Vec3::Zero();
  if (na > 0) a_.add_second_order(x, 0, line.A, w, K.topLeftCorner(na, na));
  w.head<3>() *= -1;
  if (nb > 0) b_.add_second_order(x, a_.block_count(), line.B, w, K.bottomRightCorner(nb, nb));
  if (F.by_rate == 0) return;

  const ByMarkerPair<1> damping = F.by_rate * direction;
  out.D().topLeftCorner(na + nb, na + nb) += direction.transpose().lazyProduct(damping);
  if (!(line.length > 0)) return;
  const Vec3 across = (line.B.twist.head<3>() - line.A.twist.head<3>() - line.rate * line.n) / line.length;
  ByMarkerPair<1> rate_by_q(1, na + nb);
  rate_by_q.leftCols(na) = -line.n.transpose().lazyProduct(line.A.twist_gradient.topRows<3>());
  rate_by_q.rightCols(nb) = line.n.transpose().lazyProduct(line.B.twist_gradient.topRows<3>());
  rate_by_q += across.transpose().lazyProduct(J);
  K += damping.transpose().lazyProduct(rate_by_q);
}

Energy SpringDamper::energy(const LocalState& x) const {
  Line line;
  find(x, MotionLevel::velocity, line);
  Energy e;
  e.strain = law_.strain_energy(line.length);
  const SignalNumbers others = read(x);
  e.dissipated_power = law_.dissipated_power(x.time(), line.length, line.rate, others);
  // A function of time that moves an end does work.
  const Vec6 of_A = explicit_twist(a_, x, 0, line.A), of_B = explicit_twist(b_, x, a_.block_count(), line.B);
  if (const double rate = line.n.dot(of_B.head<3>() - of_A.head<3>()); rate != 0)
    e.dissipated_power -= law_.at(x.time(), line.length, line.rate, others).force * rate;
  return e;
}

void SpringDamper::outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
  Line line;
  find(x, MotionLevel::velocity, line);
  const double force = law_.at(x.time(), line.length, line.rate, read(x)).force;
  sink.scalar("length", "m", line.length);
  sink.scalar("elongation", "m", line.length - law_.rest_length);
  sink.scalar("rate", "m/s", line.rate);
  sink.scalar("tension", "N", force);
  sink.vector("force_on_A", "N", force * line.n);
  sink.vector("force_on_B", "N", -force * line.n);
  sink.scalar("strain_energy", "J", law_.strain_energy(line.length));
}

namespace {

/// Along z from 0 to 1, of radius 1 across; both ends on the axis.
std::vector<Vec3> coil(int turns, int sides) {
  std::vector<Vec3> points{{0, 0, 0}, {0, 0, 0.1}};
  for (int i = 0; i <= turns * sides; ++i) {
    const double s = static_cast<double>(i) / (turns * sides), angle = 2 * std::numbers::pi * turns * s;
    points.emplace_back(std::cos(angle), std::sin(angle), 0.1 + 0.8 * s);
  }
  points.emplace_back(0, 0, 0.9);
  points.emplace_back(0, 0, 1);
  return points;
}

/// A pot that is open upwards, and a plunger in it.
std::vector<Vec3> dashpot() {
  return {{0, 0, 0},    {0, 0, 0.3},  {1, 0, 0.3},  {1, 0, 0.7}, {1, 0, 0.3},
          {-1, 0, 0.3}, {-1, 0, 0.7}, {-1, 0, 0.3}, {0, 0, 0.3}};
}
std::vector<Vec3> plunger() { return {{-0.8, 0, 0.5}, {0.8, 0, 0.5}, {0, 0, 0.5}, {0, 0, 1}}; }

}  // namespace

void SpringDamper::draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
  Line line;
  find(x, MotionLevel::velocity, line);
  const Vec3 from = line.A.p_WM, to = line.B.p_WM, d = to - from;
  const GlyphScale scale = glyph_scale(canvas, 0.5 * (from + to));
  const double radius = radius_ >= 0 ? radius_ : 0.25 * scale.size;
  const double tension = law_.at(x.time(), line.length, line.rate, read(x)).force;
  const auto add = [&](std::vector<Vec3> points, double across) {
    const Vec3 e1 = line.n.unitOrthogonal(), e2 = line.n.cross(e1);
    for (Vec3& p : points) p = (from + p[2] * d + across * (p[0] * e1 + p[1] * e2)).eval();
    canvas.polyline(Canvas::Layer::curves, points);
    draw_field(canvas, "tension", "N", std::vector<double>(points.size(), tension));
  };
  if (!(radius > 0) || !(line.length > 0)) {
    add({{0, 0, 0}, {0, 0, 1}}, 0);
    return;
  }
  const bool springs = law_.stiffness > 0 || law_.damping == 0;
  if (springs) add(coil(scale.sides < 3 ? 4 : 8, scale.sides < 3 ? 2 : scale.sides), radius);
  if (law_.damping > 0)
    for (const auto& part : {dashpot(), plunger()}) add(part, (springs ? 0.6 : 1) * radius);
}

}  // namespace trammel::spring
