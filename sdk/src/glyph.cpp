#include "trammel/glyph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/LU>

#include "canvas_extension.hpp"

namespace trammel {

namespace {

constexpr Canvas::Layer layer = Canvas::Layer::joints;

using Directions = Eigen::Matrix3Xd;

/// Orthonormal basis of the null space of A, as columns.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A) {
  const double size = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0;
  if (!(size > 0)) return Eigen::MatrixXd::Identity(A.cols(), A.cols());
  Eigen::FullPivLU<Eigen::MatrixXd> lu(A);
  lu.setThreshold(1e-8);
  if (lu.dimensionOfKernel() == 0) return {A.cols(), 0};
  const Eigen::MatrixXd kernel = lu.kernel();
  return kernel.householderQr().householderQ() * Eigen::MatrixXd::Identity(A.cols(), kernel.cols());
}

/// A basis of the same space, as near to the axes as can be, so that a glyph does not turn for no reason.
Directions near_axes(const Eigen::MatrixXd& basis) {
  Directions found(3, 0);
  const Mat3 projection = basis * basis.transpose();
  while (found.cols() < basis.cols()) {
    Mat3 rest = projection;
    for (Eigen::Index k = 0; k < found.cols(); ++k) rest -= found.col(k) * found.col(k).transpose();
    Eigen::Index nearest = 0;
    rest.diagonal().maxCoeff(&nearest);
    found.conservativeResize(3, found.cols() + 1);
    found.rightCols(1) = rest.col(nearest).normalized();
  }
  return found;
}

}  // namespace

GlyphScale glyph_scale(Canvas& canvas, const Vec3& at, double size) {
  GlyphScale scale;
  if (auto* const glyphs = extension_of<GlyphCanvas>(canvas)) scale = glyphs->begin_glyph(at);
  if (size >= 0) scale.size = size;
  return scale;
}

void draw_field(Canvas& canvas, std::string_view name, std::string_view unit,
                std::span<const std::string_view> components, std::span<const double> values) {
  canvas.field(name, values, std::max(static_cast<int>(components.size()), 1));
  if (auto* const labels = extension_of<FieldLabels>(canvas)) labels->label(name, unit, components);
}

void draw_field(Canvas& canvas, std::string_view name, std::string_view unit,
                std::span<const double> values) {
  draw_field(canvas, name, unit, {}, values);
}

Glyph::Glyph(Canvas& canvas, const MarkerMotion& A_, const MarkerMotion& B_, double size)
    : A(A_), B(B_), canvas_(canvas), scale_(glyph_scale(canvas, B_.p_WM, size)) {}

void Glyph::line(const MarkerMotion& frame, std::span<const Vec3> points) const {
  if (!shown()) return;
  std::vector<Vec3> placed;
  placed.reserve(points.size());
  for (const Vec3& p : points) placed.push_back(place(frame, p));
  canvas_.polyline(layer, placed);
}

void Glyph::rod(const MarkerMotion& frame, const Vec3& from, const Vec3& to, double radius) const {
  if (plain()) {
    const std::array<Vec3, 2> ends{from, to};
    line(frame, ends);
  } else if (shown()) {
    canvas_.cylinder(layer, place(frame, from), place(frame, to), radius * size(), scale_.sides);
  }
}

void Glyph::tube(const MarkerMotion& frame, const Vec3& from, const Vec3& to, double radius) const {
  const Vec3 axis = to - from;
  if (!shown() || plain() || !(axis.norm() > 0)) return rod(frame, from, to, radius);
  const Vec3 e1 = axis.unitOrthogonal(), e2 = axis.normalized().cross(e1);
  const int n = scale_.sides;
  std::vector<Vec3> points;
  std::vector<int> faces;
  for (const Vec3& centre : {from, to})
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * i / n;
      points.push_back(place(frame, centre + radius * (std::cos(angle) * e1 + std::sin(angle) * e2)));
    }
  for (int i = 0; i < n; ++i) faces.insert(faces.end(), {4, i, (i + 1) % n, n + (i + 1) % n, n + i});
  canvas_.surface(layer, points, faces);
}

void Glyph::box(const MarkerMotion& frame, const Vec3& centre, const Vec3& edges) const {
  if (!shown()) return;
  if (plain()) {
    Eigen::Index longest = 0;
    edges.maxCoeff(&longest);
    const Vec3 half = 0.5 * edges[longest] * Vec3::Unit(longest);
    return rod(frame, centre - half, centre + half, 0);
  }
  canvas_.box(layer, frame.R_WM, place(frame, centre), size() * edges);
}

void Glyph::cage(const MarkerMotion& frame, const Vec3& centre, double edge) const {
  if (plain()) return;
  // One way along all edges, four of them twice; signs of the corners.
  static constexpr std::array<std::array<int, 3>, 16> way{{{-1, -1, -1},
                                                           {1, -1, -1},
                                                           {1, 1, -1},
                                                           {-1, 1, -1},
                                                           {-1, -1, -1},
                                                           {-1, -1, 1},
                                                           {1, -1, 1},
                                                           {1, -1, -1},
                                                           {1, -1, 1},
                                                           {1, 1, 1},
                                                           {1, 1, -1},
                                                           {1, 1, 1},
                                                           {-1, 1, 1},
                                                           {-1, 1, -1},
                                                           {-1, 1, 1},
                                                           {-1, -1, 1}}};
  std::array<Vec3, way.size()> corners;
  for (std::size_t i = 0; i < way.size(); ++i)
    corners[i] = centre + 0.5 * edge * Vec3(way[i][0], way[i][1], way[i][2]);
  line(frame, corners);
}

void Glyph::plate(const MarkerMotion& frame, const Vec3& centre, const Vec3& u, const Vec3& v) const {
  const std::array<Vec3, 5> corners{centre - u - v, centre + u - v, centre + u + v, centre - u + v,
                                    centre - u - v};
  if (!shown() || plain()) return line(frame, corners);
  std::array<Vec3, 4> points;
  for (std::size_t i = 0; i < 4; ++i) points[i] = place(frame, corners[i]);
  static constexpr std::array<int, 5> face{4, 0, 1, 2, 3};
  canvas_.surface(layer, points, face);
}

void Glyph::ball(const MarkerMotion& frame, const Vec3& centre, double radius) const {
  if (!shown() || plain()) return;  // the joint's point stands for it
  canvas_.sphere(layer, place(frame, centre), radius * size(), std::max(scale_.sides / 3, 3));
}

void Glyph::cup(const MarkerMotion& frame, const Vec3& centre, const Vec3& opening, double radius) const {
  if (!shown() || plain()) return;
  const Vec3 e1 = opening.unitOrthogonal(), e2 = opening.cross(e1);
  const int n = scale_.sides, rings = std::max(n / 4, 2);
  std::vector<Vec3> points;
  std::vector<int> faces;
  for (int k = 0; k < rings; ++k) {
    const double polar = 0.5 * std::numbers::pi * (k + 1) / rings;  // from the bottom
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * i / n;
      points.push_back(
          place(frame, centre + radius * (std::sin(polar) * (std::cos(angle) * e1 + std::sin(angle) * e2) -
                                          std::cos(polar) * opening)));
    }
  }
  faces.push_back(n);
  for (int i = 0; i < n; ++i) faces.push_back(i);
  for (int k = 0; k + 1 < rings; ++k)
    for (int i = 0; i < n; ++i) {
      const int j = (i + 1) % n, first = k * n;
      faces.insert(faces.end(), {4, first + i, first + j, first + n + j, first + n + i});
    }
  canvas_.surface(layer, points, faces);
}

void Glyph::arc(const MarkerMotion& frame, const Vec3& centre, const Vec3& u, const Vec3& v, double radius,
                double turns, double rise) const {
  if (!shown()) return;
  const int pieces = std::max(static_cast<int>(std::ceil(std::max(scale_.sides, 4) * std::abs(turns))), 2);
  std::vector<Vec3> points;
  for (int i = 0; i <= pieces; ++i) {
    const double part = static_cast<double>(i) / pieces, angle = 2 * std::numbers::pi * turns * part;
    points.push_back(centre + radius * (std::cos(angle) * u + std::sin(angle) * v) +
                     part * rise * u.cross(v));
  }
  line(frame, points);
}

void Glyph::free_motions(const Eigen::Ref<const Eigen::MatrixXd>& equations) const {
  if (!shown() || !equations.allFinite()) return;
  // Combinations of the equations that no coordinate enters.
  Eigen::MatrixXd G = equations.leftCols<6>();
  if (equations.cols() > 6)
    G = (null_space(equations.rightCols(equations.cols() - 6).transpose()).transpose() * G).eval();
  G.leftCols<3>() *= size();  // lengths and angles of one magnitude
  const Directions slides = near_axes(null_space(G.leftCols<3>()));
  const Directions turns = near_axes(null_space(G.rightCols<3>()));
  const Eigen::MatrixXd all = null_space(G);
  const Eigen::Index coupled = all.cols() - slides.cols() - turns.cols();

  if (all.cols() == 0) {
    box(B, Vec3::Zero(), Vec3::Constant(0.3));
    cage(B, Vec3::Zero(), 0.9);
  }
  // The guides are A's, drawn where B is.
  const Vec3 to_B = A.R_WM.transpose() * (B.p_WM - A.p_WM) / size();
  if (slides.cols() == 1) {
    tube(A, to_B - 0.6 * slides.col(0), to_B + 0.6 * slides.col(0), 0.16);
  } else if (slides.cols() == 2) {
    plate(A, to_B, 0.5 * slides.col(0), 0.5 * slides.col(1));
  } else if (slides.cols() == 3) {
    constexpr double tip = 0.12, half_width = 0.07;
    for (int k = 0; k < 3; ++k) {
      const Vec3 along = Vec3::Unit(k), across = half_width * Vec3::Unit((k + 1) % 3);
      const Vec3 low = to_B - 0.5 * along, high = to_B + 0.5 * along;
      const std::array<Vec3, 8> arrow{
          low + tip * along + across,  low,  low + tip * along - across, low, high,
          high - tip * along + across, high, high - tip * along - across};
      line(A, arrow);
    }
  }
  if (turns.cols() == 3) {
    ball(B, Vec3::Zero(), 0.2);
    if (slides.cols() == 0) cup(A, to_B, Vec3::UnitZ(), 0.28);
  } else {
    for (Eigen::Index k = 0; k < turns.cols(); ++k)
      rod(B, -0.5 * turns.col(k), 0.5 * turns.col(k), turns.cols() == 1 ? 0.12 : 0.08);
  }
  if (coupled != 1 || slides.cols() + turns.cols() > 0) {
    if (coupled > 0) arc(B, Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 0.4);
    return;
  }
  // A screw of some pitch about some axis; in the axes of B, lengths in multiples of the size.
  const Vec3 v = B.R_WM.transpose() * (A.R_WM * all.col(0).head<3>()), w = all.col(0).tail<3>();
  const Vec3 axis = w.normalized(), to_axis = w.cross(v) / w.squaredNorm();
  const double pitch = v.dot(axis) / w.norm();
  if (!(to_axis.norm() < 20)) return;
  rod(B, to_axis - 0.5 * axis, to_axis + 0.5 * axis, 0.1);
  const std::array<Vec3, 2> arm{Vec3::Zero(), to_axis};
  if (to_axis.norm() > 1e-3) line(B, arm);
  if (std::abs(pitch) < 1e-6) return;
  const Vec3 u = axis.unitOrthogonal();
  arc(B, to_axis - 0.3 * axis, u, axis.cross(u), 0.2, 3, 0.6);
}

}  // namespace trammel
