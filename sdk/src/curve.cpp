#include "trammel/curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "trammel/error.hpp"
#include "trammel/nearest_name.hpp"

namespace trammel {

namespace {

constexpr double closing_tolerance = 1e-6;  // of a closed curve's gap, by its length
constexpr double standstill = 1e-7;         // of the least speed, by the mean one
constexpr double beside_a_break = 1e-9;     // of a span: where a kink is looked for
constexpr int samples_of_a_panel = 16;      // in the search for the nearest point

std::string text(const Vec3& p) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", p.x(), p.y(), p.z()); }

}  // namespace

void Curve::set_domain(std::vector<double> breaks, bool closed) {
  breaks_ = std::move(breaks);
  closed_ = closed;
  arc_ = Antiderivative([this](double eta) { return speed(eta); }, breaks_);
  if (!(length() > 0) || !std::isfinite(length())) throw Error("the curve has no length");
  require_motion();
  if (!closed_) return;
  CurvePoint a, b;
  inside(first(), 0, a);
  inside(last(), 0, b);
  const double gap = (a.d[0] - b.d[0]).norm();
  if (gap > closing_tolerance * length())
    throw Error(fmt::format("the curve is to be closed, but its ends {} and {} are {:.6g} m apart",
                            text(a.d[0]), text(b.d[0]), gap));
}

std::vector<double> Curve::sampled() const {
  std::vector<double> etas;
  const std::vector<double>& starts = arc_.starts();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const double end = i + 1 < starts.size() ? starts[i + 1] : last();
    for (int k = 0; k < samples_of_a_panel; ++k)
      etas.push_back(starts[i] + (end - starts[i]) * k / samples_of_a_panel);
  }
  etas.push_back(last());
  return etas;
}

void Curve::require_motion() const {
  const double mean = length() / (last() - first());
  const std::vector<double> etas = sampled();
  for (std::size_t i = 0; i < etas.size(); ++i) {
    if (speed(etas[i]) > 0.1 * mean) continue;
    double low = etas[i == 0 ? 0 : i - 1], high = etas[std::min(i + 1, etas.size() - 1)];
    for (int k = 0; k < 100; ++k) {
      const double third = (high - low) / 3;
      if (speed(low + third) < speed(high - third))
        high -= third;
      else
        low += third;
    }
    const double eta = 0.5 * (low + high);
    if (speed(eta) < standstill * mean)
      throw Error(
          fmt::format("the curve comes to a standstill at {} (parameter {:.6g}): it has a cusp there, or "
                      "control points that coincide",
                      text(point(eta)), eta));
  }
}

double Curve::wrapped(double eta, double& laps) const {
  const double period = last() - first();
  laps = std::floor((eta - first()) / period);
  return std::clamp(eta - laps * period, first(), last());
}

void Curve::beyond(double end, double eta, int derivatives, CurvePoint& out) const {
  CurvePoint at;
  inside(end, 3, at);
  const double x = eta - end;
  for (int k = 0; k <= derivatives; ++k) {
    Vec3 sum = Vec3::Zero();
    for (int j = 3; j >= k; --j) sum = at.d[static_cast<std::size_t>(j)] + x / (j - k + 1) * sum;
    out.d[static_cast<std::size_t>(k)] = sum;
  }
}

void Curve::evaluate(double eta, int derivatives, CurvePoint& out) const {
  if (closed_) {
    double laps = 0;
    inside(wrapped(eta, laps), derivatives, out);
  } else if (eta < first() || eta > last()) {
    beyond(eta < first() ? first() : last(), eta, derivatives, out);
  } else {
    inside(eta, derivatives, out);
  }
}

Vec3 Curve::point(double eta) const {
  CurvePoint at;
  evaluate(eta, 0, at);
  return at.d[0];
}

double Curve::speed(double eta) const {
  CurvePoint at;
  evaluate(eta, 1, at);
  return at.d[1].norm();
}

double Curve::curvature(double eta) const {
  CurvePoint at;
  evaluate(eta, 2, at);
  return at.d[1].cross(at.d[2]).norm() / std::pow(at.d[1].norm(), 3);
}

double Curve::arc_length(double eta) const {
  if (closed_) {
    double laps = 0;
    const double inner = wrapped(eta, laps);
    return laps * length() + arc_.at(inner);
  }
  if (eta >= first() && eta <= last()) return arc_.at(eta);
  // Beyond an end: Gauss's rule of five points.
  static constexpr std::array<double, 5> x{-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                           0.9061798459386640};
  static constexpr std::array<double, 5> w{0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                           0.4786286704993665, 0.2369268850561891};
  const double end = eta < first() ? first() : last(), half = 0.5 * (eta - end);
  double sum = 0;
  for (std::size_t i = 0; i < 5; ++i) sum += w[i] * speed(end + half * (1 + x[i]));
  return (eta < first() ? 0 : length()) + half * sum;
}

double Curve::parameter(double s) const {
  const double period = last() - first();
  const double laps = closed_ ? std::floor(s / length()) : 0;
  const double rest = s - laps * length();
  double low = first(), high = last(), eta = first() + period * std::clamp(rest / length(), 0.0, 1.0);
  if (!closed_ && (s < 0 || s > length())) {
    const double end = s < 0 ? first() : last();
    low = high = eta = end + (s < 0 ? s : s - length()) / speed(end);
    for (int i = 0; i < 20; ++i) eta -= (arc_length(eta) - s) / speed(eta);
    return eta;
  }
  for (int i = 0; i < 60; ++i) {
    const double off = arc_.at(eta) - rest;
    (off > 0 ? high : low) = eta;
    double next = eta - off / speed(eta);
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    if (std::abs(next - eta) <= 1e-16 * period) break;
    eta = next;
  }
  return eta + laps * period;
}

double Curve::nearest(const Vec3& to, double guess) const {
  const double period = last() - first();
  const auto distance = [&](double eta) { return (point(eta) - to).squaredNorm(); };
  double eta = guess, now = distance(eta);
  for (int i = 0; i < 100; ++i) {
    CurvePoint at;
    evaluate(eta, 2, at);
    const Vec3 off = at.d[0] - to;
    const double slope = off.dot(at.d[1]), gauss = at.d[1].squaredNorm();
    const double second = gauss + off.dot(at.d[2]);
    double step = -slope / (second > 0.1 * gauss ? second : gauss);
    step = std::clamp(step, -0.05 * period, 0.05 * period);
    for (int k = 0; k < 40; ++k, step *= 0.5) {
      double next = eta + step;
      if (!closed_) next = std::clamp(next, first(), last());
      const double then = distance(next);
      if (then > now) continue;
      step = next - eta;
      eta = next;
      now = then;
      break;
    }
    if (std::abs(step) <= 1e-16 * (period + std::abs(eta))) break;
  }
  return eta;
}

double Curve::nearest(const Vec3& to) const {
  const std::vector<double> etas = sampled();
  std::vector<double> distances;
  distances.reserve(etas.size());
  for (const double eta : etas) distances.push_back((point(eta) - to).norm());
  double best = etas.front(), least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < etas.size(); ++i) {
    const bool falls = i == 0 || distances[i] <= distances[i - 1];
    const bool rises = i + 1 == etas.size() || distances[i] <= distances[i + 1];
    if (!falls || !rises) continue;
    const double eta = nearest(to, etas[i]);
    const double distance = (point(eta) - to).norm();
    if (distance < least - 1e-12 * length()) {
      least = distance;
      best = eta;
    }
  }
  double laps = 0;
  return closed_ ? wrapped(best, laps) : best;
}

std::optional<CurveKink> Curve::kink(double angle) const {
  const auto tangent = [this](double eta) {
    CurvePoint at;
    inside(eta, 1, at);
    return Vec3(at.d[1].normalized());
  };
  const std::size_t n = breaks_.size();
  for (std::size_t i = closed_ ? 0 : 1; i + 1 < n; ++i) {
    const double before = i == 0 ? last() : breaks_[i],
                 span_before = before - breaks_[i == 0 ? n - 2 : i - 1];
    const Vec3 a = tangent(before - beside_a_break * span_before);
    const Vec3 b = tangent(breaks_[i] + beside_a_break * (breaks_[i + 1] - breaks_[i]));
    const double turn = std::atan2(a.cross(b).norm(), a.dot(b));
    if (turn > angle) return CurveKink{breaks_[i], point(breaks_[i]), turn};
  }
  return std::nullopt;
}

void offer_curve(Builder& builder, std::shared_ptr<const Curve> curve, const Marker& marker,
                 const Location& where) {
  if (marker.is_point())
    throw Error(where, "marker '" + marker.name() +
                           "' is a point without orientation: a curve cannot be fixed in it");
  builder.offer_marker("", marker);
  builder.offer("curve", std::make_shared<const PlacedCurve>(PlacedCurve{std::move(curve), marker}));
}

PlacedCurve find_curve(Builder& builder, const Value& name) {
  if (name.is_scalar())
    if (const auto found = builder.find<PlacedCurve>(name.text + ".curve")) return *found;
  std::vector<std::string> known;
  for (const Entity& entity : builder.entities())
    if (entity.category == category_name(Type::Category::curve)) known.push_back(entity.name);
  const std::string near = name.is_scalar() ? did_you_mean(name.text, known) : std::string();
  throw Error(name.where, (name.is_scalar() ? "there is no curve " + in_quotes(name.text)
                                            : "expected the name of a curve, found " + name.described()) +
                              (near.empty() ? "." : near) +
                              (known.empty() ? " The case has no 'curves'"
                                             : " Curves: " + list_of_names(known, name.text)));
}

}  // namespace trammel
