#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trammel/element.hpp"
#include "trammel/element_check.hpp"
#include "trammel/joint.hpp"
#include "trammel/lie.hpp"

namespace trammel {

inline Mat3 tilted() { return so3::exp(Vec3(0.4, -1.2, 0.7)); }
inline Vec3 arm() { return {0.3, -0.2, 0.5}; }
/// A marker with an offset and a rotation on the frame whose blocks are 2k and 2k + 1.
inline Marker tilted_marker(int k) {
  return Marker::on_frame({2 * k, 2 * k + 1}, k == 0 ? tilted() : Mat3(tilted() * tilted()), arm());
}

inline Block sample_block(BlockKind kind, int size, std::string name) {
  Block b;
  b.kind = kind;
  b.size = size;
  b.name = std::move(name);
  if (kind == BlockKind::rotation) b.initial[0] = 1;
  return b;
}

/// Frames for the markers of a joint, in the order of its stencil.
inline std::vector<Block> frame_samples(const Marker& a, const Marker& b) {
  std::vector<Block> blocks;
  for (const auto& [marker, name] : {std::pair(&a, "A"), std::pair(&b, "B")}) {
    const int count = marker->block_count();
    for (int k = 0; k < count; ++k)
      blocks.push_back(sample_block(k % 2 == 0 ? BlockKind::position : BlockKind::rotation, 3,
                                    std::string(name) + (k % 2 == 0 ? " position" : " rotation")));
  }
  return blocks;
}

/// A range of one instance with blocks of its own.
template <class E>
struct Sample {
  RangeOf<E> range;
  TestState test_state;

  Sample(E element, std::vector<Block> blocks) : test_state(std::move(blocks)) {
    std::vector<BlockId> stencil;
    for (std::size_t k = 0; k < test_state.blocks().size(); ++k) stencil.push_back(static_cast<BlockId>(k));
    range.add(std::move(element), std::move(stencil), test_state.dofs(), 0);
  }
};

/// One joint made of a class J derived from Joint.
template <class J>
struct JointSample : Sample<J> {
  JointSample(J joint, const Marker& a, const Marker& b)
      : Sample<J>(placed(std::move(joint), a, b), blocks(a, b)) {}

 private:
  static J placed(J joint, const Marker& a, const Marker& b) {
    JointSite site;
    site.A = a;
    site.B = b;
    joint.set_site(std::move(site));
    return joint;
  }
  static std::vector<Block> blocks(const Marker& a, const Marker& b) {
    std::vector<Block> all = frame_samples(a, b);
    if constexpr (J::coordinate_count > 0)
      all.push_back(sample_block(BlockKind::coordinate, J::coordinate_count, "coordinates"));
    all.push_back(sample_block(BlockKind::multiplier, J::equation_count, "multipliers"));
    return all;
  }
};

/// The history of the first instance of `range` since its last commit, as bytes.
inline std::vector<std::byte> saved(ElementRange& range) {
  Archive out;
  range.serialize(0, out);
  return out.bytes();
}
inline void restore(ElementRange& range, const std::vector<std::byte>& bytes) {
  Archive in{std::span(bytes)};
  range.serialize(0, in);
}

/// Keeps what an instance reports, by name.
class RecordedOutputs final : public OutputSink {
 public:
  std::map<std::string, double, std::less<>> scalars;
  std::map<std::string, Vec3, std::less<>> vectors;
  std::map<std::string, std::vector<double>, std::less<>> lists;

  void scalar(std::string_view name, std::string_view, double value) override {
    scalars[std::string(name)] = value;
  }
  void vector(std::string_view name, std::string_view, const Vec3& value) override {
    vectors[std::string(name)] = value;
  }
  void values(std::string_view name, std::string_view, std::span<const std::string_view>,
              std::span<const double> numbers) override {
    lists[std::string(name)].assign(numbers.begin(), numbers.end());
  }
};

}  // namespace trammel
