#include "io/recorder/csv_histories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "io/drawing/recorder_visit.hpp"
#include "io/files/csv_outputs.hpp"
#include "io/files/recorder_files.hpp"
#include "io/process/background_work.hpp"
#include "solvers/start/model_energy.hpp"
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

/// The columns of one instance in one sensor's file. Items follow the order of the case's blocks, on any number of
/// ranks.
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

/// One sensor's file on rank 0.
struct History {
  GrowingFile file;
  int energy = -1;                  ///< the sensor whose energies come first; -1: none
  std::vector<std::size_t> places;  ///< of its other numbers among those of all ranks
  std::size_t width() const { return 1 + (energy < 0 ? 0 : energy_numbers + 1) + places.size(); }
};

/// Lines as numbers, a vector a history.
using Rows = std::vector<std::vector<double>>;

/// Appends lines of `width` numbers, some thousand numbers at a time: their text takes several times their memory.
void append(GrowingFile& file, std::span<const double> numbers, std::size_t width) {
  constexpr std::size_t at_once = 4096;
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    text.clear();
    for (const std::size_t begin = i; i < numbers.size() && i < begin + at_once; i += width)
      fmt::format_to(std::back_inserter(text), "{}\n", fmt::join(numbers.subspan(i, width), ","));
    file.append(text);
  }
}

/// Takes lines and writes them from a thread of its own, every second and whenever many wait. Steps wait where the file is
/// slower than they are, so that memory does not grow.
class HistoryWriter {
 public:
  explicit HistoryWriter(std::vector<History> histories)
      : histories_(std::move(histories)), writing_(histories_.size()), pending_(histories_.size()) {}
  ~HistoryWriter() {
    clock_.reset();
    write_quietly();
  }
  HistoryWriter(const HistoryWriter&) = delete;
  HistoryWriter& operator=(const HistoryWriter&) = delete;

  const std::vector<History>& histories() const { return histories_; }

  /// Throws what was thrown where lines were written.
  void add(const Rows& rows) {
    std::size_t waiting = 0;
    {
      const std::scoped_lock lock(pending_mutex_);
      if (error_) std::rethrow_exception(error_);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        pending_[k].insert(pending_[k].end(), rows[k].begin(), rows[k].end());
        waiting += pending_[k].size();
      }
      if (!clock_) clock_.emplace(period, [this] { write_quietly(); });
    }
    if (waiting > most_waiting)
      write_quietly();
    else if (waiting > most_waiting / 4)
      clock_->ring();
  }
  /// All lines are in their files, or it throws.
  void flush() {
    write_quietly();
    const std::scoped_lock lock(pending_mutex_);
    if (error_) std::rethrow_exception(error_);
  }
  std::int64_t bytes() const {
    const std::scoped_lock lock(files_mutex_);
    std::int64_t sum = 0;
    for (const History& history : histories_) sum += history.file.bytes();
    return sum;
  }

 private:
  static constexpr std::chrono::milliseconds period{1000};
  static constexpr std::size_t most_waiting = 1 << 18;  ///< numbers

  /// Throws nothing, since it runs on the thread and at the end too.
  void write_quietly() {
    const std::scoped_lock files(files_mutex_);
    {
      const std::scoped_lock lock(pending_mutex_);
      if (error_) return;
      writing_.swap(pending_);
      for (std::vector<double>& rows : pending_) rows.clear();
    }
    try {
      for (std::size_t k = 0; k < writing_.size(); ++k)
        append(histories_[k].file, writing_[k], histories_[k].width());
    } catch (...) {
      const std::scoped_lock lock(pending_mutex_);
      error_ = std::current_exception();
    }
  }

  mutable std::mutex files_mutex_;  ///< taken before the other
  std::vector<History> histories_;
  Rows writing_;
  std::mutex pending_mutex_;
  Rows pending_;
  std::exception_ptr error_;
  std::optional<BackgroundClock> clock_;
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
      {"kinetic", "J"}, {"strain", "J"}, {"potential", "J"}, {"total", "J"}, {"dissipated_power", "W"}};
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
  std::vector<char> wanted;                   ///< by entity: a sensor needs its instances; empty: none does
  int of_joints = 0;                          ///< a joint among them shares blocks: its reaction is summed
  JointReactions reactions;

  bool begun = false;
  double last_time = 0;      ///< of the last line, once begun
  bool after_event = false;  ///< the last line is the second one of an event
  CsvOutputs outputs;
  std::vector<double> numbers;            ///< of this rank, for one line
  std::vector<double> energies;           ///< by sensor, this rank's contribution
  std::size_t count = 0;                  ///< of its numbers, once begun
  RepeatedGather of_all;                  ///< the numbers of all ranks for one line
  std::string failure;                    ///< of the writer, on rank 0: told with the next line
  std::vector<Item> items;                ///< of this rank while the files are begun
  std::unique_ptr<HistoryWriter> writer;  ///< on rank 0, once begun
  Rows held;
  /// Files of an earlier run to go on with, and their bytes; on rank 0, until the files are begun.
  std::map<std::string, std::int64_t> known;

  Parts(Assembler& assembler_, std::filesystem::path folder_)
      : assembler(assembler_),
        folder(std::move(folder_)),
        comm(assembler_.layout().comm()),
        rank(assembler_.layout().rank()),
        reactions(assembler_) {
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
      wanted.resize(model.entities.size(), 0);
      wanted[static_cast<std::size_t>(s.source())] = 1;
    }
    for (const IdentifiedBlocks& pair : assembler.layout().identification().blocks())
      if (!wanted.empty() && wanted[static_cast<std::size_t>(pair.entity)] != 0) of_joints = 1;
    MPI_Allreduce(MPI_IN_PLACE, &of_joints, 1, MPI_INT, MPI_MAX, comm);
  }

  const Entity& entity(const Sensor& s) const {
    return assembler.model().entities[static_cast<std::size_t>(s.entity)];
  }

  void take(const ElementRange& range, int i, const LocalState& x,
            const ReactionContributions& contributions) {
    const auto found = by_source.find(range.entity(i));
    if (found == by_source.end()) return;
    for (const int k : found->second) {
      const Sensor& s = sensors[static_cast<std::size_t>(k)];
      if (s.energy()) {
        const Energy e = range.energy(i, x);
        double* sum = energies.data() + energy_numbers * k;
        sum[0] += e.kinetic, sum[1] += e.strain, sum[2] += e.potential, sum[3] += e.dissipated_power;
        continue;
      }
      outputs.clear();
      outputs.describe(!begun);
      outputs.take_only(s.reference ? std::span<const std::string>(s.reference->channels)
                                    : std::span<const std::string>());
      range.outputs(i, x, contributions, outputs);
      if (contributions.may_rest) outputs.scalar("active", "", contributions.active ? 1 : 0);
      numbers.insert(numbers.end(), outputs.numbers().begin(), outputs.numbers().end());
      if (begun) continue;
      const auto stencil = range.stencil(i);
      items.push_back({k, {stencil.begin(), stencil.end()}, outputs.columns(), outputs.offered(), 0});
    }
  }

  /// Numbers of this rank, and energies summed over all.
  void evaluate(const State& state, const std::optional<ModelEnergy>& energy) {
    numbers.clear();
    energies.assign(sensors.size() * energy_numbers, 0.0);
    const auto visitor = [this](const ElementRange& range, int i, const LocalState& x,
                                const ReactionContributions& contributions) {
      take(range, i, x, contributions);
    };
    VisitFault fault;
    if (of_joints != 0) reactions.update(state);
    if (!wanted.empty()) visit_wanted(assembler, reactions, state, wanted, visitor, fault);
    std::string text = fault.text();
    if (text.empty()) text = failure;
    if (text.empty() && begun && numbers.size() != count)
      text = "a sensor's outputs changed their number during the run";
    RankTotals totals;
    EnergyTotals whole;
    if (!energy && std::ranges::any_of(sensors, &Sensor::whole_model)) whole.take(assembler, state, totals);
    std::array failed{text.empty() ? 0.0 : 1.0};
    totals.add_maxima(failed);
    totals.add_sums(energies);
    if (!totals.agree(assembler)) assembler.throw_refused(state);
    if (failed[0] > 0) agree_on_errors(comm, text);
    const Energy all = (energy ? *energy : whole.of_all()).energy;
    for (std::size_t k = 0; k < sensors.size(); ++k)
      if (sensors[k].whole_model())
        std::copy_n(std::array{all.kinetic, all.strain, all.potential, all.dissipated_power}.begin(),
                    energy_numbers, energies.begin() + static_cast<std::ptrdiff_t>(k * energy_numbers));
  }

  void begin() {
    const std::vector<std::string> texts = gather_texts(comm, to_text(items));
    items.clear();
    together(comm, [&] {
      if (rank != 0) return;
      std::size_t first = 0;
      for (const std::string& text : texts) append_items(text, items, first);
      std::stable_sort(items.begin(), items.end());
      std::set<std::string> stems;
      std::vector<History> histories;
      for (std::size_t k = 0; k < sensors.size(); ++k)
        histories.push_back(begin_file(static_cast<int>(k), stems));
      writer = std::make_unique<HistoryWriter>(std::move(histories));
    });
    count = numbers.size();
    begun = true;
  }

  History begin_file(int k, std::set<std::string>& stems) {
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
    const std::filesystem::path path = folder / (stem + ".csv");
    const std::string header = header_of(std::move(columns));
    const int energy = s.energy() ? k : -1;
    if (const auto found = known.find(path.filename().string()); found != known.end())
      return {GrowingFile(path, header, found->second), energy, std::move(places)};
    History history{GrowingFile(path), energy, std::move(places)};
    history.file.append(header);
    return history;
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
  Rows rows_of(const State& state, const std::optional<ModelEnergy>& energy = std::nullopt) {
    evaluate(state, energy);
    if (!begun) begin();
    const std::vector<double>& all = of_all.gather(comm, numbers);
    if (rank != 0) return {};
    Rows rows;
    for (const History& history : writer->histories()) {
      std::vector<double>& row = rows.emplace_back();
      row.reserve(history.width());
      row.push_back(state.time);
      if (history.energy >= 0) {
        const double* e = energies.data() + energy_numbers * history.energy;
        row.insert(row.end(), {e[0], e[1], e[2], e[0] + e[1] + e[2], e[3]});
      }
      for (const std::size_t place : history.places) row.push_back(all[place]);
    }
    return rows;
  }

  /// What fails here is told with the next line, or by `flush`.
  void write(const Rows& rows) {
    if (rank == 0 && failure.empty()) failure = failure_of([&] { writer->add(rows); });
  }
};

CsvHistories::CsvHistories(Assembler& assembler, std::filesystem::path folder)
    : parts_(std::make_unique<Parts>(assembler, std::move(folder))) {}
CsvHistories::~CsvHistories() = default;

bool CsvHistories::empty() const { return parts_->sensors.empty(); }

void CsvHistories::record(const State& state, Occasion occasion, const std::optional<ModelEnergy>& energy) {
  Parts& p = *parts_;
  if (p.sensors.empty()) return;
  // A repeated row is recognized by time and occasion, not by its numbers: sums over ranks differ in their last digits between
  // calls.
  const bool again = p.begun && state.time == p.last_time;
  if (again && (occasion == Occasion::present || (occasion == Occasion::step && p.after_event))) return;
  p.write(p.rows_of(state, energy));
  p.last_time = state.time;
  p.after_event = false;
}

void CsvHistories::hold(const State& before) {
  if (!parts_->sensors.empty()) parts_->held = parts_->rows_of(before);
}

void CsvHistories::record_event(const State& after) {
  Parts& p = *parts_;
  if (p.sensors.empty()) return;
  p.write(std::exchange(p.held, {}));
  p.write(p.rows_of(after));
  p.last_time = after.time;
  p.after_event = true;
}

void CsvHistories::flush() {
  Parts& p = *parts_;
  if (!p.begun) return;
  together(p.comm, [&] {
    if (!p.failure.empty()) throw Error(p.failure);
    if (p.writer) p.writer->flush();
  });
}

void CsvHistories::write_place(Archive& archive) {
  Parts& p = *parts_;
  flush();
  std::map<std::string, std::int64_t> sizes;
  if (p.writer)
    for (const History& history : p.writer->histories())
      sizes[history.file.path().filename().string()] = history.file.bytes();
  archive(p.last_time, p.after_event, sizes);
}

void CsvHistories::go_on(const State& state, Archive& place) {
  Parts& p = *parts_;
  place(p.last_time, p.after_event, p.known);
  if (!p.sensors.empty()) p.rows_of(state);
  p.known.clear();
}

std::vector<std::filesystem::path> CsvHistories::files() const {
  std::vector<std::filesystem::path> paths;
  if (parts_->writer)
    for (const History& history : parts_->writer->histories()) paths.push_back(history.file.path());
  return paths;
}

std::int64_t CsvHistories::bytes() const { return parts_->writer ? parts_->writer->bytes() : 0; }

}  // namespace trammel
