#include "io/drawing/drawing_start.hpp"

#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/process/recorder_ranks.hpp"

namespace trammel {

namespace {

/// An instance by its entity, the number of its class, and its number among the entity's instances of that class.
using InstanceNumber = std::array<std::int32_t, 3>;

/// What one rank drew, with the names of the classes.
struct RankStart {
  bool drawn = false;
  std::vector<std::string> classes;
  std::vector<std::pair<InstanceNumber, VtkDrawing::InstanceStart>> instances;

  void serialize(Archive& archive) { archive(drawn, classes, instances); }
};

/// The instances of this rank in the order in which they are visited; the second number is that of the class among the
/// model's ranges.
std::vector<InstanceNumber> instances_here(Assembler& assembler) {
  std::vector<InstanceNumber> all;
  const Model& model = assembler.model();
  for (std::size_t r = 0; r < model.ranges.size(); ++r) {
    const ElementRange& range = *model.ranges[r].instances;
    const std::span<const int> mine = assembler.layout().instances(r);
    std::map<int, std::int32_t> count;  // by entity, of all its instances: every rank that has some has all
    auto next = mine.begin();
    for (int i = 0; i < range.size() && next != mine.end(); ++i) {
      const int entity = range.entity(i);
      const std::int32_t ordinal = count[entity]++;
      if (*next != i) continue;
      ++next;
      all.push_back({entity, static_cast<std::int32_t>(r), ordinal});
    }
  }
  return all;
}

}  // namespace

void archive_drawing_start(Archive& archive, Assembler& assembler, VtkDrawing& drawing) {
  const Model& model = assembler.model();
  const std::vector<InstanceNumber> here = instances_here(assembler);
  std::vector<std::string> texts;
  if (!archive.reads()) {
    RankStart mine;
    mine.drawn = drawing.has_start();
    for (const Model::Range& range : model.ranges) mine.classes.push_back(range.key);
    std::vector<VtkDrawing::InstanceStart> starts = drawing.starts();
    for (std::size_t k = 0; k < starts.size(); ++k)
      if (!starts[k].empty()) mine.instances.emplace_back(here.at(k), std::move(starts[k]));
    Archive written;
    mine.serialize(written);
    const auto* begin = reinterpret_cast<const char*>(written.bytes().data());
    texts = gather_texts(assembler.layout().comm(), std::string_view(begin, written.bytes().size()));
    archive(texts);
    return;
  }

  archive(texts);
  std::map<std::string, std::int32_t> class_here;
  for (std::size_t r = 0; r < model.ranges.size(); ++r)
    class_here[model.ranges[r].key] = static_cast<std::int32_t>(r);
  std::map<InstanceNumber, VtkDrawing::InstanceStart> known;
  bool drawn = false;
  for (const std::string& text : texts) {
    Archive read(std::as_bytes(std::span(text)));
    RankStart one;
    one.serialize(read);
    drawn = drawn || one.drawn;
    for (auto& [number, start] : one.instances) {
      const auto [entity, of_class, ordinal] = number;
      const auto at = class_here.find(one.classes.at(static_cast<std::size_t>(of_class)));
      if (at != class_here.end())
        known.insert_or_assign(InstanceNumber{entity, at->second, ordinal}, std::move(start));
    }
  }
  if (!drawn) return;
  std::vector<VtkDrawing::InstanceStart> starts;
  for (const InstanceNumber& number : here) {
    const auto at = known.find(number);
    starts.push_back(at == known.end() ? VtkDrawing::InstanceStart{number[0], {}, {}, {}, {}, {}}
                                       : std::move(at->second));
  }
  drawing.set_starts(std::move(starts));
}

}  // namespace trammel
