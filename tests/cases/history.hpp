#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trammel::cases {

/// The history of one sensor as the command wrote it: a column a number, a row a time.
class History {
 public:
  /// Reads a CSV file with a header. Throws Error where it cannot be read or a row has another number of fields.
  explicit History(const std::string& path);
  /// Rows of text, for tests.
  static History of_text(const std::string& text) { return History(text, "text"); }

  const std::vector<double>& times() const { return columns_.front(); }
  /// The column of a channel's component ("" for a scalar), found by name without its unit: "position.x".
  /// Throws Error that lists the columns.
  const std::vector<double>& column(std::string_view channel, std::string_view component) const;
  bool has(std::string_view channel) const;
  /// The row at this time, the last one where several have it. Throws Error where there is none.
  std::size_t row(double time) const;
  /// As `row`; no_row where there is none.
  std::size_t find_row(double time) const;

  static constexpr std::size_t no_row = static_cast<std::size_t>(-1);

 private:
  History(const std::string& text, const std::string& name);
  void read(std::istream& in);

  std::string name_;
  std::vector<std::string> titles_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace trammel::cases
