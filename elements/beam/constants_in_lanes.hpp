#pragma once

#include <array>

#include "discretization.hpp"
#include "trammel/lanes.hpp"

namespace trammel::beam {

/// The constants of several elements that differ: those of element k in lane k.
struct ConstantsInLanes {
  ElasticLawOf<Lanes> elastic;
  BlendedMassOf<Lanes> mass;
  bool massive = false;

  using All = std::array<const ElementConstants*, Lanes::count>;

  explicit ConstantsInLanes(const All& all) {
    for (const ElementConstants* const c : all) {
      massive |= c->massive;
      elastic.damped |= c->elastic.damped;
      mass.offset |= c->mass.offset;
    }
    elastic.length = lanes_of([&](std::size_t k) { return all[k]->elastic.length; });
    elastic.reference = read<Vec6T<Lanes>>(all, [](const auto& c) { return c.elastic.reference.data(); });
    elastic.stiffness = read<Mat6T<Lanes>>(all, [](const auto& c) { return c.elastic.stiffness.data(); });
    if (elastic.damped)
      elastic.damping = read<Mat6T<Lanes>>(all, [](const auto& c) { return c.elastic.damping.data(); });
    if (massive) read_mass(all);
  }

 private:
  template <class Matrix, class Of>
  static Matrix read(const All& all, Of&& of) {
    return read_lanes<Matrix>([&](std::size_t k) { return of(*all[k]); });
  }
  void read_mass(const All& all) {
    for (std::size_t n = 0; n < mass.mass.size(); ++n)
      mass.mass[n] = lanes_of([&](std::size_t k) { return all[k]->mass.mass[n]; });
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        mass.second[i][j] =
            read<Mat3T<Lanes>>(all, [=](const auto& c) { return c.mass.second[i][j].data(); });
        if (mass.offset)
          mass.first[i][j] =
              read<Vec3T<Lanes>>(all, [=](const auto& c) { return c.mass.first[i][j].data(); });
      }
  }
};

}  // namespace trammel::beam
