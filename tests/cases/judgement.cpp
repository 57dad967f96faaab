#include "judgement.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel::cases {

namespace {

using RunList = std::vector<std::shared_ptr<const Run>>;

constexpr double order_of_method = 2, order_tolerance = 0.1;
constexpr double rounding = 1e-10;  // of a range: Newton's method leaves as much

/// The values of a sample in one run, with the sign that is nearest to the reference where it is free.
std::vector<double> found(const Run& run, const Quantity& quantity, const Sample& sample) {
  const History& history = run.history(quantity.sensor);
  const std::size_t row = history.row(sample.time);
  std::vector<double> values;
  double product = 0;
  for (std::size_t c = 0; c < quantity.components.size(); ++c) {
    values.push_back(history.column(quantity.channel, quantity.components[c])[row]);
    product += values.back() * sample.values[c];
  }
  if (quantity.any_sign && product < 0)
    for (double& value : values) value = -value;
  return values;
}

/// Settings of a check's run: its own, then the ladder's.
Settings joined(const Settings& common, const Settings& own) {
  Settings all = common;
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

/// Whether two times of histories are the same.
bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); }

/// Moves `at` forward to the last row of `time`, that after an event; false where there is none.
bool advance(const History& history, std::size_t& at, double time) {
  const std::vector<double>& times = history.times();
  while (at < times.size() && times[at] < time && !close(times[at], time)) ++at;
  while (at + 1 < times.size() && close(times[at + 1], time)) ++at;
  return at < times.size() && close(times[at], time);
}

/// Differences between runs of a quantity's history, root mean square by ranges, at all times that the three share. Where
/// rows before and after an event have one time, those after it count.
std::array<double, 2> differences(const RunList& runs, const Quantity& quantity) {
  std::array<const History*, 3> h{};
  for (std::size_t k = 0; k < 3; ++k) h[k] = &runs[k]->history(quantity.sensor);
  std::array<double, 2> sum{};
  std::size_t count = 0;
  std::size_t at1 = 0, at2 = 0;
  std::vector<std::array<const std::vector<double>*, 3>> columns;
  for (const std::string& component : quantity.components) {
    columns.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) columns.back()[k] = &h[k]->column(quantity.channel, component);
  }
  for (std::size_t i = 0; i < h[0]->times().size(); ++i) {
    const double time = h[0]->times()[i];
    if (time < quantity.order_from) continue;
    if (i + 1 < h[0]->times().size() && close(h[0]->times()[i + 1], time)) continue;
    if (!advance(*h[1], at1, time) || !advance(*h[2], at2, time)) continue;
    double sign1 = 1, sign2 = 1;
    if (quantity.any_sign) {
      double product1 = 0, product2 = 0;
      for (const auto& column : columns) {
        product1 += (*column[0])[i] * (*column[1])[at1];
        product2 += (*column[0])[i] * (*column[2])[at2];
      }
      sign1 = product1 < 0 ? -1 : 1, sign2 = product2 < 0 ? -1 : 1;
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double u0 = (*columns[c][0])[i], u1 = sign1 * (*columns[c][1])[at1],
                   u2 = sign2 * (*columns[c][2])[at2];
      sum[0] += std::pow((u0 - u1) / quantity.ranges[c], 2);
      sum[1] += std::pow((u1 - u2) / quantity.ranges[c], 2);
    }
    ++count;
  }
  if (count == 0) throw Error("the runs share no time in '" + quantity.sensor + "'");
  for (double& s : sum) s = std::sqrt(s / static_cast<double>(count));
  return sum;
}

/// The order that is farthest from the method's, over the quantities.
std::optional<double> order_of(const RunList& runs, const Check& check) {
  std::optional<double> worst;
  for (const Quantity& quantity : check.quantities) {
    const auto [first, second] = differences(runs, quantity);
    const std::optional<double> order = observed_order(first, second, rounding);
    if (order && (!worst || std::abs(*order - order_of_method) > std::abs(*worst - order_of_method)))
      worst = order;
  }
  return worst;
}

void compare_each(const RunList& runs, const Check& check, double within, Verdict& verdict) {
  for (const auto& run : runs)
    for (const Quantity& quantity : check.quantities)
      for (const Sample& sample : quantity.samples) {
        const std::vector<double> values = found(*run, quantity, sample);
        for (std::size_t c = 0; c < values.size(); ++c)
          verdict.error =
              std::max(verdict.error, std::abs(values[c] - sample.values[c]) / quantity.ranges[c]);
      }
  if (!(verdict.error <= within))
    verdict.faults.push_back(fmt::format("error {:.2e} of the range, allowed {:.1e}", verdict.error, within));
}

void compare_extrapolated(const RunList& runs, const Check& check, Verdict& verdict) {
  for (const Quantity& quantity : check.quantities) {
    for (std::size_t c = 0; c < quantity.components.size(); ++c) {
      double error = 0, estimate = 0, worst_time = 0;
      for (const Sample& sample : quantity.samples) {
        std::array<double, 3> values{};
        for (std::size_t k = 0; k < 3; ++k) values[k] = found(*runs[k], quantity, sample)[c];
        const Extrapolation e = extrapolate(values);
        const double difference = std::abs(e.value - sample.values[c]) / quantity.ranges[c];
        if (difference > error) worst_time = sample.time;
        error = std::max(error, difference);
        estimate = std::max(estimate, e.estimate / quantity.ranges[c]);
      }
      verdict.error = std::max(verdict.error, error);
      verdict.estimate = std::max(verdict.estimate, estimate);
      const std::string name = fmt::format("{} {}{}{}", quantity.sensor, quantity.channel,
                                           quantity.components[c].empty() ? "" : ".", quantity.components[c]);
      const double allowed = std::max(check.of_range, 3 * estimate);
      if (!(error <= allowed))
        verdict.faults.push_back(
            fmt::format("{} at t = {}: error {:.2e}, allowed {:.2e}", name, worst_time, error, allowed));
      if (!(estimate <= check.cap))
        verdict.faults.push_back(
            fmt::format("{}: estimate {:.2e} above its cap {:.1e}", name, estimate, check.cap));
    }
  }
}

/// The energy is kept within what was set, and better with smaller steps.
void compare_energy(const RunList& runs, const Conservation& conserved, Verdict& verdict) {
  for (const auto& run : runs) verdict.drift.push_back(drift_of(run->history(conserved.sensor), conserved));
  if (!(verdict.drift.back() <= conserved.within))
    verdict.faults.push_back(
        fmt::format("energy changes by {:.2e}, allowed {:.1e}", verdict.drift.back(), conserved.within));
  for (std::size_t k = 1; k < verdict.drift.size(); ++k) {
    const std::optional<double> order = observed_order(verdict.drift[k - 1], verdict.drift[k], rounding);
    if (order && *order < order_of_method - order_tolerance)
      verdict.faults.push_back(fmt::format("the energy's change falls by order {:.2f} only", *order));
  }
}

/// "n = 4, 8, 16; h = 0.01"
std::string runs_text(const Ladder& ladder) {
  std::string text;
  for (std::size_t i = 0; i < ladder.runs.front().size(); ++i) {
    const std::string& name = ladder.runs.front()[i].first;
    std::vector<std::string> values;
    for (const Settings& run : ladder.runs)
      for (const auto& [key, value] : run)
        if (key == name && (values.empty() || values.back() != value)) values.push_back(value);
    text += fmt::format("{}{} = {}", text.empty() ? "" : "; ", name, fmt::join(values, ", "));
  }
  return text;
}

}  // namespace

std::optional<double> observed_order(double first, double second, double floor) {
  if (!(second > floor)) return std::nullopt;
  return std::log2(first / second);
}

double drift_of(const History& history, const Conservation& conserved) {
  const auto& total = history.column("total", "");
  const auto& kinetic = history.column("kinetic", "");
  const auto& strain = history.column("strain", "");
  std::optional<double> first = conserved.value;
  const auto& power = conserved.with_losses ? history.column("dissipated_power", "") : total;
  const auto& times = history.times();
  double scale = 0, drift = 0, lost = 0;
  for (std::size_t i = 0; i < total.size(); ++i) {
    scale = std::max(scale, kinetic[i] + strain[i]);
    if (times[i] < conserved.from - 1e-9) continue;
    if (!first)
      first = total[i];
    else if (conserved.with_losses && i > 0)
      lost += 0.5 * (power[i - 1] + power[i]) * (times[i] - times[i - 1]);
    drift = std::max(drift, std::abs(total[i] + lost - *first));
  }
  return drift / scale;
}

Extrapolation extrapolate(const std::array<double, 3>& u) {
  const double coarse = u[1] + (u[1] - u[0]) / 3, fine = u[2] + (u[2] - u[1]) / 3;
  return {fine, std::abs(fine - coarse) / 7};
}

Verdict judge(const Check& check, Runs& runs, bool quick, unsigned at_once) {
  Verdict verdict;
  verdict.case_name = check.case_name;
  verdict.check = check.name;
  verdict.trust = check.trust;
  verdict.tolerance = check.of_range;
  verdict.cap = check.cap;
  const auto run = [&](const std::vector<Settings>& settings) {
    std::vector<Settings> all;
    for (const Settings& own : settings) all.push_back(joined(check.settings, own));
    const RunList list = runs.get(check.case_file, all, at_once);
    for (const auto& one : list) verdict.seconds += one->seconds();
    return list;
  };

  if (quick && check.quick) {
    verdict.tolerance = check.quick->within;
    verdict.cap = 0;
    verdict.runs = text_of(check.quick->settings);
    compare_each(run({check.quick->settings}), check, check.quick->within, verdict);
    return verdict;
  }
  for (const Ladder& ladder : check.ladders) {
    const RunList list = run(ladder.runs);
    if (!check.exact && !check.quantities.empty()) {
      const std::optional<double> order = order_of(list, check);
      verdict.orders.emplace_back(ladder.name, order);
      if (order && std::abs(*order - order_of_method) > order_tolerance)
        verdict.faults.push_back(fmt::format("order {:.2f} in {}", *order, ladder.name));
    }
    if (ladder.name != check.compare) continue;
    verdict.runs = runs_text(ladder);
    if (check.exact)
      compare_each(list, check, check.of_range, verdict);
    else
      compare_extrapolated(list, check, verdict);
    for (const Conservation& conserved : check.conserved) compare_energy(list, conserved, verdict);
  }
  return verdict;
}

}  // namespace trammel::cases
