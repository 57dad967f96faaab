#pragma once

#include <string>

#include "trammel/assembler.hpp"

namespace trammel {

/// Who answers a converged step with `verdict`: "joint 'hinge' (generic)", of all cuts the earliest;
/// `else_this` where nobody says so any more. For the message of a run that ends: instances are asked once
/// more, which may change their status. Throws Error on every rank where one of them throws. Collective; the same text on
/// every rank.
std::string who_asks(Assembler& assembler, const State& trial, const StepInfo& step, Review::Verdict verdict,
                     const std::string& else_this);

}  // namespace trammel
