#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "joint_samples.hpp"
#include "time_functions.hpp"
#include "trammel/moving_marker.hpp"

namespace trammel {

/// Markers on frames of their own with offsets and rotations, the frame of marker k having the blocks 2k and 2k + 1.
inline std::vector<Marker> tilted_markers(int count) {
  std::vector<Marker> markers;
  for (int k = 0; k < count; ++k)
    markers.push_back(Marker::on_frame({2 * k, 2 * k + 1}, so3::exp(Vec3(0.4 + k, -1.2, 0.7 * k)),
                                       Vec3(0.3, -0.2 * k, 0.5)));
  return markers;
}

/// As tilted_markers; the one of number `which` on the ground, or, by functions of time, in its frame.
inline std::vector<Marker> with_ground(int count, std::size_t which) {
  std::vector<Marker> markers = tilted_markers(count);
  markers[which] = Marker::ground(tilted(), arm());
  return markers;
}
inline std::vector<Marker> with_moving(int count, std::size_t which) {
  std::vector<Marker> markers = tilted_markers(count);
  RotationLaw law;
  law.vector = {time_function([](Jet t) { return 0.8 * sin(2.0 * t); }), nullptr,
                time_function([](Jet t) { return 0.3 + cos(t); })};
  markers[which] = moving_marker(markers[which],
                                 {time_function([](Jet t) { return 0.4 * t * t; }), nullptr, nullptr}, law);
  return markers;
}

/// Blocks of the markers, then those that are given by kind and size.
inline std::vector<Block> blocks_for(const std::vector<Marker>& markers,
                                     const std::vector<std::pair<BlockKind, int>>& own) {
  std::vector<Block> blocks;
  for (const Marker& marker : markers)
    for (int k = 0; k < marker.block_count(); ++k)
      blocks.push_back(sample_block(k % 2 == 0 ? BlockKind::position : BlockKind::rotation, 3,
                                    std::string(1, static_cast<char>('A' + (&marker - markers.data()))) +
                                        (k % 2 == 0 ? " position" : " rotation")));
  for (const auto& [kind, size] : own)
    if (size > 0) blocks.push_back(sample_block(kind, size, "own " + std::to_string(static_cast<int>(kind))));
  return blocks;
}

/// One element made of a class with `set_markers`, alone.
template <class E>
Sample<E> placed(E element, const std::vector<Marker>& markers,
                 const std::vector<std::pair<BlockKind, int>>& own) {
  element.set_markers(markers);
  return {std::move(element), blocks_for(markers, own)};
}

/// All derivatives at random states, with smaller steps beside a kink of the formula.
template <class E>
void expect_exact(const Sample<E>& sample, int states = 10) {
  for (int seed = 1; seed <= states; ++seed) {
    TestState s = sample.test_state;
    s.disturb(static_cast<std::uint64_t>(seed));
    const CheckedTerm worst = check_derivatives_closely(sample.range, 0, s, 1e-9).front();
    EXPECT_LT(worst.relative(), 1e-8) << worst.what << ", state " << seed;
  }
}

}  // namespace trammel
