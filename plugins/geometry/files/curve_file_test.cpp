#include "curve_file.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numbers>
#include <regex>
#include <sstream>

#include <BRepBuilderAPI_MakeEdge.hxx>
#include <BRep_Builder.hxx>
#include <GC_MakeArcOfCircle.hxx>
#include <Geom_BSplineCurve.hxx>
#include <Geom_TrimmedCurve.hxx>
#include <IGESControl_Writer.hxx>
#include <IGESData_IGESEntity.hxx>
#include <IGESData_IGESModel.hxx>
#include <Interface_Static.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <STEPControl_Writer.hxx>
#include <StepData_StepModel.hxx>
#include <StepGeom_Curve.hxx>
#include <StepGeom_TrimmedCurve.hxx>
#include <TCollection_HAsciiString.hxx>
#include <TopoDS_Compound.hxx>
#include <TopoDS_Edge.hxx>
#include <gp_Pnt.hxx>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "places.hpp"

namespace trammel::geometry {
namespace {

using ::testing::HasSubstr;
constexpr double pi = std::numbers::pi;

TopoDS_Edge line(const gp_Pnt& a, const gp_Pnt& b) { return BRepBuilderAPI_MakeEdge(a, b); }
TopoDS_Edge arc(const gp_Pnt& a, const gp_Pnt& b, const gp_Pnt& c) {
  return BRepBuilderAPI_MakeEdge(GC_MakeArcOfCircle(a, b, c).Value());
}

/// Files in a folder of their own, written by Open CASCADE; lengths in millimetres.
class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("trammel_curves_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    // Writers take lengths to be in this unit; no reports on the terminal.
    STEPControl_Writer writer;
    Interface_Static::SetCVal("xstep.cascade.unit", "MM");
    Message::DefaultMessenger()->ChangePrinters().Clear();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Each edge is one curve of the file, named in this order.
  std::string step(const std::vector<TopoDS_Edge>& edges, const std::vector<std::string>& names) {
    STEPControl_Writer writer;
    for (const TopoDS_Edge& edge : edges) writer.Transfer(edge, STEPControl_GeometricCurveSet);
    const Handle(StepData_StepModel) model = writer.Model();
    std::size_t next = 0;
    for (int i = 1; i <= model->NbEntities(); ++i)
      if (const auto curve = Handle(StepGeom_TrimmedCurve)::DownCast(model->Entity(i));
          !curve.IsNull() && next < names.size())
        curve->SetName(new TCollection_HAsciiString(names[next++].c_str()));
    const std::string path = (folder_ / "track.step").string();
    writer.Write(path.c_str());
    return path;
  }
  std::string iges(const TopoDS_Edge& edge, const char* label) {
    IGESControl_Writer writer("MM", 0);
    writer.AddShape(edge);
    writer.ComputeModel();
    const Handle(IGESData_IGESModel) model = writer.Model();
    for (int i = 1; i <= model->NbEntities(); ++i)
      model->Entity(i)->SetLabel(new TCollection_HAsciiString(label));
    const std::string path = (folder_ / "track.igs").string();
    writer.Write(path.c_str());
    return path;
  }
  static std::string message(const std::string& path, const std::vector<std::string>& names) {
    try {
      read_curve_file(path, names);
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  }

  std::filesystem::path folder_;
};

/// Two straights of a metre and two half circles of radius 0.5 m.
std::vector<TopoDS_Edge> stadium() {
  return {line({0, 0, 0}, {1000, 0, 0}), arc({1000, 0, 0}, {1500, 500, 0}, {1000, 1000, 0}),
          line({0, 1000, 0}, {1000, 1000, 0}), arc({0, 1000, 0}, {-500, 500, 0}, {0, 0, 0})};
}

TEST_F(Files, GiveNamedEdgesInMetres) {
  const std::string path = step(stadium(), {"front", "right", "back", "left"});
  const auto front = read_curve_file(path, {"front"});
  EXPECT_NEAR(front->length(), 1, 1e-12);
  EXPECT_FALSE(front->closed());
  const auto right = read_curve_file(path, {"right"});
  EXPECT_NEAR(right->length(), pi / 2, 1e-12);
  EXPECT_NEAR(right->curvature(right->parameter(0.3)), 2, 1e-10);
}

TEST_F(Files, JoinEdgesInAnyOrder) {
  const std::string path = step(stadium(), {"front", "right", "back", "left"});
  const auto open = read_curve_file(path, {"front", "back", "right"});
  EXPECT_NEAR(open->length(), 2 + pi / 2, 1e-12);
  EXPECT_FALSE(open->kink().has_value());
  EXPECT_FALSE(open->closed());
  const auto loop = read_curve_file(path, {"front", "back", "right", "left"});
  EXPECT_NEAR(loop->length(), 2 + pi, 1e-12);
  EXPECT_TRUE(loop->closed());
  EXPECT_FALSE(loop->kink().has_value());
  for (const double s : {0.3, 1.5, 3.0, 4.9}) {
    const Vec3 p = loop->point(loop->parameter(s));
    EXPECT_NEAR((p - Vec3(std::clamp(p.x(), 0.0, 1.0), 0.5, 0)).norm(), 0.5, 1e-12);
  }
}

TEST_F(Files, GiveWiresOfSeveralEdges) {
  // Open CASCADE writes the edges of a wire one by one: here they are put together as other programs do.
  const std::string path = step(stadium(), {});
  std::ostringstream read;
  read << std::ifstream(path).rdbuf();
  std::string text = read.str();
  const std::regex trimmed(R"((#\d+) = TRIMMED_CURVE)"), set(R"(GEOMETRIC_CURVE_SET\('',\(#\d+\)\);)");
  std::string segments, list;
  int k = 9001;
  for (std::sregex_iterator curve(text.begin(), text.end(), trimmed), end; curve != end; ++curve, ++k) {
    const std::string id = "#" + std::to_string(k), sense = k == 9003 ? ".F." : ".T.";
    segments += id + " = COMPOSITE_CURVE_SEGMENT(.CONTINUOUS.," + sense + "," + (*curve)[1].str() + ");\n";
    list += (list.empty() ? "" : ",") + id;
  }
  ASSERT_EQ(k, 9005);
  text = std::regex_replace(
      text, set,
      "GEOMETRIC_CURVE_SET('',(#9000));\n" + segments + "#9000 = COMPOSITE_CURVE('loop',(" + list + "),.F.);",
      std::regex_constants::format_first_only);
  std::ofstream(path) << text;
  const auto loop = read_curve_file(path, {"loop"});
  EXPECT_NEAR(loop->length(), 2 + pi, 1e-9);
  EXPECT_TRUE(loop->closed());
  EXPECT_THAT(message(path, {"lop"}), HasSubstr("did you mean 'loop'"));
}

TEST_F(Files, ComeAsIgesToo) {
  const auto curve =
      read_curve_file(iges(arc({1000, 0, 0}, {1500, 500, 0}, {1000, 1000, 0}), "BEND"), {"BEND"});
  EXPECT_NEAR(curve->length(), pi / 2, 1e-9);
}

TEST_F(Files, AreReadByALibraryOfTheirOwn) {
  void* library = dlopen(TRAMMEL_BINARY_DIR "/lib/trammel/curve_files.so", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  using Read = Curve* (*)(const std::string&, const std::vector<std::string>&);
  const auto read = reinterpret_cast<Read>(dlsym(library, "trammel_read_curve_file"));
  ASSERT_NE(read, nullptr);
  const std::string path = step(stadium(), {"front", "right", "back", "left"});
  EXPECT_NEAR(std::unique_ptr<Curve>(read(path, {"right"}))->length(), pi / 2, 1e-12);
  EXPECT_THROW(read(path, {"rigt"}), Error);
}

TEST_F(Files, ThatDoNotFitAreRefused) {
  const std::string path = step(stadium(), {"front", "right", "back", "left"});
  EXPECT_THAT(message(path, {"frnt"}), HasSubstr("has no edge 'frnt'; did you mean 'front'"));
  EXPECT_THAT(message(path, {"frnt"}), HasSubstr("front, right, back, left"));
  EXPECT_THAT(message(path, {"front", "back"}), HasSubstr("do not meet: the nearest ends are 1 m apart"));
  EXPECT_THAT(message(path, {}), HasSubstr("more than one edge"));
  EXPECT_THAT(message(path + "x", {}), HasSubstr("does not exist"));
  const std::string other = (folder_ / "track.txt").string();
  std::filesystem::copy(path, other);
  EXPECT_THAT(message(other, {}), HasSubstr("expected a STEP file"));
  std::filesystem::rename(other, folder_ / "broken.igs");
  EXPECT_NE(message((folder_ / "broken.igs").string(), {}), "");
}

}  // namespace
}  // namespace trammel::geometry
