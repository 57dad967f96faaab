#include "output_reader.hpp"

namespace trammel {

namespace {

using Kind = Parameter::Kind;

std::vector<Parameter> schedule_parameters() {
  return {
      Parameter::make(Kind::integer, "every", "",
                      "steps between records; 1, with `accuracy` instead an interval of a 200th of the stage")
          .between(1, 1e9),
      // The bounds of a stage's step.
      Parameter::make(Kind::real, "interval", "s", "time between records, instead of `every`")
          .between(1e-15, 1e12)};
}

RecorderSchedule read_schedule(const Parameters& in) {
  RecorderSchedule schedule;
  if (in.has("every") && in.has("interval"))
    throw Error(in.where("interval"), "'every' and 'interval' exclude each other");
  if (in.has("every")) schedule.every = in.integer("every");
  if (in.has("interval")) schedule.interval = in.real("interval");
  return schedule;
}

}  // namespace

const std::vector<Parameter>& output_parameters() {
  static const std::vector<Parameter> parameters{
      Parameter::make(Kind::map, "vtk", "", "pictures for ParaView; none where absent")
          .with(schedule_parameters()),
      Parameter::make(Kind::map, "csv", "", "histories, one file a sensor")
          .defaults("{}")
          .with(schedule_parameters()),
      Parameter::make(Kind::flag, "log", "", "write the log to run.log").defaults("yes"),
      Parameter::make(Kind::map, "checkpoint", "", "checkpoints to go on from; without it on signals alone")
          .with({Parameter::make(Kind::integer, "every", "", "nominal steps between them").between(1, 1e9),
                 Parameter::make(Kind::real, "minutes", "", "minutes of wall time between them")
                     .between(1e-3, 1e6)})};
  return parameters;
}

OutputOptions read_output(const CaseFile& file) {
  Value map;
  map.kind = Value::Kind::map;
  map.where = {file.file(), 0, 0};
  if (const Value* given = file.output(); given != nullptr && !given->is_null()) map = *given;
  try {
    const Parameters in(map, output_parameters(), file.context());
    OutputOptions options;
    options.vtk.on = in.has("vtk");
    if (options.vtk.on) options.vtk = read_schedule(in.map("vtk"));
    options.csv = read_schedule(in.map("csv"));
    options.log = in.flag("log");
    if (in.has("checkpoint")) {
      const Parameters checkpoint = in.map("checkpoint");
      if (!checkpoint.has("every") && !checkpoint.has("minutes"))
        throw Error(in.where("checkpoint"), "'checkpoint' needs 'every', 'minutes' or both");
      if (checkpoint.has("every")) options.checkpoint_every = checkpoint.integer("every");
      if (checkpoint.has("minutes")) options.checkpoint_minutes = checkpoint.real("minutes");
    }
    return options;
  } catch (const Error& error) {
    throw Error(error.where(), std::string("output: ") + error.what());
  }
}

}  // namespace trammel
