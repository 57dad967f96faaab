#pragma once

#include <stdexcept>
#include <string>

#include "trammel/export.hpp"
#include "trammel/shared_text.hpp"

namespace trammel {

/// The place in a case file that an object came from. Lines and columns count from 1; 0 means "not from a file".
struct Location {
  SharedText file;
  int line = 0;
  int column = 0;

  /// "case.yaml:41:7", or "" where there is no place.
  std::string text() const {
    if (file.empty()) return {};
    if (line == 0) return file;
    return file + ":" + std::to_string(line) + ":" + std::to_string(column);
  }
};

/// An error that a user can act on: what was found, what was expected. The command prints it as one message,
/// "file:line:column: error: text", and exits with a status other than 0.
class TRAMMEL_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& text) : std::runtime_error(text) {}
  Error(Location where, const std::string& text) : std::runtime_error(text), where_(std::move(where)) {}

  const Location& where() const { return where_; }

 private:
  Location where_;
};

/// Thrown inside an evaluation to reject the step (a state outside the element's domain): all ranks agree on it
/// and the solver cuts the step. Anything else that is thrown ends the run.
class TRAMMEL_API RejectStep : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace trammel
