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
#include <vtkSphereSource.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>
#include <vtkWindowToImageFilter.h>

#include <cmath>

#include "io/recorder_camera.hpp"
#include "trammel/error.hpp"

namespace trammel::render {

namespace {

using Colour = std::array<double, 3>;

constexpr Colour curve_colour{0.15, 0.25, 0.45};
constexpr Colour section_colour{0.42, 0.58, 0.78};
constexpr Colour body_colour{0.87, 0.72, 0.45};
constexpr Colour edge_colour{0.35, 0.27, 0.14};
constexpr Colour joint_colour{0.20, 0.20, 0.20};
constexpr Colour marker_colour{0.10, 0.55, 0.30};
constexpr Colour force_colour{0.80, 0.15, 0.15};
constexpr Colour moment_colour{0.15, 0.35, 0.80};

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

class Scene {
 public:
  Scene(const PictureOptions& options, const std::vector<Layers>& instants) : options_(options) {
    for (const Layers& layers : instants)
      for (const auto& [name, poly] : layers)
        if (poly->GetNumberOfPoints() > 0) box_.AddBounds(poly->GetBounds());
    if (!box_.IsValid()) throw Error("nothing is drawn at that time");
    diagonal_ = box_.GetDiagonalLength() > 0 ? box_.GetDiagonalLength() : 1;
    renderer_->SetBackground(0.86, 0.89, 0.93);
    renderer_->SetBackground2(1, 1, 1);
    renderer_->GradientBackgroundOn();
    vtkNew<vtkLightKit> lights;
    lights->AddLightsToRenderer(renderer_);
  }

  /// `strength` 1: full colours; less: faded towards white.
  void add(const Layers& layers, double strength) {
    strength_ = strength;
    for (const auto& [name, poly] : layers) {
      if (poly->GetNumberOfPoints() == 0) continue;
      if (name == "curves") add_actor(poly, curve_colour)->SetLineWidth(2.5F);
      if (name == "sections") add_smooth(poly, section_colour);
      if (name == "bodies") {
        add_smooth(poly, body_colour);
        add_edges(poly);
      }
      if (name == "joints") {
        add_shapes(poly, joint_colour);
        add_balls(poly, joint_colour, 0.01);
      }
      if (name == "markers") add_balls(poly, marker_colour, 0.004);
    }
  }

  /// Arrows of the vectors of joints and loads, all to one scale.
  void add_arrows(const Layers& layers) {
    strength_ = 1;
    for (const auto& [field, colour] :
         {std::pair("force", force_colour), std::pair("moment", moment_colour)}) {
      double largest = 0;
      for (const auto& [name, poly] : layers)
        if (name == "joints" || name == "forces") largest = std::max(largest, longest(poly, field));
      if (!(largest > 0)) continue;
      for (const auto& [name, poly] : layers) {
        if ((name != "joints" && name != "forces") || !(longest(poly, field) > 0)) continue;
        vtkNew<vtkArrowSource> arrow;
        arrow->SetShaftResolution(24);
        arrow->SetTipResolution(24);
        vtkNew<vtkGlyph3D> glyphs;
        glyphs->SetInputData(poly);
        glyphs->SetSourceConnection(arrow->GetOutputPort());
        glyphs->SetInputArrayToProcess(1, 0, 0, vtkDataObject::FIELD_ASSOCIATION_POINTS, field);
        glyphs->SetVectorModeToUseVector();
        glyphs->SetScaleModeToScaleByVector();
        glyphs->SetScaleFactor(options_.arrow * diagonal_ / largest);
        glyphs->Update();
        add_actor(glyphs->GetOutput(), colour);
        box_.AddBounds(glyphs->GetOutput()->GetBounds());
      }
    }
  }

  void write(const std::filesystem::path& file) {
    vtkNew<vtkRenderWindow> window;
    window->SetOffScreenRendering(1);
    window->SetMultiSamples(8);
    window->SetSize(options_.width, options_.height);
    window->SetNumberOfLayers(2);
    window->AddRenderer(renderer_);
    look();
    vtkNew<vtkRenderer> corner;
    add_axes(corner, window);
    add_caption();
    window->Render();
    double bounds[6];
    box_.GetBounds(bounds);
    renderer_->ResetCameraScreenSpace(bounds);
    renderer_->GetActiveCamera()->Zoom(0.9 * options_.zoom);
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
    mapper->ScalarVisibilityOff();
    vtkNew<vtkActor> actor;
    actor->SetMapper(mapper);
    vtkProperty* look = actor->GetProperty();
    look->SetColor(faded(colour[0]), faded(colour[1]), faded(colour[2]));
    look->SetSpecular(0.15);
    look->SetSpecularPower(20);
    renderer_->AddActor(actor);
    return look;
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
    const double* low = box_.GetMinPoint();
    const double* high = box_.GetMaxPoint();
    RecorderCamera view = camera_of_box({low[0], low[1], low[2]}, {high[0], high[1], high[2]});
    if (options_.from) {
      const auto& d = *options_.from;
      const double length = std::hypot(d[0], d[1], d[2]);
      if (!(length > 0)) throw Error("the direction of the view is zero");
      for (std::size_t k = 0; k < 3; ++k)
        view.position[k] = view.focus[k] + 5 * view.half_size * d[k] / length;
      view.up = std::abs(d[2]) > 0.9 * length ? Colour{0, 1, 0} : Colour{0, 0, 1};
    }
    if (options_.up) view.up = *options_.up;
    vtkCamera* camera = renderer_->GetActiveCamera();
    camera->SetFocalPoint(view.focus.data());
    camera->SetPosition(view.position.data());
    camera->SetViewUp(view.up.data());
    renderer_->ResetCamera();
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

  void add_caption() {
    if (options_.caption.empty()) return;
    vtkNew<vtkTextActor> text;
    text->SetInput(options_.caption.c_str());
    text->GetTextProperty()->SetFontSize(std::max(options_.height / 40, 11));
    text->GetTextProperty()->SetColor(0.2, 0.2, 0.2);
    text->GetTextProperty()->SetJustificationToRight();
    text->SetPosition(options_.width - 0.02 * options_.height, 0.02 * options_.height);
    renderer_->AddActor2D(text);
  }

  double faded(double channel) const { return 1 - strength_ * (1 - channel); }

  const PictureOptions& options_;
  vtkNew<vtkRenderer> renderer_;
  vtkBoundingBox box_;
  double diagonal_ = 1;
  double strength_ = 1;
};

}  // namespace

void write_picture(const std::vector<Layers>& instants, const PictureOptions& options,
                   const std::filesystem::path& file) {
  Scene scene(options, instants);
  for (std::size_t i = 0; i < instants.size(); ++i) {
    const double age = static_cast<double>(i + 1) / static_cast<double>(instants.size());
    scene.add(instants[i], i + 1 == instants.size() ? 1 : 0.25 + 0.5 * age);
  }
  if (options.arrow > 0) scene.add_arrows(instants.back());
  scene.write(file);
}

}  // namespace trammel::render
