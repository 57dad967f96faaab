#include "face_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <BRepTools.hxx>
#include <BRep_Tool.hxx>
#include <Geom2d_Curve.hxx>
#include <Geom_RectangularTrimmedSurface.hxx>
#include <Poly_Triangulation.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Edge.hxx>

#include <fmt/format.h>

#include "occt_curve.hpp"
#include "trammel/error.hpp"

namespace trammel::geometry {

namespace {

constexpr int samples = 8;            // pieces of a common edge
constexpr double tolerance = 1e-6;    // of places, by the size of the face
constexpr double smooth = 1e-4;       // of the angle between the normals on both sides of a common edge [rad]
constexpr double alike = 1e-4;        // of the first derivatives there, by their size
constexpr double on_the_edge = 1e-7;  // of parameters, by their range
constexpr double same_direction = 1e-6;

Vec3 vec(const gp_XYZ& p) { return {p.X(), p.Y(), p.Z()}; }

using Tangents = Eigen::Matrix<double, 3, 2>;

Tangents tangents(const Geom_Surface& surface, const Eigen::Vector2d& at) {
  gp_Pnt p;
  gp_Vec u, v;
  surface.D1(at[0], at[1], p, u, v);
  Tangents out;
  out << vec(u.XYZ()), vec(v.XYZ());
  return out;
}

/// The derivatives of S(M x + c) of order n, from those of S of that order: (M00 d/du + M10 d/dv)^i (M01 d/du + M11 d/dv)^j.
template <class Derivative>
Vec3 chained(const Eigen::Matrix2d& M, int i, int j, const Derivative& own) {
  std::array<double, 4> weights{1, 0, 0, 0};  // of each power of d/dv
  for (int k = 0; k < i + j; ++k) {
    const int column = k < i ? 0 : 1;
    for (std::size_t l = 3; l > 0; --l)
      weights[l] = weights[l] * M(0, column) + weights[l - 1] * M(1, column);
    weights[0] *= M(0, column);
  }
  Vec3 sum = Vec3::Zero();
  for (int l = 0; l <= i + j; ++l) sum += weights[static_cast<std::size_t>(l)] * own(i + j - l, l);
  return sum;
}

}  // namespace

/// How the parameters of a face `b` follow from those of a face `a` over a common edge: b = G a + c.
struct FaceSurface::Join {
  Mat2 G;
  Vec2 c;
};

/// The parameters of a patch at a place of the whole, in the lap in which the patch lies.
FaceSurface::Vec2 FaceSurface::own(const Patch& patch, Vec2 x) const {
  for (int k = 0; k < 2; ++k)
    if (const double period = periods_[static_cast<std::size_t>(k)]; period > 0)
      x[k] -= period * std::round((x[k] - patch.middle[k]) / period);
  return patch.M * x + patch.c;
}

FaceSurface::Vec2 FaceSurface::Patch::whole(const Vec2& own) const { return M.inverse() * (own - c); }

bool FaceSurface::Patch::boxed(const Vec2& own) const {
  const Vec2 more = on_the_edge * (high - low);
  return ((own - low + more).array() >= 0).all() && ((high + more - own).array() >= 0).all();
}

bool FaceSurface::Patch::has(const Vec2& own) const {
  return boxed(own) && trimming->Perform(gp_Pnt2d(own[0], own[1]), true) != TopAbs_OUT;
}

double FaceSurface::Patch::off(const Vec2& own) const {
  return metres * (low - own).cwiseMax(own - high).cwiseMax(0).norm();
}

FaceSurface::Patch FaceSurface::patch_of(const NamedFace& face) {
  Patch patch;
  patch.name = face.name;
  patch.face = face.face;
  patch.surface = BRep_Tool::Surface(face.face);
  if (patch.surface.IsNull()) throw Error(fmt::format("the face '{}' has no surface", face.name));
  if (const auto part = Handle(Geom_RectangularTrimmedSurface)::DownCast(patch.surface); !part.IsNull())
    patch.surface = part->BasisSurface();
  BRepTools::UVBounds(face.face, patch.low[0], patch.high[0], patch.low[1], patch.high[1]);
  const Vec2 range = patch.high - patch.low;
  patch.trimming = std::make_shared<const BRepTopAdaptor_FClass2d>(face.face, on_the_edge * range.minCoeff());
  patch.metres = tangents(*patch.surface, (patch.low + patch.high) / 2).colwise().norm().maxCoeff();
  return patch;
}

std::vector<FaceSurface::Join> FaceSurface::joins(const Patch& a, const Patch& b) {
  std::vector<Join> found;
  for (TopExp_Explorer i(a.face, TopAbs_EDGE); i.More(); i.Next())
    for (TopExp_Explorer j(b.face, TopAbs_EDGE); j.More(); j.Next()) {
      const TopoDS_Edge edge_a = TopoDS::Edge(i.Current()), edge_b = TopoDS::Edge(j.Current());
      // The seam of a face that closes in itself stands in it twice.
      if (!edge_a.IsSame(edge_b) || BRep_Tool::Degenerated(edge_a) ||
          (&a == &b && edge_a.Orientation() != TopAbs_FORWARD) ||
          (&a == &b && edge_a.Orientation() == edge_b.Orientation()))
        continue;
      double from = 0, to = 0;
      const Handle(Geom2d_Curve) in_a = BRep_Tool::CurveOnSurface(edge_a, a.face, from, to),
                                 in_b = BRep_Tool::CurveOnSurface(edge_b, b.face, from, to);
      if (in_a.IsNull() || in_b.IsNull()) continue;
      const std::string which = fmt::format("the faces '{}' and '{}'", a.name, b.name);
      std::array<Vec2, samples + 1> x, y;
      std::array<Mat2, samples + 1> G;
      std::array<Tangents, samples + 1> J;
      for (std::size_t k = 0; k <= samples; ++k) {
        const double t = from + (to - from) * static_cast<double>(k) / samples;
        const gp_Pnt2d p = in_a->Value(t), q = in_b->Value(t);
        x[k] = {p.X(), p.Y()};
        y[k] = {q.X(), q.Y()};
        const Tangents in_x = tangents(*a.surface, x[k]);
        J[k] = tangents(*b.surface, y[k]);
        Vec3 n = in_x.col(0).cross(in_x.col(1)).normalized(), m = J[k].col(0).cross(J[k].col(1)).normalized();
        if (a.face.Orientation() == TopAbs_REVERSED) n = -n;
        if (b.face.Orientation() == TopAbs_REVERSED) m = -m;
        const double angle = std::atan2(n.cross(m).norm(), n.dot(m));
        if (std::numbers::pi - angle < smooth)
          throw Error(which +
                      " have normals to opposite sides along their common edge: the shell is not oriented");
        if (!(angle < smooth))
          throw Error(
              fmt::format("{} meet at an angle of {:.6g} rad along their common edge: nothing slides over "
                          "it. Give them as two surfaces, or round the edge",
                          which, angle));
        G[k] = (J[k].transpose() * J[k]).ldlt().solve(J[k].transpose() * in_x);
      }
      const std::size_t middle = samples / 2;
      Join join{G[middle], y[middle] - G[middle] * x[middle]};
      const double size = b.metres * (b.high - b.low).norm();
      for (std::size_t k = 0; k <= samples; ++k) {
        const double gap = (J[k] * (join.G * x[k] + join.c - y[k])).norm();
        const double turn = (J[k] * (G[k] - join.G)).norm() / J[k].norm();
        if (gap <= tolerance * size && turn <= alike) continue;
        throw Error(
            fmt::format("{} cannot be joined: along their common edge the parameters of one do not go on "
                        "in those of the other (by a shift, a turn and a stretch they still are {:.6g} m "
                        "apart, their rates {:.6g} of their size). Give them as two surfaces",
                        which, gap, turn));
      }
      found.push_back(join);
    }
  return found;
}

FaceSurface::FaceSurface(const std::vector<NamedFace>& faces, bool reversed) : user_reversed_(reversed) {
  guarded("the faces cannot be joined", [&] {
    for (const NamedFace& face : faces) patches_.push_back(patch_of(face));
    place_all();
    set_ranges(reversed);
    return 0;
  });
}

/// Lays the faces side by side, each beside one that has its place.
void FaceSurface::place_all() {
  const std::size_t n = patches_.size();
  std::vector<bool> placed(n, false);
  placed[0] = true;
  const auto beside = [&](std::size_t i, std::size_t k) {
    for (const Join& join : joins(patches_[i], patches_[k])) {
      const Patch& a = patches_[i];
      Patch& b = patches_[k];
      const Mat2 M = join.G * a.M;
      const Vec2 c = join.G * a.c + join.c;
      if (!placed[k]) {
        b.M = M;
        b.c = c;
        placed[k] = true;
      } else if (!((M - b.M).norm() <= alike * b.M.norm())) {
        throw Error(
            fmt::format("the faces '{}' and '{}' go on in one another over one edge, but with other "
                        "parameters over another: take them apart",
                        a.name, b.name));
      } else {
        close(b.M.inverse() * (c - b.c), a, b);
      }
    }
  };
  for (std::size_t done = 1; done < n; ++done) {
    std::size_t i = 0, k = n;
    for (; i < n && k == n; ++i)
      for (std::size_t j = 0; placed[i] && j < n && k == n; ++j)
        if (!placed[j]) {
          beside(i, j);
          if (placed[j]) k = j;
        }
    if (k < n) continue;
    const std::size_t left = static_cast<std::size_t>(std::ranges::find(placed, false) - placed.begin());
    throw Error(fmt::format("the face '{}' has no edge in common with {}: only neighbours are joined",
                            patches_[left].name,
                            left == 1 ? fmt::format("'{}'", patches_[0].name) : "the faces before it"));
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = i; k < n; ++k) beside(i, k);
}

/// Takes note of a shift of the parameters of the whole at which the surface comes back to itself.
void FaceSurface::close(const Vec2& shift, const Patch& a, const Patch& b) {
  const Patch& first = patches_.front();
  if (shift.norm() <= tolerance * (first.high - first.low).norm()) return;
  for (int k = 0; k < 2; ++k) {
    if (!(std::abs(shift[1 - k]) <= same_direction * std::abs(shift[k]))) continue;
    double& period = periods_[static_cast<std::size_t>(k)];
    const double found = std::abs(shift[k]);
    if (period > 0 && std::abs(found - period) > tolerance * period) break;
    period = found;
    return;
  }
  throw Error(
      fmt::format("the faces '{}' and '{}' close a ring, but not along one of the parameters: leave one of "
                  "them out",
                  a.name, b.name));
}

void FaceSurface::set_ranges(bool reversed) {
  Vec2 low = Vec2::Constant(std::numeric_limits<double>::infinity()), high = -low;
  bool flipped = false;
  for (Patch& patch : patches_) {
    patch.middle = patch.whole((patch.low + patch.high) / 2);
    for (const double u : {patch.low[0], patch.high[0]})
      for (const double v : {patch.low[1], patch.high[1]}) {
        const Vec2 x = patch.whole({u, v});
        low = low.cwiseMin(x);
        high = high.cwiseMax(x);
      }
    const bool turned = (patch.face.Orientation() == TopAbs_REVERSED) != (patch.M.determinant() < 0);
    if (&patch != &patches_.front() && turned != flipped)
      throw Error(fmt::format("the normal of the face '{}' points to the other side than that of '{}'",
                              patch.name, patches_.front().name));
    flipped = turned;
  }
  std::array<SurfaceRange, 2> ranges;
  for (int k = 0; k < 2; ++k) {
    SurfaceRange& range = ranges[static_cast<std::size_t>(k)];
    const double period = periods_[static_cast<std::size_t>(k)];
    range = {.first = low[k], .last = period > 0 ? low[k] + period : high[k], .periodic = period > 0};
  }
  set_domain(ranges[0], ranges[1], flipped != reversed);
}

const FaceSurface::Patch& FaceSurface::owner(const Vec2& x) const {
  if (patches_.size() == 1) return patches_.front();
  const Patch *nearest = nullptr, *boxed = nullptr;
  double least = std::numeric_limits<double>::infinity();
  bool several = false;
  for (const Patch& patch : patches_) {
    const Vec2 there = own(patch, x);
    if (patch.boxed(there)) {
      several = boxed != nullptr;
      if (several && patch.has(there)) return patch;
      if (!several) boxed = &patch;
    }
    if (const double off = patch.off(there); off < least) least = off, nearest = &patch;
  }
  return boxed != nullptr ? *boxed : *nearest;
}

void FaceSurface::evaluate_patch(const Patch& patch, const Vec2& own, int derivatives, SurfacePoint& out) {
  std::array<Vec3, 10> d;
  const auto at = [&d](int i, int j) -> Vec3& { return d[SurfacePoint::at(i, j)]; };
  gp_Pnt p;
  gp_Vec u, v, uu, vv, uv, uuu, vvv, uuv, uvv;
  const Geom_Surface& S = *patch.surface;
  switch (derivatives) {
    case 0:
      S.D0(own[0], own[1], p);
      break;
    case 1:
      S.D1(own[0], own[1], p, u, v);
      break;
    case 2:
      S.D2(own[0], own[1], p, u, v, uu, vv, uv);
      break;
    default:
      S.D3(own[0], own[1], p, u, v, uu, vv, uv, uuu, vvv, uuv, uvv);
  }
  at(0, 0) = vec(p.XYZ());
  at(1, 0) = vec(u.XYZ());
  at(0, 1) = vec(v.XYZ());
  at(2, 0) = vec(uu.XYZ());
  at(1, 1) = vec(uv.XYZ());
  at(0, 2) = vec(vv.XYZ());
  at(3, 0) = vec(uuu.XYZ());
  at(2, 1) = vec(uuv.XYZ());
  at(1, 2) = vec(uvv.XYZ());
  at(0, 3) = vec(vvv.XYZ());
  for (int order = 0; order <= derivatives; ++order)
    for (int j = 0; j <= order; ++j) out.by(order - j, j) = chained(patch.M, order - j, j, at);
}

void FaceSurface::at(double u, double v, int derivatives, SurfacePoint& out) const {
  const Vec2 x(u, v);
  const Patch& patch = owner(x);
  evaluate_patch(patch, own(patch, x), derivatives, out);
}

bool FaceSurface::covers(double u, double v) const {
  return std::ranges::any_of(patches_, [&](const Patch& patch) { return patch.has(own(patch, {u, v})); });
}

std::string FaceSurface::describe(double u, double v) const {
  const Patch& patch = owner({u, v});
  const Vec2 at = own(patch, {u, v});
  return patch.name.empty()
             ? fmt::format("u = {:.6g}, v = {:.6g}", at[0], at[1])
             : fmt::format("u = {:.6g}, v = {:.6g} of the face '{}'", at[0], at[1], patch.name);
}

FaceMesh FaceSurface::mesh() const {
  FaceMesh all;
  for (const Patch& patch : patches_) {
    TopLoc_Location place;
    const Handle(Poly_Triangulation) mesh = BRep_Tool::Triangulation(patch.face, place);
    if (mesh.IsNull()) continue;
    const int before = static_cast<int>(all.points.size()) - 1;  // the mesh counts from 1
    for (int i = 1; i <= mesh->NbNodes(); ++i)
      all.points.push_back(vec(mesh->Node(i).Transformed(place.Transformation()).XYZ()));
    const bool turned = (patch.face.Orientation() == TopAbs_REVERSED) != user_reversed_;
    for (int i = 1; i <= mesh->NbTriangles(); ++i) {
      int a = 0, b = 0, c = 0;
      mesh->Triangle(i).Get(a, b, c);
      if (turned) std::swap(b, c);
      for (const int k : {3, before + a, before + b, before + c}) all.triangles.push_back(k);
    }
  }
  return all;
}

}  // namespace trammel::geometry
