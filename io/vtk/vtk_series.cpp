#include "io/vtk/vtk_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <sstream>

#include "io/drawing/drawing_start.hpp"
#include "io/drawing/glyph_numbers.hpp"
#include "io/drawing/glyph_scale.hpp"
#include "io/drawing/recorded_state.hpp"
#include "io/drawing/vtk_drawing.hpp"
#include "io/files/csv_outputs.hpp"
#include "io/files/recorder_files.hpp"
#include "io/process/address_space.hpp"
#include "io/process/background_work.hpp"
#include "io/process/recorder_ranks.hpp"
#include "io/vtk/field_labels.hpp"
#include "io/vtk/vtk_piece.hpp"
#include "trammel/error.hpp"

namespace trammel {

namespace {

/// One layer of one frame, as all ranks know it.
struct LayerPlan {
  std::vector<LayerField> fields;
  std::vector<int> ranks;  ///< that drew something
  DrawingExtent extent;
};
using FramePlan = std::array<LayerPlan, canvas_layers>;

struct DrawnFrame {
  int number = 0;
  double time = 0;
  std::array<bool, canvas_layers> drawn{};

  void serialize(Archive& archive) { archive(number, time, drawn); }
};

std::string describe(const VtkDrawing& drawing) {
  std::string text;
  for (int i = 0; i < canvas_layers; ++i) {
    const LayerDrawing& layer = drawing.layer(i);
    if (layer.empty()) continue;
    const DrawingExtent e = layer.extent();
    text += fmt::format("{} {} {} {} {} {} {} {}\n", i, fmt::join(e.low, " "), fmt::join(e.high, " "),
                        e.force, e.moment, e.shear, e.bending, layer.fields.size());
    for (const auto& [name, field] : layer.fields)
      text += field_line({name, field.components, field.unit, field.names}) + "\n";
  }
  return text;
}

/// The next number of a text. Unlike `>>` it reads "inf", the extent of a layer whose points have no finite place.
double next_number(std::istream& in) {
  std::string text;
  in >> text;
  return std::strtod(text.c_str(), nullptr);
}

/// Joins what the ranks said; fields in the order of their names.
FramePlan join(const std::vector<std::string>& texts) {
  FramePlan plan;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    std::istringstream in(texts[rank]);
    std::size_t layer = 0, count = 0;
    while (in >> layer) {
      DrawingExtent e;
      for (double* number : {&e.low[0], &e.low[1], &e.low[2], &e.high[0], &e.high[1], &e.high[2], &e.force,
                             &e.moment, &e.shear, &e.bending})
        *number = next_number(in);
      in >> count >> std::ws;
      LayerPlan& to = plan[layer];
      to.extent.add(e);
      to.ranks.push_back(static_cast<int>(rank));
      for (std::size_t k = 0; k < count; ++k) {
        std::string line;
        std::getline(in, line);
        const LayerField field = field_of_line(line);
        const auto at =
            std::lower_bound(to.fields.begin(), to.fields.end(), field.name,
                             [](const LayerField& f, const std::string& name) { return f.name < name; });
        if (at == to.fields.end() || at->name != field.name)
          to.fields.insert(at, field);
        else if (at->components != field.components)
          throw Error(fmt::format("field '{}' of layer '{}' is drawn with {} and with {} components",
                                  field.name, layer_name(static_cast<int>(layer)), at->components,
                                  field.components));
      }
    }
  }
  return plan;
}

constexpr std::size_t frames_behind = 2;

constexpr const char* pvd_begin =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n  "
    "<Collection>\n";
constexpr const char* pvd_end = "  </Collection>\n</VTKFile>\n";

/// True for the name of a file of a frame, such as "000012_curves.pvtp".
bool is_of_frame(const std::string& name) {
  const auto end = name.find_first_not_of("0123456789");
  return end != std::string::npos && end >= 6 && name[end] == '_' &&
         (name.ends_with(".pvtp") || name.ends_with(".vtp"));
}

}  // namespace

struct VtkSeries::Parts {
  Assembler& assembler;
  std::filesystem::path folder;
  std::string name;
  std::filesystem::path pvd;
  std::string frames_folder;  ///< relative to `folder`
  MPI_Comm comm;
  int rank = 0;

  VtkDrawing drawing;
  std::vector<DrawnFrame> frames;  ///< of the present series
  std::size_t listed = 0;          ///< of these, in the .pvd
  std::array<bool, canvas_layers> drawn{},
      listed_layers{};  ///< layers of these frames, and of those in the .pvd
  EndedFile listing;    ///< the .pvd, on rank 0
  int recorded = 0;
  int of_run_before = 0;  ///< by a run that this one goes on with
  int earlier_series = 0;
  std::array<std::vector<LayerField>, canvas_layers>
      fields;                                        ///< of each layer, in the last frame that drew it
  std::array<DrawingExtent, canvas_layers> extents;  ///< of each layer, over all frames
  std::array<bool, canvas_layers> has_empty_file{};
  std::atomic<std::int64_t> bytes = 0;
  std::array<VtkPieceWriter, canvas_layers> piece_writers;  ///< the writer's
  std::mutex spare_mutex;
  std::vector<DrawingLayers> spare;       ///< written: their memory is for the next frame
  GlyphScale glyph_scale;                 ///< once something was recorded
  BackgroundQueue writer{frames_behind};  ///< a job a frame

  // The last frame while it is drawn. The thread has these and `drawing` until it has ended.
  bool is_drawing = false;
  RecordedState recorded_state;
  std::string description;  ///< of what was drawn
  std::optional<BackgroundQueue> drawer;

  Parts(Assembler& assembler_, std::filesystem::path folder_, std::string name_, Archive* place)
      : assembler(assembler_),
        folder(std::move(folder_)),
        name(std::move(name_)),
        pvd(folder / (name + ".pvd")),
        frames_folder(name + "_vtk"),
        comm(assembler_.layout().comm()),
        rank(assembler_.layout().rank()),
        recorded_state(assembler_) {
    // The memory that a thread reserves counts against such a limit. All ranks do the same, since they exchange what was drawn.
    int limited = address_space_is_limited() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &limited, 1, MPI_INT, MPI_MAX, comm);
    if (limited == 0) together(comm, [this] { drawer.emplace(1); });
    if (place != nullptr) {
      std::int64_t of_all = 0;
      serialize(*place, of_all);
      if (rank == 0) bytes = of_all;
      listed = frames.size();
      of_run_before = recorded;
      drawing.set_glyph_scale(glyph_scale);
    }
    together(comm, [&] {
      if (rank != 0) return;
      make_folder(folder / frames_folder);
      remove_frames_after();
      if (place == nullptr) return write_entities();
      if (!frames.empty()) listing = EndedFile(pvd, lines_of_listed(), pvd_end);
    });
  }

  /// Stores or restores the state of the series for a checkpoint; `of_all`: bytes written by all ranks.
  void serialize(Archive& archive, std::int64_t& of_all) {
    archive(frames, drawn, listed_layers, recorded, earlier_series, fields, extents, has_empty_file, of_all,
            glyph_scale.size, glyph_scale.sides);
    archive_drawing_start(archive, assembler, drawing);
  }

  /// Removes the frames that a run wrote beyond those that are known, and the series that they belong to.
  void remove_frames_after() const {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder / frames_folder, ignored))
      if (const std::string file = entry.path().filename().string();
          is_of_frame(file) && std::stol(file) >= recorded)
        std::filesystem::remove(entry.path(), ignored);
    if (frames.empty()) std::filesystem::remove(pvd, ignored);
    for (int n = earlier_series + 1;
         std::filesystem::remove(folder / fmt::format("{}_{}.pvd", name, n), ignored); ++n) {
    }
  }

  void write_entities() {
    std::string text = "entity,name,category,type\n";
    const std::vector<Entity>& entities = assembler.model().entities;
    for (std::size_t i = 0; i < entities.size(); ++i)
      text += fmt::format("{},{},{},{}\n", i, csv_field(entities[i].name), csv_field(entities[i].category),
                          csv_field(entities[i].type));
    write_file(folder / (name + "_entities.csv"), text);
    bytes += static_cast<std::int64_t>(text.size());
  }

  /// The same on all ranks, and in a run that goes on from a checkpoint: by the frames so far; of the first frame, whose glyphs it
  /// scales, by what it will draw. Collective.
  void set_detail(const State& state) {
    constexpr double of_diagonal = 1.0 / 400, visible_of_diagonal = 1.0 / 8000, colours = 256;
    DrawingExtent all;
    for (const DrawingExtent& extent : extents) all.add(extent);
    if (recorded == 0) {
      const ModelSurvey found = survey_of(assembler, state);
      glyph_scale = found.glyphs;
      drawing.set_glyph_scale(glyph_scale);
      all = found.extent;
    }
    drawing.set_detail(of_diagonal * all.diagonal());
    drawing.set_visible({visible_of_diagonal * all.diagonal(), all.shear / colours, all.bending / colours});
  }

  bool is_joint(int entity) const {
    return entity >= 0 && assembler.model().entities[static_cast<std::size_t>(entity)].category == "joint";
  }

  static std::string stem(int number, int layer) {
    return fmt::format("{:06}_{}", number, layer_name(layer));
  }

  // Called by the thread too.
  void write(const std::filesystem::path& path, const std::string& text) {
    write_file(path, text);
    bytes += static_cast<std::int64_t>(text.size());
  }

  /// By the thread.
  void write_layers(int number, const FramePlan& plan, DrawingLayers& drawn_here) {
    const std::filesystem::path to = folder / frames_folder;
    for (int i = 0; i < canvas_layers; ++i) {
      const LayerPlan& layer = plan[static_cast<std::size_t>(i)];
      if (layer.ranks.empty()) continue;
      const Coordinates coordinates = coordinates_for(layer.extent);
      const std::string name_here = stem(number, i);
      const auto source = [&](int of_rank) { return fmt::format("{}_{}.vtp", name_here, of_rank); };
      LayerDrawing& mine = drawn_here[static_cast<std::size_t>(i)];
      if (!mine.empty())
        write(to / source(rank),
              piece_writers[static_cast<std::size_t>(i)].text(mine, layer.fields, coordinates));
      if (rank != 0) continue;
      std::vector<std::string> sources;
      for (const int r : layer.ranks) sources.push_back(source(r));
      write(to / (name_here + ".pvtp"), vtk_pieces(layer.fields, coordinates, sources));
    }
  }

  /// By the thread.
  void draw() {
    drawing.clear();
    GlyphNumbers numbers(drawing);
    const std::string fault = recorded_state.visit([&](const ElementRange& range, int i, const LocalState& x,
                                                       const ReactionContributions& contributions) {
      drawing.begin(range.entity(i));
      if (!contributions.active) return;
      range.draw(i, x, contributions, drawing);
      if (is_joint(range.entity(i))) range.outputs(i, x, contributions, numbers);
    });
    if (!fault.empty()) throw Error(fault);
    drawing.finish();
    description = describe(drawing);
  }

  /// Collective.
  void begin_drawing(const State& state) {
    recorded_state.take(state);
    frames.push_back({recorded++, state.time, {}});
    is_drawing = true;
    {
      const std::scoped_lock lock(spare_mutex);
      if (!spare.empty()) {
        drawing.reuse(std::move(spare.back()));
        spare.pop_back();
      }
    }
    if (drawer) drawer->add([this] { draw(); });
  }

  /// Collective.
  void finish_drawing() {
    is_drawing = false;
    try {
      together(comm, [this] {
        if (!drawer) return draw();
        drawer->wait();
        drawer->rethrow();
      });
      add_frame(frames.back(), join(all_texts(comm, description)));
    } catch (...) {
      frames.pop_back();
      --recorded;
      throw;
    }
  }

  void add_frame(DrawnFrame& frame, FramePlan plan) {
    for (std::size_t k = 0; k < canvas_layers; ++k) {
      if (plan[k].ranks.empty()) continue;
      frame.drawn[k] = drawn[k] = true;
      fields[k] = plan[k].fields;
      extents[k].add(plan[k].extent);
    }
    writer.add([this, number = frame.number, plan = std::move(plan),
                layers = std::make_shared<DrawingLayers>(drawing.take_layers())] {
      write_layers(number, plan, *layers);
      const std::scoped_lock lock(spare_mutex);
      spare.push_back(std::move(*layers));
    });
  }

  /// Names the frames that all ranks have written. Collective.
  void list_together() {
    auto whole = of_run_before + writer.done();
    MPI_Allreduce(MPI_IN_PLACE, &whole, 1, MPI_INT64_T, MPI_MIN, comm);
    together(comm, [&] {
      writer.rethrow();
      list(whole);
    });
  }

  /// The lines of one frame. All frames have the same blocks: a layer that is not drawn at a time refers to an empty file.
  std::string lines_of(const DrawnFrame& frame) {
    std::string text;
    int part = 0;
    for (int i = 0; i < canvas_layers; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (!listed_layers[k]) continue;
      const std::string file = frame.drawn[k] ? fmt::format("{}.pvtp", stem(frame.number, i)) : empty_file(i);
      text += fmt::format("    <DataSet timestep=\"{}\" part=\"{}\" name=\"{}\" file=\"{}/{}\"/>\n",
                          frame.time, part++, layer_name(i), xml_text(frames_folder), xml_text(file));
    }
    return text;
  }

  std::string lines_of_listed() {
    std::string text = pvd_begin;
    for (std::size_t i = 0; i < listed; ++i) text += lines_of(frames[i]);
    return text;
  }

  /// Lists the first `whole` frames of all series in the .pvd. The file is rewritten if the set of blocks has
  /// changed.
  void list(std::int64_t whole) {
    for (; listed < frames.size() && frames[listed].number < whole;) {
      const DrawnFrame& frame = frames[listed++];
      const auto before = listed_layers;
      for (std::size_t k = 0; k < canvas_layers; ++k) listed_layers[k] = listed_layers[k] || frame.drawn[k];
      if (rank != 0) continue;
      if (listed == 1 || before != listed_layers)
        listing = EndedFile(pvd, lines_of_listed(), pvd_end);
      else
        listing.add(lines_of(frame));
    }
  }

  /// Renames the series recorded so far and starts another one.
  void begin_series() {
    ++earlier_series;
    together(comm, [&] {
      if (rank == 0)
        replace_file(folder / fmt::format("{}_{}.pvd", name, earlier_series), lines_of_listed() + pvd_end);
    });
    frames.clear();
    listed = 0;
    drawn = listed_layers = {};
  }

  std::string empty_file(int layer) {
    std::string file = fmt::format("no_{}.vtp", layer_name(layer));
    const auto k = static_cast<std::size_t>(layer);
    if (!has_empty_file[k]) {
      LayerDrawing nothing;
      write_file(folder / frames_folder / file,
                 vtk_piece(nothing, fields[k], Coordinates::in_single_precision));
      has_empty_file[k] = true;
    }
    return file;
  }
};

VtkSeries::VtkSeries(Assembler& assembler, std::filesystem::path folder, std::string name)
    : parts_(std::make_unique<Parts>(assembler, std::move(folder), std::move(name), nullptr)) {}
VtkSeries::VtkSeries(Assembler& assembler, std::filesystem::path folder, std::string name, Archive& place)
    : parts_(std::make_unique<Parts>(assembler, std::move(folder), std::move(name), &place)) {}
VtkSeries::~VtkSeries() = default;

void VtkSeries::write_place(Archive& archive) {
  drain();
  std::int64_t of_all = bytes();
  parts_->serialize(archive, of_all);
}

void VtkSeries::record(const State& state) {
  Parts& p = *parts_;
  finish_drawing();
  if (!p.frames.empty() && p.frames.back().time == state.time) return;
  if (!p.frames.empty() && state.time < p.frames.back().time) {
    drain();
    p.begin_series();
  }

  p.set_detail(state);
  // All ranks list before any of them begins a further frame: no more than two are begun and not listed.
  p.writer.wait_for_room();
  p.list_together();
  p.begin_drawing(state);
  if (!p.drawer) p.finish_drawing();
  if (p.frames.size() == 1) drain();  // an error of the folder or of the disk comes at the start
}

bool VtkSeries::finish_drawing() {
  if (!parts_->is_drawing) return false;
  parts_->finish_drawing();
  return true;
}

void VtkSeries::drain() {
  finish_drawing();
  parts_->writer.wait();
  parts_->list_together();
}

bool VtkSeries::pass_on() {
  Parts& p = *parts_;
  if (p.assembler.layout().ranks() > 1) return false;
  if (const auto whole = p.of_run_before + p.writer.done();
      p.listed < p.frames.size() && p.frames[p.listed].number < whole)
    p.list(whole);
  return p.drawer && p.drawer->is_idle() && finish_drawing();
}

int VtkSeries::frames() const { return parts_->recorded; }

std::vector<double> VtkSeries::times() const {
  std::vector<double> times;
  for (const DrawnFrame& frame : parts_->frames) times.push_back(frame.time);
  return times;
}

std::int64_t VtkSeries::bytes() const {
  std::int64_t sum = parts_->bytes.load();
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, parts_->comm);
  return sum;
}

const std::filesystem::path& VtkSeries::pvd() const { return parts_->pvd; }
std::filesystem::path VtkSeries::frames_folder() const { return parts_->folder / parts_->frames_folder; }

double VtkSeries::glyph_size() const { return parts_->glyph_scale.size; }

std::vector<SeriesLayer> VtkSeries::layers() const {
  std::vector<SeriesLayer> layers;
  for (std::size_t i = 0; i < canvas_layers; ++i)
    if (parts_->drawn[i])
      layers.push_back({std::string(layer_name(static_cast<int>(i))), parts_->fields[i], parts_->extents[i]});
  return layers;
}

}  // namespace trammel
