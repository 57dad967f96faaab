#pragma once

#include <string>

#include "solvers/newton/stop_request.hpp"

namespace trammel {

/// While it lives SIGTERM and SIGINT ask the run to stop: after the step under way, or at once where that takes longer than
/// half a second (mpirun kills its ranks one second after it passes SIGTERM on). A second
/// one ends the process: SIGINT 0.2 s after the first, SIGTERM 30 s after it.
class StopSignals final : public StopRequest {
 public:
  StopSignals();
  ~StopSignals() override;
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  Stop asked() const override;
  /// The signal that this process got; 0: none.
  static int received();
};

/// While it lives SIGUSR1 asks for a checkpoint: also before there is anything to write, for which the signal must not end the
/// process.
class CheckpointSignal {
 public:
  CheckpointSignal();
  ~CheckpointSignal();
  CheckpointSignal(const CheckpointSignal&) = delete;
  CheckpointSignal& operator=(const CheckpointSignal&) = delete;

  /// How often it asked this process.
  static int asked();
};

/// "SIGTERM".
std::string signal_name(int signal);

}  // namespace trammel
