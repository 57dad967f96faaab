#include "io/recorder/recorder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "io/drawing/motion_measure.hpp"
#include "io/files/recorder_files.hpp"
#include "io/process/recorder_ranks.hpp"
#include "io/recorder/csv_histories.hpp"
#include "io/vtk/paraview_state.hpp"
#include "io/vtk/recorded_view.hpp"
#include "io/vtk/vtk_series.hpp"
#include "solvers/run/dense_output.hpp"
#include "trammel/archive.hpp"

namespace trammel {

namespace {

/// Reads what a checkpoint says of the output, to its last byte. Throws Error if it says more or less than is read.
template <class Read>
void read_whole(const std::vector<std::byte>& bytes, Read&& read) {
  Archive archive(bytes);
  read(archive);
  if (archive.left() > 0) throw Error("what the checkpoint says of the output files goes on after its end");
}

/// A schedule within one stage.
class Clock {
 public:
  explicit Clock(RecorderSchedule schedule = {}) : schedule_(schedule) {}

  /// `length`: of the stage; `by_accuracy`: its steps follow from an accuracy.
  void begin(double time, double length, bool by_accuracy) {
    constexpr double standard = 1.0 / 200;
    begin_ = next_ = time;
    interval_ = schedule_.interval > 0                ? schedule_.interval
                : by_accuracy && schedule_.every == 0 ? standard * length
                                                      : 0.0;
    inside_ = by_accuracy && interval_ > 0;
    advance(time);
  }

  /// True where the state that was just accepted is to be recorded.
  bool due(const StepReport& report) {
    if (!schedule_.on) return false;
    if (report.last) return true;
    if (!report.at_nominal) return false;
    if (!(interval_ > 0)) return report.nominal % std::max(schedule_.every, 1) == 0;
    if (report.time < next_ - slack * (inside_ ? interval_ : report.step)) return false;
    advance(report.time);
    return true;
  }
  /// The times inside a step, its ends excluded, of which records are due.
  template <class Use>
  void each_inside(const DenseStep& step, Use&& use) {
    if (!schedule_.on || !inside_) return;
    for (; next_ < step.end() - slack * interval_; advance(next_))
      if (next_ > step.begin()) use(next_);
  }
  bool on() const { return schedule_.on; }

  /// Called instead of `begin` if a stage is continued at `time`.
  void go_on(double begin, double time, double length, bool by_accuracy, const Clock* before) {
    this->begin(begin, length, by_accuracy);
    advance(time);
    // A record that was due inside a step that was cut comes at its end.
    if (before != nullptr && before->interval_ == interval_) next_ = before->next_;
  }
  void serialize(Archive& archive) { archive(begin_, next_, interval_, inside_); }

 private:
  static constexpr double slack = 1e-6;  // times of steps are rounded

  void advance(double time) {
    if (interval_ > 0) next_ = begin_ + interval_ * (std::floor((time - begin_) / interval_ + slack) + 1);
  }

  RecorderSchedule schedule_;
  double begin_ = 0, next_ = 0, interval_ = 0;
  bool inside_ = false;  ///< records are not bound to steps
};

}  // namespace

struct Recorder::Parts {
  Assembler& assembler;
  RecorderOptions options;
  std::unique_ptr<VtkSeries> series;
  std::unique_ptr<CsvHistories> histories;
  Clock vtk_clock, csv_clock;
  MotionMeasure motion;
  std::size_t layers_in_view = 0;
  std::array<double, 4> sizes_in_view{};
  bool assembling = false;
  // Data of the run that this run continues:
  std::optional<std::array<Clock, 2>> clocks_before;
  std::vector<std::byte> histories_before;

  Parts(Assembler& assembler_, RecorderOptions options_)
      : assembler(assembler_),
        options(std::move(options_)),
        vtk_clock(options.vtk),
        csv_clock(options.csv),
        motion(assembler_) {
    together(assembler.layout().comm(), [&] {
      if (assembler.layout().rank() == 0) make_folder(options.folder);
    });
    Places places;
    if (!options.place.empty()) read_whole(options.place, [&](Archive& archive) { archive(places); });
    clocks_before = places.clocks;
    if (places.histories) histories_before = *places.histories;
    if (options.vtk.on && places.series) {
      read_whole(*places.series, [&](Archive& archive) {
        series = std::make_unique<VtkSeries>(assembler, options.folder, file_stem(options.name), archive);
      });
      read_whole(*places.motion, [&](Archive& archive) { motion.read(archive); });
    } else if (options.vtk.on) {
      series = std::make_unique<VtkSeries>(assembler, options.folder, file_stem(options.name));
    }
    if (options.csv.on) histories = std::make_unique<CsvHistories>(assembler, options.folder);
  }

  /// Content of the bytes of Recorder::place.
  struct Places {
    std::optional<std::array<Clock, 2>> clocks;
    std::optional<std::vector<std::byte>> series, motion, histories;

    void serialize(Archive& archive) { archive(clocks, series, motion, histories); }
  };

  void go_on(const StepReport& report, bool by_accuracy, const State& state) {
    const double length = report.until - report.begin;
    vtk_clock.go_on(report.begin, state.time, length, by_accuracy,
                    clocks_before ? &(*clocks_before)[0] : nullptr);
    csv_clock.go_on(report.begin, state.time, length, by_accuracy,
                    clocks_before ? &(*clocks_before)[1] : nullptr);
    if (vtk_clock.on() && series->frames() == 0) draw(state);
    if (vtk_clock.on()) write_view();
    if (!csv_clock.on()) return;
    if (histories_before.empty()) return histories->record(state, Occasion::present);
    histories_go_on(state);
  }

  void histories_go_on(const State& state) {
    read_whole(histories_before, [&](Archive& archive) { histories->go_on(state, archive); });
    histories_before.clear();
  }

  std::filesystem::path view() const { return options.folder / (file_stem(options.name) + "_paraview.py"); }

  void draw(const State& state) {
    series->record(state);
    motion.add(state);
    follow_view();
  }

  /// A run that is killed leaves the view as it was written last.
  void follow_view() {
    constexpr double grown = 1.3;
    const std::array<double, 4> now = sizes();
    bool outgrown = series->layers().size() != layers_in_view;
    for (std::size_t i = 0; i < now.size(); ++i) outgrown = outgrown || now[i] > grown * sizes_in_view[i];
    if (outgrown) write_view();
  }

  /// The sizes that determine scale and direction of the view: the diagonal of the bounding box of everything drawn
  /// [m], the largest force [N] and moment [N m], and the norm of all displacements [m].
  std::array<double, 4> sizes() const {
    DrawingExtent all;
    for (const SeriesLayer& layer : series->layers()) all.add(layer.extent);
    return {all.diagonal(), all.force, all.moment, std::sqrt(motion.displacements().trace())};
  }

  /// The view is scaled by what was drawn so far; it is written again as that grows, and where a stage ends.
  void write_view() {
    layers_in_view = series->layers().size();
    sizes_in_view = sizes();
    together(assembler.layout().comm(), [&] {
      if (assembler.layout().rank() != 0) return;
      const RecordedView seen =
          view_of(series->layers(), motion.weight(), motion.displacements(), series->glyph_size());
      replace_file(series->frames_folder() / "view.xml", view_file(seen));
      replace_file(view(), paraview_state({series->pvd().filename().string(), series->layers(), seen}));
    });
  }

  void record_histories(const State& state) {
    if (!csv_clock.on()) return;
    histories->record(state, Occasion::present);
    histories->flush();
  }
  void record_view(const State& state) {
    if (!vtk_clock.on()) return;
    draw(state);
    series->drain();
    write_view();
  }
  void everything(const State& state) {
    record_histories(state);
    record_view(state);
  }
};

Recorder::Recorder(Assembler& assembler, RecorderOptions options)
    : parts_(std::make_unique<Parts>(assembler, std::move(options))) {}
Recorder::~Recorder() = default;

void Recorder::stage_begins(const Stage& stage, const StepReport& report, const State& state) {
  Parts& p = *parts_;
  const bool assembled = std::exchange(p.assembling, std::holds_alternative<AssembleStage>(stage.what));
  if (p.assembling) return;
  const auto* motion = std::get_if<DynamicStage>(&stage.what);
  const bool by_accuracy = motion != nullptr && motion->accuracy > 0;
  p.vtk_clock.begin(state.time, report.until - report.begin, by_accuracy);
  p.csv_clock.begin(state.time, report.until - report.begin, by_accuracy);
  if (p.vtk_clock.on()) p.draw(state);
  if (!p.csv_clock.on()) return;
  // A run of a changed case goes on with the files, and its stage begins anew.
  if (!p.histories_before.empty()) p.histories_go_on(state);
  p.histories->record(state, report.restarted || assembled ? Occasion::start : Occasion::present);
}

void Recorder::goes_on(const Stage& stage, const StepReport& report, const State& state) {
  const auto* motion = std::get_if<DynamicStage>(&stage.what);
  parts_->go_on(report, motion != nullptr && motion->accuracy > 0, state);
}

std::vector<std::byte> Recorder::place() const {
  const Parts& p = *parts_;
  Parts::Places places;
  places.clocks = std::array{p.vtk_clock, p.csv_clock};
  if (p.series) {
    Archive archive;
    p.series->write_place(archive);
    places.series = archive.bytes();
    Archive motion;
    p.motion.write(motion);
    places.motion = motion.bytes();
  }
  if (p.histories) {
    Archive archive;
    p.histories->write_place(archive);
    places.histories = archive.bytes();
  }
  Archive archive;
  archive(places);
  return archive.bytes();
}

void Recorder::passes(const StepReport&, const DenseStep& step) {
  Parts& p = *parts_;
  p.vtk_clock.each_inside(step, [&](double time) { p.draw(step.at(time)); });
  p.csv_clock.each_inside(step, [&](double time) { p.histories->record(step.at(time), Occasion::step); });
}

void Recorder::accepted(const StepReport& report, const State& state) {
  Parts& p = *parts_;
  if (p.assembling) return;
  if (p.vtk_clock.due(report)) p.draw(state);
  if (p.csv_clock.due(report)) p.histories->record(state, Occasion::step, report.energy);
  if (p.vtk_clock.on() && p.series->pass_on()) p.follow_view();
}

void Recorder::event_comes(const StepReport&, const State& state) {
  if (parts_->csv_clock.on()) parts_->histories->hold(state);
}

void Recorder::event_restarts(const StepReport&, const State& state) {
  if (parts_->csv_clock.on()) parts_->histories->record_event(state);
}

void Recorder::histories_change() {
  if (parts_->series && parts_->series->finish_drawing()) parts_->follow_view();
}

void Recorder::stage_ends(const Stage&, const StepReport&, const State& state) {
  if (!parts_->assembling) parts_->everything(state);
}

void Recorder::stopped(const StepReport&, const State& state) { parts_->everything(state); }

void Recorder::failed(const StepReport&, const State& state, std::string_view) {
  // The failure that is on its way says more than these could.
  try {
    parts_->record_histories(state);
  } catch (const Error&) {
  }
  try {
    parts_->record_view(state);
  } catch (const Error&) {
  }
}

void Recorder::flush() {
  if (parts_->histories) parts_->histories->flush();
  if (parts_->series) parts_->series->drain();
}

RecorderCounts Recorder::counts() const {
  const Parts& p = *parts_;
  RecorderCounts counts;
  if (p.series) counts.frames = p.series->frames(), counts.vtk_bytes = p.series->bytes();
  std::array<std::int64_t, 2> csv{0, 0};
  if (p.histories) csv = {static_cast<std::int64_t>(p.histories->files().size()), p.histories->bytes()};
  MPI_Bcast(csv.data(), 2, MPI_INT64_T, 0, p.assembler.layout().comm());
  counts.histories = static_cast<int>(csv[0]);
  counts.csv_bytes = csv[1];
  return counts;
}

std::filesystem::path Recorder::view() const { return parts_->view(); }

}  // namespace trammel
