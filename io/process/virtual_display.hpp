#pragma once

namespace trammel {

/// A line of the shell that starts an X server without a screen, prints the path of its authority file and the number of its display,
/// and ends it when standard input closes. Without -noreset the server resets when its last window closes, and refuses one that opens
/// at once after it. The file has a cookie for any host and display (the bytes are libXau's format); other users cannot read it, and
/// thus cannot connect. MPI's hwloc looks for servers with the numbers 0 to 9, and complains where one refuses it: the number is
/// larger.
inline constexpr const char* virtual_display =
    "trap '' INT HUP; d=$(mktemp -d) || exit; "
    "{ printf '\\377\\377\\0\\0\\0\\0\\0\\022MIT-MAGIC-COOKIE-1\\0\\020'; head -c 16 /dev/urandom; } "
    ">\"$d/authority\"; echo \"$d/authority\"; "
    "n=$((99 + $$ % 900)); while [ -e /tmp/.X$n-lock ]; do n=$((n + 1)); done; "
    "Xvfb :$n -displayfd 1 -auth \"$d/authority\" -screen 0 1280x1024x24 -noreset -nolisten tcp 2>/dev/null "
    "& "
    "exec >&-; read end; kill \"$!\"; rm -rf \"$d\"";

}  // namespace trammel
