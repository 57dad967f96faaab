#pragma once

#include <string>
#include <string_view>

#include "trammel/error.hpp"
#include "trammel/export.hpp"

namespace trammel {

/// The path of the file that a text of a case names; `where`: the place of the text. A relative path counts from the folder of the
/// case, whatever folder Trammel was started in. The file need not exist.
TRAMMEL_API std::string path_of_named_file(std::string_view text, const Location& where);

}  // namespace trammel
