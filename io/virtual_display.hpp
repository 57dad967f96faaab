#pragma once

namespace trammel {

/// A line of the shell that starts an X server without a screen, prints the number of its display, and ends it when standard input
/// closes. Without -noreset the server resets when its last window closes, and refuses one that opens at once after it.
inline constexpr const char* virtual_display =
    "Xvfb -displayfd 1 -screen 0 1280x1024x24 -noreset -nolisten tcp 2>/dev/null & exec >&-; read end; kill "
    "$!";

}  // namespace trammel
