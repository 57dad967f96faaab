#pragma once

#include <functional>
#include <span>
#include <vector>

#include "instance_plan.hpp"
#include "tangent_sink.hpp"
#include "trammel/assembler.hpp"
#include "trammel/collective_errors.hpp"

/// Constraints whose rows may depend on their multipliers, as those of a contact that gives way: where rates count, positions
/// are those at multipliers of zero.
namespace trammel {

/// Rows of a constraint at acceleration level, of the share of instance i; `gradient`: K, or D of a velocity constraint.
Eigen::VectorXd acceleration_rows(const RangePlan& plan, int i, const State& state, LocalSystem& share,
                                  const StencilBlock& row, const MatrixMap& gradient);

/// Puts the rows of position constraints at multipliers of zero in the place of those that there are, but for those of
/// joints that do not hold.
class RowsAtZero final : public ShareSink {
 public:
  /// `r`, `rates`: by dof place.
  RowsAtZero(ConstraintLevel level, std::vector<double>& r, std::vector<double>& rates)
      : level_(level), r_(r), rates_(rates) {}

  void begin(const RangePlan& plan, const State& state) {
    plan_ = &plan;
    state_ = &state;
  }
  void add(int i, LocalSystem& share) override;

 private:
  ConstraintLevel level_;
  std::vector<double>&r_, &rates_;
  const RangePlan* plan_ = nullptr;
  const State* state_ = nullptr;
};

/// Copies the rows of constraints, one instance after the other.
class RowCopies final : public ShareSink {
 public:
  void add(int i, LocalSystem& share) override;

  std::vector<ConstraintRows> copies;
};

/// The instances whose constraints may depend on their multipliers.
class CompliantInstances {
 public:
  struct Place {
    std::size_t plan = 0;
    int instance = 0;
  };

  /// Collective.
  void find(std::span<const RangePlan> plans, const Layout& layout);
  bool any() const { return any_; }  ///< on some rank
  /// This rank's, in the order in which they are evaluated.
  std::span<const Place> places() const { return places_; }

  /// Evaluates them at multipliers of zero; `begin` is called before each. What one throws goes to `fault`.
  void evaluate(std::span<const RangePlan> plans, const Model& model, int rank, const State& state,
                const Request& request, ShareSink& sink, LocalFault& fault,
                const std::function<void(const RangePlan&)>& begin) const;

 private:
  std::vector<Place> places_;
  bool any_ = false;
};

}  // namespace trammel
