#include "fault_report.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <string_view>

#include <unistd.h>

#include "io/process/address_sanitizer.hpp"
#include "io/process/alternate_stack.hpp"
#include "kernel/plugin_call.hpp"

namespace trammel {

namespace {

constexpr std::array<int, 5> fatal{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

int rank = 0, ranks = 1;
std::array<struct sigaction, fatal.size()> before;

/// A line put together without memory from the heap.
class Line {
 public:
  Line& operator<<(std::string_view text) {
    const std::size_t n = std::min(text.size(), text_.size() - size_);
    std::memcpy(text_.data() + size_, text.data(), n);
    size_ += n;
    return *this;
  }
  Line& operator<<(int number) {
    std::array<char, 12> digits{};
    std::size_t at = digits.size();
    unsigned rest = number < 0 ? 0U - static_cast<unsigned>(number) : static_cast<unsigned>(number);
    do digits[--at] = static_cast<char>('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (number < 0) digits[--at] = '-';
    return *this << std::string_view(digits.data() + at, digits.size() - at);
  }
  void write() const {
    // There is nobody to tell of an error.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text_.data(), size_);
  }

 private:
  std::array<char, 1024> text_;
  std::size_t size_ = 0;
};

std::string_view meaning(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV, access to an address without memory";
    case SIGBUS:
      return "SIGBUS, access to memory that is not there";
    case SIGFPE:
      return "SIGFPE, an integer divided by zero";
    case SIGABRT:
      return "SIGABRT, a failed assertion such as those of Eigen, of sizes and indices";
    default:
      return "SIGILL, an invalid instruction";
  }
}

void report(int signal) {
  Line line;
  const PluginCall* call = PluginCall::innermost();
  const Entity* entity = call == nullptr ? nullptr : call->entity();
  if (entity != nullptr && !entity->where.file.empty()) {
    line << entity->where.file;
    if (entity->where.line > 0) line << ":" << entity->where.line << ":" << entity->where.column;
    line << ": error: ";
  } else {
    line << "trammel: error: ";
  }
  if (entity != nullptr)
    line << entity->category << " '" << entity->name << "' (type '" << entity->type << "' of plugin '"
         << entity->plugin << "') crashed: signal ";
  else if (call != nullptr && call->library() != nullptr)
    line << "plugin file '" << call->library() << "' crashed while it was loaded: signal ";
  else
    line << "crashed outside of all plugins: signal ";
  line << signal << " (" << meaning(signal) << ")";
  if (ranks > 1) line << " on rank " << rank;
  line << "\n";
  line.write();
}

extern "C" void report_fault(int signal, siginfo_t* info, void*) {
  // Another fault in here ends the process by default, since the signal is blocked until the handler returns.
  std::size_t k = 0;
  while (k + 1 < fatal.size() && fatal[k] != signal) ++k;
  struct sigaction next = before[k];
#if !TRAMMEL_ADDRESS_SANITIZER
  next = {};
  next.sa_handler = SIG_DFL;
#endif
  report(signal);
  sigaction(signal, &next, nullptr);
  // A fault repeats itself when the handler returns, with the default action; a signal that was sent does not.
  if (info != nullptr && info->si_code <= 0) raise(signal);
}

}  // namespace

void report_faults() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  static AlternateStack stack;
  stack.use();
  for (std::size_t k = 0; k < fatal.size(); ++k) {
    struct sigaction action {};
    action.sa_sigaction = report_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(fatal[k], &action, &before[k]);
  }
}

}  // namespace trammel
