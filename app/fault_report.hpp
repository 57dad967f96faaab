#pragma once

namespace trammel {

/// From now on a fatal signal (SIGSEGV, SIGBUS, SIGFPE, SIGILL) is reported in one line, which names the instance whose code
/// ran. Then the default action of the signal follows, with its exit status and core file. Call it after MPI_Init, which installs
/// handlers of its own.
void report_faults();

}  // namespace trammel
