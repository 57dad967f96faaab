#include "restart.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "io/recorder_ranks.hpp"
#include "solvers/rank_bytes.hpp"
#include "trammel/quoted.hpp"

namespace trammel {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_named = 10;  // differences, in a message

/// "a; b; c and 4 more".
std::string list_of(const std::vector<std::string>& all) {
  const std::size_t shown = std::min(all.size(), most_named);
  std::string text =
      fmt::format("{}", fmt::join(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), "; "));
  if (shown < all.size()) text += fmt::format("; and {} more", all.size() - shown);
  return text;
}

std::string described(const std::string& entity) {
  const std::size_t first = entity.find('\t'), last = entity.rfind('\t');
  return fmt::format("{} '{}' ({})", entity.substr(0, first), entity.substr(first + 1, last - first - 1),
                     entity.substr(last + 1));
}

/// Throws Error where the entities are others: their numbers name all that was saved.
void require_entities(const std::vector<std::string>& before, const std::vector<std::string>& now) {
  if (before == now) return;
  const std::set<std::string> old(before.begin(), before.end()), present(now.begin(), now.end());
  std::vector<std::string> missing, fresh;
  for (const std::string& entity : old)
    if (!present.contains(entity)) missing.push_back(described(entity));
  for (const std::string& entity : present)
    if (!old.contains(entity)) fresh.push_back(described(entity));
  if (missing.empty() && fresh.empty())
    throw Error("the case has the entities of the checkpoint in another order");
  throw Error(fmt::format("the case has other entities than the checkpoint; missing: {}; new: {}",
                          missing.empty() ? "none" : list_of(missing),
                          fresh.empty() ? "none" : list_of(fresh)));
}

/// The number of the stage and the rest of "stages[1].until"; -1 for other paths.
std::pair<int, std::string_view> stage_path(std::string_view path) {
  constexpr std::string_view head = "stages[";
  if (!path.starts_with(head)) return {-1, path};
  int number = -1;
  const auto [end, error] = std::from_chars(path.data() + head.size(), path.data() + path.size(), number);
  const std::size_t from = static_cast<std::size_t>(end - path.data());
  return {number, path.substr(std::min(from + 2, path.size()))};
}

/// Whether this part of the case may differ from the checkpoint's case.
bool may_differ(const std::string& path, const std::vector<Stage>& stages, int stage) {
  const auto [number, key] = stage_path(path);
  if (number < stage) return false;
  if (key == "name" || key == "newton" || key.starts_with("newton.")) return true;
  if (key != "until" || number >= static_cast<int>(stages.size())) return false;
  // The load of a static stage follows its clock.
  return number > stage ||
         std::holds_alternative<DynamicStage>(stages[static_cast<std::size_t>(number)].what);
}

std::vector<std::string> differences_of(const Checkpoint& before, const Checkpoint& now,
                                        const std::vector<Stage>& stages) {
  std::vector<std::string> all;
  if (before.program != now.program)
    all.push_back(fmt::format("trammel {}, was {}", now.program, before.program));
  for (const auto& [name, version] : before.plugins) {
    const auto same = std::ranges::find(now.plugins, name, &NamedVersion::first);
    if (same == now.plugins.end())
      all.push_back(fmt::format("plugin '{}' is missing", name));
    else if (same->second != version)
      all.push_back(fmt::format("plugin '{}' {}, was {}", name, same->second, version));
  }
  const int stage = before.snapshot.stage;
  for (std::string& line : differences(before.case_lines, now.case_lines, [&](const std::string& path) {
         return may_differ(path, stages, stage);
       }))
    all.push_back(std::move(line));
  return all;
}

double end_of(const Stage& stage) {
  if (const auto* motion = std::get_if<DynamicStage>(&stage.what)) return motion->until;
  if (const auto* loading = std::get_if<StaticStage>(&stage.what)) return loading->until;
  return 0;
}

/// Throws Error where nothing is left to do.
void require_rest(const SnapshotContents& snapshot, const std::vector<Stage>& stages) {
  if (snapshot.stage < 0 || snapshot.stage >= static_cast<int>(stages.size()))
    throw Error(fmt::format("the checkpoint lies in stage {}, and the case has {}", snapshot.stage + 1,
                            stages.size()));
  const double until = end_of(stages[static_cast<std::size_t>(snapshot.stage)]);
  if (snapshot.time > until)
    throw Error(
        fmt::format("the checkpoint lies at t = {:.9g} s, beyond the end of stage {} at 'until' = {:.9g} s",
                    snapshot.time, snapshot.stage + 1, until));
  if (snapshot.stage_ended && snapshot.time >= until && snapshot.stage + 1 == static_cast<int>(stages.size()))
    throw Error(fmt::format(
        "the run is finished: the checkpoint lies at its end, t = {:.9g} s; a later 'until' lets it go on",
        until));
}

/// Checks a checkpoint and returns notes for the log. Throws Error.
std::vector<std::string> checked(const Checkpoint& before, const Checkpoint& now,
                                 const std::vector<Stage>& stages, bool anyway) {
  require_entities(before.entities, now.entities);
  std::vector<std::string> notes;
  const std::vector<std::string> differ = differences_of(before, now, stages);
  if (!differ.empty() && !anyway)
    throw Error(
        fmt::format("the case is not that of the checkpoint: {} (--restart-anyway goes on all the same)",
                    list_of(differ)));
  for (const std::string& line : differ) notes.push_back("WARNING: goes on although it differs: " + line);
  if (!differ.empty())
    notes.push_back(
        "taken over from the checkpoint: positions, velocities, multipliers and the histories of all "
        "entities");
  require_rest(before.snapshot, stages);
  return notes;
}

/// The checkpoint that the user names, else the last of the folder that is not damaged.
void choose(const CommandLine& command, const fs::path& folder, RestartPoint& point) {
  if (!command.restart->empty()) {
    point.file = *command.restart;
    point.checkpoint = read_checkpoint(point.file);
    const fs::path from = point.file.has_parent_path() ? point.file.parent_path() : fs::path(".");
    std::error_code ignored;
    point.in_its_folder = fs::equivalent(from, folder, ignored);
    if (!point.in_its_folder && command.folder.empty())
      throw Error(
          fmt::format("the checkpoint '{}' does not lie in the folder of results '{}': -o {} goes on with "
                      "the files there, -o with "
                      "another folder begins new ones",
                      point.file.string(), folder.string(), from.string()));
    return;
  }
  const std::vector<fs::path> found = checkpoints_in(folder);
  if (found.empty())
    throw Error(fmt::format("there is no checkpoint to go on from: looked for {}",
                            in_quotes((folder / "checkpoint_*.h5").string())));
  for (std::size_t i = found.size(); i-- > 0;) {
    try {
      point.file = found[i];
      point.checkpoint = read_checkpoint(found[i]);
      return;
    } catch (const Error& error) {
      if (i == 0) throw;
      point.notes.push_back(fmt::format("WARNING: {}; goes on from the one before", error.what()));
    }
  }
}

}  // namespace

Checkpoint about_run(const Session& session, const std::string& name, int ranks) {
  Checkpoint about;
  about.program = TRAMMEL_VERSION;
  about.ranks = ranks;
  about.name = name;
  about.case_lines = lines_of(session.file);
  std::set<std::string> used;
  for (const Entity& entity : session.model.entities) {
    about.entities.push_back(entity.category + "\t" + entity.name + "\t" + entity.type);
    used.insert(entity.plugin);
  }
  for (const LoadedPlugin& plugin : session.plugins.loaded())
    if (used.contains(plugin.name)) about.plugins.emplace_back(plugin.name, plugin.version);
  return about;
}

RestartPoint find_restart(const CommandLine& command, const Session& session,
                          const std::vector<Stage>& stages, const fs::path& folder) {
  RestartPoint point;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(session.comm, &rank);
  MPI_Comm_size(session.comm, &ranks);
  Archive written;
  together(session.comm, [&] {
    if (rank != 0) return;
    choose(command, folder, point);
    try {
      for (std::string& note :
           checked(point.checkpoint, about_run(session, "", ranks), stages, command.restart_anyway))
        point.notes.push_back(std::move(note));
    } catch (const Error& error) {
      throw Error(fmt::format("cannot go on from '{}': {}", point.file.string(), error.what()));
    }
    std::string file = point.file.string();
    written(file, point.in_its_folder, point.notes, point.checkpoint);
  });
  std::vector<std::byte> bytes = written.bytes();
  broadcast_bytes(bytes, session.comm);
  Archive archive(bytes);
  std::string file;
  archive(file, point.in_its_folder, point.notes, point.checkpoint);
  point.file = file;
  return point;
}

}  // namespace trammel
