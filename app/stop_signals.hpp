#pragma once

#include <string>

#include "solvers/stop_request.hpp"

namespace trammel {

/// While it lives SIGTERM and SIGINT ask the run to stop: after the step under way, or at once where that takes longer than
/// half a second (mpirun kills its ranks one second after it passes SIGTERM on). A second signal ends the process. SIGUSR1
/// asks for a checkpoint.
class StopSignals final : public StopRequest {
 public:
  StopSignals();
  ~StopSignals() override;
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  Stop asked() const override;
  /// The signal that this process got; 0: none.
  static int received();
  /// How often SIGUSR1 asked this process for a checkpoint.
  static int checkpoints_asked();
};

/// "SIGTERM".
std::string signal_name(int signal);

}  // namespace trammel
