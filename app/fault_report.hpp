#pragma once

namespace trammel {

/// From now on a fatal signal (SIGSEGV, SIGBUS, SIGFPE, SIGILL) is reported in one line, which names the instance whose code
/// ran; then the signal does what it does by default, so that exit status and core stay. Call after MPI has begun, which
/// installs handlers of its own.
void report_faults();

}  // namespace trammel
