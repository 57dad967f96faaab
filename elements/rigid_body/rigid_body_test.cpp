#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plain_case.hpp"
#include "solid.hpp"
#include "trammel/plugin.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel::rigid_body {
namespace {

using ::testing::HasSubstr;
using trammel::testing::PlainCase;

class RigidBodyType : public ::testing::Test {
 protected:
  RigidBodyType() { trammel_register(plain.registry); }
  void add(const std::string& name, const std::string& text) {
    plain.add(Type::Category::body, "rigid_body", name, text);
  }
  std::string message(const std::string& text) {
    return plain.message(Type::Category::body, "rigid_body", text);
  }
  PlainCase plain;
};

TEST_F(RigidBodyType, offers_its_frame_its_centre_and_its_markers) {
  add("rod",
      "{mass: 2, inertia: [0.01, 1, 1], centre: [0.5, 0, 0], position: [1, 2, 3], "
      "rotation: {axis: [0, 0, 1], angle: 1.5707963267948966}, angular_velocity: [0, 0, 2], "
      "markers: {end: {at: [1, 0, 0]}}}");
  const auto& markers = plain.model.markers;
  ASSERT_TRUE(markers.contains("rod") && markers.contains("rod.centre") && markers.contains("rod.end"));
  const InitialMotion end = plain.builder.initial(markers.at("rod.end"));
  EXPECT_LT((end.p_WM - Vec3(1, 3, 3)).norm(), 1e-15);
  EXPECT_LT((end.twist.head<3>() - Vec3(-2, 0, 0)).norm(), 1e-15);
  ASSERT_EQ(plain.model.masses.size(), 1u);
  EXPECT_EQ(plain.model.masses[0].mass, 2);
  EXPECT_LT((plain.builder.initial(plain.model.masses[0].centre).p_WM - Vec3(1, 2.5, 3)).norm(), 1e-15);
}

TEST_F(RigidBodyType, has_a_range_for_each_of_both_kinds) {
  add("a", "{mass: 1, inertia: [1, 1, 1]}");
  add("b", "{mass: 1, inertia: [[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]], centre: [0, 1, 0]}");
  add("c", "{mass: 1, inertia: [1, 1, 1]}");
  ASSERT_EQ(plain.model.ranges.size(), 2u);
  EXPECT_EQ(plain.model.ranges[0].instances->size(), 2);
  EXPECT_FALSE(plain.model.ranges[0].instances->couples(0, 0, 1));
  EXPECT_TRUE(plain.model.ranges[1].instances->couples(0, 0, 1));
}

TEST_F(RigidBodyType, refuses_impossible_input) {
  EXPECT_THAT(message("{mass: 1, inertia: [1, 1, 3]}"),
              HasSubstr("the largest exceeds the sum of the others"));
  EXPECT_THAT(message("{mass: 1, inertia: [1, -1, 1]}"), HasSubstr("not positive definite"));
  EXPECT_THAT(message("{mass: 1, inertia: [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]}"), HasSubstr("not symmetric"));
  EXPECT_THAT(message("{mass: 1, inertia: 3}"), HasSubstr("must be [Jxx, Jyy, Jzz] or three rows"));
  EXPECT_THAT(message("{mass: -1, inertia: [1, 1, 1]}"), HasSubstr("must be positive"));
  EXPECT_THAT(message("{mass: 1, inertia: [1, 1, 1], markers: {end: {att: [1, 0, 0]}}}"), HasSubstr("'at'"));
}

TEST_F(RigidBodyType, accepts_flat_bodies) {
  EXPECT_EQ(message("{mass: 15, inertia: [0.234375, 0.46875, 0.234375]}"), "");
}

TEST_F(RigidBodyType, reads_shapes) {
  EXPECT_EQ(
      message(
          "{mass: 1, inertia: [1, 1, 1], shape: [{type: box, size: [1, 2, 3]}, {type: sphere, radius: 1}]}"),
      "");
  EXPECT_THAT(message("{mass: 1, inertia: [1, 1, 1], shape: {type: spere, radius: 1}}"),
              HasSubstr("did you mean 'sphere'"));
  EXPECT_THAT(message("{mass: 1, inertia: [1, 1, 1], shape: {type: stl, file: nowhere.stl}}"),
              HasSubstr("cannot read the STL file"));
}

TEST(Stl, gives_the_same_surface_from_text_and_binary) {
  const std::string folder = ::testing::TempDir();
  const std::string text_path = folder + "two_triangles_text.stl", binary_path = folder + "two_triangles.stl";
  const float corner[2][3][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{1, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
  {
    std::ofstream text(text_path), binary(binary_path, std::ios::binary);
    text << "solid s\n";
    const std::string header(80, ' ');
    const std::uint32_t count = 2;
    binary.write(header.data(), 80).write(reinterpret_cast<const char*>(&count), 4);
    for (const auto& triangle : corner) {
      const float normal[3] = {0, 0, 1};
      binary.write(reinterpret_cast<const char*>(normal), 12);
      text << "facet normal 0 0 1\nouter loop\n";
      for (const auto& c : triangle) {
        text << "vertex " << c[0] << ' ' << c[1] << ' ' << c[2] << '\n';
        binary.write(reinterpret_cast<const char*>(c), 12);
      }
      text << "endloop\nendfacet\n";
      binary.write("\0\0", 2);
    }
    text << "endsolid s\n";
  }
  const Surface a = read_stl(text_path, 2, {}), b = read_stl(binary_path, 2, {});
  EXPECT_EQ(a.points.size(), 4u);
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.faces, b.faces);
  EXPECT_EQ(a.faces, (std::vector<int>{3, 0, 1, 2, 3, 1, 3, 2}));
  EXPECT_EQ(a.points[1], Vec3(2, 0, 0));
}

std::string message_of_stl(const std::string& text) {
  const std::string path = ::testing::TempDir() + "damaged.stl";
  std::ofstream(path, std::ios::binary) << text;
  try {
    read_stl(path, 1, {"case.yaml", 3, 9});
  } catch (const Error& error) {
    const std::string message = error.where().text() + ": " + error.what();
    return message.substr(0, message.find(path)) + "FILE" + message.substr(message.find(path) + path.size());
  }
  return "no error";
}

TEST(Stl, names_the_fault_of_a_damaged_file) {
  const std::string facet =
      "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
  const std::string head = "case.yaml:3:9: the STL file 'FILE': ";
  EXPECT_EQ(message_of_stl("solid s\n" + facet + "endsolid s\n"), "no error");
  // Its first triangle would have been drawn alone.
  EXPECT_EQ(message_of_stl("solid s\n" + facet),
            head + "line 9: expected 'facet' or 'endsolid', found the end of the file");
  std::string changed = facet;
  changed.replace(changed.find("vertex 1"), 6, "vertx");
  EXPECT_EQ(message_of_stl("solid s\n" + changed + "endsolid s\n"),
            head + "line 5: expected 'vertex', found 'vertx'");
  changed = facet;
  changed.replace(changed.find("1 0 0\nvertex 0"), 1, "nan");
  EXPECT_EQ(message_of_stl("solid s\n" + changed + "endsolid s\n"),
            head + "line 5: expected a finite number, found 'nan'");
  EXPECT_EQ(message_of_stl("solid s\nendsolid s\n"), "case.yaml:3:9: the STL file 'FILE' holds no triangles");
  std::string binary(84 + 50, '\0');
  binary[80] = 1;
  EXPECT_EQ(message_of_stl(binary), "no error");
  EXPECT_EQ(
      message_of_stl(binary.substr(0, 100)),
      head +
          "it does not begin with 'solid', and a binary STL file of 1 triangles, as it says, has 134 bytes, "
          "not 100");
  binary.replace(96, 4, "\xff\xff\xff\x7f");
  EXPECT_EQ(message_of_stl(binary), head + "triangle 1 has a corner that is not finite");
}

}  // namespace
}  // namespace trammel::rigid_body
