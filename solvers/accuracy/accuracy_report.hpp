#pragma once

#include <string>

namespace trammel {

/// The requested accuracy of a stage, and what was reached.
struct AccuracyReport {
  /// Multipliers shorten steps by this factor at most beside those that positions need.
  static constexpr double shortest_by = 64;

  double asked = 0;  ///< as a fraction of the ranges of positions
  /// Half the sum over the steps of the largest local error of a position, as a fraction of its range. It is no bound: what becomes
  /// of an error in later steps is not in it.
  double estimated = 0;
  bool of_reactions = false;  ///< whether multipliers were to have this accuracy too
  double reactions = 0;  ///< then the largest estimated error of a multiplier, as a fraction of its range
  /// How often shorter steps did not reduce this error, and when they first did not [s].
  int pauses = 0;
  double first_pause = 0;
  /// Steps with an error above the asked one that would have had to be shorter than the shortest beside those of positions; and the
  /// multiplier with the largest error.
  long limited = 0;
  std::string worst_reaction;
  /// How far a free vibration may be displaced because the steps do not keep its phase, as a fraction of the range of its position;
  /// and the position where this is most.
  double vibration = 0;
  std::string worst_vibration;
  bool of_vibrations = false;  ///< whether steps were to keep the phase
  long steps = 0, rejected = 0;
  double shortest = 0, longest = 0;  ///< steps between events [s]

  template <class Archive>
  void serialize(Archive& archive) {
    archive(asked, estimated, of_reactions, reactions, pauses, first_pause, limited, worst_reaction,
            vibration, worst_vibration, of_vibrations, steps, rejected, shortest, longest);
  }
};

}  // namespace trammel
