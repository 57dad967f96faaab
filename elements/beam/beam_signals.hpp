#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "discretization.hpp"
#include "trammel/block.hpp"
#include "trammel/signal_source.hpp"

namespace trammel::beam {

/// Strains and section forces of a beam's elements as signals, `strain_2.kappa1` and `section_force_2.M1` of element 2. The
/// gradients are exact: constitutive matrix times dh/dq, with viscous forces by the velocities too. Rates are those of
/// the strain; where there is damping that of a section force is not known (not a number), nor is any second rate.
class BeamSignals final : public SignalSource {
 public:
  BeamSignals(std::vector<std::shared_ptr<ElementConstants>> elements, std::vector<Frame> nodes)
      : elements_(std::move(elements)), nodes_(std::move(nodes)) {}

  std::shared_ptr<const Signal> signal(std::string_view name) const override;

 private:
  std::vector<std::shared_ptr<ElementConstants>> elements_;
  std::vector<Frame> nodes_;
};

}  // namespace trammel::beam
