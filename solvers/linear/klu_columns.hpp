#pragma once

#include <klu.h>

namespace trammel {

/// A column of a factor of KLU, without its diagonal: rows in no order. The factors are those of one block of more than one column.
struct KluColumn {
  const int* row = nullptr;
  const double* value = nullptr;
  int size = 0;

  /// x - sum_p value[p] x[row[p]], which begins with this number in place of x. A number may be one of several right-hand sides each.
  template <class Number>
  Number reduce(Number number, const Number* x) const {
    // Sums in turns do not wait for each other.
    constexpr int turns = 4, many = 2 * turns;
    int p = 0;
    if (size >= many) {
      Number sums[turns] = {};
      for (; p + turns <= size; p += turns)
        for (int k = 0; k < turns; ++k) sums[k] += value[p + k] * x[row[p + k]];
      number -= (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    for (; p < size; ++p) number -= value[p] * x[row[p]];
    return number;
  }
};

// KLU packs the row numbers and then the values of a column, in units of a double.
constexpr int klu_units_of_rows(int size) { return static_cast<int>((static_cast<unsigned>(size) + 1) / 2); }
constexpr int klu_units(int size) { return klu_units_of_rows(size) + size; }
inline const double* klu_packed(const klu_numeric& factors) {
  return static_cast<const double*>(factors.LUbx[0]);
}
inline KluColumn klu_column(const double* packed, int size) {
  return {reinterpret_cast<const int*>(packed), packed + klu_units_of_rows(size), size};
}
inline KluColumn lower_column(const klu_numeric& factors, int k) {
  return klu_column(klu_packed(factors) + factors.Lip[k], factors.Llen[k]);
}
inline KluColumn upper_column(const klu_numeric& factors, int k) {
  return klu_column(klu_packed(factors) + factors.Uip[k], factors.Ulen[k]);
}

/// Columns that lie one after the other in memory, so that the place of each follows from the size of the one before.
class KluSequence {
 public:
  KluSequence(const klu_numeric& factors, int first) : next_(klu_packed(factors) + first) {}
  KluColumn next(int size) {
    const KluColumn its = klu_column(next_, size);
    next_ = its.value + size;
    return its;
  }

 private:
  const double* next_;
};

}  // namespace trammel
