#pragma once

#include <string>
#include <string_view>

namespace trammel {

/// Opens what is closed of the three standard streams, so that writing there fails. A file opened later would get the
/// stream's number otherwise, and with it the stream's text.
void guard_standard_streams();

/// Prints to standard output. A run is not worth its end where that fails: `output_failure` tells of it in the end.
void say(std::string_view text);

/// "cannot write to standard output: No space left on device", or empty where all that was said got there.
std::string output_failure();

}  // namespace trammel
