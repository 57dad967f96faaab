#include "io/recorder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "io/csv_histories.hpp"
#include "io/paraview_state.hpp"
#include "io/recorder_files.hpp"
#include "io/recorder_ranks.hpp"
#include "io/vtk_series.hpp"
#include "solvers/dense_output.hpp"

namespace trammel {

namespace {

/// A schedule within one stage.
class Clock {
 public:
  explicit Clock(RecorderSchedule schedule) : schedule_(schedule) {}

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
  std::size_t layers_in_view = 0;
  std::array<double, 3> sizes_in_view{};
  bool assembling = false;

  Parts(Assembler& assembler_, RecorderOptions options_)
      : assembler(assembler_), options(std::move(options_)), vtk_clock(options.vtk), csv_clock(options.csv) {
    together(assembler.layout().comm(), [&] {
      if (assembler.layout().rank() == 0) make_folder(options.folder);
    });
    if (options.vtk.on)
      series = std::make_unique<VtkSeries>(assembler, options.folder, file_stem(options.name));
    if (options.csv.on) histories = std::make_unique<CsvHistories>(assembler, options.folder);
  }

  std::filesystem::path view() const { return options.folder / (file_stem(options.name) + "_paraview.py"); }

  void draw(const State& state) {
    series->record(state);
    // A run that is killed leaves the view as it was written last.
    constexpr double grown = 1.3;
    const std::array<double, 3> now = sizes();
    bool outgrown = series->layers().size() != layers_in_view;
    for (std::size_t i = 0; i < now.size(); ++i) outgrown = outgrown || now[i] > grown * sizes_in_view[i];
    if (outgrown) write_view();
  }

  /// What the view is scaled by: the diagonal of all that was drawn [m], the longest force [N] and moment [N m].
  std::array<double, 3> sizes() const {
    DrawingExtent all;
    for (const SeriesLayer& layer : series->layers()) all.add(layer.extent);
    return {all.diagonal(), all.force, all.moment};
  }

  /// The view is scaled by what was drawn so far; it is written again as that grows, and where a stage ends.
  void write_view() {
    layers_in_view = series->layers().size();
    sizes_in_view = sizes();
    together(assembler.layout().comm(), [&] {
      if (assembler.layout().rank() == 0)
        replace_file(view(), paraview_state({series->pvd().filename().string(), series->layers()}));
    });
  }

  void everything(const State& state) {
    if (vtk_clock.on()) draw(state);
    if (csv_clock.on()) histories->record(state, Occasion::present);
    if (vtk_clock.on()) write_view();
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
  if (p.csv_clock.on())
    p.histories->record(state, report.restarted || assembled ? Occasion::start : Occasion::present);
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
  if (p.csv_clock.due(report)) p.histories->record(state, Occasion::step);
}

void Recorder::event_comes(const StepReport&, const State& state) {
  if (parts_->csv_clock.on()) parts_->histories->hold(state);
}

void Recorder::event_restarts(const StepReport&, const State& state) {
  if (parts_->csv_clock.on()) parts_->histories->record_event(state);
}

void Recorder::stage_ends(const Stage&, const StepReport&, const State& state) {
  if (!parts_->assembling) parts_->everything(state);
}

void Recorder::stopped(const StepReport&, const State& state) { parts_->everything(state); }

void Recorder::failed(const StepReport&, const State& state, std::string_view) {
  try {
    parts_->everything(state);
  } catch (const Error&) {
    // The failure that is on its way says more than this one.
  }
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
