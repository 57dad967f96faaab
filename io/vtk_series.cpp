#include "io/vtk_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "io/csv_outputs.hpp"
#include "io/recorder_files.hpp"
#include "io/recorder_visit.hpp"
#include "io/vtk_drawing.hpp"
#include "io/vtk_piece.hpp"
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
};

std::string describe(const VtkDrawing& drawing) {
  std::string text;
  for (int i = 0; i < canvas_layers; ++i) {
    const LayerDrawing& layer = drawing.layer(i);
    if (layer.empty()) continue;
    const DrawingExtent e = layer.extent();
    text += fmt::format("{} {} {} {} {} {}\n", i, fmt::join(e.low, " "), fmt::join(e.high, " "), e.force,
                        e.moment, layer.fields.size());
    for (const auto& [name, field] : layer.fields) text += fmt::format("{} {}\n", field.components, name);
  }
  return text;
}

/// Joins what the ranks said; fields in the order of their names.
FramePlan join(const std::vector<std::string>& texts) {
  FramePlan plan;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    std::istringstream in(texts[rank]);
    std::size_t layer = 0, count = 0;
    DrawingExtent e;
    while (in >> layer >> e.low[0] >> e.low[1] >> e.low[2] >> e.high[0] >> e.high[1] >> e.high[2] >>
           e.force >> e.moment >> count) {
      LayerPlan& to = plan[layer];
      to.extent.add(e);
      to.ranks.push_back(static_cast<int>(rank));
      for (std::size_t k = 0; k < count; ++k) {
        LayerField field;
        in >> field.components;
        in.ignore(1);
        std::getline(in, field.name);
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
  std::vector<DrawnFrame> frames;                ///< of the present series
  std::array<bool, canvas_layers> ever_drawn{};  ///< layers, in one of these frames
  EndedFile listing;                             ///< the .pvd, on rank 0
  int written = 0;
  int earlier_series = 0;
  std::array<std::vector<LayerField>, canvas_layers>
      fields;                                        ///< of each layer, in the last frame that drew it
  std::array<DrawingExtent, canvas_layers> extents;  ///< of each layer, over all frames
  std::array<bool, canvas_layers> has_empty_file{};
  std::int64_t bytes = 0;

  Parts(Assembler& assembler_, std::filesystem::path folder_, std::string name_)
      : assembler(assembler_),
        folder(std::move(folder_)),
        name(std::move(name_)),
        pvd(folder / (name + ".pvd")),
        frames_folder(name + "_vtk"),
        comm(assembler_.layout().comm()),
        rank(assembler_.layout().rank()) {
    together(comm, [&] {
      if (rank != 0) return;
      make_folder(folder / frames_folder);
      remove_earlier();
      write_entities();
    });
  }

  void remove_earlier() const {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder / frames_folder, ignored))
      if (is_of_frame(entry.path().filename().string())) std::filesystem::remove(entry.path(), ignored);
    std::filesystem::remove(pvd, ignored);
    for (int n = 1; std::filesystem::remove(folder / fmt::format("{}_{}.pvd", name, n), ignored); ++n) {
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

  static std::string stem(int number, int layer) {
    return fmt::format("{:06}_{}", number, layer_name(layer));
  }

  void write(const std::filesystem::path& path, const std::string& text) {
    write_file(path, text);
    bytes += static_cast<std::int64_t>(text.size());
  }

  void write_layers(const FramePlan& plan, DrawnFrame& frame) {
    const std::filesystem::path to = folder / frames_folder;
    for (int i = 0; i < canvas_layers; ++i) {
      const LayerPlan& layer = plan[static_cast<std::size_t>(i)];
      if (layer.ranks.empty()) continue;
      frame.drawn[static_cast<std::size_t>(i)] = true;
      fields[static_cast<std::size_t>(i)] = layer.fields;
      extents[static_cast<std::size_t>(i)].add(layer.extent);
      const std::string name_here = stem(frame.number, i);
      const auto source = [&](int of_rank) { return fmt::format("{}_{}.vtp", name_here, of_rank); };
      if (!drawing.layer(i).empty()) write(to / source(rank), vtk_piece(drawing.layer(i), layer.fields));
      if (rank != 0) continue;
      std::vector<std::string> sources;
      for (const int r : layer.ranks) sources.push_back(source(r));
      write(to / (name_here + ".pvtp"), vtk_pieces(layer.fields, sources));
    }
  }

  /// The lines of one frame. The blocks are the same at every time: a layer that is not drawn at one of them refers to
  /// an empty file.
  std::string lines_of(const DrawnFrame& frame) {
    std::string text;
    int part = 0;
    for (int i = 0; i < canvas_layers; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (!ever_drawn[k]) continue;
      const std::string file = frame.drawn[k] ? fmt::format("{}.pvtp", stem(frame.number, i)) : empty_file(i);
      text += fmt::format("    <DataSet timestep=\"{}\" part=\"{}\" name=\"{}\" file=\"{}/{}\"/>\n",
                          frame.time, part++, layer_name(i), xml_text(frames_folder), xml_text(file));
    }
    return text;
  }

  std::string lines_of_all() {
    std::string text = pvd_begin;
    for (const DrawnFrame& frame : frames) text += lines_of(frame);
    return text;
  }

  /// Adds the last frame to the .pvd, which is written anew where the blocks are others than before.
  void list_frame() {
    const auto before = ever_drawn;
    for (std::size_t i = 0; i < canvas_layers; ++i) ever_drawn[i] = ever_drawn[i] || frames.back().drawn[i];
    if (rank != 0) return;
    if (frames.size() == 1 || before != ever_drawn)
      listing = EndedFile(pvd, lines_of_all(), pvd_end);
    else
      listing.add(lines_of(frames.back()));
  }

  std::string empty_file(int layer) {
    const std::string file = fmt::format("no_{}.vtp", layer_name(layer));
    const auto k = static_cast<std::size_t>(layer);
    if (!has_empty_file[k]) {
      LayerDrawing nothing;
      write_file(folder / frames_folder / file, vtk_piece(nothing, fields[k]));
      has_empty_file[k] = true;
    }
    return file;
  }
};

VtkSeries::VtkSeries(Assembler& assembler, std::filesystem::path folder, std::string name)
    : parts_(std::make_unique<Parts>(assembler, std::move(folder), std::move(name))) {}
VtkSeries::~VtkSeries() = default;

void VtkSeries::record(const State& state) {
  Parts& p = *parts_;
  if (!p.frames.empty() && p.frames.back().time == state.time) return;
  if (!p.frames.empty() && state.time < p.frames.back().time) {
    ++p.earlier_series;
    together(p.comm, [&] {
      if (p.rank == 0)
        replace_file(p.folder / fmt::format("{}_{}.pvd", p.name, p.earlier_series),
                     p.lines_of_all() + pvd_end);
    });
    p.frames.clear();
    p.ever_drawn = {};
  }

  p.drawing.clear();
  visit_together(p.assembler, state,
                 [&](const ElementRange& range, int i, const LocalState& x, const ReactionShares& shares) {
                   p.drawing.begin(range.entity(i));
                   if (shares.active) range.draw(i, x, shares, p.drawing);
                 });
  p.drawing.finish();

  DrawnFrame frame{p.written, state.time, {}};
  const FramePlan plan = join(all_texts(p.comm, describe(p.drawing)));
  together(p.comm, [&] { p.write_layers(plan, frame); });
  p.frames.push_back(frame);
  ++p.written;
  together(p.comm, [&] { p.list_frame(); });
}

int VtkSeries::frames() const { return parts_->written; }

std::vector<double> VtkSeries::times() const {
  std::vector<double> times;
  for (const DrawnFrame& frame : parts_->frames) times.push_back(frame.time);
  return times;
}

std::int64_t VtkSeries::bytes() const {
  std::int64_t sum = parts_->bytes;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, parts_->comm);
  return sum;
}

const std::filesystem::path& VtkSeries::pvd() const { return parts_->pvd; }

std::vector<SeriesLayer> VtkSeries::layers() const {
  std::vector<SeriesLayer> layers;
  for (std::size_t i = 0; i < canvas_layers; ++i)
    if (parts_->ever_drawn[i])
      layers.push_back({std::string(layer_name(static_cast<int>(i))), parts_->fields[i], parts_->extents[i]});
  return layers;
}

}  // namespace trammel
