#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/outputs.hpp"

namespace trammel {

/// One number that an instance reports, as a history names it: "force.x".
struct ReportedNumber {
  std::string channel, component, unit;
  std::string name() const { return component.empty() ? channel : channel + "." + component; }
};

/// Keeps one number of an instance's outputs.
class TRAMMEL_API OneNumber final : public OutputSink {
 public:
  explicit OneNumber(const ReportedNumber& wanted) : wanted_(wanted) {}
  std::optional<double> found;

  void scalar(std::string_view name, std::string_view unit, double value) override;
  void vector(std::string_view name, std::string_view unit, const Vec3& value) override;
  void values(std::string_view name, std::string_view unit, std::span<const std::string_view> components,
              std::span<const double> numbers) override;

 private:
  const ReportedNumber& wanted_;
};

/// Keeps what all numbers of an instance's outputs are called.
class TRAMMEL_API AllNumbers final : public OutputSink {
 public:
  std::vector<ReportedNumber> all;

  void scalar(std::string_view name, std::string_view unit, double value) override;
  void vector(std::string_view name, std::string_view unit, const Vec3& value) override;
  void values(std::string_view name, std::string_view unit, std::span<const std::string_view> components,
              std::span<const double> numbers) override;
};

}  // namespace trammel
