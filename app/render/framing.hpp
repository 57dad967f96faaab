#pragma once

#include <array>

namespace trammel::render {

using Vector = std::array<double, 3>;

/// The directions of a view, of length 1 and perpendicular to each other.
struct ViewAxes {
  Vector right{}, up{}, from{};  ///< `from`: towards the camera
};

/// The part of a picture that a scene may fill: its borders from -1 to 1, from left to right and from bottom to top.
struct PictureArea {
  double left = -0.94, right = 0.94, bottom = -0.8, top = 0.86;
};

/// Finds the camera that has all points within an area of the picture, as large as can be, looking along given directions.
class Framing {
 public:
  /// `slope`: tangent of half the angle that the picture's height takes; `aspect`: its width by its height.
  Framing(const ViewAxes& axes, const PictureArea& area, double slope, double aspect);
  void add(const Vector& point);

  struct Camera {
    Vector position{}, focus{};
  };
  /// `zoom` above 1: closer. Of no point: at the origin.
  Camera camera(double zoom) const;

 private:
  /// By border: the largest depth of a point plus its distance from the middle by the slope of the border: with the middle at m and
  /// the camera at depth D all points are inside where `reach` - m / `slope` <= D.
  struct Border {
    double slope = 1, reach = 0;
  };
  static double nearest(const Border& low, const Border& high);
  static double middle(const Border& low, const Border& high, double depth);

  ViewAxes axes_;
  double slope_;
  Border left_, right_, bottom_, top_;
  double front_ = 0, back_ = 0;  ///< largest and smallest depth of a point
  bool empty_ = true;
};

}  // namespace trammel::render
