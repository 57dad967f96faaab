#include "io/drawing/glyph_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/drawing/recorder_visit.hpp"
#include "kernel/rank_exchange.hpp"

namespace trammel {

namespace {

constexpr double of_diagonal = 0.06, least_of_diagonal = 0.004, of_spacing = 0.6;
/// The pin of a hinge, which is as long as the glyph, has ends outside of the section.
constexpr double of_radius = 2.4, most_of_diagonal = 0.2;
constexpr std::size_t many = 300, very_many = 3000;

}  // namespace

void GlyphSurvey::polyline(Layer layer, std::span<const Vec3> at) { points(layer, at); }

void GlyphSurvey::surface(Layer layer, std::span<const Vec3> at, std::span<const int>) { points(layer, at); }

void GlyphSurvey::points(Layer, std::span<const Vec3> at) {
  for (const Vec3& p : at)
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = p[static_cast<Eigen::Index>(k)];
      extent.low[k] = std::min(extent.low[k], x);
      extent.high[k] = std::max(extent.high[k], x);
    }
}

void GlyphSurvey::swept(Layer layer, std::span<const Vec3> at, int corners, std::span<const int>) {
  points(layer, at);
  if (layer != Layer::sections) return;
  const auto n = static_cast<std::size_t>(corners);
  for (std::size_t first = 0; first + n <= at.size(); first += n) {
    Ring ring{Vec3::Zero(), 0};
    for (const Vec3& p : at.subspan(first, n)) ring.centre += p / corners;
    for (const Vec3& p : at.subspan(first, n)) ring.radius = std::max(ring.radius, (p - ring.centre).norm());
    rings.push_back(ring);
  }
}

GlyphScale GlyphSurvey::begin_glyph(const Vec3& at) {
  places.insert(places.end(), at.data(), at.data() + 3);
  return {0, 0};
}

namespace {

/// The median of the distances from each place to the nearest one that is not the same; 0 where there is none.
double spacing(const std::vector<double>& places, double diagonal) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i + 2 < places.size(); i += 3) {
    const Eigen::Map<const Vec3> p(places.data() + i);
    if (p.allFinite()) points.emplace_back(p);
  }
  const auto before = [](const Vec3& a, const Vec3& b) {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  };
  // Swept along the longest direction, so that few pairs are looked at.
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  Eigen::Index along = 0;
  if (!points.empty()) (high - low).maxCoeff(&along);
  for (Vec3& p : points) std::swap(p[0], p[along]);
  std::sort(points.begin(), points.end(), before);
  const double same = 1e-6 * diagonal;
  std::vector<double> nearest;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    const auto look = [&](std::size_t j) {
      if (std::abs(points[j][0] - points[i][0]) >= least) return false;
      if (const double d = (points[j] - points[i]).norm(); d > same) least = std::min(least, d);
      return true;
    };
    for (std::size_t j = i + 1; j < points.size() && look(j); ++j) {
    }
    for (std::size_t j = i; j-- > 0 && look(j);) {
    }
    if (std::isfinite(least)) nearest.push_back(least);
  }
  if (nearest.empty()) return 0;
  const auto middle = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
  std::nth_element(nearest.begin(), middle, nearest.end());
  return *middle;
}

}  // namespace

std::vector<double> radii_at(const std::vector<double>& places, std::vector<GlyphSurvey::Ring> rings) {
  using Ring = GlyphSurvey::Ring;
  std::erase_if(rings, [](const Ring& r) { return !r.centre.allFinite() || !std::isfinite(r.radius); });
  // Swept along the longest direction, so that few pairs are looked at.
  double largest = 0;
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Ring& r : rings) {
    largest = std::max(largest, r.radius);
    low = low.cwiseMin(r.centre), high = high.cwiseMax(r.centre);
  }
  Eigen::Index along = 0;
  if (!rings.empty()) (high - low).maxCoeff(&along);
  std::sort(rings.begin(), rings.end(),
            [&](const Ring& a, const Ring& b) { return a.centre[along] < b.centre[along]; });
  std::vector<double> radii;
  for (std::size_t i = 0; i + 2 < places.size(); i += 3) {
    const Eigen::Map<const Vec3> p(places.data() + i);
    double radius = 0;
    auto ring = std::lower_bound(rings.begin(), rings.end(), p[along] - largest,
                                 [&](const Ring& r, double x) { return r.centre[along] < x; });
    for (; ring != rings.end() && ring->centre[along] <= p[along] + largest; ++ring)
      if ((ring->centre - p).norm() < ring->radius) radius = std::max(radius, ring->radius);
    radii.push_back(radius);
  }
  return radii;
}

GlyphScale glyph_scale_of(const DrawingExtent& extent, const std::vector<double>& places,
                          std::vector<double> radii) {
  const std::size_t count = places.size() / 3;
  GlyphScale scale;
  scale.sides = count <= many ? 12 : count <= very_many ? 6 : 0;
  const double diagonal = extent.diagonal();
  if (!(diagonal > 0) || !std::isfinite(diagonal)) {
    scale.size = 0.1;  // one point alone
    return scale;
  }
  std::erase(radii, 0.0);
  std::sort(radii.begin(), radii.end());
  const double radius = radii.empty() ? 0 : radii[radii.size() / 2];
  scale.size = std::max(of_diagonal * diagonal, std::min(of_radius * radius, most_of_diagonal * diagonal));
  if (const double apart = spacing(places, diagonal); apart > 0)
    scale.size = std::max(std::min(scale.size, of_spacing * apart), least_of_diagonal * diagonal);
  return scale;
}

ModelSurvey survey_of(Assembler& assembler, const State& state) {
  GlyphSurvey survey;
  visit_together(
      assembler, state,
      [&](const ElementRange& range, int i, const LocalState& x, const ReactionContributions& contributions) {
        if (contributions.active) range.draw(i, x, contributions, survey);
      });
  const MPI_Comm comm = assembler.layout().comm();
  MPI_Allreduce(MPI_IN_PLACE, survey.extent.low.data(), 3, MPI_DOUBLE, MPI_MIN, comm);
  MPI_Allreduce(MPI_IN_PLACE, survey.extent.high.data(), 3, MPI_DOUBLE, MPI_MAX, comm);
  // A joint and the beams that it connects may be on several ranks.
  const std::vector<double> places = of_all_ranks(survey.places, comm);
  std::vector<double> radii = radii_at(places, std::move(survey.rings));
  MPI_Allreduce(MPI_IN_PLACE, radii.data(), static_cast<int>(radii.size()), MPI_DOUBLE, MPI_MAX, comm);
  GlyphScale scale;
  if (assembler.layout().rank() == 0) scale = glyph_scale_of(survey.extent, places, std::move(radii));
  MPI_Bcast(&scale.size, 1, MPI_DOUBLE, 0, comm);
  MPI_Bcast(&scale.sides, 1, MPI_INT, 0, comm);
  return {scale, survey.extent};
}

}  // namespace trammel
