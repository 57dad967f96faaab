#pragma once

#include <memory>
#include <vector>

#include "kernel/model.hpp"
#include "trammel/reported_number.hpp"
#include "trammel/signal.hpp"

namespace trammel {

/// All instances of an entity.
std::vector<InstanceAt> instances_of(const Model& model, int entity);

/// What an instance reports at the start.
std::vector<ReportedNumber> reported_numbers(const Model& model, const InstanceAt& at);

enum class EnergyPart { kinetic, strain, potential, total, dissipated_power };

/// A number of an instance's outputs, differentiated as DifferenceSignal says.
std::shared_ptr<const Signal> output_signal(const Model& model, const InstanceAt& at, ReportedNumber number,
                                            double length);
/// An energy [J], or the dissipated less the supplied power [W], summed over instances; differentiated as above.
std::shared_ptr<const Signal> energy_signal(const Model& model, const std::vector<InstanceAt>& of,
                                            EnergyPart part, double length);

/// Throws Error where a signal of the energy of the whole model leaves out what came later.
void require_whole_energies(const Model& model);

/// Whether two signals of the same blocks have the same value at the start with any multipliers.
bool agree_at_start(const Model& model, const Signal& a, const Signal& b);

}  // namespace trammel
