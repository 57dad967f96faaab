#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/start/model_energy.hpp"
#include "trammel/archive.hpp"

namespace trammel {

/// Why a state is recorded. This decides whether a second line is written for the time of the last line.
enum class Occasion {
  /// Start of a stage with new rates, accelerations or reactions: a line in addition to the end of the stage
  /// before.
  start,
  step,     ///< a step was accepted: always a line, because a static step may take no time
  present,  ///< the present state, as at the end of a stage: a line only if the last line has another time
};

/// Histories of a model's sensors, one CSV file each: a header with names and units ("time [s],position.x
/// [m],..."), then one line for each record, with as many digits as are needed to read the same numbers back.
///
/// The file of a sensor contains the outputs of its own instances, or those that Model::sensor_references name.
/// Rank 0 writes; the
/// values come from the ranks that evaluate them. Where an entity has several instances that report the same channel
/// (the elements of a beam), the columns after the first are numbered: "strain.x (2) [m]".
///
/// `record` stores numbers; a thread of rank 0 turns them into text and writes them once a second. A killed process
/// therefore loses the lines of its last second, and an error of the file system is thrown by the next `record` or
/// `flush`.
class CsvHistories {
 public:
  /// Finds the sensors of the model. Collective.
  CsvHistories(Assembler& assembler, std::filesystem::path folder);
  ~CsvHistories();
  CsvHistories(const CsvHistories&) = delete;
  CsvHistories& operator=(const CsvHistories&) = delete;

  bool empty() const;  ///< no sensors
  /// Adds the line of `state` to every history, unless the occasion is `present` and the last line has its time.
  /// The first call truncates the files. Throws Error, on all ranks, with the file and the reason, or with a sensor
  /// that has nothing to report. Collective.
  /// `energy`: of the model at the state, where it is known.
  void record(const State& state, Occasion occasion = Occasion::present,
              const std::optional<ModelEnergy>& energy = std::nullopt);

  /// Evaluates the line of the state before an event, and keeps it until `record_event` writes it or the next
  /// `hold` replaces it. Collective.
  void hold(const State& before);
  /// Writes two lines at the time of an event: the line of `hold`, and that of the state after the event. A step
  /// that ends there has no further line. Collective.
  void record_event(const State& after);

  /// Returns when every line is in its file. Throws Error as `record` does. Collective.
  void flush();
  /// Writes the data that a run needs to continue these files, on rank 0. Writes all lines first. Collective.
  void write_place(Archive& archive);
  /// Call in place of the first `record`: continues the files from their length at `write_place`, with the `state`
  /// of that time. Throws Error if a file is not the same. Collective.
  void go_on(const State& state, Archive& place);

  /// Files in the order of the sensors; on rank 0.
  std::vector<std::filesystem::path> files() const;
  std::int64_t bytes() const;  ///< in the files so far

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// A name as it may stand in a path: other characters than letters, digits and "._-[]" become "_".
std::string file_stem(std::string_view name);

}  // namespace trammel
