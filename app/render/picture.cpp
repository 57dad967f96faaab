#include "picture.hpp"

#include <fmt/format.h>
#include <vtkActor.h>
#include <vtkArrowSource.h>
#include <vtkAxesActor.h>
#include <vtkBoundingBox.h>
#include <vtkCamera.h>
#include <vtkCaptionActor2D.h>
#include <vtkCellArray.h>
#include <vtkFeatureEdges.h>
#include <vtkGlyph3D.h>
#include <vtkIdList.h>
#include <vtkLightKit.h>
#include <vtkLookupTable.h>
#include <vtkNew.h>
#include <vtkPNGWriter.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkPolyDataNormals.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkScalarBarActor.h>
#include <vtkSphereSource.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>
#include <vtkWindowToImageFilter.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "colouring.hpp"
#include "names.hpp"
#include "trammel/error.hpp"

namespace trammel::render {

namespace {

namespace style = view_style;
using style::Colour;

constexpr Colour edge_colour{0.35, 0.27, 0.14};

Colour colour_of(std::string_view layer) {
  for (const style::LayerStyle& s : style::layers)
    if (s.layer == layer) return s.colour;
  return style::dark;
}

bool has_arrows(const std::string& layer) { return layer == "joints" || layer == "forces"; }
bool is_beam(const std::string& layer) { return layer == "curves" || layer == "sections"; }

/// Length of the longest vector of a field of the points.
double longest(vtkPolyData* poly, const char* field) {
  vtkDataArray* array = poly->GetPointData()->GetArray(field);
  if (array == nullptr || array->GetNumberOfComponents() != 3) return 0;
  double length = 0;
  for (vtkIdType i = 0; i < array->GetNumberOfTuples(); ++i) {
    const double* v = array->GetTuple3(i);
    length = std::max(length, std::hypot(v[0], v[1], v[2]));
  }
  return length;
}

/// Metres by unit of a field that is drawn as arrows; 0: they are not drawn.
double arrow_scale(const PictureOptions& options, const SeriesView& view, double longest, double diagonal,
                   const std::string& field) {
  if (options.arrow) return longest > 0 ? *options.arrow * diagonal / longest : 0;
  const auto of_run = view.arrow_scales.find(field);
  return of_run == view.arrow_scales.end() ? 0 : of_run->second;
}

/// Calls `use` with each point.
template <class Use>
void add_points(vtkPolyData* poly, const Use& use) {
  Vector p{};
  for (vtkIdType i = 0; i < poly->GetNumberOfPoints(); ++i) {
    poly->GetPoint(i, p.data());
    if (std::isfinite(p[0] + p[1] + p[2])) use(p);
  }
}

Vector unit(Vector v, const char* what) {
  const double length = std::hypot(v[0], v[1], v[2]);
  if (!(length > 0)) throw Error(fmt::format("{} is zero", what));
  for (double& x : v) x /= length;
  return v;
}

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

ViewAxes axes_of(const PictureOptions& options, const SeriesView& view) {
  ViewAxes axes;
  axes.from = unit(options.from.value_or(view.towards), "the direction of the view");
  Vector up = unit(options.up.value_or(view.up), "the direction that points up");
  const Vector& f = axes.from;
  if (std::abs(up[0] * f[0] + up[1] * f[1] + up[2] * f[2]) > 0.999) {
    if (options.up) throw Error("--up points along the direction of the view");
    up = std::abs(f[2]) > 0.9 ? Vector{0, 1, 0} : Vector{0, 0, 1};
  }
  axes.right = unit(cross(up, f), "the direction that points up");
  axes.up = cross(f, axes.right);
  return axes;
}

constexpr double view_angle = 30;  // of the picture's height [degrees]

/// Room for the caption above and the scale of arrows below; on the right, where asked for, for a legend.
Framing framing_for(const PictureOptions& options, const ViewAxes& axes, bool with_legend) {
  PictureArea area;
  if (with_legend) area.right = 0.56;
  return {axes, area, std::tan(view_angle / 2 * std::numbers::pi / 180),
          static_cast<double>(options.width) / options.height};
}

class Scene {
 public:
  Scene(const PictureOptions& options, const SeriesView& view, const Extent& extent)
      : options_(options),
        view_(view),
        extent_(extent),
        colouring_(extent.colouring()),
        framing_(extent.framing(colouring_.has_value())) {
    if (!extent.box().IsValid()) throw Error("nothing is drawn at that time");
    if (const double diagonal = extent.box().GetDiagonalLength(); diagonal > 0) diagonal_ = diagonal;
    renderer_->SetBackground(style::below.data());
    renderer_->SetBackground2(style::above.data());
    renderer_->GradientBackgroundOn();
    vtkNew<vtkLightKit> lights;
    lights->AddLightsToRenderer(renderer_);
  }

  /// `strength` 1: full colours; less: faded towards white. `behind`: how many instants are drawn over this one where surfaces
  /// coincide.
  void add(const Layers& layers, double strength, int behind) {
    strength_ = strength;
    behind_ = behind;
    for (const auto& [name, poly] : layers) {
      if (poly->GetNumberOfPoints() == 0 || options_.hide.contains(name)) continue;
      const Colour colour = colour_of(name);
      if (name == "curves") add_actor(coloured(poly), colour)->SetLineWidth(2.5F);
      if (name == "sections") add_smooth(coloured(poly), colour);
      if (name == "bodies") {
        add_smooth(poly, colour);
        add_edges(poly);
      }
      if (name == "joints") {
        add_shapes(poly, colour);
        // A large ball would hide the glyph of a joint.
        const bool has_glyphs = poly->GetNumberOfPolys() + poly->GetNumberOfLines() > 0;
        add_balls(poly, colour, has_glyphs ? 0.002 : 0.007);
      }
      if (name == "markers") add_balls(poly, colour, 0.004);
    }
  }

  /// Arrows of the vectors of joints and loads, each field to one scale.
  void add_arrows(const Layers& layers) {
    strength_ = 1;
    behind_ = 0;
    for (const style::Arrow& a : style::arrows) {
      const std::string field(a.field);
      const double scale = arrow_scale(options_, view_, extent_.longest(field), diagonal_, field);
      if (!(scale > 0)) continue;
      scales_ +=
          fmt::format("{}{}: 1 m is {:.3g} {}", scales_.empty() ? "" : "   ", a.field, 1 / scale, a.unit);
      for (const auto& [name, poly] : layers) {
        if (!has_arrows(name) || !(longest(poly, field.c_str()) > 0)) continue;
        vtkNew<vtkArrowSource> arrow;
        arrow->SetShaftResolution(24);
        arrow->SetTipResolution(24);
        arrow->SetShaftRadius(style::shaft_radius);
        arrow->SetTipRadius(style::tip_radius);
        arrow->SetTipLength(style::tip_length);
        vtkNew<vtkGlyph3D> glyphs;
        glyphs->SetInputData(poly);
        glyphs->SetSourceConnection(arrow->GetOutputPort());
        glyphs->SetInputArrayToProcess(1, 0, 0, vtkDataObject::FIELD_ASSOCIATION_POINTS, field.c_str());
        glyphs->SetVectorModeToUseVector();
        glyphs->SetScaleModeToScaleByVector();
        glyphs->SetScaleFactor(scale);
        glyphs->Update();
        add_actor(glyphs->GetOutput(), a.colour);
        add_points(glyphs->GetOutput(), [this](const Vector& p) { framing_.add(p); });
      }
    }
  }

  /// With the names of what is drawn on `layers`.
  void write(const Layers& layers, const std::filesystem::path& file) {
    vtkNew<vtkRenderWindow> window;
    window->SetOffScreenRendering(1);
    window->SetMultiSamples(
        0);  // samples of a pixel would take part of an instant that is drawn behind another one
    renderer_->UseFXAAOn();
    window->SetSize(options_.width, options_.height);
    window->SetNumberOfLayers(2);
    window->AddRenderer(renderer_);
    look();
    add_names(renderer_, layers, options_.named, options_.names, std::max(options_.height / 45, 9));
    vtkNew<vtkRenderer> corner;
    add_axes(corner, window);
    add_text(options_.caption, 0.011, 0.975, true);
    add_text(scales_, 0.16 * options_.height / options_.width, 0.02, false);
    if (colouring_) add_legend();
    renderer_->ResetCameraClippingRange();
    window->Render();

    vtkNew<vtkWindowToImageFilter> grab;
    grab->SetInput(window);
    grab->SetInputBufferTypeToRGB();
    grab->ReadFrontBufferOff();
    vtkNew<vtkPNGWriter> writer;
    writer->SetFileName(file.c_str());
    writer->SetInputConnection(grab->GetOutputPort());
    writer->Write();
    if (writer->GetErrorCode() != 0 || !std::filesystem::exists(file))
      throw Error(fmt::format("cannot write '{}'", file.string()));
  }

 private:
  vtkProperty* add_actor(vtkPolyData* poly, const Colour& colour) {
    vtkNew<vtkPolyDataMapper> mapper;
    mapper->SetInputData(poly);
    if (poly->GetPointData()->GetScalars() == nullptr) {
      mapper->ScalarVisibilityOff();
    } else {
      mapper->SetLookupTable(colours(strength_));
      mapper->UseLookupTableScalarRangeOn();
      mapper->InterpolateScalarsBeforeMappingOn();
    }
    // Objects that did not move between two instants coincide.
    constexpr double units_an_instant = 8;
    const double units = units_an_instant * behind_;
    mapper->SetRelativeCoincidentTopologyPolygonOffsetParameters(behind_, units);
    mapper->SetRelativeCoincidentTopologyLineOffsetParameters(behind_, units);
    vtkNew<vtkActor> actor;
    actor->SetMapper(mapper);
    vtkProperty* look = actor->GetProperty();
    look->SetColor(faded(colour[0]), faded(colour[1]), faded(colour[2]));
    look->SetAmbient(style::ambient);
    look->SetDiffuse(1 - 0.5 * style::ambient);
    look->SetSpecular(0.15);
    look->SetSpecularPower(20);
    renderer_->AddActor(actor);
    return look;
  }

  /// The layer with the number by which beams are coloured as its scalars, where it has that.
  vtkSmartPointer<vtkPolyData> coloured(vtkPolyData* poly) const {
    auto copy = vtkSmartPointer<vtkPolyData>::New();
    copy->ShallowCopy(poly);
    copy->GetPointData()->SetActiveScalars(nullptr);
    if (!colouring_) return copy;
    if (const PointNumber number = number_called(poly, colouring_->title); number.values != nullptr)
      copy->GetPointData()->SetScalars(number.values);
    return copy;
  }

  vtkSmartPointer<vtkLookupTable> colours(double strength) const {
    // The legend shows 64 of them. With a multiple of 64, rounding of the range would decide which.
    constexpr int steps = 255;
    auto table = vtkSmartPointer<vtkLookupTable>::New();
    table->SetNumberOfTableValues(steps);
    for (int i = 0; i < steps; ++i) {
      const double at = static_cast<double>(i) / (steps - 1) * (style::legend.size() - 1);
      const auto k = std::min(static_cast<std::size_t>(at), style::legend.size() - 2);
      Colour c{};
      for (std::size_t j = 0; j < 3; ++j)
        c[j] = 1 - strength * (1 - std::lerp(style::legend[k][j], style::legend[k + 1][j],
                                             at - static_cast<double>(k)));
      table->SetTableValue(i, c[0], c[1], c[2]);
    }
    table->SetTableRange(colouring_->low, colouring_->high);
    return table;
  }

  void add_smooth(vtkPolyData* poly, const Colour& colour) {
    vtkNew<vtkPolyDataNormals> normals;
    normals->SetInputData(poly);
    normals->SetFeatureAngle(35);
    normals->ConsistencyOff();
    normals->Update();
    add_actor(normals->GetOutput(), colour);
  }

  void add_edges(vtkPolyData* poly) {
    vtkNew<vtkFeatureEdges> edges;
    edges->SetInputData(poly);
    edges->SetFeatureAngle(40);
    edges->ColoringOff();
    edges->Update();
    add_actor(edges->GetOutput(), edge_colour)->SetLineWidth(1.2F);
  }

  /// The surfaces and lines of a layer, without its points.
  void add_shapes(vtkPolyData* poly, const Colour& colour) {
    if (poly->GetNumberOfPolys() > 0) {
      vtkNew<vtkPolyData> surfaces;
      surfaces->SetPoints(poly->GetPoints());
      surfaces->SetPolys(poly->GetPolys());
      add_smooth(surfaces, colour);
    }
    if (poly->GetNumberOfLines() > 0) {
      vtkNew<vtkPolyData> lines;
      lines->SetPoints(poly->GetPoints());
      lines->SetLines(poly->GetLines());
      add_actor(lines, colour)->SetLineWidth(2.5F);
    }
  }

  /// A ball at each isolated point of a layer.
  void add_balls(vtkPolyData* poly, const Colour& colour, double radius) {
    vtkNew<vtkPoints> isolated;
    vtkNew<vtkIdList> cell;
    vtkCellArray* vertices = poly->GetVerts();
    for (vtkIdType i = 0; i < vertices->GetNumberOfCells(); ++i) {
      vertices->GetCellAtId(i, cell);
      for (vtkIdType k = 0; k < cell->GetNumberOfIds(); ++k)
        isolated->InsertNextPoint(poly->GetPoint(cell->GetId(k)));
    }
    vtkNew<vtkPolyData> centres;
    centres->SetPoints(isolated);
    vtkNew<vtkSphereSource> ball;
    ball->SetRadius(radius * diagonal_);
    ball->SetThetaResolution(24);
    ball->SetPhiResolution(16);
    vtkNew<vtkGlyph3D> glyphs;
    glyphs->SetInputData(centres);
    glyphs->SetSourceConnection(ball->GetOutputPort());
    glyphs->SetScaleModeToDataScalingOff();
    glyphs->OrientOff();
    glyphs->Update();
    add_actor(glyphs->GetOutput(), colour);
  }

  void look() {
    const Framing::Camera found = framing_.camera(options_.zoom);
    vtkCamera* camera = renderer_->GetActiveCamera();
    camera->SetViewAngle(view_angle);
    camera->SetFocalPoint(found.focus.data());
    camera->SetPosition(found.position.data());
    camera->SetViewUp(extent_.axes().up.data());
  }

  void add_axes(vtkRenderer* corner, vtkRenderWindow* window) {
    vtkNew<vtkAxesActor> axes;
    axes->SetShaftTypeToCylinder();
    for (vtkCaptionActor2D* label :
         {axes->GetXAxisCaptionActor2D(), axes->GetYAxisCaptionActor2D(), axes->GetZAxisCaptionActor2D()}) {
      label->GetTextActor()->SetTextScaleModeToNone();
      label->GetCaptionTextProperty()->SetFontSize(std::max(options_.height / 50, 10));
      label->GetCaptionTextProperty()->SetColor(0.2, 0.2, 0.2);
      label->GetCaptionTextProperty()->ShadowOff();
      label->GetCaptionTextProperty()->ItalicOff();
    }
    corner->AddActor(axes);
    corner->SetLayer(1);
    corner->InteractiveOff();
    const double side = 0.16;
    corner->SetViewport(0, 0, side * options_.height / options_.width, side);
    vtkCamera* camera = corner->GetActiveCamera();
    const vtkCamera* main = renderer_->GetActiveCamera();
    double direction[3], up[3];
    const_cast<vtkCamera*>(main)->GetDirectionOfProjection(direction);
    const_cast<vtkCamera*>(main)->GetViewUp(up);
    camera->SetFocalPoint(0, 0, 0);
    camera->SetPosition(-direction[0], -direction[1], -direction[2]);
    camera->SetViewUp(up);
    corner->ResetCamera();
    camera->Zoom(1.2);
    window->AddRenderer(corner);
  }

  /// Text at a place by the size of the picture, from its lower left corner.
  void add_text(const std::string& words, double x, double y, bool below) {
    if (words.empty()) return;
    vtkNew<vtkTextActor> text;
    text->SetInput(words.c_str());
    text->GetTextProperty()->SetFontSize(std::max(options_.height / 40, 11));
    text->GetTextProperty()->SetColor(style::dark.data());
    if (below) text->GetTextProperty()->SetVerticalJustificationToTop();
    text->SetPosition(x * options_.width, y * options_.height);
    renderer_->AddActor2D(text);
  }

  void add_legend() {
    vtkNew<vtkScalarBarActor> bar;
    bar->SetLookupTable(colours(1));
    const std::string unit = colouring_->unit.empty() ? "" : fmt::format(" [{}]", colouring_->unit);
    bar->SetTitle((colouring_->title + unit + "\n ").c_str());
    bar->SetLabelFormat("%.3g");
    bar->SetNumberOfLabels(5);
    bar->UnconstrainedFontSizeOn();
    for (vtkTextProperty* text : {bar->GetTitleTextProperty(), bar->GetLabelTextProperty()}) {
      text->SetFontSize(std::max(options_.height / 45, 10));
      text->SetColor(style::dark.data());
      text->BoldOff();
      text->ItalicOff();
      text->ShadowOff();
    }
    bar->GetTitleTextProperty()->SetJustificationToRight();
    bar->SetPosition(0.81, 0.3);
    bar->SetWidth(0.15);
    bar->SetHeight(0.45);
    bar->SetBarRatio(0.15);
    renderer_->AddActor2D(bar);
  }

  double faded(double channel) const { return 1 - strength_ * (1 - channel); }

  const PictureOptions& options_;
  const SeriesView& view_;
  const Extent& extent_;
  vtkNew<vtkRenderer> renderer_;
  std::optional<Extent::Colouring> colouring_;
  Framing framing_;
  std::string scales_;  ///< of the arrows, in words
  double diagonal_ = 1;
  double strength_ = 1;
  int behind_ = 0;
};

}  // namespace

Extent::Extent(const PictureOptions& options, SeriesView view)
    : options_(&options),
      view_(std::move(view)),
      axes_(axes_of(options, view_)),
      whole_(framing_for(options, axes_, false)),
      beside_legend_(framing_for(options, axes_, true)) {}

void Extent::add(const Layers& layers) {
  for (const auto& [name, poly] : layers) {
    if (poly->GetNumberOfPoints() == 0 || options_->hide.contains(name)) continue;
    box_.AddBounds(poly->GetBounds());
    add_points(poly, [this](const Vector& p) { add_point(p); });
    if (has_arrows(name)) add_arrows(poly);
    if (!is_beam(name)) continue;
    std::vector<PointNumber> numbers = offered_numbers(poly);
    for (const PointNumber& n : numbers) fields_.insert(n.title);
    for (int k = 0; k < poly->GetPointData()->GetNumberOfArrays(); ++k)
      fields_.insert(poly->GetPointData()->GetArrayName(k));
    if (!options_->colour.empty()) {
      numbers = {number_called(poly, options_->colour)};
      if (numbers.front().values == nullptr) continue;
    }
    for (const PointNumber& n : numbers) {
      double range[2];
      n.values->GetRange(range);
      const auto at = std::ranges::find(found_, n.title, &Colouring::title);
      if (at == found_.end()) {
        found_.push_back({n.title, n.unit, range[0], range[1]});
      } else {
        at->low = std::min(at->low, range[0]);
        at->high = std::max(at->high, range[1]);
      }
    }
  }
}

/// Arrows to the run's scale, so that a film has room for all of them.
void Extent::add_arrows(vtkPolyData* poly) {
  for (const style::Arrow& a : style::arrows) {
    const std::string field(a.field);
    double& largest = longest_[field];
    largest = std::max(largest, render::longest(poly, field.c_str()));
    vtkDataArray* vectors = poly->GetPointData()->GetArray(field.c_str());
    if (options_->arrow || vectors == nullptr || vectors->GetNumberOfComponents() != 3) continue;
    const double scale = arrow_scale(*options_, view_, 0, 0, field);
    for (vtkIdType i = 0; i < poly->GetNumberOfPoints(); ++i) {
      std::array<double, 3> tip{};
      poly->GetPoint(i, tip.data());
      for (int k = 0; k < 3; ++k) tip[static_cast<std::size_t>(k)] += scale * vectors->GetComponent(i, k);
      box_.AddPoint(tip.data());
      add_point(tip);
    }
  }
}

double Extent::longest(const std::string& field) const {
  const auto at = longest_.find(field);
  return at == longest_.end() ? 0 : at->second;
}

std::optional<Extent::Colouring> Extent::colouring() const {
  if (options_->colour == "none") return {};
  const auto with_zero = [](Colouring c) {
    if (std::abs(c.low) < 1e-9 * c.high) c.low = 0;
    return c;
  };
  const auto size = [](const Colouring& c) { return std::max(std::abs(c.low), std::abs(c.high)); };
  for (const Colouring& c : found_) {
    if (!options_->colour.empty()) return with_zero(c);
    // Numbers that rounding leaves are no reason to be chosen.
    double largest = 0;
    for (const Colouring& other : found_)
      if (other.unit == c.unit) largest = std::max(largest, size(other));
    if (size(c) > 1e-9 * largest) return with_zero(c);
  }
  if (options_->colour.empty()) return {};
  throw Error(fmt::format("--colour: no beam has '{}'; they have: {}", options_->colour,
                          fields_.empty() ? "nothing" : fmt::format("{}", fmt::join(fields_, ", "))));
}

void write_picture(const std::vector<Layers>& instants, const PictureOptions& options, const SeriesView& view,
                   const Extent& extent, const std::filesystem::path& file) {
  vtkMapper::SetResolveCoincidentTopologyToPolygonOffset();
  Scene scene(options, view, extent);
  for (std::size_t i = 0; i < instants.size(); ++i) {
    const double age = static_cast<double>(i + 1) / static_cast<double>(instants.size());
    scene.add(instants[i], i + 1 == instants.size() ? 1 : 0.25 + 0.5 * age,
              static_cast<int>(instants.size() - 1 - i));
  }
  scene.add_arrows(instants.back());
  scene.write(instants.back(), file);
}

}  // namespace trammel::render
