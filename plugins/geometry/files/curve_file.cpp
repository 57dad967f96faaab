#include "curve_file.hpp"

#include <algorithm>

#include <BRepTools_WireExplorer.hxx>
#include <BRep_Tool.hxx>
#include <GeomConvert.hxx>
#include <GeomConvert_CompCurveToBSplineCurve.hxx>
#include <Geom_TrimmedCurve.hxx>
#include <IGESControl_Reader.hxx>
#include <Interface_InterfaceModel.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <STEPControl_Reader.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS.hxx>
#include <XSControl_TransferReader.hxx>
#include <XSControl_WorkSession.hxx>

#include <fmt/format.h>

#include "../shapes/occt_curve.hpp"
#include "exchange_file.hpp"
#include "trammel/nearest_name.hpp"

namespace trammel::geometry {

namespace {

constexpr double meeting = 1e-6;  // of a gap between edges, by the length of the curve so far
// Characters of what a file says that a message repeats.
constexpr std::size_t most_of_name = 40, most_of_list = 160;

struct NamedShape {
  std::string name;
  TopoDS_Shape shape;  ///< an edge, a wire, or several edges
};

/// All wires and edges, each with the name of what it came from.
std::vector<NamedShape> shapes_in(XSControl_Reader& reader) {
  reader.TransferRoots();
  const TopoDS_Shape all = reader.OneShape();
  std::vector<NamedShape> found;
  if (all.IsNull()) return found;
  for (const TopAbs_ShapeEnum kind : {TopAbs_WIRE, TopAbs_EDGE}) {
    TopTools_IndexedMapOfShape shapes;
    TopExp::MapShapes(all, kind, shapes);
    for (int i = 1; i <= shapes.Extent(); ++i) {
      Handle(Standard_Transient) entity = reader.WS()->TransferReader()->EntityFromShapeResult(shapes(i), 1);
      if (entity.IsNull()) entity = reader.WS()->TransferReader()->EntityFromShapeResult(shapes(i), 3);
      found.push_back({name_of(entity), shapes(i)});
    }
  }
  // What was read as a whole and then taken apart: a composite curve.
  const Handle(Interface_InterfaceModel) model = reader.WS()->Model();
  for (int i = 1; i <= model->NbEntities(); ++i) {
    const std::string name = name_of(model->Value(i));
    if (name.empty() || std::ranges::find(found, name, &NamedShape::name) != found.end()) continue;
    const TopoDS_Shape shape = reader.WS()->TransferReader()->ShapeResult(model->Value(i));
    if (!shape.IsNull() && TopExp_Explorer(shape, TopAbs_FACE).More() == Standard_False &&
        TopExp_Explorer(shape, TopAbs_EDGE).More())
      found.push_back({name, shape});
  }
  return found;
}

std::vector<TopoDS_Edge> edges_of(const TopoDS_Shape& shape) {
  std::vector<TopoDS_Edge> edges;
  if (shape.ShapeType() == TopAbs_EDGE) {
    edges.push_back(TopoDS::Edge(shape));
    return edges;
  }
  if (shape.ShapeType() == TopAbs_WIRE)
    for (BRepTools_WireExplorer e(TopoDS::Wire(shape)); e.More(); e.Next()) edges.push_back(e.Current());
  if (edges.empty())
    for (TopExp_Explorer e(shape, TopAbs_EDGE); e.More(); e.Next())
      edges.push_back(TopoDS::Edge(e.Current()));
  return edges;
}

Handle(Geom_BSplineCurve) spline_of(const TopoDS_Edge& edge) {
  double from = 0, to = 0;
  const Handle(Geom_Curve) curve = BRep_Tool::Curve(edge, from, to);
  if (curve.IsNull()) throw Error("an edge of the file has no curve in space");
  Handle(Geom_BSplineCurve) spline =
      GeomConvert::CurveToBSplineCurve(new Geom_TrimmedCurve(curve, from, to), Convert_TgtThetaOver2);
  if (edge.Orientation() == TopAbs_REVERSED) spline->Reverse();
  return spline;
}

/// The distance at which the next edge meets one of the ends.
double gap_between(const Geom_BSplineCurve& a, const Geom_BSplineCurve& b) {
  return std::min({a.EndPoint().Distance(b.StartPoint()), a.EndPoint().Distance(b.EndPoint()),
                   a.StartPoint().Distance(b.StartPoint()), a.StartPoint().Distance(b.EndPoint())});
}

Handle(Geom_BSplineCurve) joined(std::vector<Handle(Geom_BSplineCurve)> pieces) {
  Handle(Geom_BSplineCurve) whole = pieces.front();
  pieces.erase(pieces.begin());
  while (!pieces.empty()) {
    const auto next = std::ranges::min_element(
        pieces, {}, [&](const Handle(Geom_BSplineCurve) & piece) { return gap_between(*whole, *piece); });
    const double gap = gap_between(*whole, **next);
    const double size = std::max(NurbsCurve(whole, false).length(), 1e-9);
    if (gap > meeting * size)
      throw Error(fmt::format("the edges do not meet: the nearest ends are {:.6g} m apart", gap));
    GeomConvert_CompCurveToBSplineCurve join(whole);
    // Edges that close a loop meet both ends: the end comes first.
    const bool after = std::min(whole->EndPoint().Distance((*next)->StartPoint()),
                                whole->EndPoint().Distance((*next)->EndPoint())) <= meeting * size;
    if (!join.Add(*next, std::max(2 * gap, 1e-9 * size), after)) throw Error("the edges cannot be joined");
    whole = join.BSplineCurve();
    pieces.erase(next);
  }
  return whole;
}

std::string listed(const std::vector<NamedShape>& shapes) {
  std::vector<std::string> names;
  int unnamed = 0;
  for (const NamedShape& s : shapes) {
    if (s.name.empty())
      ++unnamed;
    else if (std::ranges::find(names, s.name) == names.end())
      names.push_back(s.name);
  }
  std::string list;
  for (const std::string& name : names) {
    if (list.size() > most_of_list) {
      list += ", ...";
      break;
    }
    list += (list.empty() ? "" : ", ") + shown(name, most_of_name);
  }
  if (names.empty()) return fmt::format("It has {} edges and wires without names", unnamed);
  return "Edges there: " + list +
         (unnamed > 0 ? fmt::format(", and {} without names", unnamed) : std::string());
}

std::vector<TopoDS_Edge> chosen(const std::vector<NamedShape>& shapes, const std::vector<std::string>& names,
                                const std::string& file) {
  std::vector<TopoDS_Edge> edges;
  const auto take = [&edges](const TopoDS_Shape& shape) {
    for (const TopoDS_Edge& e : edges_of(shape))
      if (std::ranges::none_of(edges, [&](const TopoDS_Edge& other) { return other.IsSame(e); }))
        edges.push_back(e);
  };
  for (const std::string& name : names) {
    bool there = false;
    for (const NamedShape& s : shapes)
      if (s.name == name) {
        take(s.shape);
        there = true;
      }
    if (there) continue;
    std::vector<std::string> known;
    for (const NamedShape& s : shapes) known.push_back(s.name);
    const std::string near = did_you_mean(name, known);
    throw Error("'" + file + "' has no edge '" + name + "'" + (near.empty() ? "." : near) + " " +
                listed(shapes));
  }
  if (!names.empty()) return edges;
  const bool has_wire = shapes.front().shape.ShapeType() == TopAbs_WIRE;
  const auto wires =
      std::ranges::count_if(shapes, [](const NamedShape& s) { return s.shape.ShapeType() == TopAbs_WIRE; });
  if (has_wire ? wires > 1 : shapes.size() > 1)
    throw Error("'" + file + "' holds more than one edge: give 'edges', the names of those wanted. " +
                listed(shapes));
  take(shapes.front().shape);
  return edges;
}

std::vector<NamedShape> shapes_of_step(const std::string& path, const std::string& file) {
  STEPControl_Reader reader;
  read_step_in_metres(reader, path, file);
  return shapes_in(reader);
}

std::vector<NamedShape> shapes_of_iges(const std::string& path, const std::string& file) {
  IGESControl_Reader reader;
  read_in_metres(reader, path, file, "an IGES");
  return shapes_in(reader);
}

NurbsDefinition definition_of(const Handle(Geom_BSplineCurve) & made, NurbsDefinition::Form form) {
  const Handle(Geom_BSplineCurve) spline = Handle(Geom_BSplineCurve)::DownCast(made->Copy());
  if (spline->IsPeriodic()) spline->SetNotPeriodic();
  NurbsDefinition what;
  what.degree = spline->Degree();
  what.form = form;
  for (int i = 1; i <= spline->NbPoles(); ++i) {
    const gp_Pnt p = spline->Pole(i);
    what.points.emplace_back(p.X(), p.Y(), p.Z());
    what.weights.push_back(spline->Weight(i));
  }
  for (int k = 1; k <= spline->NbKnots(); ++k)
    what.knots.insert(what.knots.end(), static_cast<std::size_t>(spline->Multiplicity(k)), spline->Knot(k));
  return what;
}

/// Closed where the ends meet with one tangent.
NurbsDefinition::Form form_of(const Handle(Geom_BSplineCurve) & spline) {
  using Form = NurbsDefinition::Form;
  const NurbsCurve open(spline, false);
  if ((open.point(open.first()) - open.point(open.last())).norm() > meeting * open.length())
    return Form::open;
  const NurbsCurve closed(spline, true);
  const auto kink = closed.kink();
  return kink && kink->eta == closed.first() ? Form::open : Form::closed;
}

}  // namespace

NurbsDefinition read_spline_file(const std::string& path, const std::vector<std::string>& names) {
  const auto found = required_file(path);
  const std::string &file = found.name, &ending = found.ending;
  const bool step = is_step(ending);
  if (!step && ending != ".iges" && ending != ".igs")
    throw Error("'" + file + "': expected a STEP file (.step, .stp, .p21) or an IGES file (.iges, .igs)");
  // Open CASCADE reports its progress to the terminal, unless told not to.
  Message::DefaultMessenger()->ChangePrinters().Clear();
  return guarded("'" + file + "' cannot be read", [&] {
    const std::vector<NamedShape> shapes = step ? shapes_of_step(path, file) : shapes_of_iges(path, file);
    if (shapes.empty()) throw Error("'" + file + "' holds no edges");
    std::vector<Handle(Geom_BSplineCurve)> pieces;
    for (const TopoDS_Edge& edge : chosen(shapes, names, file)) pieces.push_back(spline_of(edge));
    const Handle(Geom_BSplineCurve) whole = joined(std::move(pieces));
    return definition_of(whole, form_of(whole));
  });
}

}  // namespace trammel::geometry
