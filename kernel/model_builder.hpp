#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "kernel/model.hpp"
#include "trammel/builder.hpp"

namespace trammel {

/// Builds a model, entity by entity.
class TRAMMEL_API ModelBuilder final : public Builder {
 public:
  explicit ModelBuilder(Model& model) : model_(&model) {}

  /// Begins an entity; the reader of the case calls this before `Type::build`.
  int begin(Entity entity, const Type& type);
  /// Begins an entity that the model lists already.
  void begin_listed(int entity, const Type& type);
  Model& model() { return *model_; }
  /// From now on the box is fixed: it contains what all ranks of `comm` have built so far. Collective.
  void fix_box(MPI_Comm comm);
  /// Checks that need the whole model; call after the last entity. Throws Error if a joint has a limit on a
  /// reaction that cannot be read.
  void finish();

  int entity_index() const override { return entity_; }
  std::span<const Entity> entities() const override { return model_->entities; }
  const Box& box() const override { return box_; }

  const Block& block(BlockId id) const override { return model_->block(id); }
  void set_activity(Activity activity) override;
  bool has_activity() const override { return model_->activities.contains(entity_); }

  void offer_marker(std::string_view name, Marker marker) override;
  void offer_marker_family(std::string_view name, std::function<Marker(double)> make) override;
  void offer_signal(std::string_view name, std::shared_ptr<const Signal> signal) override;
  void offer_coordinate(std::string_view name, std::string unit, BlockId block, int component = 0) override;
  void offer_mass(Marker centre, double mass) override;
  std::span<const MassPoint> masses() const override { return model_->masses; }
  void note(std::string title, const std::function<std::string()>& text) override;

  std::shared_ptr<const Signal> signal(std::string_view name, const Location& where) const override;
  bool has_signal(std::string_view name) const override;
  JointCoordinate coordinate(int of_entity, std::string_view name, const Location& where) const override;
  JointCoordinate coordinate(std::string_view full_name, const Location& where) const override;
  std::span<const JointCoordinate> coordinates_of(int entity) const override;
  [[nodiscard]] std::vector<int> add_relation(const std::vector<CoordinateTerm>& terms) override;
  int joint_named(std::string_view name) const override;
  std::pair<std::shared_ptr<const JointView>, std::vector<BlockId>> joint(int of_entity) const override;
  void report(SensorReference reference) override;
  InitialMotion initial(const Marker& marker) const override;

  void offer_identity(const Marker& a, const Marker& b, FramePart part, BlockId multiplier,
                      const Location* required = nullptr) override;
  void keep_multipliers(int of_entity) override;

 private:
  void offer_thing(std::string_view name, OfferedThing thing) override;
  const OfferedThing* find_thing(std::string_view full_name) const override;
  BlockId add_block(Block block, FrictionLaw* law) override;
  ElementRange& range(const std::type_info& of, std::unique_ptr<ElementRange> (*make)()) override;
  int check_stencil(std::span<const BlockId> stencil) const override;
  void set_reach(const ElementRange& range, int instance, std::vector<BlockId> blocks) override;
  Marker named_marker(const Value& name) const override;

  /// A number that a sensor reports, "reaction.force.x", as a signal, which is made when it is first read. Null if
  /// there is no sensor of this name. Throws Error if the sensor does not report the number.
  std::shared_ptr<const Signal> reported(std::string_view name, const Location& where) const;
  /// If the signal is a number that a sensor reports, records that the present entity reads it.
  void note_reader(std::string_view signal) const;
  std::shared_ptr<const Signal> reported_output(int of, const SensorReference& report,
                                                std::string_view number, const Location& where) const;
  /// Makes a joint keep its multipliers because a sensor's signal of its outputs is read.
  void keep_reaction(int joint, const std::string& sensor, const Location& where) const;

  std::string conflict(const Marker& a, const Marker& b, FramePart part) const;

  Model* model_;
  int next_block_ = 0;  ///< of the present entity
  Box box_;
  bool box_is_fixed_ = false;
  int entity_ = -1;
  std::map<std::pair<std::string, const std::type_info*>, ElementRange*> ranges_;  ///< by plugin and type
  std::map<std::string, std::function<Marker(double)>, std::less<>> families_;
  std::map<std::string, OfferedThing, std::less<>> things_;
  std::map<std::string, int, std::less<>> joints_, sensors_;
  std::map<int, Location> required_;  ///< by joint: position of `share: yes` in the case
  /// Relations between coordinates in reduced row-echelon form, by pivot coordinate. The pivot has the factor 1 and
  /// occurs in no later relation.
  struct ReducedRelation {
    std::map<std::pair<BlockId, int>, double> terms;
    std::vector<int> entities;  ///< that it was made from
  };
  std::map<std::pair<BlockId, int>, ReducedRelation> relations_;
};

}  // namespace trammel
