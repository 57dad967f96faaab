#pragma once

/// Exit statuses of a run besides 0, and 128 + n if signal n stopped it (docs/results.md).
namespace trammel::exit_status {

inline constexpr int error = 1;           ///< bad input, or a fault that has a message
inline constexpr int usage = 2;           ///< of the command line
inline constexpr int energy = 3;          ///< energy came from nowhere
inline constexpr int no_convergence = 4;  ///< of Newton's method
inline constexpr int time_limit = 5;      ///< stopped before it, with a checkpoint

}  // namespace trammel::exit_status
