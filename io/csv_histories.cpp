#include "io/csv_histories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "io/csv_outputs.hpp"
#include "io/recorder_files.hpp"
#include "io/recorder_visit.hpp"
#include "trammel/error.hpp"
#include "trammel/nearest_name.hpp"
#include "trammel/registry.hpp"

namespace trammel {

namespace {

constexpr int energy_numbers = 4;

struct Sensor {
  int entity = -1;
  std::optional<SensorReference> reference;
  bool energy() const { return reference && reference->what == SensorReference::What::energy; }
  bool whole_model() const { return energy() && reference->of < 0; }
  int source() const { return reference ? reference->of : entity; }
};

/// What one instance adds to one sensor's file. Items are put in the order of the case's blocks, on any number of ranks.
struct Item {
  int sensor = 0;
  std::vector<BlockId> stencil;
  std::vector<CsvColumn> columns;
  std::vector<std::string> offered;  ///< all channels of the instance
  std::size_t first = 0;             ///< place of its numbers among those that rank 0 gathers

  bool operator<(const Item& o) const {
    if (sensor != o.sensor) return sensor < o.sensor;
    if (stencil != o.stencil) return stencil < o.stencil;
    return std::ranges::lexicographical_compare(columns, o.columns, {}, &CsvColumn::name, &CsvColumn::name);
  }
};

/// Items as text, to be sent to rank 0. Fields are separated by tabs, which no name holds.
std::string to_text(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) {
    text += fmt::format("{}\t{}\t{}\t{}\n", item.sensor, item.stencil.size(), item.columns.size(),
                        item.offered.size());
    for (const BlockId id : item.stencil) text += fmt::format("{}\n", id);
    for (const CsvColumn& column : item.columns) text += fmt::format("{}\t{}\n", column.name, column.unit);
    for (const std::string& name : item.offered) text += name + "\n";
  }
  return text;
}

void append_items(const std::string& text, std::vector<Item>& items, std::size_t& first) {
  std::istringstream in(text);
  Item item;
  std::size_t blocks = 0, columns = 0, offered = 0;
  while (in >> item.sensor >> blocks >> columns >> offered) {
    item.stencil.resize(blocks);
    item.columns.resize(columns);
    item.offered.resize(offered);
    for (BlockId& id : item.stencil) in >> id;
    in.ignore(1);
    for (CsvColumn& column : item.columns) {
      std::getline(in, column.name, '\t');
      std::getline(in, column.unit);
    }
    for (std::string& name : item.offered) std::getline(in, name);
    item.first = first;
    first += columns;
    items.push_back(item);
  }
}

/// One sensor's file on rank 0, and where the numbers of its lines come from.
struct History {
  GrowingFile file;
  std::vector<std::size_t> places;
};

std::string header_of(std::vector<CsvColumn> columns) {
  std::map<std::string, int> uses;
  std::string line = "time [s]";
  for (CsvColumn& column : columns) {
    const int use = ++uses[column.name];
    if (use > 1) column.name += fmt::format(" ({})", use);
    line += "," + csv_field(column.title());
  }
  return line + "\n";
}

const std::vector<CsvColumn>& energy_columns() {
  static const std::vector<CsvColumn> columns{
      {"kinetic", "J"}, {"strain", "J"}, {"potential", "J"}, {"total", "J"}, {"lost_power", "W"}};
  return columns;
}

}  // namespace

std::string file_stem(std::string_view name) {
  std::string stem;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-' || c == '[' || c == ']';
    stem += plain ? c : '_';
  }
  if (stem.find_first_not_of('.') == std::string::npos) stem = "_" + stem;
  return stem;
}

struct CsvHistories::Parts {
  Assembler& assembler;
  std::filesystem::path folder;
  MPI_Comm comm;
  int rank = 0;
  std::vector<Sensor> sensors;
  std::map<int, std::vector<int>> by_source;  ///< sensors by the entity whose instances they want
  bool visits = false;                        ///< some sensor needs the instances

  bool begun = false;
  double last_time = 0;      ///< of the last line, once begun
  bool after_event = false;  ///< the last line is the second one of an event
  CsvOutputs outputs;
  std::vector<double> numbers;   ///< of this rank, for one line
  std::vector<double> energies;  ///< by sensor, this rank's share
  std::size_t expected = 0;      ///< how many numbers come from all ranks, on rank 0
  std::vector<Item> items;       ///< of this rank while the files are begun
  std::vector<History> histories;
  std::vector<std::string> held;  ///< lines by history, on rank 0

  Parts(Assembler& assembler_, std::filesystem::path folder_)
      : assembler(assembler_),
        folder(std::move(folder_)),
        comm(assembler_.layout().comm()),
        rank(assembler_.layout().rank()) {
    const Model& model = assembler.model();
    for (int e = 0; e < static_cast<int>(model.entities.size()); ++e)
      if (model.entities[static_cast<std::size_t>(e)].category == category_name(Type::Category::sensor))
        sensors.push_back({e, std::nullopt});
    for (const SensorReference& r : model.sensor_references)
      for (Sensor& s : sensors)
        if (s.entity == r.sensor) s.reference = r;
    for (int i = 0; i < static_cast<int>(sensors.size()); ++i) {
      const Sensor& s = sensors[static_cast<std::size_t>(i)];
      if (s.whole_model()) continue;
      by_source[s.source()].push_back(i);
      visits = true;
    }
  }

  const Entity& entity(const Sensor& s) const {
    return assembler.model().entities[static_cast<std::size_t>(s.entity)];
  }

  void take(const ElementRange& range, int i, const LocalState& x, const ReactionShares& shares) {
    const auto found = by_source.find(range.entity(i));
    if (found == by_source.end()) return;
    for (const int k : found->second) {
      const Sensor& s = sensors[static_cast<std::size_t>(k)];
      if (s.energy()) {
        const Energy e = range.energy(i, x);
        double* sum = energies.data() + energy_numbers * k;
        sum[0] += e.kinetic, sum[1] += e.strain, sum[2] += e.potential, sum[3] += e.lost_power;
        continue;
      }
      outputs.clear();
      outputs.describe(!begun);
      outputs.take_only(s.reference ? std::span<const std::string>(s.reference->channels)
                                    : std::span<const std::string>());
      range.outputs(i, x, shares, outputs);
      if (shares.may_rest) outputs.scalar("active", "", shares.active ? 1 : 0);
      numbers.insert(numbers.end(), outputs.numbers().begin(), outputs.numbers().end());
      if (begun) continue;
      const auto stencil = range.stencil(i);
      items.push_back({k, {stencil.begin(), stencil.end()}, outputs.columns(), outputs.offered(), 0});
    }
  }

  /// Numbers of all ranks and energies summed, on rank 0.
  void evaluate(const State& state) {
    numbers.clear();
    energies.assign(sensors.size() * energy_numbers, 0.0);
    if (visits)
      visit_together(assembler, state,
                     [this](const ElementRange& range, int i, const LocalState& x,
                            const ReactionShares& shares) { take(range, i, x, shares); });
    MPI_Allreduce(MPI_IN_PLACE, energies.data(), static_cast<int>(energies.size()), MPI_DOUBLE, MPI_SUM,
                  comm);
    if (std::any_of(sensors.begin(), sensors.end(), [](const Sensor& s) { return s.whole_model(); })) {
      const Energy all = assembler.energy(state);
      for (std::size_t k = 0; k < sensors.size(); ++k)
        if (sensors[k].whole_model())
          std::copy_n(std::array{all.kinetic, all.strain, all.potential, all.lost_power}.begin(),
                      energy_numbers, energies.begin() + static_cast<std::ptrdiff_t>(k * energy_numbers));
    }
  }

  void begin() {
    const std::vector<std::string> texts = gather_texts(comm, to_text(items));
    items.clear();
    together(comm, [&] {
      if (rank != 0) return;
      std::size_t first = 0;
      for (const std::string& text : texts) append_items(text, items, first);
      expected = first;
      std::stable_sort(items.begin(), items.end());
      std::set<std::string> stems;
      for (std::size_t k = 0; k < sensors.size(); ++k) begin_file(static_cast<int>(k), stems);
    });
    begun = true;
  }

  void begin_file(int k, std::set<std::string>& stems) {
    const Sensor& s = sensors[static_cast<std::size_t>(k)];
    std::string stem = file_stem(entity(s).name);
    for (int n = 2; !stems.insert(stem).second; ++n)
      stem = fmt::format("{}_{}", file_stem(entity(s).name), n);
    std::vector<CsvColumn> columns = s.energy() ? energy_columns() : std::vector<CsvColumn>{};
    std::vector<std::size_t> places;
    for (const Item& item : items) {
      if (item.sensor != k) continue;
      for (std::size_t c = 0; c < item.columns.size(); ++c) {
        columns.push_back(item.columns[c]);
        places.push_back(item.first + c);
      }
    }
    check_channels(k, columns);
    histories.push_back({GrowingFile(folder / (stem + ".csv")), std::move(places)});
    histories.back().file.append(header_of(std::move(columns)));
  }

  void check_channels(int k, const std::vector<CsvColumn>& columns) const {
    const Sensor& s = sensors[static_cast<std::size_t>(k)];
    const std::string title = fmt::format("{} '{}' ({})", entity(s).category, entity(s).name, entity(s).type);
    std::vector<std::string> offered;
    for (const Item& item : items)
      if (item.sensor == k) offered.insert(offered.end(), item.offered.begin(), item.offered.end());
    std::sort(offered.begin(), offered.end());
    offered.erase(std::unique(offered.begin(), offered.end()), offered.end());
    if (s.reference)
      for (const std::string& channel : s.reference->channels)
        if (!std::binary_search(offered.begin(), offered.end(), channel)) {
          const std::string near = did_you_mean(channel, offered);
          throw Error(entity(s).where,
                      fmt::format("{}: there is no output {}{} Outputs here: {}", title, in_quotes(channel),
                                  near.empty() ? "." : near, list_of_names(offered, channel)));
        }
    if (columns.empty()) throw Error(entity(s).where, title + ": there is nothing to report");
  }

  /// The lines of `state`, on rank 0. Collective.
  std::vector<std::string> lines_of(const State& state) {
    evaluate(state);
    if (!begun) begin();
    const std::vector<double> all = gather_numbers(comm, numbers);
    std::vector<std::string> lines;
    together(comm, [&] {
      if (rank != 0) return;
      if (all.size() != expected) throw Error("a sensor's outputs changed their number during the run");
      lines = texts_of(state, all);
    });
    return lines;
  }

  std::vector<std::string> texts_of(const State& state, const std::vector<double>& all) const {
    std::vector<std::string> lines(histories.size());
    for (std::size_t k = 0; k < histories.size(); ++k) {
      const History& history = histories[k];
      std::string& line = lines[k];
      const auto out = std::back_inserter(line);
      fmt::format_to(out, "{}", state.time);
      if (sensors[k].energy()) {
        const double* e = energies.data() + energy_numbers * k;
        fmt::format_to(out, ",{},{},{},{},{}", e[0], e[1], e[2], e[0] + e[1] + e[2], e[3]);
      }
      for (const std::size_t place : history.places) fmt::format_to(out, ",{}", all[place]);
      line += '\n';
    }
    return lines;
  }

  /// Collective.
  void write(const std::vector<std::string>& lines) {
    together(comm, [&] {
      for (std::size_t k = 0; k < lines.size(); ++k) histories[k].file.append(lines[k]);
    });
  }
};

CsvHistories::CsvHistories(Assembler& assembler, std::filesystem::path folder)
    : parts_(std::make_unique<Parts>(assembler, std::move(folder))) {}
CsvHistories::~CsvHistories() = default;

bool CsvHistories::empty() const { return parts_->sensors.empty(); }

void CsvHistories::record(const State& state, Occasion occasion) {
  Parts& p = *parts_;
  if (p.sensors.empty()) return;
  // By time and occasion, never by the numbers: sums over ranks differ in their last digits from one call to the next.
  const bool again = p.begun && state.time == p.last_time;
  if (again && (occasion == Occasion::present || (occasion == Occasion::step && p.after_event))) return;
  p.write(p.lines_of(state));
  p.last_time = state.time;
  p.after_event = false;
}

void CsvHistories::hold(const State& before) {
  if (!parts_->sensors.empty()) parts_->held = parts_->lines_of(before);
}

void CsvHistories::record_event(const State& after) {
  Parts& p = *parts_;
  if (p.sensors.empty()) return;
  p.write(std::exchange(p.held, {}));
  p.write(p.lines_of(after));
  p.last_time = after.time;
  p.after_event = true;
}

std::vector<std::filesystem::path> CsvHistories::files() const {
  std::vector<std::filesystem::path> paths;
  for (const History& history : parts_->histories) paths.push_back(history.file.path());
  return paths;
}

std::int64_t CsvHistories::bytes() const {
  std::int64_t sum = 0;
  for (const History& history : parts_->histories) sum += history.file.bytes();
  return sum;
}

}  // namespace trammel
