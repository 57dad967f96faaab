#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trammel/builder.hpp"
#include "trammel/function.hpp"
#include "trammel/signal.hpp"

namespace trammel::load {

/// Derivatives of three components by the unknowns of blocks, by their rates and by their second rates, 3 x n each; of no
/// columns where there are none.
struct Gradient {
  Eigen::MatrixXd by_value, by_rate, by_second_rate;
};

/// Three functions of time and signals: the components of a load.
class Components {
 public:
  /// The signal of a name that a function reads. Throws Error where there is none.
  using FindSignal =
      std::function<std::shared_ptr<const Signal>(const std::string& name, const Location& where)>;

  /// Functions of time only: throws Error where one reads a signal.
  explicit Components(const std::vector<FunctionPtr>& functions);
  /// Finds the signals by their names in the model.
  Components(const std::vector<FunctionPtr>& functions, const Builder& builder);
  Components(const std::vector<FunctionPtr>& functions, const Builder& builder, const FindSignal& find);

  bool is_constant() const { return constant_; }
  /// Blocks that the signals read, each once, in the order of the columns of the gradient.
  const std::vector<BlockId>& blocks() const { return blocks_; }

  /// The value at x, where the blocks of the signals stand from index `first` on.
  Vec3 at(const LocalState& x, int first) const;
  /// Value and derivatives by the signals' blocks.
  Vec3 at(const LocalState& x, int first, Gradient& gradient) const;

 private:
  struct Source {
    std::string name;
    std::shared_ptr<const Signal> signal;
    int first_block = 0;   ///< its first one in `places_`
    int first_column = 0;  ///< and in `columns_`
  };
  struct Component {
    FunctionPtr function;
    std::vector<int> sources;  ///< index of each signal that the function reads
  };

  void fold_constants();
  void find_places(const Builder& builder);
  /// The blocks of all signals, as each of them expects its own.
  LocalState of_signals(const LocalState& x, int first, std::vector<BlockOffset>& offsets) const;

  std::array<Component, 3> component_;
  std::vector<Source> sources_;
  std::vector<BlockId> blocks_;
  std::vector<int> places_;   ///< of the blocks of one signal after the other, in `blocks_`
  std::vector<int> columns_;  ///< of the unknowns of one signal after the other: columns of the gradient
  int dofs_ = 0;              ///< unknowns in `blocks_`
  bool constant_ = false;
  Vec3 value_ = Vec3::Zero();
};

}  // namespace trammel::load
