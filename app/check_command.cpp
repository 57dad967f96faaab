#include <array>
#include <set>
#include <string>

#include <fmt/format.h>

#include "commands.hpp"
#include "derivative_check.hpp"
#include "io/process/recorder_ranks.hpp"
#include "kernel/layout.hpp"
#include "law_verification.hpp"
#include "output_reader.hpp"
#include "session.hpp"
#include "solvers/constraints/constraint_rank.hpp"
#include "solvers/newton/model_scales.hpp"
#include "solvers/reviews/model_history.hpp"
#include "solvers/start/algebraic_rules.hpp"
#include "stage_reader.hpp"
#include "standard_streams.hpp"

namespace trammel {

namespace {

constexpr std::array<const char*, block_kinds> kind_titles{
    "positions",          "rotations",   "coordinates",         "states",
    "algebraic unknowns", "multipliers", "velocity multipliers"};

std::string counted_blocks(const Model& model, const Layout& layout) {
  std::array<long, block_kinds> blocks{}, numbers{};
  long fixed = 0, shared = 0;
  for (const BlockId id : model.blocks.ids()) {
    const BlockRoot& root = layout.root(id);
    const Block& block = model.block(id);
    if (root.fixed) {
      if (!is_multiplier(block.kind)) ++fixed;
    } else if (root.root != id) {
      ++shared;
    } else {
      const auto kind = static_cast<std::size_t>(block.kind);
      ++blocks[kind];
      numbers[kind] += block.size;
    }
  }
  std::string text;
  for (std::size_t k = 0; k < blocks.size(); ++k)
    if (blocks[k] > 0)
      text += fmt::format("  {:<22}{:>9}  ({} unknowns)\n", kind_titles[k], blocks[k], numbers[k]);
  if (shared > 0) text += fmt::format("  {:<22}{:>9}\n", "shared with others", shared);
  if (fixed > 0) text += fmt::format("  {:<22}{:>9}\n", "held by the ground", fixed);
  return text;
}

std::string notes(const Model& model) {
  std::string text;
  std::set<std::string> shown;
  for (const ModelNote& note : model.notes) {
    if (!shown.insert(note.text).second) continue;  // of bodies that are alike
    const Entity& entity = model.entities[static_cast<std::size_t>(note.entity)];
    text += fmt::format("\n{} '{}': {}\n{}\n", entity.category, entity.name, note.title, note.text);
  }
  return text;
}

}  // namespace

void check_case(const CommandLine& command, MPI_Comm comm) {
  Session session(command, comm, Session::Extent::whole);
  const std::vector<Stage> stages = read_stages(session.file, session.plugins.registry());
  read_output(session.file);
  const bool kept = session.loops_repeat_constraints();
  const std::string model_notes = notes(session.model);
  const std::vector<std::string> entities = counted_entities(session.model);
  Layout layout(comm, session.model, {.identify = !kept});
  const std::string blocks = counted_blocks(session.model, layout);
  DerivativeCheck derivatives;
  together(comm, [&] {
    int of_comm = 0;
    MPI_Comm_rank(comm, &of_comm);
    if (command.derivatives && of_comm == 0)
      derivatives =
          command.at ? check_all_derivatives_at(*command.at, session.file, session.plugins.registry(), stages)
                     : check_all_derivatives(session.model);
  });
  require_unknowns(session, layout.global_size());
  const RankPartition largest = layout.largest_partition();
  Assembler assembler(session.model, layout);
  State start = layout.initial_state();
  ModelHistory(assembler).begin(start, {.why = Begin::Why::start});
  require_algebraic_rules(assembler, start);
  ConstraintRank rank(assembler, measure_scales(assembler, start).length);
  rank.find(start);

  if (layout.rank() != 0) return;
  const std::string& title = session.file.title();
  std::string text = title.empty() ? "" : title + "\n\n";
  text += "model\n";
  for (const std::string& line : entities) text += "  " + line + "\n";
  text += "blocks\n" + blocks;
  text += fmt::format("unknowns\n  {:<22}{:>9}\n", "in all", layout.global_size());
  long constraints = -static_cast<long>(assembler.statuses().rows().size());
  for (const BlockId id : session.model.blocks.ids())
    if (const Block& block = session.model.block(id);
        is_multiplier(block.kind) && layout.carries_unknowns(id))
      constraints += block.size;
  text += fmt::format("  {:<22}{:>9}\n", "constraint equations", constraints);
  text += fmt::format("  {:<22}{:>9}\n", "redundant equations", rank.dependent().size());
  for (const std::string& line : rank.in_words()) text += "    " + line + "\n";
  text += fmt::format("  {:<22}{:>9}  (at the start)\n", "degrees of freedom", rank.degrees_of_freedom());
  if (kept) text += "  joints share no blocks: closed loops make constraints redundant\n";
  text += fmt::format("partition\n  {:<22}{:>9}\n", "ranks", layout.ranks());
  text += fmt::format("  {:<22}{:>9}  (and {} of its neighbours)\n", "largest partition",
                      largest.owned_unknowns, largest.ghost_unknowns);
  text += "stages\n";
  for (std::size_t i = 0; i < stages.size(); ++i)
    text += fmt::format("  {}. {}{}\n", i + 1, kind_name(stages[i]),
                        stages[i].name.empty() ? "" : " '" + stages[i].name + "'");
  say(text + model_notes);
  if (command.derivatives) {
    say(fmt::format("\nderivatives\n  {} instances; worst entry off by {:.2g} of its block's size: {}\n",
                    derivatives.instances, derivatives.error, derivatives.where));
    if (!derivatives.not_smooth.empty())
      say(fmt::format("  not smooth at the start, so held beside it: {}\n", derivatives.not_smooth));
    if (!derivatives.unrepeated.empty()) throw Error(results_differ(derivatives.unrepeated));
    if (!(derivatives.error <= derivative_bound))
      throw Error(fmt::format(
          "a derivative differs from differences by {:.2g} of its block's size (bound {:.0e}): {}",
          derivatives.error, derivative_bound, derivatives.where));
    if (!(derivatives.together <= derivative_bound))
      throw Error(
          fmt::format("several elements evaluated together (`evaluate_residuals`, `evaluate_tangents`, "
                      "`energies`) give other numbers than each of them alone, off by "
                      "{:.2g} of the block's size (bound {:.0e}): {}",
                      derivatives.together, derivative_bound, derivatives.together_where));
  }
  say(fmt::format("\n{}: no errors found\n", session.file.file()));
}

}  // namespace trammel
