#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/outputs.hpp"

namespace trammel {

/// One column of a history: "position.x" in "m".
struct CsvColumn {
  std::string name;
  std::string unit;

  /// "position.x [m]"; a quantity without a unit stands alone.
  std::string title() const;
};

/// Text as one field of a CSV line, in quotes where it must be.
std::string csv_field(std::string_view text);

/// Takes the outputs of instances: their numbers, and on request the columns that they belong to.
class CsvOutputs final : public OutputSink {
 public:
  /// Takes channels with these names only; empty: all.
  void take_only(std::span<const std::string> channels) { wanted_ = channels; }
  void describe(bool on) { describe_ = on; }
  void clear();

  void scalar(std::string_view name, std::string_view unit, double value) override;
  void vector(std::string_view name, std::string_view unit, const Vec3& value) override;
  void values(std::string_view name, std::string_view unit, std::span<const std::string_view> components,
              std::span<const double> values) override;

  const std::vector<double>& numbers() const { return numbers_; }
  const std::vector<CsvColumn>& columns() const { return columns_; }
  /// Names of all channels that were offered, taken or not.
  const std::vector<std::string>& offered() const { return offered_; }

 private:
  bool wants(std::string_view name);
  void add(std::string_view name, std::string_view component, std::string_view unit, double value);

  std::span<const std::string> wanted_;
  bool describe_ = false;
  std::vector<double> numbers_;
  std::vector<CsvColumn> columns_;
  std::vector<std::string> offered_;
};

}  // namespace trammel
