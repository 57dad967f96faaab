#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "trammel/archive.hpp"

namespace trammel {

/// Why a state is recorded. It decides whether a line of the time of the line before is a second one.
enum class Occasion {
  start,  ///< of a stage that found rates, accelerations or reactions anew: a line beside that of the end before
  step,     ///< a step was accepted; one of a static stage may take no time
  present,  ///< the state that there is, as where a stage ends: recorded already where a line has its time
};

/// Histories of a model's sensors, one CSV file each: a header with names and units ("time [s],position.x [m],..."),
/// then one line a record, with every digit that it takes to read the same numbers back.
///
/// A sensor's file holds what its own instances report, or what Model::sensor_references say. Rank 0 writes; the
/// values come from the ranks that evaluate them. Where an entity has several instances that report the same channel
/// (the elements of a beam), the columns after the first are numbered: "strain.x (2) [m]".
///
/// A record keeps numbers; a thread of rank 0 turns them into text and writes it, every second. So a process that is killed
/// leaves its lines but for those of the last second, and an error of the file system comes with the next record or `flush`.
class CsvHistories {
 public:
  /// Finds the sensors of the model. Collective.
  CsvHistories(Assembler& assembler, std::filesystem::path folder);
  ~CsvHistories();
  CsvHistories(const CsvHistories&) = delete;
  CsvHistories& operator=(const CsvHistories&) = delete;

  bool empty() const;  ///< no sensors
  /// Adds the line of `state` to every history, unless the occasion is `present` and the last line has its time. The first
  /// call begins the files anew. Throws Error (on all ranks) with the file and the reason, or with a sensor that has nothing to report.
  /// Collective.
  void record(const State& state, Occasion occasion = Occasion::present);

  /// The state before an event: evaluates its line as `record` does, and keeps it until `record_event` writes it or another
  /// one is held. Collective.
  void hold(const State& before);
  /// Two lines, at the time of an event: the held one, and that of the state after the event. A step that ends there has no
  /// line of its own. Collective.
  void record_event(const State& after);

  /// Returns when every line is in its file. Throws Error as `record` does. Collective.
  void flush();
  /// What a run that goes on with these files has to know, on rank 0. Writes all lines first. Collective.
  void write_place(Archive& archive);
  /// In place of the first record: goes on with the files from where `write_place` was; `state` as it was then. Throws Error
  /// where a file is another one. Collective.
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
