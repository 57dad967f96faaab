#include "exchange_file.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <IGESData_IGESEntity.hxx>
#include <Interface_Check.hxx>
#include <Interface_CheckIterator.hxx>
#include <Interface_InterfaceModel.hxx>
#include <Interface_Static.hxx>
#include <STEPConstruct_UnitContext.hxx>
#include <StepGeom_GeomRepContextAndGlobUnitAssCtxAndGlobUncertaintyAssCtx.hxx>
#include <StepGeom_GeometricRepresentationContextAndGlobalUnitAssignedContext.hxx>
#include <StepRepr_GlobalUnitAssignedContext.hxx>
#include <StepRepr_RepresentationItem.hxx>
#include <StepShape_ShapeRepresentation.hxx>
#include <TCollection_HAsciiString.hxx>
#include <XSControl_WorkSession.hxx>

#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel::geometry {

namespace {

constexpr std::size_t most_of_complaint = 160;  // characters of Open CASCADE's that a message repeats

std::string trimmed(const Handle(TCollection_HAsciiString) & name) {
  if (name.IsNull()) return {};
  TCollection_AsciiString text = name->String();
  text.LeftAdjust();
  text.RightAdjust();
  return text.ToCString();
}

/// Throws Error where Open CASCADE found the file to break the rules of its format: it reads on, and gives another shape.
void require_sound(XSControl_Reader& reader, const std::string& file) {
  Interface_CheckIterator checks = reader.WS()->ModelCheckList(true);
  for (checks.Start(); checks.More(); checks.Next()) {
    const Handle(Interface_Check) check = checks.Value();
    if (!check->HasFailed()) continue;
    const Handle(Interface_InterfaceModel) model = reader.WS()->Model();
    const Handle(TCollection_HAsciiString) label =
        checks.Number() > 0 ? model->StringLabel(model->Value(checks.Number())) : nullptr;
    throw Error(fmt::format("'{}' is damaged: Open CASCADE says{}: {}", file,
                            label.IsNull() ? "" : fmt::format(" of {}", label->ToCString()),
                            shown(check->CFail(1), most_of_complaint)));
  }
}

Handle(StepRepr_GlobalUnitAssignedContext) units_of(const Handle(StepRepr_RepresentationContext) & context) {
  if (const auto both =
          Handle(StepGeom_GeomRepContextAndGlobUnitAssCtxAndGlobUncertaintyAssCtx)::DownCast(context);
      !both.IsNull())
    return both->GlobalUnitAssignedContext();
  if (const auto both =
          Handle(StepGeom_GeometricRepresentationContextAndGlobalUnitAssignedContext)::DownCast(context);
      !both.IsNull())
    return both->GlobalUnitAssignedContext();
  return Handle(StepRepr_GlobalUnitAssignedContext)::DownCast(context);
}

/// Throws Error where shapes have no unit of length or angle: Open CASCADE guesses one without a word.
void require_units(const Interface_InterfaceModel& model, const std::string& file) {
  for (int i = 1; i <= model.NbEntities(); ++i) {
    const auto shape = Handle(StepShape_ShapeRepresentation)::DownCast(model.Value(i));
    if (shape.IsNull()) continue;
    STEPConstruct_UnitContext factors;
    if (const auto units = units_of(shape->ContextOfItems()); !units.IsNull()) factors.ComputeFactors(units);
    if (factors.LengthDone() && factors.PlaneAngleDone()) continue;
    throw Error(fmt::format("'{}' is damaged: the shapes of {} have no unit of {}", file,
                            model.StringLabel(model.Value(i))->ToCString(),
                            factors.LengthDone() ? "angle" : "length"));
  }
}

}  // namespace

std::string name_of(const Handle(Standard_Transient) & entity) {
  if (const auto item = Handle(StepRepr_RepresentationItem)::DownCast(entity); !item.IsNull())
    return trimmed(item->Name());
  if (const auto iges = Handle(IGESData_IGESEntity)::DownCast(entity); !iges.IsNull() && iges->HasName())
    return trimmed(iges->NameValue());
  return {};
}

std::string shown(std::string text, std::size_t most) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  return text.size() > most ? text.substr(0, most) + "..." : text;
}

ExchangeFile required_file(const std::string& path) {
  if (!std::filesystem::exists(path)) throw Error("the file '" + path + "' does not exist");
  if (!std::filesystem::is_regular_file(path)) throw Error("'" + path + "' is not a file");
  ExchangeFile file{std::filesystem::path(path).filename().string(),
                    std::filesystem::path(path).extension().string()};
  std::ranges::transform(file.ending, file.ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return file;
}

bool is_step(const std::string& ending) { return ending == ".step" || ending == ".stp" || ending == ".p21"; }

// The setting is known once a reader stands.
void read_in_metres(XSControl_Reader& reader, const std::string& path, const std::string& file,
                    const char* format) {
  if (!Interface_Static::SetCVal("xstep.cascade.unit", "M"))
    throw Error("Open CASCADE does not take metres as the unit of length");
  if (reader.ReadFile(path.c_str()) != IFSelect_RetDone)
    throw Error("'" + file + "' cannot be read as " + format + " file");
  require_sound(reader, file);
}

void read_step_in_metres(STEPControl_Reader& reader, const std::string& path, const std::string& file) {
  read_in_metres(reader, path, file, "a STEP");
  require_units(*reader.WS()->Model(), file);
}

}  // namespace trammel::geometry
