#include "trammel/formula.hpp"

#include <algorithm>

namespace trammel {

bool Formula::reads(int variable) const { return std::ranges::binary_search(variables_, variable); }

const FormulaReader& formula_reader(const ValueContext& context, const Location& where) {
  const auto* reader = dynamic_cast<const FormulaReader*>(&context);
  if (reader == nullptr) throw Error(where, "formulas cannot be read here");
  return *reader;
}

}  // namespace trammel
