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
  /// The rate of the gap along a common normal [m/s]. It is the relative normal velocity of the material points at the ends,
  /// because along a common normal the gap does not change with the parameters.
  double gap_rate(const Facing& facing) const;

  void serialize(Archive& archive) { archive(at.R_AB, at.p_AB_A, velocity, angular_velocity); }
};

/// Monitors the gap between two shapes in contact at points other than the contact point. Finds the instant at which the gap at
/// such a point vanishes; this point then becomes the contact point of the joint. Part of the joint's history.
///
/// The trees are traversed at the start, and again when the second shape may have moved by the search distance. In between,
/// Newton's method updates the known facings once in each step.
///
/// At a jump both points touch, and rounding decides the sign of the gap at the one that is left. That point therefore cannot
/// become the contact point again before its gap has exceeded `touching` of the shapes' extent.
class ContactSearch {
 public:
  /// Starts from this state: looks for other facings. Throws Error if the shapes overlap at one of them. After an event that
  /// does not change positions, only the velocities are stored.
  void begin(const ShapePair& shapes, const RelativeMovement& now, const Facing& contact, const Begin& how,
             const std::string& names);
  /// Ends the step at the instant at which the gap at another facing vanishes. Throws Error if the shapes then touch at two
  /// points at once and neither opens, or if they overlap at a facing that was not known before.
  std::optional<Review> review(const ShapePair& shapes, const RelativeMovement& now, const Facing& contact,
                               const StepInfo& step, const std::string& names);
  /// Stores an accepted state. If the step ended at the instant of a jump, returns the new contact point.
  std::optional<Facing> commit(const RelativeMovement& now, const Facing& contact, const StepInfo& step);

  const std::vector<Facing>& others() const { return others_; }
  /// How often the trees were traversed, and how often the contact point has jumped.
  std::int64_t walks() const { return walks_; }
  std::int64_t jumps() const { return jumps_; }

  void serialize(Archive& archive) {
    archive(known_, walked_.R_AB, walked_.p_AB_A, distance_, last_, longest_, walks_, jumps_, others_, next_,
            left_);
  }

 private:
  void walk(const ShapePair& shapes, const RelativeMovement& now, const Facing& contact, double moved);
  void follow(const ShapePair& shapes, const RelativeMovement& now, const Facing& contact);
  /// What the gap at `others_[i]` asks of a step that ends with it closed.
  enum class Answer { none, jump, cut };
  Answer judge(std::size_t i, const ShapePair& shapes, const RelativeMovement& now, const Facing& contact,
               const StepInfo& step, const std::string& names, double& instant) const;

  bool known_ = false;
  RelativePlacement walked_;  ///< the pose at the last traversal of the trees
  double distance_ = 0;       ///< search distance of that traversal [m]
  RelativeMovement last_;     ///< at the last accepted state
  double longest_ = 0;        ///< the longest step so far [s]
  std::int64_t walks_ = 0, jumps_ = 0;
  std::vector<Facing> others_;
  int next_ = -1;  ///< index in `others_` of the contact point after the step, -1: no jump
  int left_ =
      -1;  ///< index in `others_` of the contact point before the last jump while it still touches, -1: none
};

}  // namespace trammel::surface_contact
