#pragma once

#include <memory>
#include <string_view>

#include "trammel/signal.hpp"

namespace trammel {

/// Offered by an entity with `builder.offer("signals", ...)`, so that its outputs are signals with exact
/// derivatives. Other outputs are differentiated by differences (plugins/sensors/README.md).
class SignalSource {
 public:
  static constexpr std::string_view offered_as = "signal source 1";
  virtual ~SignalSource() = default;
  /// The signal of an output's number, by its name in a history: "section_force_2.N". It equals that output at every
  /// state. Null where this source gives none.
  virtual std::shared_ptr<const Signal> signal(std::string_view name) const = 0;
};

}  // namespace trammel
