#pragma once

#include <string>
#include <string_view>

namespace trammel {

/// Opens those of the three standard streams that are closed, such that writing to them fails. Otherwise a file opened later
/// would get the number of the stream, and the text written to the stream.
void guard_standard_streams();

/// Prints to standard output. A failure does not end the run; `output_failure` reports it at the end.
void say(std::string_view text);

/// "cannot write to standard output: No space left on device", or empty if all text was written.
std::string output_failure();

}  // namespace trammel
