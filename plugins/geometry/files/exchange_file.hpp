#pragma once

#include <string>

#include <STEPControl_Reader.hxx>
#include <Standard_Transient.hxx>
#include <XSControl_Reader.hxx>

namespace trammel::geometry {

/// Name and ending (in small letters) of a file that is there. Throws Error where it is not, or is no file.
struct ExchangeFile {
  std::string name, ending;
};
ExchangeFile required_file(const std::string& path);
/// .step, .stp, .p21
bool is_step(const std::string& ending);

/// Reads a file with lengths in metres. Throws Error where it cannot be read, or where Open CASCADE found it to break the
/// rules of its format: it reads on then, and gives another shape. `format`: "a STEP", "an IGES".
void read_in_metres(XSControl_Reader& reader, const std::string& path, const std::string& file,
                    const char* format);
/// As read_in_metres. Throws Error where shapes have no unit of length or angle too: Open CASCADE guesses one without a
/// word.
void read_step_in_metres(STEPControl_Reader& reader, const std::string& path, const std::string& file);

/// The name that a file gives an entity; empty without one.
std::string name_of(const Handle(Standard_Transient) & entity);
/// Text of a file as a message may show it: cut, without control characters.
std::string shown(std::string text, std::size_t most);

}  // namespace trammel::geometry
