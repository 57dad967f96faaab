#pragma once

#include <memory>
#include <vector>

#include "kernel/model.hpp"
#include "trammel/reported_number.hpp"
#include "trammel/signal.hpp"

namespace trammel {

/// All instances of an entity.
std::vector<InstanceAt> instances_of(const Model& model, int entity);

/// The names of the numbers that an instance reports at the start.
std::vector<ReportedNumber> reported_numbers(const Model& model, const InstanceAt& at);

enum class EnergyPart { kinetic, strain, potential, total, dissipated_power };

/// A signal of a number in the outputs of an instance, with derivatives by finite differences (see
/// DifferenceSignal). `length`: of the model [m].
std::shared_ptr<const Signal> output_signal(const Model& model, const InstanceAt& at, ReportedNumber number,
                                            double length);
/// A signal of an energy [J], or of the dissipated minus the supplied power [W], summed over instances, with derivatives as above.
std::shared_ptr<const Signal> energy_signal(const Model& model, const std::vector<InstanceAt>& of,
                                            EnergyPart part, double length);

/// Throws Error if a signal of the energy of the whole model does not include entities that were built after it.
void require_whole_energies(const Model& model);

/// Whether two signals of the same blocks have equal values at the start, for arbitrary multipliers.
bool agree_at_start(const Model& model, const Signal& a, const Signal& b);

}  // namespace trammel
