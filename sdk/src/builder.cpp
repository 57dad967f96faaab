#include "trammel/builder.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace trammel {

namespace {

Block new_block(BlockKind kind, std::string_view name, std::span<const double> initial,
                std::span<const double> rate, std::string_view unit, std::vector<Row> rows = {}) {
  Block block;
  block.kind = kind;
  block.name = name;
  block.size = kind == BlockKind::rotation ? 3 : static_cast<int>(initial.size());
  block.unit = unit;
  block.rows = std::move(rows);
  block.initial.assign(initial, std::max(initial.size(), block.initial.size()));
  block.initial_rate.assign(rate, std::max(initial.size(), block.initial_rate.size()));
  return block;
}

std::vector<Row> rows_of(std::span<const Measure> measures) {
  std::vector<Row> rows;
  for (const Measure& measure : measures) rows.push_back({.measure = measure});
  return rows;
}

/// "m", or "m m rad" where they differ.
std::string units_of(const std::vector<Row>& rows) {
  std::string all;
  bool same = true;
  for (const Row& row : rows) {
    all.append(all.empty() ? "" : " ").append(row.measure.unit());
    same = same && row.measure.dimension == rows.front().measure.dimension;
  }
  return same && !rows.empty() ? rows.front().measure.unit() : all;
}

/// Multipliers, which start at zero.
Block multipliers(BlockKind kind, std::string_view name, std::vector<Row> rows) {
  const std::string unit = units_of(rows);
  const std::vector<double> zeros(rows.size());
  return new_block(kind, name, zeros, {}, unit, std::move(rows));
}

void require_dimensions(const Block& block, const Entity& entity) {
  const auto fail = [&](const std::string& what) {
    throw Error(entity.where,
                fmt::format("type '{}': {} of '{}'", entity.type, what, entity.full_name(block.name)));
  };
  if (block.kind == BlockKind::position || block.kind == BlockKind::rotation) return;
  if (block.rows.size() != static_cast<std::size_t>(block.size))
    fail(fmt::format("{} numbers have {} dimensions in the block", block.size, block.rows.size()));
  for (int i = 0; i < block.size; ++i) {
    const Row& row = block.rows[static_cast<std::size_t>(i)];
    const char* kind = is_multiplier(block.kind) ? "row" : "number";
    if (!row.measure.is_declared())
      fail(fmt::format(
          "no dimension is declared for {} {} (length, angle, velocity, spin, or the size that is "
          "typical of it)",
          kind, i + 1));
    if (row.law == RowLaw::friction && block.kind != BlockKind::velocity_multiplier)
      fail(
          fmt::format("friction is a law of velocities, but stands in {} {} at position level", kind, i + 1));
    if (row.law == RowLaw::unilateral && block.kind != BlockKind::multiplier)
      fail(fmt::format("a unilateral law needs a gap, but stands in {} {} at velocity level", kind, i + 1));
    if (row.restitution != 0)
      throw Error(entity.where, fmt::format("'{}': a restitution of {:g} is not available yet: impacts are "
                                            "plastic, and `restitution` is 0",
                                            entity.name, row.restitution));
  }
}

}  // namespace

Builder::~Builder() = default;

std::string Builder::full_name(std::string_view name) const { return entity().full_name(name); }

BlockId Builder::put(Block block, FrictionLaw* law) {
  if (block.size < 1)
    throw Error(entity().where, fmt::format("the block '{}' holds no number", full_name(block.name)));
  block.entity = entity_index();
  require_dimensions(block, entity());
  return add_block(std::move(block), law);
}

BlockId Builder::add_position(std::string_view name, const Vec3& p_WB, const Vec3& v_WB) {
  return put(new_block(BlockKind::position, name, {p_WB.data(), 3}, {v_WB.data(), 3}, "m"));
}

BlockId Builder::add_rotation(std::string_view name, const Mat3& R_WB, const Vec3& w_WB_B) {
  const Quaternion q = Quaternion(R_WB).normalized();
  const std::array<double, 4> wxyz{q.w(), q.x(), q.y(), q.z()};
  return put(new_block(BlockKind::rotation, name, wxyz, {w_WB_B.data(), 3}, "rad"));
}

Frame Builder::add_frame(std::string_view name, const Mat3& R_WB, const Vec3& p_WB, const Vec3& v_WB,
                         const Vec3& w_WB_B) {
  const std::string prefix = name.empty() ? std::string() : std::string(name) + " ";
  return {add_position(prefix + "position", p_WB, v_WB), add_rotation(prefix + "rotation", R_WB, w_WB_B)};
}

BlockId Builder::add_coordinates(std::string_view name, std::span<const double> initial,
                                 std::span<const double> rate, std::span<const Measure> measures,
                                 std::string unit) {
  return put(new_block(BlockKind::coordinate, name, initial, rate, unit, rows_of(measures)));
}

BlockId Builder::add_states(std::string_view name, std::span<const double> initial,
                            std::span<const Measure> measures, std::string unit) {
  return put(new_block(BlockKind::state, name, initial, {}, unit, rows_of(measures)));
}

BlockId Builder::add_algebraic(std::string_view name, std::span<const double> initial,
                               std::span<const Measure> measures, std::string unit) {
  return put(new_block(BlockKind::algebraic, name, initial, {}, unit, rows_of(measures)));
}

BlockId Builder::add_multiplier(std::string_view name, std::vector<Row> rows) {
  if (has_activity())
    for (Row& row : rows) row.switches = true;
  return put(multipliers(BlockKind::multiplier, name, std::move(rows)));
}

BlockId Builder::add_velocity_multiplier(std::string_view name, std::vector<Row> rows,
                                         const VelocityRows& together) {
  if (has_activity() || together.in_statics == InStatics::absent)
    for (Row& row : rows) row.switches = true;
  Block block = multipliers(BlockKind::velocity_multiplier, name, std::move(rows));
  block.velocity = together;
  return put(std::move(block));
}

BlockId Builder::add_friction(std::string_view name, std::span<const Dimension> axes, FrictionLaw law) {
  const auto fail = [&](const std::string& what) {
    throw Error(entity().where, "'" + full_name(name) + "': " + what);
  };
  if (axes.empty() || axes.size() > law.at_rest.size())
    fail(fmt::format("friction has one to three axes, found {}", axes.size()));
  if (law.normal == nullptr) fail("friction needs a normal force, and none is given");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!(law.sliding[i] >= 0))
      fail(fmt::format("the coefficient of friction is negative, {:g}", law.sliding[i]));
    if (!(law.at_rest[i] >= law.sliding[i]))
      fail(fmt::format("the coefficient of friction at rest, {:g}, is less than that of sliding, {:g}",
                       law.at_rest[i], law.sliding[i]));
  }
  std::vector<Row> rows = trammel::rows_of(axes);
  for (Row& row : rows) {
    row.law = RowLaw::friction;
    if (has_activity()) row.switches = true;
  }
  Block block = multipliers(BlockKind::velocity_multiplier, name, std::move(rows));
  block.velocity = {.ideal = false};
  return put(std::move(block), &law);
}

void Builder::require_type(std::string_view name, std::string_view found, std::string_view wanted) {
  if (found != wanted)
    throw Error(fmt::format("'{}' is offered as '{}', and is wanted as '{}'", name, found, wanted));
}

std::vector<int> Builder::sizes_of(std::span<const BlockId> blocks) const {
  std::vector<int> sizes;
  for (const BlockId id : blocks) sizes.push_back(block(id).size);
  return sizes;
}

}  // namespace trammel
