#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "split_host_element.hpp"
#include "track.hpp"
#include "trammel/branch_monitor.hpp"
#include "trammel/crossing.hpp"
#include "trammel/element.hpp"
#include "trammel/stops.hpp"
#include "trammel/track_end.hpp"

namespace trammel::beam_sliding {

/// Constraints between the slider's frame and the section of the beam at the slider, besides those of the
/// positions.
enum class Contact {
  point,        ///< nothing: a bead
  prismatic,    ///< all rotations
  cylindrical,  ///< all but the turn about the section's normal t1, a coordinate
  screw,        ///< the turn follows the arc length
};

/// What a slider is made of.
struct SliderLaw {
  std::shared_ptr<const Track> track;
  Marker slider;
  Contact contact = Contact::point;
  double turn_by_s = 0;  ///< of a screw: 2 pi / pitch [rad/m]
  double s_start = 0;    ///< where the turn of a screw is zero [m]
  AtEnd at_end = AtEnd::error;
  Stops stops;  ///< at the ends of the track, without stiffness unless AtEnd::stop
  /// Sliders that were built before and share a beam with this one.
  struct Other {
    std::string name;
    BlockId s = no_block;
    double shift = 0;         ///< from its arc length to this track's
    double from = 0, to = 0;  ///< of the beam that they share
    bool turns = false;
  };
  std::string name;
  std::vector<Other> others;
  int reserve = 8;  ///< most pieces in the stencil ahead of the host

  bool rotates() const { return contact != Contact::point; }
  bool has_angle() const { return contact == Contact::cylindrical; }
};

/// A sliding joint on a beam. Stencil: the arc length, the angle of a cylindrical contact, the slider's blocks, the
/// multipliers (force; moment), then position and rotation of the nodes of some pieces of the track: the host, one
/// behind it, and some ahead of it. Within a solve the host stays and is extrapolated; `review` moves it.
/// The contact's rows depend on the multipliers.
class Slider {
 public:
  Slider(std::shared_ptr<const SliderLaw> law, double s, bool forward);

  /// Blocks of the pieces in the stencil, in its order.
  std::vector<BlockId> window_blocks() const;
  /// The whole stencil, the blocks before the pieces' given.
  void set_fixed_blocks(std::vector<BlockId> blocks) { fixed_ = std::move(blocks); }
  std::vector<BlockId> stencil() const;

  bool couples(int row, int column) const;
  void evaluate(const LocalState& x, LocalSystem& out) const;
  void begin(const LocalState& x, const Begin& how);
  Review review(const LocalState& x, const StepInfo& step);
  void commit(const LocalState& x, const StepInfo& step);
  Energy energy(const LocalState& x) const;
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const;
  void draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const;

  struct History {
    static constexpr int version = 1;
    int host = 0;
    int beyond = 0;  ///< where a stop holds: -1 before the start of the track, 1 after its end
    int first_piece = 0, last_piece = 0;  ///< in the stencil
    int heading = 0;                      ///< of the changes of host in this step
    // At the last commit:
    int host_before = 0, beyond_before = 0;
    EndOfStep last;          ///< s
    HostElementStart start;  ///< of the host then
    BranchMonitor branch;

    void serialize(Archive& archive) {
      archive(host, beyond, first_piece, last_piece, heading, host_before, beyond_before, last, start,
              branch);
    }
  };
  History& history() { return now_; }
  /// Stands on the host, and reads the stencil, of its history.
  void restored();

  /// Throws Error where another slider stands on the host, at s_other of its own arc length, and one of the two holds
  /// rotations: the split of one would read the kink of the other as a strain.
  void require_alone(const SliderLaw::Other& other, double s, double s_other) const;

 private:
  /// Indices of the slider's unknowns in its local system.
  struct RowOffsets {
    int angle = -1, slider = 0, force = 0, moment = -1, nodes = 0;  ///< first unknowns
  };

  /// The last solution of the host element, so that the same state is not solved twice. Of `evaluate` and what changes the slider,
  /// not of what may run on another thread meanwhile. A copy remembers nothing, since the host element refers to its slider.
  struct Memory {
    std::optional<SplitHostElement<double>> host;
    bool found = false;

    Memory() = default;
    Memory(const Memory&) {}
    Memory& operator=(const Memory&) {
      forget();
      return *this;
    }
    void forget() {
      host.reset();
      found = false;
    }
  };

  /// Force and moment on the slider in world components, and the section forces of the beam on both sides of it.
  struct Reaction {
    Pose X_WC;
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero(), gap = Vec3::Zero();
    double thrust = 0;  ///< on the slider along s
    Vec6 before = Vec6::Zero(), after = Vec6::Zero();
  };

  Reaction reaction(const LocalState& x, bool active) const;
  const SplitHostElement<double>& host_at(const LocalState& x, const MarkerMotion& slider) const;
  /// Gives a host element its arguments; false where they are those that it has.
  bool place_host(SplitHostElement<double>& host, const LocalState& x, const MarkerMotion& slider) const;
  HostElementStart host_start() const {
    return now_.host == now_.host_before ? now_.start : HostElementStart();
  }
  /// The same solution as that of `host_at`, in bits, without the memory.
  SplitHostElement<double> solved_host(const LocalState& x, const MarkerMotion& slider) const;
  void fill_tangent(const LocalState& x, const SplitHostElement<double>& host,
                    const SplitHostElement<double>::Vector& contribution, const MarkerMotion& slider,
                    LocalSystem& out) const;
  void fill_rates(const LocalState& x, const SplitHostElement<double>& host, const MarkerMotion& slider,
                  LocalSystem& out) const;
  static HostElement host_of(const Track& track, int piece);
  void take_window(int first, int last);
  /// How many pieces ahead the stencil is to hold, for what lies ahead at this speed along the track.
  int pieces_ahead(double rate, const StepInfo& step) const;
  /// Throws Error where the slider has passed from a beam to one that is no longer where the first one ends.
  void require_whole(const LocalState& x) const;
  /// Where s lies beyond an end of the track.
  Review review_end(const EndOfStep& now, const StepInfo& step) const;
  /// Where a stop is met or left within the step.
  std::optional<Review> meet_stops(const EndOfStep& now, const StepInfo& step) const;
  /// `beyond` of what follows, where the step ends at an end of the track with a stop.
  std::optional<int> beyond_after(const EndOfStep& now, const StepInfo& step) const;
  /// Whether the strain changes visibly at this end of the track.
  bool turns_a_corner(const LocalState& x, int beyond) const;
  void go_to(int host, int beyond);

  int angle_block() const { return 1; }
  int slider_block() const { return law_->has_angle() ? 2 : 1; }
  int other_block() const { return force_block() + (law_->rotates() ? 2 : 1); }
  int force_block() const { return slider_block() + slider_blocks_; }
  int node_block(int node) const;
  int node_row(int node) const { return row_offsets_.nodes + 6 * (node - first_node_); }
  double turn(const LocalState& x) const;
  double turn_rate(const LocalState& x) const;
  Stops::Action stops_at(double s) const { return law_->stops.at({s, 0}); }

  std::shared_ptr<const SliderLaw> law_;
  std::vector<BlockId> fixed_;
  int slider_blocks_ = 0;
  RowOffsets row_offsets_;
  int first_node_ = 0;  ///< in the stencil
  History now_;
  HostElement host_;  ///< the piece now_.host
  mutable Memory memory_;
};

}  // namespace trammel::beam_sliding
