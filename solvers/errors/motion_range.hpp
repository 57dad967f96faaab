#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernel/layout.hpp"
#include "solvers/errors/local_error.hpp"
#include "solvers/ranks/largest_of_ranks.hpp"
#include "solvers/ranks/rank_bytes.hpp"

namespace trammel {

/// The ranges of the motion since the start of a stage, and errors relative to them.
///
/// A channel is a position, a rotation, or a number of a coordinate or a first-order state. Its range is the diagonal of the
/// box that it stayed in, of a rotation the largest angle from the start (at most pi); that of a velocity its largest
/// magnitude. A channel that hardly moves counts with a tenth of the largest range of its kind, lengths and angles being
/// compared by the model's length. Coordinates without mass are no channels.
class MotionRange {
 public:
  /// `length`: of the model [m].
  MotionRange(const Layout& layout, const Model& model, double length);

  /// At the start of a stage. `massless`: degrees of freedom without inertia, by BlockOffset::dof.
  void begin(const State& state, std::vector<char> massless);
  /// Collective.
  void include(const State& state);

  /// Errors per unit of time. Both fields have the order of a LocalError; one that is empty is zero.
  struct Judged {
    std::span<const double> displacement{}, velocity{};
    double times = 1;  ///< of displacements
    /// Numbers of which displacements do not count; none where it is empty.
    std::span<const char> without{};
    double largest = 0;  ///< of a channel, over its range
  };
  static constexpr std::size_t most_judged = 5;
  /// Finds `largest` of each, and returns the part of a range that rounding adds in a step of size h. The range is at least what the
  /// largest velocity covers in the time `ahead` [s], that of velocities at least what the present acceleration makes of them in it.
  /// Collective.
  double judge(std::span<Judged> errors, const State& end, double h, double ahead) const;

  /// Which numbers belong to channels in which `amplitude` is below the part `least` of the range. `ahead`: as for `judge`.
  void find_smaller(const std::vector<double>& amplitude, double least, double ahead,
                    std::vector<char>& out) const;

  /// Makes velocities' errors of a step of size h zero where they are below rounding.
  void drop_rounding(LocalError& error, const State& end, double h) const;

  /// The channel whose displacement is the largest fraction of its range. `displacement` has the order of
  /// LocalError. Gives the fraction and the channel ("bob position"; empty where all are zero). Collective.
  NamedNumber worst(const std::vector<double>& displacement) const;

  /// The time that the motion needs to cover its range at its largest velocity [s].
  double time() const;

  /// Writes (collective) or reads.
  void serialize(Archive& archive) {
    for (std::vector<double>* channels : {&low_, &high_, &fastest_})
      serialize_by_block(archive, *layout_, *channels);
    serialize_by_block(archive, *layout_, massless_);
    archive(largest_);
  }

 private:
  enum Kind { lengths, angles, others, kinds };
  struct Ranges {
    double displacement = 0, velocity = 0;
  };
  /// Of this rank.
  struct Channel {
    BlockId block = no_block;
    Kind kind = others;
    bool turns = false;              ///< a rotation
    int size = 1;                    ///< numbers
    std::size_t packed = 0;          ///< place of the first one in a LocalError
    std::size_t value = 0, dof = 0;  ///< of a state
  };
  Ranges ranges(const Channel& its) const;
  /// Rounding error of a step, in the unit of the channel.
  double rounding(const Channel& its, const State& end) const;
  double floor(Kind kind, bool of_velocity) const;

  const Layout* layout_;
  const Model* model_;
  double length_;
  std::shared_ptr<const std::vector<Channel>> channels_;
  // By number of the owned blocks that have rates, in the layout's order; of rotations 4 and 1 to a channel.
  std::vector<double> low_, high_, fastest_;
  std::vector<char> massless_;
  std::array<double, 2 * kinds> largest_{};  ///< ranges of displacements, then of velocities, over all ranks
};

}  // namespace trammel
