#include "section.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "section_shape.hpp"
#include "trammel/error.hpp"

namespace trammel::beam {
namespace {

Section sound() {
  Section section;
  section.stiffness = diagonal_stiffness(1e6, {4e5, 3e5}, 80, {100, 120});
  section.mass.density = 2;
  section.mass.first = 2 * Vec3(0, 0.1, -0.2);
  section.mass.inertia = Vec3(0.3, 0.2, 0.2).asDiagonal();
  return section;
}

std::string complaint(const Section& section) {
  try {
    validate(section, "section 'thick'");
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(Section, that_is_valid_passes) { EXPECT_EQ(complaint(sound()), ""); }

TEST(Section, that_is_invalid_is_refused_by_name) {
  Section s = sound();
  s.stiffness(4, 4) = -1;
  EXPECT_THAT(complaint(s),
              ::testing::HasSubstr("section 'thick': the stiffness is not positive definite: EI2 is -1"));
  s = sound();
  s.stiffness(3, 4) = s.stiffness(4, 3) = 95;
  EXPECT_THAT(complaint(s), ::testing::HasSubstr("not positive definite (smallest eigenvalue"));
  s = sound();
  s.stiffness(0, 5) = 10;
  EXPECT_THAT(complaint(s), ::testing::HasSubstr("not symmetric: entry (6, 1) is 0, entry (1, 6) is 10"));
  s = sound();
  s.mass.density = -1;
  EXPECT_THAT(complaint(s), ::testing::HasSubstr("rhoA is -1"));
  s = sound();
  s.mass.inertia(2, 2) = 1e-3;
  EXPECT_THAT(complaint(s), ::testing::HasSubstr("not positive semidefinite"));
}

TEST(Section, with_mass_by_matrix_keeps_its_form) {
  const SectionMass m = sound().mass;
  const SectionMass back = mass_from_matrix(mass_matrix(m));
  EXPECT_EQ(back.density, m.density);
  EXPECT_LT((back.first - m.first).norm(), 1e-15);
  Mat6 M = mass_matrix(m);
  M(0, 0) *= 2;
  EXPECT_THROW(mass_from_matrix(M), Error);
}

TEST(SectionShape, of_a_rectangle_has_the_exact_torsion_constant) {
  // Timoshenko and Goodier, Theory of Elasticity, table of torsion of rectangular bars.
  EXPECT_NEAR(rectangle(1, 1, 0).torsion, 0.1405770150, 1e-9);
  EXPECT_NEAR(rectangle(2, 1, 0).torsion, 2 * 0.2286816, 1e-6);
  EXPECT_NEAR(rectangle(1, 10, 0).torsion, 10 * 0.3123, 1e-3);
  EXPECT_EQ(rectangle(2, 1, 0.3).torsion, rectangle(1, 2, 0.3).torsion);
  EXPECT_NEAR(rectangle(1, 1, 0).k2, 5.0 / 6.0, 1e-15);
  EXPECT_NEAR(rectangle(0.2, 0.1, 0).I3, 0.1 * 0.008 / 12, 1e-18);
}

TEST(SectionShape, of_the_princeton_beam_has_the_published_stiffness) {
  // Benchmark of Dowell and Traybar: 12.377 x 3.2024 mm, E = 71.7 GPa, nu = 0.31.
  const double nu = 0.31;
  const Section s =
      make_section(rectangle(12.377e-3, 3.2024e-3, nu), {71.7e9, 71.7e9 / (2 * (1 + nu)), nu, 0});
  EXPECT_NEAR(s.stiffness(0, 0), 2.842e6, 1e3);
  EXPECT_NEAR(s.stiffness(3, 3), 3.103, 1e-3);
  EXPECT_NEAR(s.stiffness(4, 4), 2.429, 1e-2);
  EXPECT_NEAR(s.stiffness(5, 5), 36.28, 1e-2);
}

TEST(SectionShape, of_round_sections_agrees_with_the_limits) {
  const ShapeConstants solid = circle(0.1, 0.3);
  const ShapeConstants thick = tube(0.1, 0.1, 0.3);
  EXPECT_NEAR(thick.torsion, solid.torsion, 1e-18);
  EXPECT_NEAR(thick.k2, solid.k2, 1e-15);
  // Thin ring: 2 (1 + nu) / (4 + 3 nu).
  EXPECT_NEAR(tube(1, 1e-6, 0.3).k2, 2.6 / 4.9, 1e-6);
}

TEST(SectionShape, of_an_i_section_agrees_with_a_rolled_one) {
  // IPE 200 without its fillets: I_y = 1846 cm^4 (1943 with), I_z = 142 cm^4, J about 5.2 cm^4 (6.98 with).
  const ShapeConstants s = i_section(0.100, 0.200, 0.0085, 0.0056, 0.3);
  EXPECT_NEAR(s.area, 27.248e-4, 1e-8);
  EXPECT_NEAR(s.I2, 1846e-8, 1e-8);
  EXPECT_NEAR(s.I3, 142e-8, 1e-8);
  EXPECT_NEAR(s.torsion, 5.2e-8, 0.4e-8);
  EXPECT_GT(s.k3, 0.3);
  EXPECT_LT(s.k3, 0.45);
}

TEST(SectionAlongSpan, is_linear_between_stations) {
  Section a = sound();
  Section b = sound();
  b.stiffness *= 3;
  b.mass.density = 6;
  const SectionAlongSpan span({{0.0, a}, {0.5, b}, {1.0, a}});
  EXPECT_NEAR(span.at(0.25).stiffness(0, 0), 2e6, 1e-6);
  EXPECT_NEAR(span.at(0.75).mass.density, 4, 1e-12);
  EXPECT_NEAR(span.at(1).mass.density, 2, 1e-12);
  EXPECT_THROW(SectionAlongSpan({{0.0, a}, {0.9, b}}), Error);
  EXPECT_THROW(SectionAlongSpan({{0.0, a}, {0.5, b}, {0.5, b}, {1.0, a}}), Error);
}

}  // namespace
}  // namespace trammel::beam
