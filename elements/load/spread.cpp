#include "spread.hpp"

#include <algorithm>
#include <cmath>

namespace trammel::load {

namespace {

class StationSignal final : public Signal {
 public:
  explicit StationSignal(double s) : s_(s) {}
  std::string unit() const override { return "m"; }
  std::vector<BlockId> blocks() const override { return {}; }
  void evaluate(const LocalState&, int, bool, SignalValue& out) const override {
    out = {};
    out.value = s_;
  }

 private:
  double s_;
};

}  // namespace

std::shared_ptr<const Signal> station_signal(double s) { return std::make_shared<StationSignal>(s); }

std::vector<WeightedStation> stations_between(const std::vector<double>& borders, double from, double to) {
  const double outer = std::sqrt(0.6);
  std::vector<WeightedStation> stations;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    const double low = std::max(from, borders[i]), high = std::min(to, borders[i + 1]);
    if (!(low < high)) continue;
    const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
    stations.push_back({middle - outer * half, half * 5 / 9});
    stations.push_back({middle, half * 8 / 9});
    stations.push_back({middle + outer * half, half * 5 / 9});
  }
  return stations;
}

}  // namespace trammel::load
