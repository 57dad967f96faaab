#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

#include "rotation_laws.hpp"
#include "trammel/joint.hpp"

namespace trammel::lower_pairs {

/// Which components of p_AB_A are free (`first` and the `count` - 1 after it), whether they are coordinates
/// (constraint IV) or unconstrained only, and whether a thread couples the first of them with the angle.
struct Slides {
  int first = 0, count = 0;
  bool coordinates = false;
  bool thread = false;

  /// Constraints II and IV apply to these components of p_AB_A.
  constexpr int first_row() const { return coordinates || first > 0 ? 0 : count; }
  constexpr int rows() const { return coordinates ? 3 : 3 - count; }
  constexpr bool has(int component) const { return component >= first && component < first + count; }
};

struct EvaluatedAlone {};

/// A lower pair: p_AB_A less the slides = 0, in the axes of A, or in the world where nothing slides; the equations of a
/// rotation law; and with a thread slide - lead * angle = start. Coordinates: the angle, the slides. Their multipliers:
/// "force", "moment", "thread".
template <class Derived, class Law, Slides slides>
class LowerPair
    : public Joint<Derived, slides.rows() + Law::equations + (slides.thread ? 1 : 0),
                   Law::coordinates + (slides.coordinates ? slides.count : 0)>,
      public std::conditional_t<Law::in_lanes && !slides.thread, JointInLanes<Derived>, EvaluatedAlone> {
  static constexpr int angles = Law::coordinates;
  static constexpr int slide_count = slides.coordinates ? slides.count : 0;
  static constexpr int rows = slides.rows(), first_row = slides.first_row();
  static constexpr int equations = rows + Law::equations + (slides.thread ? 1 : 0);
  static constexpr int coordinates = angles + slide_count;
  static_assert(slides.first == 0 || slides.coordinates || slides.first + slides.count == 3);
  static_assert(!slides.thread || (slides.coordinates && angles == 1));

  static constexpr bool is_slide(int row) { return slides.coordinates && slides.has(first_row + row); }
  /// The coordinate that slides along the component in equation `row`.
  static constexpr int slide(int row) { return angles + first_row + row - slides.first; }

 public:
  static constexpr bool has_thread = slides.thread;
  static constexpr bool meets = slides.count == 0;

  static constexpr std::array<RowSparsity, equations> sparsity = [] {
    std::array<RowSparsity, equations> all{};
    std::size_t k = 0;
    for (int i = 0; i < rows; ++i)
      all[k++] = RowSparsity::of_displacement(first_row + i,
                                              is_slide(i) ? 1U << static_cast<unsigned>(slide(i)) : 0U);
    for (int i = 0; i < Law::equations; ++i) all[k++] = RowSparsity::of_rotation(Law::coordinates_of(i));
    if (slides.thread) all[k] = RowSparsity::of_coordinates(3U);
    return all;
  }();
  static constexpr std::array<Dimension, equations> dimensions = [] {
    std::array<Dimension, equations> all{};
    for (std::size_t i = 0; i < equations; ++i)
      all[i] = i >= rows && i < rows + Law::equations ? Dimension::angle : Dimension::length;
    return all;
  }();
  static constexpr std::array<CoordinateName, coordinates> coordinate_names = [] {
    constexpr CoordinateName angle{"angle", "rad", Measure::angle()};
    std::array<CoordinateName, coordinates> all{};
    std::size_t k = 0;
    if (angles > 0) all[k++] = angle;
    for (int i = 0; i < slide_count; ++i)
      all[k++] = {slide_count == 1 ? "slide" : i == 0 ? "slide_1" : "slide_2", "m", Measure::length()};
    return all;
  }();
  static constexpr std::array<CoordinateGroup, (angles > 0 ? 1 : 0) + (slide_count > 0 ? 1 : 0)>
      coordinate_groups = [] {
        std::array<CoordinateGroup, (angles > 0 ? 1 : 0) + (slide_count > 0 ? 1 : 0)> all{};
        std::size_t k = 0;
        if (angles > 0) all[k++] = {"angle", 1};
        if (slide_count > 0) all[k] = {slide_count == 1 ? "slide" : "slides", slide_count};
        return all;
      }();
  static constexpr std::array<MultiplierGroup, 1 + (Law::equations > 0 ? 1 : 0) + (slides.thread ? 1 : 0)>
      multiplier_groups = [] {
        std::array<MultiplierGroup, 1 + (Law::equations > 0 ? 1 : 0) + (slides.thread ? 1 : 0)> all{};
        std::size_t k = 0;
        all[k++] = {"force", rows,      "force_multipliers",
                    "N",     first_row, meets ? std::optional(FramePart::position) : std::nullopt};
        // No turn at all is left where three equations stand beside no angle.
        if (Law::equations > 0)
          all[k++] = {"moment",
                      Law::equations,
                      "moment_multipliers",
                      "N m",
                      0,
                      Law::equations == 3 && Law::coordinates == 0 ? std::optional(FramePart::rotation)
                                                                   : std::nullopt};
        if (slides.thread) all[k] = {"thread", 1, "", ""};
        return all;
      }();

  /// `lead` is the slide for one radian [m] and `start` that at angle 0, where there is a thread.
  explicit LowerPair(double lead = 0, double start = 0) : lead_(lead), start_(start) {}

  template <class S>
  void terms(const RelativeState<coordinates, S>& x, bool second,
             JointTerms<equations, coordinates, S>& out) const {
    out.C.template head<rows>() = x.p_AB_A.template segment<rows>(first_row);
    if constexpr (slide_count > 0)
      for (int i = 0; i < rows; ++i) {
        if (!is_slide(i)) continue;
        out.C[i] -= x.c[slide(i)];
        out.G(i, 6 + slide(i)) = S(-1.0);
      }
    Law::terms(x.R_AB, x.c.data(), second, rows, out);
    if constexpr (slides.thread) {
      constexpr int row = equations - 1;  // eq. (30)
      out.C[row] = x.c[1] - start_ - lead_ * x.c[0];
      out.G(row, 6) = -lead_;
      out.G(row, 7) = 1;
    }
  }

  bool on_branch(const RelativeState<coordinates>& x) const requires(Law::has_branches) {
    return Law::on_branch(x.R_AB, x.c.data());
  }

  auto initial_coordinates(const RelativeState<coordinates>& x) const {
    Eigen::Matrix<double, coordinates, 1> c = Eigen::Matrix<double, coordinates, 1>::Zero();
    for (int i = 0; i < slide_count; ++i) c[angles + i] = x.p_AB_A[slides.first + i];
    return c;
  }
  auto initial_rates(const RelativeStart& start) const {
    Eigen::Matrix<double, coordinates, 1> rate;
    if constexpr (angles > 0) rate[0] = start.twist[5];
    for (int i = 0; i < slide_count; ++i) rate[angles + i] = start.twist[slides.first + i];
    return rate;
  }

 private:
  double lead_, start_;
};

}  // namespace trammel::lower_pairs
