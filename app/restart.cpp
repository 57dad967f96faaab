#include "restart.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include "io/process/recorder_ranks.hpp"
#include "solvers/ranks/rank_bytes.hpp"
#include "solvers/run/snapshot_transfer.hpp"
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

/// What the entities of a case differ by from those of a checkpoint.
struct EntityChanges {
  std::vector<std::string> missing, fresh, kept;  ///< described
  bool other_order = false;
  std::vector<int> numbers;  ///< by number in the checkpoint: that in the case, -1 of a missing one

  bool any() const { return other_order || !missing.empty() || !fresh.empty(); }
};

EntityChanges entity_changes(const std::vector<std::string>& before, const std::vector<std::string>& now) {
  EntityChanges changes;
  std::map<std::string, int> number;
  for (int e = 0; e < static_cast<int>(now.size()); ++e) number[now[static_cast<std::size_t>(e)]] = e;
  for (const std::string& entity : before) {
    const auto found = number.find(entity);
    changes.numbers.push_back(found == number.end() ? -1 : found->second);
    (found == number.end() ? changes.missing : changes.kept).push_back(described(entity));
  }
  const std::set<std::string> old(before.begin(), before.end());
  for (const std::string& entity : now)
    if (!old.contains(entity)) changes.fresh.push_back(described(entity));
  changes.other_order = changes.missing.empty() && changes.fresh.empty() && before != now;
  return changes;
}

/// In words, for an error.
std::string text_of(const EntityChanges& changes) {
  if (changes.other_order) return "the case has the entities of the checkpoint in another order";
  const auto named = [](const std::vector<std::string>& all) {
    return all.empty() ? std::string("none") : list_of(all);
  };
  return fmt::format("the case has other entities than the checkpoint; missing: {}; new: {}",
                     named(changes.missing), named(changes.fresh));
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

/// Versions of the program and of plugins that are others, in words.
std::vector<std::string> version_changes(const Checkpoint& before, const Checkpoint& now) {
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
  return all;
}

/// Whether a value of the case leaves what was saved of the stage under way as it is: of other stages, and names of plugins' files.
bool leaves_stage(const std::string& path, int stage) {
  const int number = stage_path(path).first;
  return (number >= 0 && number != stage) || path.starts_with("plugins");
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

/// How a case differs from that of a checkpoint.
struct CaseChanges {
  EntityChanges entities;
  std::vector<std::string> lines;  ///< versions and values, in words
  bool anew = false;               ///< the stage under way must begin anew
};

CaseChanges changes_of(const Checkpoint& before, const Checkpoint& now, const std::vector<Stage>& stages) {
  CaseChanges changes;
  changes.entities = entity_changes(before.entities, now.entities);
  changes.anew = changes.entities.any();
  changes.lines = version_changes(before, now);
  const int stage = before.snapshot.stage;
  const auto lines = differences(before.case_lines, now.case_lines, [&](const std::string& path) {
    const bool may = may_differ(path, stages, stage);
    if (!may && !leaves_stage(path, stage)) changes.anew = true;
    return may;
  });
  changes.lines.insert(changes.lines.end(), lines.begin(), lines.end());
  return changes;
}

/// Throws Error where the run cannot go on.
void check(const Checkpoint& before, const CaseChanges& changes, const std::vector<Stage>& stages,
           bool anyway, const RestartPoint& point) {
  constexpr const char* way = " (--restart-anyway goes on all the same)";
  if (changes.entities.any() && !anyway) throw Error(text_of(changes.entities) + way);
  if (!changes.lines.empty() && !anyway)
    throw Error(fmt::format("the case is not that of the checkpoint: {}{}", list_of(changes.lines), way));
  if (changes.entities.any() && point.in_its_folder)
    throw Error(fmt::format(
        "{}: histories and series begin anew, so -o must name another folder than the checkpoint's",
        text_of(changes.entities)));
  require_rest(before.snapshot, stages);
}

/// Lines for the log that say what comes from where.
std::vector<std::string> notes_of(const CaseChanges& changes, const Untransferred& left,
                                  const std::vector<std::string>& entities, double time) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < std::min(changes.lines.size(), most_named); ++i)
    notes.push_back("WARNING: goes on although it differs: " + changes.lines[i]);
  if (changes.lines.size() > most_named)
    notes.push_back(fmt::format("WARNING: and in {} more values", changes.lines.size() - most_named));
  if (changes.entities.any()) notes.push_back("WARNING: " + text_of(changes.entities));
  std::set<std::string> initial(changes.entities.fresh.begin(), changes.entities.fresh.end()), forgetful;
  const auto named = [&](int entity) { return described(entities[static_cast<std::size_t>(entity)]); };
  for (const int entity : left.states) initial.insert(named(entity));
  for (const int entity : left.histories) forgetful.insert(named(entity));
  std::vector<std::string> taken;
  for (const std::string& entity : changes.entities.kept)
    if (!initial.contains(entity)) taken.push_back(entity);
  const auto listed = [](const std::set<std::string>& all) {
    return list_of(std::vector<std::string>(all.begin(), all.end()));
  };
  notes.push_back("taken over from the checkpoint: positions, velocities, multipliers and the histories of " +
                  (taken.size() == entities.size() ? std::string("all entities")
                   : taken.empty()                 ? std::string("no entity")
                                                   : list_of(taken)));
  if (!initial.empty()) notes.push_back("begins at its initial value: " + listed(initial));
  if (!forgetful.empty()) notes.push_back("its history begins anew: " + listed(forgetful));
  if (!changes.entities.missing.empty())
    notes.push_back("dropped from the checkpoint: " + list_of(changes.entities.missing));
  if (changes.anew)
    notes.push_back(fmt::format(
        "the stage begins anew at t = {:.9g} s: its start, its energy balance and its count of steps", time));
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

std::vector<std::string> entities_of(const Model& model) {
  std::vector<std::string> all;
  for (const Entity& entity : model.entities)
    all.push_back(entity.category + "\t" + entity.name + "\t" + entity.type);
  return all;
}

Checkpoint about_run(const Session& session, const std::string& name, int ranks) {
  Checkpoint about;
  about.program = TRAMMEL_VERSION;
  about.ranks = ranks;
  about.name = name;
  about.case_lines = lines_of(session.file);
  std::set<std::string> used;
  for (const Entity& entity : session.model.entities) used.insert(entity.plugin);
  for (const LoadedPlugin& plugin : session.plugins.loaded())
    if (used.contains(plugin.name)) about.plugins.emplace_back(plugin.name, plugin.version);
  return about;
}

RestartPoint find_restart(const CommandLine& command, const Session& session, const Layout& layout,
                          const std::vector<Stage>& stages, const fs::path& folder) {
  RestartPoint point;
  CaseChanges changes;  // on rank 0
  Archive written;
  const auto travels = [&](Archive& archive, std::string& file) {
    archive(file, point.in_its_folder, point.anew, point.notes, point.checkpoint, changes.entities.numbers);
  };
  together(session.comm, [&] {
    if (layout.rank() != 0) return;
    choose(command, folder, point);
    try {
      Checkpoint now = about_run(session, "", layout.ranks());
      now.entities = entities_of(session.model);
      changes = changes_of(point.checkpoint, now, stages);
      check(point.checkpoint, changes, stages, command.restart_anyway, point);
    } catch (const Error& error) {
      throw Error(fmt::format("cannot go on from '{}': {}", point.file.string(), error.what()));
    }
    point.anew = changes.anew;
    std::string file = point.file.string();
    travels(written, file);
  });
  std::vector<std::byte> bytes = written.bytes();
  broadcast_bytes(bytes, session.comm);
  Archive archive(bytes);
  std::string file;
  travels(archive, file);
  point.file = file;

  SnapshotContents& snapshot = point.checkpoint.snapshot;
  Untransferred left;
  if (point.anew) {
    renumber(snapshot, changes.entities.numbers);
    left = drop_what_does_not_fit(snapshot, session.model, layout);
  }
  if (layout.rank() == 0 && (point.anew || !changes.lines.empty()))
    for (std::string& note : notes_of(changes, left, entities_of(session.model), snapshot.time))
      point.notes.push_back(std::move(note));
  return point;
}

}  // namespace trammel
