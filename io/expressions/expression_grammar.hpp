#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/error.hpp"

namespace trammel {

/// An expression that does not parse or cannot be evaluated. Its message names the text and the column.
class ExpressionError : public Error {
 public:
  /// `column` counts from 1 within `text`; 0 means the whole text.
  ExpressionError(std::string_view text, int column, const std::string& what);

  /// The same error at the place in the case where the text stands.
  ExpressionError(const Location& where, const ExpressionError& error)
      : Error(where, error.what()), column_(error.column_) {}

  int column() const { return column_; }

 protected:
  /// With a message that already says where.
  ExpressionError(int column, const std::string& message) : Error(message), column_(column) {}

 private:
  int column_;
};

namespace grammar {

enum class NodeKind : std::uint8_t { number, name, call, binary, negate, logical_not };

/// A node of the parsed expression. Children stand in the tree's list by their index.
struct Node {
  NodeKind kind = NodeKind::number;
  int column = 0;          ///< where it begins in the text, from 1
  double number = 0;       ///< of a number
  std::string name;        ///< of a name, a call, or the sign of a binary operator
  std::vector<int> items;  ///< children
};

struct Tree {
  std::vector<Node> nodes;
  int root = -1;
};

/// Parses the whole text. Throws ExpressionError with the column, what was found and what was expected.
Tree parse(std::string_view text);

}  // namespace grammar
}  // namespace trammel
