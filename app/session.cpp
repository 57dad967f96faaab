#include "session.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>
#include <petscsys.h>

#include "mpi_libraries.hpp"
#include "solvers/constraints/constraint_rank.hpp"
#include "solvers/newton/model_scales.hpp"
#include "solvers/reviews/model_history.hpp"
#include "stage_reader.hpp"
#include "trammel/former_names.hpp"

namespace trammel {

Plugins::Plugins(const CommandLine& command) : loader_(registry_) {
  for (const StageType& type : stage_types()) registry_.reserve(Type::Category::stage, type.name);
  for (const FunctionType& type : described_functions())
    registry_.reserve(Type::Category::function, type.name);
  loader_.load_defaults();
  if (command.action != CommandLine::Action::list) warn_of_rejected();
  for (const std::string& path : command.plugins) loader_.load(path);
}

void warn_of_second_mpi() {
  const std::string second = second_mpi_library();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && !second.empty())
    fmt::print(stderr,
               "trammel: warning: {}: its calls of MPI fail or crash; link plugins to no MPI library, or to "
               "that one\n",
               second);
}

/// A case that needs nothing of such a file can run without it.
void Plugins::warn_of_rejected() const {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const RejectedPlugin& file : loader_.rejected())
    if (rank == 0) fmt::print(stderr, "trammel: warning: passed over: {}\n", file.reason);
}

void Plugins::load(const CaseFile& file) {
  for (const CaseFile::Plugin& plugin : file.plugins()) {
    try {
      loader_.load(plugin.path);
    } catch (const Error& error) {
      throw Error(plugin.where, error.what());
    }
  }
  warn_of_second_mpi();
}

namespace {

/// Entities from which on the ranks expand a case by partition; before that the whole is as quick.
constexpr PetscInt least_for_partition = 10'000;

/// Notes that the case uses a former name, and gives the present one.
void note_former_name(MPI_Comm comm, const std::string& text) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) fmt::print(stderr, "trammel: NOTE: {}\n", text);
}

/// The number of entities that the option asks for, by its present or its former name.
PetscInt least_of_partition(MPI_Comm comm) {
  PetscInt least = least_for_partition;
  PetscBool former = PETSC_FALSE;
  const auto [before, now] = former_partition_option;
  PetscOptionsGetInt(nullptr, nullptr, before.data(), &least, &former);
  PetscOptionsGetInt(nullptr, nullptr, now.data(), &least, nullptr);
  if (former == PETSC_TRUE) note_former_name(comm, told_of_former_name(before, now));
  return least;
}

}  // namespace

Session::Session(const CommandLine& command, MPI_Comm all_ranks, Extent extent)
    : file(command.case_file, command.parameters), plugins(command), comm(all_ranks) {
  plugins.load(file);
  build(model, extent);
  std::set<std::string> told;
  for (const ModelNote& note : model.notes)
    if (note.title == former_name_note && told.insert(note.text).second) note_former_name(comm, note.text);
}

void Session::build(Model& into, Extent extent) {
  const PetscInt least = least_of_partition(comm);
  into.keep_notes = extent == Extent::whole;
  const int partition_from =
      extent == Extent::partition ? static_cast<int>(least) : std::numeric_limits<int>::max();
  file.build(plugins.registry(), into, comm, partition_from);
  // What only building looked up.
  into.markers.clear();
  into.marker_room->release();
  into.masses = std::vector<MassPoint>();
  into.entities.shrink_to_fit();
}

bool Session::loops_repeat_constraints() {
  if (Identification(model, true, comm).total() == 0) return false;
  Layout layout(comm, model, {});
  Assembler assembler(model, layout);
  State state = layout.initial_state();
  ModelHistory(assembler).begin(state, {.why = Begin::Why::start});
  ConstraintRank rank(assembler, measure_scales(assembler, state).length);
  rank.find(state);
  return !rank.dependent().empty();
}

void require_unknowns(const Session& session, long unknowns) {
  if (unknowns > 0) return;
  const auto bodies = std::ranges::count(session.model.entities, category_name(Type::Category::body),
                                         [](const Entity& e) -> std::string_view { return e.category; });
  throw Error(Location{session.file.file(), 0, 0},
              "the case has no unknowns: " +
                  (bodies == 0 ? std::string("it has no 'bodies'")
                               : fmt::format("joints fix {} to the ground",
                                             bodies == 1 ? "its only body"
                                                         : fmt::format("all its {} bodies", bodies))));
}

std::vector<std::string> counted_entities(const Model& model) {
  std::map<std::string, std::map<std::string, int>> counts;
  for (const Entity& entity : model.entities) ++counts[entity.category][entity.type];
  static const std::vector<std::pair<std::string, std::string>> plurals{
      {"body", "bodies"},
      {"curve", "curves"},
      {"surface", "surfaces"},
      {"joint", "joints"},
      {"coordinate", "on joint coordinates"},
      {"element", "elements"},
      {"load", "loads"},
      {"sensor", "sensors"}};
  std::vector<std::string> lines;
  for (const auto& [category, plural] : plurals) {
    const auto found = counts.find(category);
    if (found == counts.end()) continue;
    int total = 0;
    std::string types;
    for (const auto& [type, count] : found->second) {
      total += count;
      types += fmt::format("{}{} {}", types.empty() ? "" : ", ", count, type);
    }
    lines.push_back(fmt::format("{:<22}{:>9}  ({})", plural, total, types));
  }
  return lines;
}

}  // namespace trammel
