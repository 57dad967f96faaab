#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trammel::cases {

/// Parameters of a case and the texts that replace theirs: `--set NAME=VALUE`.
using Settings = std::vector<std::pair<std::string, std::string>>;

struct Sample {
  double time = 0;
  std::vector<double> values;  ///< by component
};

/// A channel of a sensor with what it should be.
struct Quantity {
  std::string sensor, channel;
  std::vector<std::string> components;  ///< {""} for a scalar
  std::vector<double> ranges;           ///< by component: what errors are measured against
  bool any_sign = false;                ///< the negative is the same thing (quaternions)
  double order_from = 0;                ///< the observed order counts from this time on
  std::vector<Sample> samples;
};

/// Energy that must not change.
struct Conservation {
  std::string sensor;
  double from = 0;
  std::optional<double> value;  ///< absent: the value at `from`
  bool with_losses = false;     ///< what was lost or given away, less what was put in, counts too
  double within = 0;            ///< of the largest kinetic and strain energy, in the finest run
};

/// Runs at h, h/2 and h/4.
struct Ladder {
  std::string name;
  std::vector<Settings> runs;
};

/// One comparison of a case with its reference, by the rule of cases/README.md.
struct Check {
  std::string case_name, name;
  std::string case_file;
  std::string trust;    ///< "C11"
  double of_range = 0;  ///< the trust as a fraction of a channel's range
  double cap = 0;       ///< of the extrapolation's estimate, as a fraction of the range
  bool exact = false;   ///< no error but rounding, on every mesh
  Settings settings;    ///< of all runs
  std::vector<Ladder> ladders;
  std::string compare;  ///< the ladder whose extrapolation is compared
  std::vector<Quantity> quantities;
  std::vector<Conservation> conserved;

  /// One run in place of the ladders, where these take long.
  struct Quick {
    Settings settings;
    double within = 0;  ///< of the range
  };
  std::optional<Quick> quick;
  bool takes_long = false;  ///< has no place among the quick ones

  const Ladder& compared() const;
};

/// The checks in cases/NAME/reference.yaml. Throws Error with its place.
std::vector<Check> read_checks(const std::string& folder);
/// The checks of all folders under `cases`, by name of the case.
std::vector<Check> read_all_checks(const std::string& cases);

}  // namespace trammel::cases
