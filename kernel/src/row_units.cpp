#include "trammel/row_units.hpp"

#include <algorithm>
#include <vector>

namespace trammel {

std::string row_units(const JointTermsView& terms, std::string_view unit) {
  // Derivatives this small beside the largest of the row are rounding.
  constexpr double rounding = 1e-12;
  std::string list;
  int angles = 0;
  for (int i = 0; i < terms.equations; ++i) {
    const Eigen::Map<const Eigen::VectorXd> row(terms.G + i * terms.variables(), terms.variables());
    const double least = rounding * row.lpNorm<Eigen::Infinity>();
    const bool turns = row.segment<3>(3).lpNorm<Eigen::Infinity>() > least &&
                       !(row.head<3>().lpNorm<Eigen::Infinity>() > least);
    angles += turns ? 1 : 0;
    list.append(list.empty() ? "" : " ").append(turns ? "rad" : unit);
  }
  return angles == 0 ? std::string(unit) : angles == terms.equations ? "rad" : list;
}

std::string_view row_unit(const Block& multiplier, int component) {
  const std::string_view all = multiplier.unit;
  std::vector<std::string_view> each;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find(' ', begin), all.size());
    each.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return each.size() == static_cast<std::size_t>(multiplier.size) ? each[static_cast<std::size_t>(component)]
                                                                  : all;
}

}  // namespace trammel
