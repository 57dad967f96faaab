#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "facing.hpp"
#include "trammel/element.hpp"
#include "trammel/relative_motion.hpp"

namespace trammel::surface_contact {

/// The pose of marker B in marker A and its rate.
struct RelativeMovement {
  RelativePlacement at;
  Vec3 velocity = Vec3::Zero();          ///< d/dt p_AB_A [m/s]
  Vec3 angular_velocity = Vec3::Zero();  ///< w_AB_B [rad/s]

  static RelativeMovement of(const LocalState& x, const Marker& A, const Marker& B);
  /// Of the gap along a common normal [m/s]: that of the material points at its ends, since along a common normal the gap does
  /// not change with the parameters.
  double gap_rate(const Facing& facing) const;

  void serialize(Archive& archive) { archive(at.R_AB, at.p_AB_A, velocity, angular_velocity); }
};

/// Watches two shapes in contact for other places at which they might touch. A joint follows one contact point; this finds the
/// instant at which the gap at another place vanishes, and says where the contact goes on. Part of the joint's history.
///
/// The trees are walked at the start, and when the second shape may have moved by the distance of the last walk. In between the
/// facings that were found are followed by Newton's method, once in each step.
class ContactSearch {
 public:
  /// Takes the state as a beginning: looks for other places. Throws Error where the shapes overlap at one of them. After an
  /// event that leaves the positions as they are it takes the velocities only.
  void begin(const ShapePair& shapes, const RelativeMovement& now, const Facing& contact, const Begin& how,
             const std::string& names);
  /// Cuts the step where the gap at another place vanishes in it. Throws Error where the shapes then touch at two places at
  /// once and neither opens, or where they overlap at a place that was not there before.
  std::optional<Review> review(const ShapePair& shapes, const RelativeMovement& now, const Facing& contact,
                               const StepInfo& step, const std::string& names);
  /// Keeps an accepted state. Gives the place with which the contact goes on, where the step ended at its instant.
  std::optional<Facing> commit(const RelativeMovement& now, const Facing& contact, const StepInfo& step);

  const std::vector<Facing>& others() const { return others_; }
  /// How often the trees were walked, and the contact went on at another place.
  std::int64_t walks() const { return walks_; }
  std::int64_t jumps() const { return jumps_; }

  void serialize(Archive& archive) {
    archive(known_, walked_.R_AB, walked_.p_AB_A, distance_, last_, longest_, walks_, jumps_, others_, next_);
  }

 private:
  void walk(const ShapePair& shapes, const RelativeMovement& now, const Facing& contact, double moved);
  void follow(const ShapePair& shapes, const RelativeMovement& now, const Facing& contact);

  bool known_ = false;
  RelativePlacement walked_;  ///< where the trees were walked last
  double distance_ = 0;       ///< within which they were looked at [m]
  RelativeMovement last_;     ///< at the last accepted state
  double longest_ = 0;        ///< of the steps so far [s]
  std::int64_t walks_ = 0, jumps_ = 0;
  std::vector<Facing> others_;
  int next_ = -1;  ///< of `others_`: the contact goes on there once the step is accepted
};

}  // namespace trammel::surface_contact
