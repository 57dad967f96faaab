#include "framing.hpp"

#include <algorithm>

namespace trammel::render {

namespace {

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

}  // namespace

Framing::Framing(const ViewAxes& axes, const PictureArea& area, double slope, double aspect)
    : axes_(axes), slope_(slope) {
  left_.slope = slope * aspect * area.left;
  right_.slope = slope * aspect * area.right;
  bottom_.slope = slope * area.bottom;
  top_.slope = slope * area.top;
}

void Framing::add(const Vector& point) {
  const double x = dot(point, axes_.right), y = dot(point, axes_.up), depth = dot(point, axes_.from);
  const auto take = [&](Border& border, double at) {
    const double reach = depth + at / border.slope;
    border.reach = empty_ ? reach : std::max(border.reach, reach);
  };
  take(left_, x);
  take(right_, x);
  take(bottom_, y);
  take(top_, y);
  front_ = empty_ ? depth : std::max(front_, depth);
  back_ = empty_ ? depth : std::min(back_, depth);
  empty_ = false;
}

/// The depth at which the conditions of both borders leave one middle.
double Framing::nearest(const Border& low, const Border& high) {
  const double by_high = 1 / high.slope, by_low = 1 / low.slope;
  const double at = (high.reach - low.reach) / (by_high - by_low);
  return high.reach - at * by_high;
}

double Framing::middle(const Border& low, const Border& high, double depth) {
  return 0.5 * ((high.reach - depth) * high.slope + (low.reach - depth) * low.slope);
}

Framing::Camera Framing::camera(double zoom) const {
  double depth = std::max(nearest(left_, right_), nearest(bottom_, top_));
  // One point alone.
  if (!(depth - front_ > 1e-6 * slope_)) depth = front_ + 1 / slope_;
  const double x = middle(left_, right_, depth), y = middle(bottom_, top_, depth);
  const double centre = 0.5 * (front_ + back_);
  depth = centre + (depth - centre) / zoom;
  Camera camera;
  for (std::size_t k = 0; k < 3; ++k) {
    const double across = x * axes_.right[k] + y * axes_.up[k];
    camera.position[k] = across + depth * axes_.from[k];
    camera.focus[k] = across + std::min(centre, depth - 1e-3) * axes_.from[k];
  }
  return camera;
}

}  // namespace trammel::render
