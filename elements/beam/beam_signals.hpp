#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "discretization.hpp"
#include "trammel/block.hpp"
#include "trammel/signal_source.hpp"

namespace trammel::beam {

/// Names of the components of strains and curvatures.
inline constexpr std::array<std::string_view, 3> strain_names{"Gamma1", "Gamma2", "Gamma3"},
    curvature_names{"kappa1", "kappa2", "kappa3"};

/// Strains and section forces of a beam's elements as signals, `curvature_2.kappa1` and `section_moment_2.T` of element 2. The
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
