// To be preloaded (LD_PRELOAD) into a run under callgrind with --instr-atstart=no: counts instructions from one solution of a step to
// a later one alone, so that the start costs little time. STEP_WINDOW="3 8" begins with the fourth solution and ends before the ninth.
#include <dlfcn.h>
#include <valgrind/callgrind.h>

#include <cstdio>
#include <cstdlib>

namespace {

struct Window {
  int calls = 0, first = 3, last = 8;
  int (*solve)(void*, void*, void*) = nullptr;

  Window() {
    const char* asked = std::getenv("STEP_WINDOW");
    if (asked != nullptr && std::sscanf(asked, "%d %d", &first, &last) != 2) {
      std::fprintf(stderr, "STEP_WINDOW: two numbers expected, found '%s'\n", asked);
      std::exit(1);
    }
    solve = reinterpret_cast<int (*)(void*, void*, void*)>(dlsym(RTLD_NEXT, "SNESSolve"));
  }
};

}  // namespace

// PETSc's, in whose place this one stands; its arguments are pointers to structures of PETSc.
extern "C" __attribute__((visibility("default"))) int SNESSolve(void* snes, void* b, void* x) {
  static Window window;
  if (window.calls == window.first) CALLGRIND_START_INSTRUMENTATION;
  if (window.calls == window.last) CALLGRIND_STOP_INSTRUMENTATION;
  ++window.calls;
  return window.solve(snes, b, x);
}
