#include "solvers/who_asks.hpp"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "trammel/collective_errors.hpp"
#include "trammel/plugin_call.hpp"

namespace trammel {

std::string who_asks(Assembler& assembler, const State& trial, const StepInfo& step, Review::Verdict verdict,
                     const std::string& else_this) {
  const Model& model = assembler.model();
  const Layout& layout = assembler.layout();
  constexpr double none = std::numeric_limits<double>::infinity();
  struct {
    double time;
    int rank;
  } first{none, layout.rank()};
  int entity = -1;
  std::vector<BlockPlace> places;
  LocalFault fault;
  const Entity* asked = nullptr;
  try {
    for (const Model::Range& range : model.ranges)
      for (int i = 0; i < range.instances->size(); ++i) {
        asked = &model.entities[static_cast<std::size_t>(range.instances->entity(i))];
        places.clear();
        for (const BlockId id : range.instances->stencil(i)) places.push_back(layout.place(id));
        const PluginCall call(*asked);
        const Review answer = range.instances->review(i, LocalState(trial, places.data()), step);
        if (answer.verdict != verdict) continue;
        const double time = verdict == Review::Verdict::cut ? answer.cut_time : step.end;
        if (!(time < first.time)) continue;
        first.time = time;
        entity = range.instances->entity(i);
      }
  } catch (...) {
    fault.capture(asked, layout.rank(), trial.time);
  }
  if (!fault.agree(layout.comm())) return else_this;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_DOUBLE_INT, MPI_MINLOC, layout.comm());
  MPI_Bcast(&entity, 1, MPI_INT, first.rank, layout.comm());
  if (entity < 0) return else_this;
  const Entity& e = model.entities[static_cast<std::size_t>(entity)];
  return fmt::format("{} '{}' ({})", e.category, e.name, e.type);
}

}  // namespace trammel
