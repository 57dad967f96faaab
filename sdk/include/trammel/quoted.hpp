#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "trammel/export.hpp"

namespace trammel {

/// A text from a file or the command line in quotes, for messages: "'fast'". Control characters and bytes that are not
/// UTF-8 are escaped ("\x00"). A long text is cut, and its size follows: "'aaaa...' (1048576 bytes)".
TRAMMEL_API std::string in_quotes(std::string_view text);

/// Like `in_quotes`; a long text is cut to the part around the byte `at`: "'...+ rate*t + ...'".
TRAMMEL_API std::string in_quotes_around(std::string_view text, std::size_t at);

/// The text with control characters (line breaks too unless `keep_lines`) and bytes that are not UTF-8 escaped.
TRAMMEL_API std::string printable(std::string_view text, bool keep_lines = false);

/// The number of bytes of the character at `at`, or 0 where the bytes there are not UTF-8.
TRAMMEL_API std::size_t utf8_size(std::string_view text, std::size_t at);

}  // namespace trammel
