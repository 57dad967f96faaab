#include "io/drawing/vtk_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "io/drawing/section_motion.hpp"
#include "trammel/error.hpp"

namespace trammel {

std::string_view layer_name(int layer) {
  static constexpr std::array<std::string_view, canvas_layers> names{"curves", "sections", "bodies",
                                                                     "joints", "forces",   "markers"};
  return names[static_cast<std::size_t>(layer)];
}

void DrawingExtent::add(const DrawingExtent& other) {
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = std::min(low[k], other.low[k]);
    high[k] = std::max(high[k], other.high[k]);
  }
  force = std::max(force, other.force);
  moment = std::max(moment, other.moment);
  shear = std::max(shear, other.shear);
  bending = std::max(bending, other.bending);
}

double DrawingExtent::diagonal() const {
  if (!(low[0] <= high[0])) return 0;
  return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

DrawingExtent LayerDrawing::extent() const {
  DrawingExtent extent;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3)
    for (std::size_t k = 0; k < 3; ++k) {
      if (!std::isfinite(points[i + k])) continue;
      extent.low[k] = std::min(extent.low[k], points[i + k]);
      extent.high[k] = std::max(extent.high[k], points[i + k]);
    }
  const auto longest = [&](const char* name, std::size_t from) {
    const auto at = fields.find(name);
    if (at == fields.end() || at->second.components != 3) return 0.0;
    double squared = 0;
    for (std::size_t i = 0; i + 2 < at->second.values.size(); i += 3) {
      double sum = 0;
      for (std::size_t k = i + from; k < i + 3; ++k) sum += at->second.values[k] * at->second.values[k];
      if (std::isfinite(sum)) squared = std::max(squared, sum);
    }
    return std::sqrt(squared);
  };
  extent.force = longest("force", 0);
  extent.moment = longest("moment", 0);
  extent.shear = longest("section force", 1);
  extent.bending = longest("section moment", 1);
  return extent;
}

void LayerDrawing::Cells::clear() {
  offsets.assign(1, 0);
  connectivity.clear();
  entity.clear();
}

void LayerDrawing::clear() {
  points.clear(), entity.clear(), rings.clear();
  for (Cells* const kind : {&vertices, &lines, &polygons, &strips}) kind->clear();
  unused_.merge(fields);
  fields.clear();
}

std::pair<const std::string, LayerDrawing::Field>& LayerDrawing::field(std::string_view name) {
  if (const auto at = fields.find(name); at != fields.end()) return *at;
  const auto used_before = unused_.find(name);
  if (used_before == unused_.end()) return *fields.try_emplace(std::string(name)).first;
  std::vector<double> values = std::move(used_before->second.values);
  values.clear();
  used_before->second = Field{1, std::move(values)};
  return *fields.insert(unused_.extract(used_before)).position;
}

void VtkDrawing::forget_fields() {
  last_field_ = nullptr;
  next_field_ = 0;
  for (std::vector<NamedField*>& fields : in_order_) fields.clear();
}

DrawingLayers VtkDrawing::take_layers() {
  last_ = nullptr;
  skin_ = {};
  forget_fields();
  return std::exchange(layers_, {});
}

void VtkDrawing::reuse(DrawingLayers layers) {
  layers_ = std::move(layers);
  clear();
}

void VtkDrawing::clear() {
  if (!has_start_) instances_at_start_.clear();
  forget_fields();
  for (LayerDrawing& layer : layers_) layer.clear();
  skin_ = {};
  ring_centres_.clear();
  lines_.instances.clear(), lines_.lines.clear();
  begin(-1);
}

void VtkDrawing::begin(int entity) {
  entity_ = entity;
  last_ = nullptr;
  last_field_ = nullptr;
  axis_ = {};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    begun_[i] = layers_[i].point_count();
    begun_rings_[i] = layers_[i].rings.size();
  }
  if (entity < 0) return;
  lines_.instances.push_back(lines_.lines.size());
  if (!has_start_) instances_at_start_.push_back({entity, begun_[static_cast<std::size_t>(Layer::bodies)]});
}

void VtkDrawing::finish() {
  displace_curves();
  displace_bodies();
  has_start_ = true;
  for (LayerDrawing& layer : layers_)
    for (auto& [name, field] : layer.fields) field.values.resize(layer.size_of(field), 0.0);
  move_sections(layers_[static_cast<std::size_t>(Layer::sections)],
                layers_[static_cast<std::size_t>(Layer::curves)],
                {lines_, lines_start_, line_at_start_, ring_centres_}, detail_);
}

namespace {

LayerDrawing::Field& displacement_of(LayerDrawing& drawing) {
  LayerDrawing::Field& field = drawing.field("displacement").second;
  field.components = 3;
  field.unit = "m";
  field.names.assign(world_axes.begin(), world_axes.end());
  return field;
}

}  // namespace

/// Stations of the curves, and in the first drawing their axes, by their fields.
void VtkDrawing::note_lines(const LayerDrawing& drawing) {
  const std::size_t count = drawing.point_count();
  const auto values_of = [&](std::string_view name, int components) -> const std::vector<double>* {
    const auto at = drawing.fields.find(name);
    return at != drawing.fields.end() && at->second.components == components && !at->second.by_ring
               ? &at->second.values
               : nullptr;
  };
  const std::vector<double>* const arc = values_of("arc length", 1);
  lines_.stations = arc != nullptr ? *arc : std::vector<double>();
  lines_.stations.resize(count, 0.0);
  lines_.axes.clear();
  if (has_start_) return;
  const std::array<const std::vector<double>*, 3> axes{values_of("t1", 3), values_of("t2", 3),
                                                       values_of("t3", 3)};
  if (std::ranges::find(axes, nullptr) != axes.end()) return;
  lines_.axes.resize(9 * count, 0.0);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; 3 * i + 2 < axes[k]->size(); ++i)
      std::copy_n(axes[k]->data() + 3 * i, 3, lines_.axes.data() + 9 * i + 3 * k);
}

void VtkDrawing::displace_curves() {
  LayerDrawing& drawing = layers_[static_cast<std::size_t>(Layer::curves)];
  note_lines(drawing);
  lines_.points.swap(drawing.points);
  if (!has_start_) lines_start_ = lines_;
  line_at_start_.assign(lines_.lines.size(), SectionAxes::unknown);
  if (!lines_.points.empty() && !drawing.fields.contains("displacement")) {  // or an element drew it
    LayerDrawing::Field& field = displacement_of(drawing);
    field.values.assign(lines_.points.size(), 0.0);
    const std::size_t instances = std::min(lines_.instances.size(), lines_start_.instances.size());
    for (std::size_t i = 0; i < instances; ++i) {
      const auto [first, end] = lines_.of_instance(i);
      const auto [start, start_end] = lines_start_.of_instance(i);
      if (end - first != start_end - start) continue;
      for (std::size_t k = 0; k < end - first; ++k) {
        const DrawnLine line = lines_.line(first + k);
        displacements(line, lines_start_.line(start + k),
                      std::span(field.values).subspan(3 * lines_.lines[first + k], line.points.size()));
        line_at_start_[first + k] = start + k;
      }
    }
  }
  lines_.points.swap(drawing.points);
}

void VtkDrawing::displace_bodies() {
  LayerDrawing& drawing = layers_[static_cast<std::size_t>(Layer::bodies)];
  Start& start = bodies_start_;
  if (!has_start_) start = {drawing.points, drawing.entity};
  if (drawing.empty() || drawing.entity != start.entity) return;
  if (drawing.fields.contains("displacement")) return;  // drawn by an element
  LayerDrawing::Field& field = displacement_of(drawing);
  field.values.resize(drawing.points.size());
  for (std::size_t i = 0; i < field.values.size(); ++i) field.values[i] = drawing.points[i] - start.points[i];
}

void VtkDrawing::place_rings(LayerDrawing& drawing, std::size_t first, std::size_t corners,
                             std::size_t count) {
  last_ring_ = drawing.rings.size();
  for (std::size_t k = 0; k < count; ++k) drawing.rings.push_back({first + k * corners, corners});
  if (&drawing != &layers_[static_cast<std::size_t>(Layer::sections)]) return;
  ring_centres_.resize(last_ring_);
  const bool known = axis_.count >= 2 && (count == axis_.count || count <= 2), ends = count != axis_.count;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t on_axis = !ends ? k : k + 1 == count ? axis_.count - 1 : 0;
    ring_centres_.push_back(known ? axis_.first + on_axis : SectionAxes::unknown);
  }
}

std::vector<VtkDrawing::InstanceStart> VtkDrawing::starts() const {
  std::vector<InstanceStart> all;
  if (!has_start_) return all;
  for (std::size_t k = 0; k < instances_at_start_.size(); ++k) {
    const std::size_t begin = instances_at_start_[k].bodies;
    const std::size_t end =
        k + 1 < instances_at_start_.size() ? instances_at_start_[k + 1].bodies : bodies_start_.entity.size();
    InstanceStart one;
    one.entity = instances_at_start_[k].entity;
    const auto at = [&](std::size_t i) {
      return bodies_start_.points.begin() + static_cast<std::ptrdiff_t>(3 * i);
    };
    one.bodies.assign(at(begin), at(end));
    const auto [first, last] = lines_start_.of_instance(k);
    for (std::size_t i = first; i < last; ++i) {
      const DrawnLine line = lines_start_.line(i);
      one.curves.insert(one.curves.end(), line.points.begin(), line.points.end());
      one.stations.insert(one.stations.end(), line.stations.begin(), line.stations.end());
      one.axes.insert(one.axes.end(), line.axes.begin(), line.axes.end());
      one.line_points.push_back(static_cast<std::int32_t>(line.size()));
    }
    all.push_back(std::move(one));
  }
  return all;
}

void VtkDrawing::set_starts(const std::vector<InstanceStart>& starts) {
  lines_start_ = {};
  bodies_start_ = {};
  instances_at_start_.clear();
  for (const InstanceStart& one : starts) {
    instances_at_start_.push_back({one.entity, bodies_start_.entity.size()});
    bodies_start_.points.insert(bodies_start_.points.end(), one.bodies.begin(), one.bodies.end());
    bodies_start_.entity.resize(bodies_start_.points.size() / 3, one.entity);
    lines_start_.instances.push_back(lines_start_.lines.size());
    std::size_t first = lines_start_.stations.size();
    for (const std::int32_t count : one.line_points) {
      lines_start_.lines.push_back(first);
      first += static_cast<std::size_t>(count);
    }
    lines_start_.points.insert(lines_start_.points.end(), one.curves.begin(), one.curves.end());
    lines_start_.stations.insert(lines_start_.stations.end(), one.stations.begin(), one.stations.end());
    lines_start_.axes.insert(lines_start_.axes.end(), one.axes.begin(), one.axes.end());
  }
  has_start_ = true;
}

void VtkDrawing::begin_part(LayerDrawing& drawing, std::size_t first, std::size_t given) {
  last_ = &drawing;
  last_first_ = first;
  given_ = given;
  kept_.clear();
  given_rings_ = kept_rings_ = 0;
  last_field_ = nullptr;
  next_field_ = 0;
}

LayerDrawing& VtkDrawing::add_points(Layer layer, std::span<const Vec3> points) {
  LayerDrawing& drawing = layers_[static_cast<std::size_t>(layer)];
  begin_part(drawing, drawing.point_count(), points.size());
  if (layer == Layer::curves) lines_.lines.push_back(last_first_);
  for (const Vec3& p : points) drawing.points.insert(drawing.points.end(), p.data(), p.data() + 3);
  drawing.entity.resize(drawing.point_count(), entity_);
  return drawing;
}

namespace {

void add_cell(LayerDrawing::Cells& cells, std::size_t first, std::size_t count, int entity) {
  for (std::size_t i = 0; i < count; ++i) cells.connectivity.push_back(static_cast<std::int64_t>(first + i));
  cells.offsets.push_back(static_cast<std::int64_t>(cells.connectivity.size()));
  cells.entity.push_back(entity);
}

}  // namespace

void VtkDrawing::polyline(Layer layer, std::span<const Vec3> points) {
  LayerDrawing& drawing = add_points(layer, points);
  if (!points.empty()) add_cell(drawing.lines, last_first_, points.size(), entity_);
  if (layer == Layer::curves) axis_ = {last_first_, points.size()};
}

void VtkDrawing::points(Layer layer, std::span<const Vec3> points) {
  LayerDrawing& drawing = add_points(layer, points);
  for (std::size_t i = 0; i < points.size(); ++i) add_cell(drawing.vertices, last_first_ + i, 1, entity_);
}

void VtkDrawing::surface(Layer layer, std::span<const Vec3> points, std::span<const int> faces) {
  LayerDrawing& drawing = add_points(layer, points);
  for (std::size_t i = 0; i < faces.size();) {
    const auto count = static_cast<std::size_t>(faces[i]);
    if (faces[i] < 3 || i + 1 + count > faces.size())
      throw Error(
          fmt::format("a surface's face has {} vertices, and {} are given", faces[i], faces.size() - i - 1));
    for (std::size_t k = i + 1; k <= i + count; ++k) {
      if (faces[k] < 0 || static_cast<std::size_t>(faces[k]) >= points.size())
        throw Error(fmt::format("a surface's face names vertex {} of {}", faces[k], points.size()));
      drawing.polygons.connectivity.push_back(static_cast<std::int64_t>(last_first_) + faces[k]);
    }
    drawing.polygons.offsets.push_back(static_cast<std::int64_t>(drawing.polygons.connectivity.size()));
    drawing.polygons.entity.push_back(entity_);
    i += 1 + count;
  }
}

bool VtkDrawing::continues_strip(const LayerDrawing& drawing, std::span<const Vec3> points,
                                 std::size_t ring) const {
  // Of the section's width: how far apart two rings may be, how far the ring between may be from both neighbours'
  // shape (a turn of 3 degrees, a chord's error below two thousandths), and how exactly the parts must meet.
  constexpr double spacing = 0.25, turn = 0.025, gap = 1e-6;
  if (skin_.layer != &drawing || skin_.entity != entity_ || skin_.corners != ring ||
      skin_.end != drawing.point_count() || points.size() != 2 * ring)
    return false;
  const auto drawn = [&](std::size_t i) {
    return Vec3(Eigen::Map<const Vec3>(drawing.points.data() + 3 * (skin_.end - 2 * ring + i)));
  };
  Vec3 first_centre = Vec3::Zero(), last_centre = Vec3::Zero();
  for (std::size_t k = 0; k < ring; ++k) {
    first_centre += drawn(k) / static_cast<double>(ring);
    last_centre += points[ring + k] / static_cast<double>(ring);
  }
  double width = 0;
  for (std::size_t k = 0; k < ring; ++k) width = std::max(width, 2 * (points[ring + k] - last_centre).norm());
  const double longest = std::max(spacing * width, detail_);
  for (std::size_t k = 0; k < ring; ++k) {
    const Vec3 first = drawn(k);
    const Vec3& last = points[ring + k];
    if (!((drawn(ring + k) - points[k]).norm() <= gap * width && (last - first).norm() <= longest &&
          ((last - last_centre) - (first - first_centre)).norm() <= turn * width))
      return false;
  }
  return true;
}

void VtkDrawing::swept(Layer layer, std::span<const Vec3> points, int corners, std::span<const int> caps) {
  // The other layers keep their points over frames: displacements are differences from the first.
  ring_corners_.choose(points, static_cast<std::size_t>(corners), caps,
                       layer == Layer::sections ? detail_ : 0.0);
  const bool all = ring_corners_.all();
  const std::size_t ring = ring_corners_.of_ring();
  const std::span<const Vec3> drawn = all ? points : ring_corners_.points();
  LayerDrawing& present = layers_[static_cast<std::size_t>(layer)];
  if (caps.empty() && continues_strip(present, drawn, ring)) {
    begin_part(present, skin_.end - ring, points.size());
    for (std::size_t k = 0; k < ring; ++k) kept_.push_back(all ? ring + k : ring_corners_.kept()[ring + k]);
    double* to = present.points.data() + 3 * last_first_;
    for (std::size_t k = 0; k < ring; ++k) Eigen::Map<Vec3>(to + 3 * k) = drawn[ring + k];
    present.rings.pop_back();
    place_rings(present, last_first_, ring, 1);
    given_rings_ = 2, kept_rings_ = 1;
    return;
  }
  surface(layer, drawn, all ? caps : ring_corners_.caps());
  given_ = points.size();
  kept_ = ring_corners_.kept();
  LayerDrawing& drawing = *last_;
  given_rings_ = kept_rings_ = drawn.size() / ring;
  place_rings(drawing, last_first_, ring, kept_rings_);
  for (std::size_t first = last_first_; first + 2 * ring <= drawing.point_count(); first += ring) {
    LayerDrawing::Cells& strips = drawing.strips;
    for (std::size_t k = 0; k <= ring; ++k)
      for (const std::size_t point : {first + ring + k % ring, first + k % ring})
        strips.connectivity.push_back(static_cast<std::int64_t>(point));
    strips.offsets.push_back(static_cast<std::int64_t>(strips.connectivity.size()));
    strips.entity.push_back(entity_);
  }
  skin_ = {};
  if (caps.empty() && drawn.size() >= 2 * ring) skin_ = {&drawing, entity_, ring, drawing.point_count()};
}

LayerDrawing::Field& VtkDrawing::field_of_last(std::string_view name) {
  std::vector<NamedField*>& order = in_order_[static_cast<std::size_t>(last_ - layers_.data())];
  if (next_field_ >= order.size() || order[next_field_]->first != name) {
    order.resize(next_field_);
    order.push_back(&last_->field(name));
  }
  last_field_ = order[next_field_++];
  return last_field_->second;
}

void spread(const LayerDrawing& drawing, LayerDrawing::Field& field) {
  std::vector<double> values;
  spread(drawing, static_cast<std::size_t>(field.components), field.values, values);
  field.values = std::move(values);
  field.by_ring = false;
}

LayerDrawing::Field& VtkDrawing::field_of_part(std::string_view name, std::span<const double> values,
                                               int components, bool by_ring, std::size_t places) {
  if (last_ == nullptr) throw Error(fmt::format("field '{}' is drawn before any part", name));
  if (components < 1 || values.size() != places * static_cast<std::size_t>(components))
    throw Error(fmt::format("field '{}' gives {} numbers for {} {} of {} components", name, values.size(),
                            places, by_ring ? "rings" : "points", components));
  if (name == "entity") throw Error("the field 'entity' is the recorder's own");
  LayerDrawing::Field& field = field_of_last(name);
  if (field.values.empty()) {
    field.components = components;
    field.by_ring = by_ring;
  }
  if (field.components != components)
    throw Error(fmt::format("field '{}' has {} components here and {} elsewhere on the same layer", name,
                            components, field.components));
  if (field.by_ring && !by_ring) spread(*last_, field);
  field.values.resize((field.by_ring ? last_ring_ : last_first_) * static_cast<std::size_t>(components), 0.0);
  return field;
}

void VtkDrawing::field(std::string_view name, std::span<const double> values, int components) {
  LayerDrawing::Field& field = field_of_part(name, values, components, false, given_);
  const auto width = static_cast<std::size_t>(components);
  if (kept_.empty()) {
    field.values.insert(field.values.end(), values.begin(), values.end());
  } else if (width == 1) {  // the extreme stress remains
    for (const std::size_t i : kept_) field.values.push_back(ring_corners_.largest(values, i));
  } else {
    for (const std::size_t i : kept_)
      for (std::size_t k = 0; k < width; ++k) field.values.push_back(values[i * width + k]);
  }
}

void VtkDrawing::ring_field(std::string_view name, std::span<const double> values, int components) {
  LayerDrawing::Field& field = field_of_part(name, values, components, true, given_rings_);
  const auto width = static_cast<std::size_t>(components);
  const std::span<const double> kept = values.last(kept_rings_ * width);
  if (field.by_ring) {
    field.values.insert(field.values.end(), kept.begin(), kept.end());
  } else {
    for (std::size_t i = 0; i < kept_rings_; ++i)
      for (std::size_t k = 0; k < last_->rings[last_ring_ + i].corners; ++k)
        for (const double value : kept.subspan(i * width, width)) field.values.push_back(value);
  }
}

void VtkDrawing::label(std::string_view name, std::string_view unit,
                       std::span<const std::string_view> components) {
  if (last_ == nullptr) return;
  LayerDrawing::Field* field = nullptr;
  if (last_field_ != nullptr && last_field_->first == name) {
    field = &last_field_->second;
  } else if (const auto at = last_->fields.find(name); at != last_->fields.end()) {
    field = &at->second;
  }
  if (field == nullptr || !field->unit.empty() || !field->names.empty()) return;
  field->unit = unit;
  field->names.assign(components.begin(), components.end());
}

bool VtkDrawing::drew(Layer layer, std::string_view name) const {
  const LayerDrawing& drawing = layers_[static_cast<std::size_t>(layer)];
  const std::size_t first = begun_[static_cast<std::size_t>(layer)];
  const auto at = drawing.fields.find(name);
  return at != drawing.fields.end() &&
         at->second.values.size() >
             (at->second.by_ring ? begun_rings_[static_cast<std::size_t>(layer)] : first) *
                 static_cast<std::size_t>(at->second.components);
}

void VtkDrawing::add_number(Layer layer, std::string_view name, std::string_view unit, double value) {
  LayerDrawing& drawing = layers_[static_cast<std::size_t>(layer)];
  const std::size_t first = begun_[static_cast<std::size_t>(layer)];
  if (drawing.point_count() == first || name == "entity") return;
  LayerDrawing::Field& field = drawing.field(name).second;
  if (field.by_ring) spread(drawing, field);
  if (field.components != 1 || field.values.size() > first) return;
  if (field.unit.empty()) field.unit = unit;
  field.values.resize(first, 0.0);
  field.values.resize(drawing.point_count(), std::isfinite(value) ? value : 0.0);
}

}  // namespace trammel
