#include "curve_file.hpp"

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

#include "../curve_process.hpp"
#include "places.hpp"

namespace trammel::geometry {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
constexpr double pi = std::numbers::pi;
constexpr const char* reader = TRAMMEL_BINARY_DIR "/lib/trammel/curve_files";

std::unique_ptr<Curve> read_curve_file(const std::string& path, const std::vector<std::string>& names) {
  return make_nurbs(read_spline_file(path, names));
}

/// The same by a process of its own.
std::unique_ptr<Curve> load(const std::string& path, const std::vector<std::string>& names) {
  return make_nurbs(load_curve_file(path, names, reader));
}

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

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

TEST_F(Files, give_named_edges_in_metres) {
  const std::string path = step(stadium(), {"front", "right", "back", "left"});
  const auto front = read_curve_file(path, {"front"});
  EXPECT_NEAR(front->length(), 1, 1e-12);
  EXPECT_FALSE(front->closed());
  const auto right = read_curve_file(path, {"right"});
  EXPECT_NEAR(right->length(), pi / 2, 1e-12);
  EXPECT_NEAR(right->curvature(right->parameter(0.3)), 2, 1e-10);
}

TEST_F(Files, join_edges_in_any_order) {
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

TEST_F(Files, give_wires_of_several_edges) {
  // Open CASCADE writes the edges of a wire one by one: here they are put together as other programs do.
  const std::string path = step(stadium(), {});
  std::string text = contents(path);
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

TEST_F(Files, are_also_read_as_iges) {
  const auto curve =
      read_curve_file(iges(arc({1000, 0, 0}, {1500, 500, 0}, {1000, 1000, 0}), "BEND"), {"BEND"});
  EXPECT_NEAR(curve->length(), pi / 2, 1e-9);
}

// The unit of length must be set for the first file of a process too. (Every test is a process under ctest; the files are
// not made here, since Open CASCADE's writers would prepare the readers.)
class FirstFile : public ::testing::Test {
 protected:
  static constexpr const char* step = TRAMMEL_SOURCE_DIR "/cases/parabola_bead/bowl.step";
  static constexpr const char* iges = TRAMMEL_SOURCE_DIR "/plugins/geometry/files/bend.igs";
  const double bowl = 2 * std::sqrt(5.0) + std::asinh(2.0);  // [m]
};

TEST_F(FirstFile, is_in_metres_as_step) {
  EXPECT_NEAR(read_curve_file(step, {"bowl"})->length(), bowl, 1e-12);
  EXPECT_NEAR(read_curve_file(step, {"bowl"})->length(), bowl, 1e-12);
  EXPECT_NEAR(read_curve_file(iges, {"BEND"})->length(), pi / 2, 1e-9);
}

TEST_F(FirstFile, is_in_metres_as_iges) {
  EXPECT_NEAR(read_curve_file(iges, {"BEND"})->length(), pi / 2, 1e-9);
  EXPECT_NEAR(read_curve_file(iges, {"BEND"})->length(), pi / 2, 1e-9);
  EXPECT_NEAR(read_curve_file(step, {"bowl"})->length(), bowl, 1e-12);
}

TEST_F(FirstFile, is_the_same_read_by_a_process_of_its_own) {
  const auto here = read_curve_file(step, {"bowl"}), there = load(step, {"bowl"});
  EXPECT_EQ(there->length(), here->length());
  EXPECT_EQ(there->point(0.3), here->point(0.3));
  EXPECT_EQ(there->closed(), here->closed());
}

TEST_F(Files, are_read_by_a_process_of_their_own) {
  const std::string path = step(stadium(), {"front", "right", "back", "left"});
  EXPECT_NEAR(load(path, {"right"})->length(), pi / 2, 1e-12);
  EXPECT_TRUE(load(path, {"front", "back", "right", "left"})->closed());
  EXPECT_THROW(load_curve_file(path, {"rigt"}, reader), Error);
}

/// Replaces the one occurrence of `what`.
std::string with(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos || text.find(what, at + 1) != std::string::npos)
    throw std::logic_error("'" + what + "' must stand once");
  return text.replace(at, what.size(), by);
}

class Damaged : public Files {
 protected:
  std::string step_of(const std::string& text) {
    const std::string path = (folder_ / "damaged.step").string();
    std::ofstream(path) << text;
    return message(path, {"bowl"});
  }
  const std::string sound_ = contents(TRAMMEL_SOURCE_DIR "/cases/parabola_bead/bowl.step");
};

TEST_F(Damaged, step_is_refused_with_the_first_complaint) {
  EXPECT_EQ(step_of(sound_), "");
  EXPECT_THAT(step_of(with(sound_, "#33 = ( NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.) );\n", "")),
              AllOf(HasSubstr("'damaged.step' is damaged: Open CASCADE says"), HasSubstr("#33")));
  // These break no rule of the format, and Open CASCADE guesses a unit.
  EXPECT_EQ(step_of(with(sound_, "(#32,#33,#34)", "(#32,#34)")),
            "'damaged.step' is damaged: the shapes of #10 have no unit of angle");
  EXPECT_EQ(step_of(with(sound_, "(#32,#33,#34)", "(#33,#34)")),
            "'damaged.step' is damaged: the shapes of #10 have no unit of length");
  // Open CASCADE went on with a null pointer.
  EXPECT_THAT(step_of(with(sound_, "#17 = PARABOLA('',#18,500.);", "#17 = PARABOLA('',#7,500.);")),
              HasSubstr("says of #17"));
  EXPECT_THAT(step_of(sound_.substr(0, sound_.size() / 2)), HasSubstr("cannot be read as a STEP file"));
  const std::string binary = with(sound_, "PARABOLA", std::string(3, '\0') + std::string(5000, '('));
  EXPECT_LT(step_of(binary).size(), 300U);
  EXPECT_NE(step_of(binary), "");
}

TEST_F(Damaged, iges_is_refused) {
  const std::string path = (folder_ / "damaged.igs").string();
  std::string text = contents(TRAMMEL_SOURCE_DIR "/plugins/geometry/files/bend.igs");
  const std::string line =
      "     124       2       0       0       0       0       0       000000000D0000003\n";
  std::ofstream(path) << with(text, line, "");
  EXPECT_THAT(message(path, {"BEND"}), HasSubstr("'damaged.igs' is damaged: Open CASCADE says"));
}

/// A reader that ends as Open CASCADE may.
class Reader : public Files {
 protected:
  std::string message_of(const std::string& script) {
    const std::string path = (folder_ / "reader").string();
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    try {
      load_curve_file("/nowhere/track.step", {}, path);
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  }
};

TEST_F(Reader, that_ends_without_an_answer_is_reported) {
  EXPECT_EQ(
      message_of("kill -SEGV $$"),
      "'track.step' cannot be read: Open CASCADE crashes on it (Segmentation fault); the file is damaged");
  EXPECT_EQ(message_of("kill -XCPU $$"),
            "'track.step' cannot be read: Open CASCADE does not come to an end with it; the file is damaged "
            "or too large");
  EXPECT_EQ(message_of("exit 3"),
            "'track.step' cannot be read: the program that reads it ends with status 3");
  EXPECT_EQ(message_of("printf c; printf short"), "the spline is incomplete");
  EXPECT_THAT(message_of("printf e; printf 'a reason'"), "a reason");
  try {
    load_curve_file("track.step", {}, "/nowhere/reader");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("'/nowhere/reader' cannot be started: No such file or directory"));
  }
}

// A mutation of a file of each format at every 197th byte: whatever comes of it, the process that reads ends by itself.
TEST_F(Damaged, files_end_no_process) {
  for (const std::string source : {"/cases/parabola_bead/bowl.step", "/plugins/geometry/files/bend.igs"}) {
    const std::string sound = contents(TRAMMEL_SOURCE_DIR + source);
    const std::string path =
        (folder_ / ("mutant" + std::filesystem::path(source).extension().string())).string();
    for (std::size_t i = 17, k = 0; i < sound.size(); i += 197, ++k) {
      std::string text = sound;
      if (k % 3 == 0)
        text.erase(i, 9);
      else if (k % 3 == 1)
        text[i] = static_cast<char>(text[i] ^ 5);
      else
        text.resize(i);
      std::ofstream(path) << text;
      try {
        load_curve_file(path, {}, reader);
      } catch (const Error& e) {
        EXPECT_THAT(e.what(), Not(HasSubstr("crashes"))) << i;
        EXPECT_LT(std::string(e.what()).size(), 400U);
      }
    }
  }
}

TEST_F(Files, that_do_not_fit_are_refused) {
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
