#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/case/case_context.hpp"
#include "trammel/value.hpp"

namespace trammel {

/// The largest number of entries that all repeated entries of a case may give. A larger number is taken for a
/// mistake.
inline constexpr long most_repeated = 5'000'000;

/// The name with its index expressions computed: "rod.(i-1).end" becomes "rod.4.end", and "crank.at(L/2)"
/// becomes "crank.at(0.5)". Other texts come back as they are. Throws Error at `where`.
std::string with_indices(const std::string& text, const CaseContext& context, const Location& where);

/// Computes the index expressions in every scalar of a value.
void put_indices_in(Value& value, const CaseContext& context);

/// Calls `visit` once for each combination of the indices that the entry's `for` names, the last one fastest, with
/// the indices set in the context; once, where the entry has no `for`. The indices are cleared afterwards.
///
/// `for: {i: 1..n, j: [1, 3, 5]}`: bounds are included, are expressions, and may use the indices before them.
/// Adds the number of combinations to `repeated`, and throws Error before the first of them where that is too large.
void repeat(const Value& entry, CaseContext& context, long& repeated, const std::function<void()>& visit);

}  // namespace trammel
