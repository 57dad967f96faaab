#include "face_file.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>
#include <sstream>

#include <BRepAdaptor_Surface.hxx>
#include <BRepBuilderAPI_MakeEdge.hxx>
#include <BRepBuilderAPI_MakeFace.hxx>
#include <BRepBuilderAPI_MakeWire.hxx>
#include <BRepGProp.hxx>
#include <BRepPrimAPI_MakePrism.hxx>
#include <BRepPrimAPI_MakeRevol.hxx>
#include <BRepPrimAPI_MakeSphere.hxx>
#include <GC_MakeArcOfCircle.hxx>
#include <GProp_GProps.hxx>
#include <Geom_Circle.hxx>
#include <Geom_TrimmedCurve.hxx>
#include <Interface_Static.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <STEPConstruct.hxx>
#include <STEPControl_Writer.hxx>
#include <StepData_StepModel.hxx>
#include <StepRepr_RepresentationItem.hxx>
#include <StepShape_AdvancedFace.hxx>
#include <TCollection_HAsciiString.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Edge.hxx>
#include <TopoDS_Wire.hxx>
#include <XSControl_TransferWriter.hxx>
#include <XSControl_WorkSession.hxx>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../reader_process.hpp"
#include "../shapes/face_surface.hpp"
#include "answer.hpp"
#include "places.hpp"

namespace trammel::geometry {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
constexpr double pi = std::numbers::pi;
constexpr const char* reader = TRAMMEL_BINARY_DIR "/lib/trammel/face_files";

TopoDS_Edge line(const gp_Pnt& a, const gp_Pnt& b) { return BRepBuilderAPI_MakeEdge(a, b); }
TopoDS_Edge arc(const gp_Pnt& a, const gp_Pnt& b, const gp_Pnt& c) {
  return BRepBuilderAPI_MakeEdge(GC_MakeArcOfCircle(a, b, c).Value());
}

/// Two straight sides of 2 m at y = -0.5 and 0.5 m, round ends of 0.5 m; the outline turns to the left about z.
TopoDS_Wire stadium() {
  BRepBuilderAPI_MakeWire wire;
  wire.Add(line({-1000, -500, 0}, {1000, -500, 0}));
  wire.Add(arc({1000, -500, 0}, {1500, 0, 0}, {1000, 500, 0}));
  wire.Add(line({1000, 500, 0}, {-1000, 500, 0}));
  wire.Add(arc({-1000, 500, 0}, {-1500, 0, 0}, {-1000, -500, 0}));
  return wire;
}
const std::vector<std::string> sides{"front", "right", "back", "left"};

/// The name of a face of the prism over the stadium.
std::string side(const TopoDS_Shape& face) {
  GProp_GProps area;
  BRepGProp::SurfaceProperties(face, area);
  const gp_Pnt c = area.CentreOfMass();
  if (c.Z() < 1) return "bottom";
  if (c.Z() > 399) return "top";
  return std::abs(c.X()) > 1000 ? c.X() > 0 ? "right" : "left" : c.Y() < 0 ? "front" : "back";
}

bool lies_above(const TopoDS_Shape& face, double z) {
  GProp_GProps area;
  BRepGProp::SurfaceProperties(face, area);
  return area.CentreOfMass().Z() > z;
}
bool flat(const TopoDS_Shape& face) {
  return BRepAdaptor_Surface(TopoDS::Face(face)).GetType() == GeomAbs_Plane;
}

/// STEP files in a folder of their own, written by Open CASCADE; lengths in millimetres.
class FaceFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("trammel_faces_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    STEPControl_Writer writer;
    Interface_Static::SetCVal("xstep.cascade.unit", "MM");
    Message::DefaultMessenger()->ChangePrinters().Clear();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  using Namer = std::function<std::string(const TopoDS_Shape&)>;
  std::string step(const TopoDS_Shape& shape, const Namer& name) {
    Interface_Static::SetCVal("xstep.cascade.unit", "MM");
    STEPControl_Writer writer;
    writer.Transfer(shape, STEPControl_AsIs);
    for (TopExp_Explorer i(shape, TopAbs_FACE); i.More(); i.Next()) {
      const Handle(StepRepr_RepresentationItem) entity =
          STEPConstruct::FindEntity(writer.WS()->TransferWriter()->FinderProcess(), i.Current());
      if (!entity.IsNull()) entity->SetName(new TCollection_HAsciiString(name(i.Current()).c_str()));
    }
    // A prism's top is its bottom moved, and not found by its shape.
    const Handle(StepData_StepModel) model = writer.Model();
    for (int i = 1; i <= model->NbEntities(); ++i)
      if (const auto face = Handle(StepShape_AdvancedFace)::DownCast(model->Entity(i));
          !face.IsNull() && face->Name()->IsEmpty())
        face->SetName(new TCollection_HAsciiString("top"));
    const std::string path = (folder_ / "part.step").string();
    writer.Write(path.c_str());
    return path;
  }
  /// The four sides of an open tube 0.4 m long.
  std::string tube() { return step(BRepPrimAPI_MakePrism(stadium(), gp_Vec(0, 0, 400)), side); }
  /// A solid with the same sides, a bottom and a top.
  std::string solid() {
    return step(BRepPrimAPI_MakePrism(BRepBuilderAPI_MakeFace(stadium()), gp_Vec(0, 0, 400)), side);
  }

  static std::shared_ptr<const FaceSurface> load(const std::string& path, std::vector<std::string> names,
                                                 bool of_solid = false) {
    std::vector<std::string> arguments{path, of_solid ? "of_solid" : "any"};
    arguments.insert(arguments.end(), names.begin(), names.end());
    return std::make_shared<const FaceSurface>(
        faces_from_bytes(read_by_process(reader, arguments, answer_faces)), false);
  }
  static std::string message(const std::string& path, const std::vector<std::string>& names,
                             bool of_solid = false) {
    try {
      load(path, names, of_solid);
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  }

  std::filesystem::path folder_;
};

void expect_derivatives(const FaceSurface& s, const SurfaceParameters& x) {
  SurfacePoint at;
  s.evaluate(x, 3, at);
  for (const bool along_u : {true, false}) {
    const double h = 1e-5 * (along_u ? s.u().length() : s.v().length());
    const auto moved = [&](double by) {
      SurfacePoint p;
      s.evaluate(along_u ? SurfaceParameters{x.u + by, x.v} : SurfaceParameters{x.u, x.v + by}, 3, p);
      return p;
    };
    const SurfacePoint plus = moved(h), minus = moved(-h);
    for (int i = 0; i <= 2; ++i)
      for (int j = 0; i + j <= 2; ++j) {
        const Vec3 found = along_u ? at.by(i + 1, j) : at.by(i, j + 1);
        EXPECT_LE((found - (plus.by(i, j) - minus.by(i, j)) / (2 * h)).norm(),
                  1e-6 * (found.norm() + 1e-5 * at.by(i, j).norm() / h))
            << x.u << ' ' << x.v << ", " << i << j << (along_u ? " by u" : " by v");
      }
  }
}

TEST_F(FaceFiles, give_one_face_with_its_trimming) {
  const std::string path = solid();
  const auto top = load(path, {"top"});
  // A plane, cut by the stadium: its box is 3 x 1 m, and the corners of it are not there.
  EXPECT_NEAR(top->u().length() * top->v().length(), 3.0, 1e-6);
  std::vector<SurfaceParameters> inside, outside;
  for (int i = 0; i <= 60; ++i)
    for (int j = 0; j <= 20; ++j) {
      const SurfaceParameters x{top->u().first + top->u().length() * i / 60,
                                top->v().first + top->v().length() * j / 20};
      const Vec3 p = top->point(x);
      EXPECT_NEAR(p.z(), 0.4, 1e-12);
      const double off = std::hypot(std::max(std::abs(p.x()) - 1, 0.0), p.y()) - 0.5;
      if (std::abs(off) < 1e-4) continue;
      EXPECT_EQ(top->beyond(x) > 0, off > 0) << p.transpose();
      EXPECT_GT(top->normal(x).z(), 1 - 1e-12);  // out of the material
    }
  EXPECT_LT(load(path, {"bottom"})->normal({0, 0}).z(), -1 + 1e-12);
  // Drawn is what is there.
  const FaceMesh mesh = top->mesh();
  double area = 0;
  for (std::size_t i = 0; i < mesh.triangles.size(); i += 4) {
    ASSERT_EQ(mesh.triangles[i], 3);
    const auto p = [&](std::size_t k) {
      return mesh.points[static_cast<std::size_t>(mesh.triangles[i + k])];
    };
    const Vec3 a = 0.5 * (p(2) - p(1)).cross(p(3) - p(1));
    EXPECT_GT(a.z(), 0);
    area += a.norm();
  }
  EXPECT_NEAR(area, 2 + 0.25 * pi, 0.005);
}

TEST_F(FaceFiles, give_faces_joined_over_their_common_edges) {
  const auto s = load(solid(), {"front", "right"});
  // Parameters of the plane, lengths; they go on along the arc.
  const SurfaceRange along = s->u().length() > s->v().length() ? s->u() : s->v();
  EXPECT_NEAR(along.length(), 2 + 0.5 * pi, 1e-6);
  EXPECT_FALSE(s->u().periodic || s->v().periodic);
  for (int i = 1; i < 40; ++i) {
    const double part = i / 40.0;
    const SurfaceParameters x{s->u().first + part * s->u().length(), s->v().first + 0.3 * s->v().length()};
    const SurfaceParameters y{s->u().first + 0.3 * s->u().length(), s->v().first + part * s->v().length()};
    for (const SurfaceParameters& at : {x, y}) {
      const Vec3 p = s->point(at);
      EXPECT_EQ(s->beyond(at), 0);
      EXPECT_NEAR(p.x() < 1 ? -p.y() : std::hypot(p.x() - 1, p.y()), 0.5, 1e-9);
      const Vec3 out = p.x() < 1 ? Vec3(0, -1, 0) : Vec3(p.x() - 1, p.y(), 0) / 0.5;
      EXPECT_LT((s->normal(at) - out).norm(), 1e-8);
      if (std::abs(p.x() - 1) > 1e-3) expect_derivatives(*s, at);
    }
  }
  // Beyond the last face it is not there.
  const SurfaceParameters found = s->nearest(Vec3(1.6, 0, 0.2));
  EXPECT_LT((s->point(found) - Vec3(1.5, 0, 0.2)).norm(), 1e-9);
  EXPECT_THAT(s->described(found), HasSubstr("of the face 'right'"));
  const SurfaceParameters first = s->nearest(Vec3(0, -0.7, 0.1));
  EXPECT_THAT(s->described(first), HasSubstr("of the face 'front'"));
}

TEST_F(FaceFiles, that_close_a_ring_are_periodic) {
  const auto s = load(tube(), sides);
  const bool along_u = s->u().periodic;
  EXPECT_NE(s->u().periodic, s->v().periodic);
  const SurfaceRange& round = along_u ? s->u() : s->v();
  EXPECT_NEAR(round.length(), 4 + pi, 1e-6);
  const auto at = [&](double eta) {
    return along_u ? SurfaceParameters{eta, s->v().first + 0.3 * s->v().length()}
                   : SurfaceParameters{s->u().first + 0.3 * s->u().length(), eta};
  };
  double lap = 0;
  Vec3 before = s->point(at(round.first));
  for (int i = 1; i <= 400; ++i) {
    const double eta = round.first + round.length() * i / 400;
    const Vec3 p = s->point(at(eta));
    lap += (p - before).norm();
    before = p;
    EXPECT_LT((s->point(at(eta - 3 * round.length())) - p).norm(), 1e-9);
    EXPECT_EQ(s->beyond(at(eta)), 0);
    EXPECT_NEAR(std::hypot(std::max(std::abs(p.x()) - 1, 0.0), p.y()), 0.5, 1e-9);
  }
  EXPECT_NEAR(lap, 4 + pi, 1e-3);
}

/// A pipe with a bend: a cylinder and a torus have their angle round the pipe in common; each closes in itself.
TEST_F(FaceFiles, join_surfaces_of_revolution) {
  BRepBuilderAPI_MakeWire profile;
  profile.Add(line({300, 0, 0}, {300, 0, 200}));
  profile.Add(arc({300, 0, 200}, {400 - 100 * std::sqrt(0.5), 0, 200 + 100 * std::sqrt(0.5)}, {400, 0, 300}));
  const auto s = load(step(BRepPrimAPI_MakeRevol(profile.Wire(), gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1))),
                           [](const TopoDS_Shape& face) { return lies_above(face, 201) ? "flare" : "neck"; }),
                      {"neck", "flare"});
  EXPECT_NEAR(s->u().length(), 2 * pi, 1e-9);
  EXPECT_TRUE(s->u().periodic);
  EXPECT_NEAR(s->v().length(), 0.2 + 0.05 * pi, 1e-8);
  for (int i = 1; i < 20; ++i)
    for (int j = 0; j < 7; ++j) {
      const SurfaceParameters at{j - 2.3, s->v().first + s->v().length() * i / 20};
      const Vec3 p = s->point(at);
      const double r = std::hypot(p.x(), p.y());
      EXPECT_NEAR(p.z() <= 0.2 ? 0.3 - r : std::hypot(r - 0.4, p.z() - 0.2) - 0.1, 0, 1e-9);
      EXPECT_EQ(s->beyond(at), 0);
      if (std::abs(p.z() - 0.2) > 1e-3) expect_derivatives(*s, at);
    }
}

TEST_F(FaceFiles, that_cannot_be_joined_are_refused) {
  const std::string path = solid();
  EXPECT_THAT(message(path, {"front", "top"}),
              AllOf(HasSubstr("the faces 'front' and 'top' meet at an angle of 1.5708 rad"),
                    HasSubstr("two surfaces")));
  EXPECT_THAT(message(path, {"front", "back"}),
              HasSubstr("the face 'back' has no edge in common with 'front'"));
  EXPECT_THAT(message(path, {"front", "front"}), HasSubstr("the face 'front' is given twice"));
  // A disc that goes over into a cone's rounding: the parameters of a plane are none of an angle and a radius.
  BRepBuilderAPI_MakeWire profile;
  profile.Add(line({100, 0, 0}, {300, 0, 0}));
  profile.Add(arc({300, 0, 0}, {300 + 100 * std::sqrt(0.5), 0, 100 - 100 * std::sqrt(0.5)}, {400, 0, 100}));
  const std::string dish =
      step(BRepPrimAPI_MakeRevol(profile.Wire(), gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1))),
           [](const TopoDS_Shape& face) { return lies_above(face, 1) ? "rim" : "floor"; });
  EXPECT_THAT(message(dish, {"floor", "rim"}),
              HasSubstr("the parameters of one do not go on in those of the other"));
  EXPECT_EQ(message(dish, {"floor"}), "");
}

TEST_F(FaceFiles, that_are_not_there_are_refused) {
  const std::string path = solid();
  EXPECT_THAT(message(path, {"tpo"}), HasSubstr("has no face 'tpo'; did you mean 'top'"));
  EXPECT_THAT(message(path, {"tpo"}),
              AllOf(HasSubstr("Faces there: "), HasSubstr("front"), HasSubstr("bottom")));
  EXPECT_THAT(message(path, {}), HasSubstr("more than one face: give 'faces'"));
  EXPECT_THAT(message(path + "x", {}), HasSubstr("does not exist"));
  const std::string other = (folder_ / "part.txt").string();
  std::filesystem::copy(path, other);
  EXPECT_THAT(message(other, {"top"}), HasSubstr("expected a STEP file"));
  EXPECT_THAT(message(step(BRepPrimAPI_MakePrism(stadium(), gp_Vec(0, 0, 400)),
                           [](const TopoDS_Shape&) { return "side"; }),
                      {"side"}),
              HasSubstr("several faces 'side'"));
  EXPECT_THAT(message(step(stadium(), side), {}), HasSubstr("holds no faces"));
}

TEST_F(FaceFiles, that_are_open_are_refused_where_a_solid_is_needed) {
  EXPECT_EQ(message(solid(), {"front", "right"}, true), "");
  EXPECT_THAT(
      message(tube(), {"front"}, true),
      AllOf(HasSubstr("the face 'front' of 'part.step' bounds no solid: its shell is open at 8 edges"),
            HasSubstr("`of_solid: no`")));
}

TEST_F(FaceFiles, with_a_collapsed_pole_are_refused) {
  const std::string ball = step(BRepPrimAPI_MakeSphere(100), [](const TopoDS_Shape&) { return "ball"; });
  EXPECT_THAT(message(ball, {"ball"}),
              AllOf(HasSubstr("the surface collapses at ["), HasSubstr(", -0.1] (u = ")));
  const std::string belt = step(BRepPrimAPI_MakeSphere(100, -1.0, 1.0, 2 * pi),
                                [](const TopoDS_Shape& face) { return flat(face) ? "lid" : "belt"; });
  EXPECT_THAT(message(belt, {"belt"}), "");
}

// A mutation of a file at every 197th byte: whatever comes of it, the process that reads ends by itself.
TEST_F(FaceFiles, that_are_damaged_end_no_process) {
  std::ostringstream text;
  text << std::ifstream(tube()).rdbuf();
  const std::string sound = text.str();
  const std::string path = (folder_ / "mutant.step").string();
  for (std::size_t i = 17, k = 0; i < sound.size(); i += 197, ++k) {
    std::string mutant = sound;
    if (k % 3 == 0)
      mutant.erase(i, 9);
    else if (k % 3 == 1)
      mutant[i] = static_cast<char>(mutant[i] ^ 5);
    else
      mutant.resize(i);
    std::ofstream(path) << mutant;
    EXPECT_LT(message(path, {"front"}).size(), 500U) << i;
  }
}

}  // namespace
}  // namespace trammel::geometry
