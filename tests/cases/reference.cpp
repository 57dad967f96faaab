#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "io/case/case_yaml.hpp"
#include "trammel/error.hpp"

namespace trammel::cases {

namespace {

namespace fs = std::filesystem;

const Value& need(const Value& map, const char* key) {
  const Value* value = map.find(key);
  if (value == nullptr) throw Error(map.where, "'" + std::string(key) + "' is missing");
  return *value;
}

void know(const Value& map, std::initializer_list<const char*> keys) {
  for (const Value::Entry& entry : map.entries)
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end())
      throw Error(entry.where, "unknown key '" + entry.key + "'");
}

double number(const Value& value) {
  try {
    std::size_t end = 0;
    const double x = std::stod(value.text, &end);
    if (end == value.text.size()) return x;
  } catch (const std::exception&) {
  }
  throw Error(value.where, "expected a number, found " + value.described());
}

double number(const Value& map, const char* key, double otherwise) {
  const Value* value = map.find(key);
  return value == nullptr ? otherwise : number(*value);
}

std::string text(const Value& map, const char* key, const std::string& otherwise) {
  const Value* value = map.find(key);
  return value == nullptr ? otherwise : value->text;
}

bool yes(const Value& map, const char* key) { return text(map, key, "no") == "yes"; }

Settings settings(const Value& map) {
  Settings all;
  for (const Value::Entry& entry : map.entries) all.emplace_back(entry.key, entry.value.text);
  return all;
}

std::vector<double> ranges(const Quantity& quantity) {
  const std::size_t n = quantity.components.size();
  std::vector<double> ranges(n, 0);
  double largest = 0;
  for (std::size_t c = 0; c < n; ++c) {
    double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
    for (const Sample& sample : quantity.samples) {
      low = std::min(low, sample.values[c]);
      high = std::max(high, sample.values[c]);
    }
    ranges[c] = high - low;
    largest = std::max(largest, ranges[c]);
  }
  for (double& range : ranges)
    if (range < 1e-9 * largest) range = largest;
  return ranges;
}

Quantity read_quantity(const Value& map) {
  know(map, {"sensor", "channel", "components", "range", "sign", "order_from", "values"});
  Quantity quantity;
  quantity.sensor = need(map, "sensor").text;
  quantity.channel = need(map, "channel").text;
  quantity.any_sign = text(map, "sign", "") == "any";
  quantity.order_from = number(map, "order_from", 0);
  if (const Value* components = map.find("components"))
    for (const Value& component : components->items) quantity.components.push_back(component.text);
  else
    quantity.components.emplace_back();
  for (const Value& row : need(map, "values").items) {
    if (row.items.size() != quantity.components.size() + 1)
      throw Error(row.where, "expected a time and " + std::to_string(quantity.components.size()) + " values");
    Sample sample;
    sample.time = number(row.items.front());
    for (std::size_t i = 1; i < row.items.size(); ++i) sample.values.push_back(number(row.items[i]));
    quantity.samples.push_back(std::move(sample));
  }
  const double range = number(map, "range", 0);
  quantity.ranges = range > 0 ? std::vector<double>(quantity.components.size(), range) : ranges(quantity);
  for (const double r : quantity.ranges)
    if (!(r > 0)) throw Error(map.where, "a quantity that does not vary needs a 'range'");
  return quantity;
}

Conservation read_conservation(const Value& map) {
  know(map, {"sensor", "from", "value", "with_losses", "within"});
  Conservation conserved;
  conserved.sensor = need(map, "sensor").text;
  conserved.from = number(map, "from", 0);
  if (map.find("value") != nullptr) conserved.value = number(need(map, "value"));
  conserved.with_losses = yes(map, "with_losses");
  conserved.within = number(need(map, "within"));
  return conserved;
}

Check read_check(const Value& map, const fs::path& folder) {
  know(map, {"name", "case", "trust", "cap", "exact", "set", "ladders", "compare", "quick", "long",
             "quantities", "energy"});
  Check check;
  check.case_name = folder.filename().string();
  check.name = need(map, "name").text;
  check.case_file = (folder / text(map, "case", "case.yaml")).string();
  const Value& trust = need(map, "trust");
  know(trust, {"label", "of_range"});
  check.trust = need(trust, "label").text;
  check.of_range = number(need(trust, "of_range"));
  check.exact = yes(map, "exact");
  check.cap = check.exact ? 0 : number(need(map, "cap"));
  check.takes_long = yes(map, "long");
  if (const Value* set = map.find("set")) check.settings = settings(*set);
  for (const Value::Entry& ladder : need(map, "ladders").entries) {
    check.ladders.push_back({ladder.key, {}});
    for (const Value& run : ladder.value.items) check.ladders.back().runs.push_back(settings(run));
    if (!check.exact && check.ladders.back().runs.size() != 3)
      throw Error(ladder.where, "a ladder has three runs, at h, h/2 and h/4");
  }
  check.compare = text(map, "compare", check.ladders.back().name);
  check.compared();
  if (const Value* quantities = map.find("quantities"))
    for (const Value& quantity : quantities->items) check.quantities.push_back(read_quantity(quantity));
  if (const Value* energy = map.find("energy")) check.conserved.push_back(read_conservation(*energy));
  if (const Value* quick = map.find("quick"))
    check.quick = Check::Quick{settings(need(*quick, "set")), number(need(*quick, "within"))};
  return check;
}

}  // namespace

const Ladder& Check::compared() const {
  for (const Ladder& ladder : ladders)
    if (ladder.name == compare) return ladder;
  throw Error(case_name + ", " + name + ": there is no ladder '" + compare + "'");
}

std::vector<Check> read_checks(const std::string& folder) {
  const Value root = read_yaml_file(folder + "/reference.yaml");
  know(root, {"source", "checks"});
  need(root, "source");
  std::vector<Check> checks;
  for (const Value& check : need(root, "checks").items) checks.push_back(read_check(check, folder));
  return checks;
}

std::vector<Check> read_all_checks(const std::string& cases) {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(cases))
    if (fs::exists(entry.path() / "reference.yaml")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  std::vector<Check> checks;
  for (const fs::path& folder : folders)
    for (Check& check : read_checks(folder.string())) checks.push_back(std::move(check));
  return checks;
}

}  // namespace trammel::cases
