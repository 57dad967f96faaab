#pragma once

#include <array>
#include <string_view>

/// How results look, in ParaView and in pictures alike.
namespace trammel::view_style {

using Colour = std::array<double, 3>;

struct LayerStyle {
  std::string_view layer;
  Colour colour;
  double opacity;
  int point_size, line_width;  ///< in pixels
};

inline constexpr std::array<LayerStyle, 6> layers{{
    {"curves", {0.15, 0.25, 0.45}, 1.0, 2, 2},
    {"sections", {0.42, 0.58, 0.78}, 1.0, 2, 1},
    {"bodies", {0.80, 0.72, 0.58}, 1.0, 2, 1},
    {"joints", {0.46, 0.47, 0.51}, 1.0, 6, 1},
    {"forces", {0.80, 0.15, 0.15}, 1.0, 6, 1},
    {"markers", {0.10, 0.55, 0.30}, 1.0, 6, 1},
}};

/// A group of entities that is shown or hidden as one: those of a layer whose category and type have these words in them.
struct Group {
  std::string_view name, layer, category, type;
};

/// The first that fits holds.
inline constexpr std::array<Group, 10> groups{{
    {"beams", "curves", "body", ""},
    {"springs", "curves", "element", ""},
    {"curves", "curves", "", ""},
    {"sections", "sections", "", ""},
    {"surfaces", "bodies", "surface", ""},
    {"bodies", "bodies", "", ""},
    {"contacts", "joints", "joint", "contact"},
    {"drives", "joints", "coordinate", ""},
    {"joints", "joints", "", ""},
    {"markers", "markers", "", ""},
}};

/// Vectors that are drawn as arrows, at joints and loads.
struct Arrow {
  std::string_view field, group, unit;
  Colour colour;
};
inline constexpr std::array<Arrow, 2> arrows{
    {{"force", "forces", "N", {0.80, 0.15, 0.15}}, {"moment", "moments", "N m", {0.15, 0.35, 0.80}}}};

/// Length of the longest arrow by the diagonal of all that is drawn. Where joints are close to each other, so that their glyphs are
/// small, arrows are shorter, or they would hide what the joints connect: by the size of a glyph, and at least by the diagonal.
inline constexpr double longest_arrow = 0.15, longest_arrow_by_glyph = 6, longest_arrow_at_least = 0.03;
/// Of an arrow of unit length.
inline constexpr double shaft_radius = 0.015, tip_radius = 0.05, tip_length = 0.2;

/// A number by which beams are coloured: the norm of some components of a field.
struct Colouring {
  std::string_view title, unit, field;
  std::array<bool, 3> components;
};
/// The moment and the force of a section have the torque and the normal force first.
inline constexpr std::array<Colouring, 4> colourings{{
    {"bending moment", "N m", "section moment", {false, true, true}},
    {"torque", "N m", "section moment", {true, false, false}},
    {"normal force", "N", "section force", {true, false, false}},
    {"shear force", "N", "section force", {false, true, true}},
}};

/// Colours of a legend from the smallest to the largest number, evenly spaced: viridis of matplotlib.
inline constexpr std::array<Colour, 9> legend{{
    {0.267004, 0.004874, 0.329415},
    {0.278826, 0.175490, 0.483397},
    {0.229739, 0.322361, 0.545706},
    {0.172719, 0.448791, 0.557885},
    {0.127568, 0.566949, 0.550556},
    {0.157851, 0.683765, 0.501686},
    {0.369214, 0.788888, 0.382914},
    {0.678489, 0.863742, 0.189503},
    {0.993248, 0.906157, 0.143936},
}};

/// The part of their colour that surfaces have in the shade.
inline constexpr double ambient = 0.25;

inline constexpr Colour dark{0.15, 0.15, 0.15}, below{0.86, 0.89, 0.93}, above{1, 1, 1};

}  // namespace trammel::view_style
