#include "command_line.hpp"

#include <algorithm>
#include <cctype>

#include <CLI/CLI.hpp>

#include "trammel/nearest_name.hpp"

namespace trammel {

namespace {

constexpr const char* main_footer = R"(Example:
  trammel run cases/heavy_top/case.yaml -o top
  mpirun -q -n 4 trammel run cases/chain/case.yaml --set N=1000

Errors are one line on stderr. Exit status: 0 success, 1 error, 2 wrong usage,
3 energy came from nowhere (setting `energy` of a dynamic stage),
4 Newton's method did not converge, 5 stopped before --time-limit, with a
checkpoint, 128 + n where signal n (SIGTERM, SIGINT) stopped a run.)";

constexpr const char* run_footer =
    R"(Options with one dash go to PETSc: -snes_monitor, -ksp_type gmres, -log_view.
The word behind one is taken as its value, so CASE stands before them. All that
stands behind '--' goes to PETSc too.

A checkpoint is written as often as --checkpoint-every and --checkpoint-minutes say,
on SIGUSR1, and where SIGTERM, SIGINT or --time-limit stops the run; the last two are
kept in the folder of results. CASE stands before --restart.

Example:
  trammel run cases/four_bar_x/case.yaml -o four_bar -snes_monitor
  trammel run cases/four_bar_x/case.yaml -o four_bar --checkpoint-every 100
  trammel run cases/four_bar_x/case.yaml -o four_bar --restart)";

constexpr const char* check_footer =
    R"(With --derivatives every instance of an element, joint or load is held against
differences at the start of the case, with random multipliers and accelerations;
the exit status is 1 where an entry is off by more than 1e-6 of its block's size.
With --at TIME the stages are run first, and the state there is taken.

Example:
  trammel check cases/four_bar_x/case.yaml
  trammel check cases/four_bar_x/case.yaml --derivatives)";

constexpr const char* list_footer =
    R"(Plugins are looked for in the folders of TRAMMEL_PLUGIN_PATH (separated by ':')
and in the folder lib/trammel/plugins of the installation.

Example:
  trammel list
  trammel list --plugin build/bowl.so)";

constexpr const char* describe_footer =
    R"(TYPE is the name of any type that 'trammel list' shows, one of the stages
assemble, static, dynamic, or a topic: output, sections, materials, shapes,
functions. The page lists parameters and, where an example of the type can be
built alone, its coordinates and outputs.

Example:
  trammel describe revolute)";

constexpr const char* verify_footer =
    R"(Checks the joints that plugins offer, or those of the TYPEs given: the rank of
their equations and the degrees of freedom left, all derivatives against
differences, objectivity, the power of their reactions, and the drift of two
bodies in motion. Prints a table, a row a type; the exit status is 1 where one
fails, and the message says which check. Parameters without a default take the
examples that 'trammel describe' shows, or a guess; --set gives others.

Example:
  trammel verify
  trammel verify bowl --plugin build/lib/trammel/plugins/my_joint.so --set radius_x=0.4)";

/// "-3", "-.5", "-1e-6": the value of an option rather than an option.
bool is_negative_number(const std::string& text) {
  if (text.size() < 2 || text[0] != '-') return false;
  return std::isdigit(static_cast<unsigned char>(text[1])) != 0 ||
         (text[1] == '.' && text.size() > 2 && std::isdigit(static_cast<unsigned char>(text[2])) != 0);
}

bool is_petsc_option(const std::string& text) {
  return text.size() > 2 && text[0] == '-' && text[1] != '-' && !is_negative_number(text);
}

/// Takes PETSc's options and their values out of the arguments.
std::vector<std::string> without_petsc(const std::vector<std::string>& arguments,
                                       std::vector<std::string>& petsc) {
  std::vector<std::string> own;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--") {
      petsc.insert(petsc.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      break;
    }
    if (!is_petsc_option(arguments[i])) {
      own.push_back(arguments[i]);
      continue;
    }
    petsc.push_back(arguments[i]);
    if (i + 1 < arguments.size() &&
        (arguments[i + 1].rfind('-', 0) != 0 || is_negative_number(arguments[i + 1])))
      petsc.push_back(arguments[++i]);
  }
  return own;
}

/// "rate=2": a name, and the value that it is given.
bool is_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || std::isdigit(static_cast<unsigned char>(text[0])) != 0)
    return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

/// "3600", "1:00:00" or "60:00" as seconds; 0 where it is neither.
double seconds_of(const std::string& text) {
  double seconds = 0;
  std::size_t from = 0;
  for (int parts = 0; from <= text.size(); ++parts) {
    const std::size_t end = std::min(text.find(':', from), text.size());
    const std::string part = text.substr(from, end - from);
    if (part.empty() || parts > 2 || part.find_first_not_of("0123456789.") != std::string::npos ||
        std::count(part.begin(), part.end(), '.') > 1 || part == ".")
      return 0;
    seconds = 60 * seconds + std::stod(part);
    from = end + 1;
  }
  return seconds;
}

/// Gives every further setting behind "--set a=1" a "--set" of its own.
std::vector<std::string> with_each_set(const std::vector<std::string>& arguments) {
  std::vector<std::string> all;
  bool setting = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool first = i > 0 && arguments[i - 1] == "--set";
    if (setting && !first && is_setting(arguments[i])) all.emplace_back("--set");
    setting = first || (setting && is_setting(arguments[i]));
    all.push_back(arguments[i]);
  }
  return all;
}

}  // namespace

CommandLineResult read_command_line(const std::vector<std::string>& arguments) {
  CommandLineResult result;
  CommandLine& command = result.command;
  std::vector<std::string> own = with_each_set(without_petsc(arguments, command.petsc));

  CLI::App app("Trammel simulates flexible multibody systems.", "trammel");
  app.footer(main_footer);
  app.set_version_flag("--version", "trammel " TRAMMEL_VERSION);
  app.require_subcommand(1);

  // Such an option takes one value, and may be given several times.
  const auto with_repeated = [&](CLI::App* sub, const char* name, std::vector<std::string>& values,
                                 const char* type, const std::string& meaning) {
    sub->add_option(name, values, meaning)->type_name(type)->expected(1)->take_all()->allow_extra_args(false);
  };
  std::vector<std::string> settings;
  const auto with_settings = [&](CLI::App* sub, const std::string& meaning) {
    with_repeated(sub, "--set", settings, "NAME=VALUE ...", meaning);
  };
  const auto with_case = [&](CLI::App* sub) {
    sub->add_option("CASE", command.case_file, "the case, a YAML file")->required();
    with_settings(sub, "replaces parameters of the case by numbers or expressions: --set n=8 'l=2*pi'");
    return sub;
  };
  const auto with_plugins = [&](CLI::App* sub) {
    with_repeated(sub, "--plugin", command.plugins, "PATH",
                  "a plugin to load besides the installed ones; may be repeated");
    return sub;
  };
  CLI::App* run = with_plugins(with_case(app.add_subcommand("run", "Runs a case and writes its results")));
  run->add_option("-o,--output", command.folder,
                  "folder for the results (default: results/NAME, NAME being the "
                  "case's file or, for case.yaml, its folder)")
      ->type_name("DIR");
  run->add_flag("-q,--quiet", command.quiet, "print errors only");
  run->add_option("--checkpoint-every", command.checkpoint_every, "nominal steps between checkpoints")
      ->type_name("K")
      ->check(CLI::Range(1, 1'000'000'000));
  run->add_option("--checkpoint-minutes", command.checkpoint_minutes, "minutes between checkpoints")
      ->type_name("M")
      ->check(CLI::Range(1e-3, 1e6));
  std::string time_limit;
  run->add_option("--time-limit", time_limit,
                  "wall time that the run may take, in seconds or as hours:minutes:seconds; it stops before, "
                  "with a checkpoint")
      ->type_name("TIME");
  std::string restart;
  CLI::Option* restarts =
      run->add_option("--restart", restart, "go on from a checkpoint (default: the last one of the folder)")
          ->type_name("[FILE]")
          ->expected(0, 1);
  run->add_flag("--restart-anyway", command.restart_anyway,
                "go on although the case or a plugin is another one; prints what differs")
      ->needs(restarts);
  run->footer(run_footer);
  CLI::App* check = with_plugins(
      with_case(app.add_subcommand("check", "Reads a case, builds its model and says what it holds")));
  CLI::Option* derivatives =
      check->add_flag("--derivatives", command.derivatives, "hold all derivatives against differences");
  check->add_option("--at", command.at, "time at which they are held, after a run of the stages up to it")
      ->needs(derivatives)
      ->type_name("TIME");
  check->footer(check_footer);
  CLI::App* list =
      with_plugins(app.add_subcommand("list", "Lists the types that are loaded and where they come from"));
  list->footer(list_footer);
  CLI::App* describe =
      with_plugins(app.add_subcommand("describe", "Describes a type: parameters, coordinates, outputs"));
  describe->add_option("TYPE", command.type, "the name of a type or a topic")->required();
  describe->add_flag("--markdown", command.markdown, "print tables of Markdown");
  describe->footer(describe_footer);
  CLI::App* verify = with_plugins(
      app.add_subcommand("verify", "Checks types: derivatives, rank, objectivity, power, drift"));
  verify->add_option("TYPE", command.types,
                     "names of types: joints, elements, laws on coordinates (default: all joints)");
  verify->add_option("--states", command.states, "random states for each kind of joint")
      ->check(CLI::Range(6, 1000000))
      ->capture_default_str();
  verify->add_flag("--no-motion", command.without_motion, "leave out the drift in motion");
  verify->add_flag("--markdown", command.markdown, "print a table of Markdown");
  with_settings(verify, "parameters of the joints, as in a case: --set 'axis=[0, 0, 1]' r=0.4");
  verify->footer(verify_footer);

  const auto wrong_usage = [&result](const std::string& text) {
    result.status = 2;
    result.text = "trammel: error: " + text + "\nTry 'trammel --help'.";
    return result;
  };
  const std::vector<std::string> names{"run", "check", "list", "describe", "verify"};
  if (own.empty()) return wrong_usage("a command is missing: run, check, list, describe or verify");
  if (own.front().rfind('-', 0) != 0 && std::find(names.begin(), names.end(), own.front()) == names.end())
    return wrong_usage("unknown command " + in_quotes(own.front()) + did_you_mean(own.front(), names));
  try {
    std::reverse(own.begin(), own.end());
    app.parse(own);
  } catch (const CLI::CallForHelp&) {
    CLI::App* asked = &app;
    for (CLI::App* sub : {run, check, list, describe, verify})
      if (sub->parsed()) asked = sub;
    result.text = asked->help();
    return result;
  } catch (const CLI::CallForVersion& version) {
    result.text = version.what();
    return result;
  } catch (const CLI::ParseError& error) {
    return wrong_usage(error.what());
  }
  if (restarts->count() > 0) command.restart = restart;
  if (!time_limit.empty()) {
    command.time_limit = seconds_of(time_limit);
    if (!(command.time_limit > 0))
      return wrong_usage("--time-limit needs seconds or hours:minutes:seconds, found " +
                         in_quotes(time_limit));
  }
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == setting.size())
      return wrong_usage("--set needs NAME=VALUE, found " + in_quotes(setting));
    command.parameters.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  command.action = run->parsed()      ? CommandLine::Action::run
                   : check->parsed()  ? CommandLine::Action::check
                   : list->parsed()   ? CommandLine::Action::list
                   : verify->parsed() ? CommandLine::Action::verify
                                      : CommandLine::Action::describe;
  const bool with_petsc =
      command.action == CommandLine::Action::run || command.action == CommandLine::Action::check;
  if (!with_petsc && !command.petsc.empty())
    return wrong_usage("unknown option '" + command.petsc.front() + "'");
  result.proceed = true;
  return result;
}

}  // namespace trammel
