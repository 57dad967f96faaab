#include "io/expressions/expression_grammar.hpp"

#include <charconv>
#include <functional>
#include <system_error>
#include <utility>

#include <boost/fusion/include/at_c.hpp>
#include <boost/spirit/home/x3.hpp>

#include "trammel/quoted.hpp"

namespace trammel {

namespace {

constexpr std::size_t longest_text = 4000;
constexpr int deepest_nesting = 64;

std::string described(std::string_view text, int column, const std::string& what) {
  if (column == 0) return in_quotes(text) + ": " + what;
  return "column " + std::to_string(column) + " of " +
         in_quotes_around(text, static_cast<std::size_t>(column - 1)) + ": " + what;
}

}  // namespace

ExpressionError::ExpressionError(std::string_view text, int column, const std::string& what)
    : Error(described(text, column, what)), column_(column) {}

namespace grammar {
namespace {

namespace x3 = boost::spirit::x3;
using Iterator = std::string_view::const_iterator;

/// Collects the nodes while the parser runs.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  int column(Iterator at) const { return static_cast<int>(at - text_.begin()) + 1; }
  std::string_view text() const { return text_; }

  int add(NodeKind kind, int column, std::string name, std::vector<int> items) {
    tree_.nodes.push_back({kind, column, 0, std::move(name), std::move(items)});
    return static_cast<int>(tree_.nodes.size()) - 1;
  }
  int add_number(int column, std::string_view digits) {
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
      throw ExpressionError(text_, column, "the number " + in_quotes(digits) + " is out of range");
    }
    const int node = add(NodeKind::number, column, {}, {});
    tree_.nodes.back().number = value;
    return node;
  }
  /// Where the subexpression begins that ends up left of an operator.
  int begin_of(int node) const { return tree_.nodes[static_cast<std::size_t>(node)].column; }

  Tree take(int root) {
    tree_.root = root;
    return std::move(tree_);
  }

 private:
  std::string_view text_;
  Tree tree_;
};

struct BuilderTag;

template <class Context>
TreeBuilder& builder(const Context& context) {
  return x3::get<BuilderTag>(context).get();
}

/// A piece of the text: rules of names, numbers and operators give one.
using Piece = boost::iterator_range<Iterator>;

std::string string_of(const Piece& piece) { return {piece.begin(), piece.end()}; }

const auto number_node = [](const auto& context) {
  TreeBuilder& tree = builder(context);
  const Piece piece = x3::_attr(context);
  const std::string_view digits(&*piece.begin(), static_cast<std::size_t>(piece.size()));
  x3::_val(context) = tree.add_number(tree.column(piece.begin()), digits);
};
const auto name_node = [](const auto& context) {
  const Piece piece = x3::_attr(context);
  TreeBuilder& tree = builder(context);
  x3::_val(context) = tree.add(NodeKind::name, tree.column(piece.begin()), string_of(piece), {});
};
const auto call_node = [](const auto& context) {
  const Piece piece = boost::fusion::at_c<0>(x3::_attr(context));
  const std::vector<int>& items = boost::fusion::at_c<1>(x3::_attr(context));
  TreeBuilder& tree = builder(context);
  x3::_val(context) = tree.add(NodeKind::call, tree.column(piece.begin()), string_of(piece), items);
};
const auto pass = [](const auto& context) { x3::_val(context) = x3::_attr(context); };
// The rule's value so far is the left operand.
const auto binary_node = [](const auto& context) {
  const Piece sign = boost::fusion::at_c<0>(x3::_attr(context));
  const int right = boost::fusion::at_c<1>(x3::_attr(context));
  const int left = x3::_val(context);
  TreeBuilder& tree = builder(context);
  x3::_val(context) = tree.add(NodeKind::binary, tree.begin_of(left), string_of(sign), {left, right});
};
const auto unary_node = [](const auto& context) {
  const Piece sign = boost::fusion::at_c<0>(x3::_attr(context));
  const int operand = boost::fusion::at_c<1>(x3::_attr(context));
  TreeBuilder& tree = builder(context);
  const NodeKind kind = *sign.begin() == '-' ? NodeKind::negate : NodeKind::logical_not;
  x3::_val(context) =
      *sign.begin() == '+' ? operand : tree.add(kind, tree.column(sign.begin()), {}, {operand});
};

// The names of the rules are read by people: "expected <name>".
const x3::rule<struct Disjunction, int> expression = "a value";
const x3::rule<struct Conjunction, int> conjunction = "a value";
const x3::rule<struct Negation, int> negation = "a value";
const x3::rule<struct Comparison, int> comparison = "a value";
const x3::rule<struct Sum, int> sum = "a value";
const x3::rule<struct Product, int> product = "a value";
const x3::rule<struct Signed, int> signed_value = "a value";
const x3::rule<struct Power, int> power = "a value";
const x3::rule<struct Primary, int> primary = "a value";
const x3::rule<struct Arguments, std::vector<int>> arguments = "arguments";
const x3::rule<struct Number, Piece> number = "a number";
const x3::rule<struct Name, Piece> name = "a name";

const auto letter = x3::char_("a-zA-Z_");
const auto letter_or_digit = x3::char_("a-zA-Z0-9_");
const auto digit = x3::char_("0-9");
const auto keyword = (x3::lit("and") | "or" | "not") >> !(letter_or_digit | '.');

// A rule for each group of operators gives its sign as a piece of the text.
const auto power_sign = x3::rule<struct PowerSign, Piece>{"'^'"} = x3::raw[x3::char_('^')];
const auto product_sign = x3::rule<struct ProductSign, Piece>{"an operator"} = x3::raw[x3::char_("*/")];
const auto sum_sign = x3::rule<struct SumSign, Piece>{"an operator"} = x3::raw[x3::char_("+-")];
const auto comparison_sign = x3::rule<struct ComparisonSign, Piece>{"a comparison"} =
    x3::raw[x3::lit("<=") | ">=" | "==" | "!=" | "<" | ">"];
const auto not_word = x3::rule<struct NotWord, Piece>{"'not'"} =
    x3::raw[x3::lexeme["not" >> !letter_or_digit]];
const auto and_word = x3::rule<struct AndWord, Piece>{"'and'"} =
    x3::raw[x3::lexeme["and" >> !letter_or_digit]];
const auto or_word = x3::rule<struct OrWord, Piece>{"'or'"} = x3::raw[x3::lexeme["or" >> !letter_or_digit]];

const auto number_def = x3::raw[x3::lexeme[((+digit >> -('.' >> *digit)) | ('.' >> +digit)) >>
                                           -(x3::char_("eE") >> -x3::char_("+-") >> +digit)]];
const auto name_def =
    x3::raw[x3::lexeme[(letter >> *letter_or_digit >> *('.' >> +letter_or_digit)) - keyword]];
// Alternatives to a closing parenthesis, named in messages.
const auto closing = x3::rule<struct Closing>{"an operator or ')'"} = x3::lit(')');
const auto closing_call = x3::rule<struct ClosingCall>{"an operator, ',' or ')'"} = x3::lit(')');
const auto arguments_def = '(' > expression > *(',' > expression) > closing_call;
const auto primary_def = number[number_node] | (name >> arguments)[call_node] | name[name_node] |
                         ('(' > expression > closing)[pass];
const auto power_def = primary[pass] >> -(power_sign > signed_value)[binary_node];
const auto signed_value_def = (sum_sign > signed_value)[unary_node] | power[pass];
const auto product_def = signed_value[pass] >> *(product_sign > signed_value)[binary_node];
const auto sum_def = product[pass] >> *(sum_sign > product)[binary_node];
const auto comparison_def = sum[pass] >> -(comparison_sign > sum)[binary_node];
const auto negation_def = (not_word > negation)[unary_node] | comparison[pass];
const auto conjunction_def = negation[pass] >> *(and_word > negation)[binary_node];
const auto expression_def = conjunction[pass] >> *(or_word > conjunction)[binary_node];

BOOST_SPIRIT_DEFINE(expression, conjunction, negation, comparison, sum, product, signed_value, power, primary,
                    arguments, number, name)

/// The word, number or character at `from`, in quotes, or "the end".
std::string found_at(std::string_view text, std::size_t from) {
  from = text.find_first_not_of(" \t\r\n", from);
  if (from == std::string_view::npos) return "the end";
  const auto in_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
  };
  std::size_t end = from;
  while (end < text.size() && in_word(text[end])) ++end;
  // A character outside ASCII is more than one byte.
  if (end == from) {
    ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  }
  return in_quotes(text.substr(from, end - from));
}

int column_of(std::string_view text, std::size_t from) {
  const std::size_t at = text.find_first_not_of(" \t\r\n", from);
  return static_cast<int>(at == std::string_view::npos ? text.size() : at) + 1;
}

/// The parser is recursive: what would exhaust its stack is refused before it runs.
void check_size(std::string_view text) {
  if (text.size() > longest_text) {
    throw ExpressionError(
        text, 0,
        "the expression is longer than " + std::to_string(longest_text) + " characters; use a table");
  }
  int depth = 0;
  int chain = 0;  // signs and powers in a row: both nest to the right
  bool after_operand = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    const bool sign = c == '+' || c == '-';
    const bool separates = std::string_view("*/,()<>=!").find(c) != std::string_view::npos;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == '^' || (sign && !after_operand)) ++chain;
    if (separates || (sign && after_operand)) chain = 0;
    after_operand = !sign && c != '^' && (!separates || c == ')');
    if (depth > deepest_nesting || chain > deepest_nesting) {
      throw ExpressionError(text, static_cast<int>(i) + 1,
                            "nested deeper than " + std::to_string(deepest_nesting) + " levels");
    }
  }
}

}  // namespace

Tree parse(std::string_view text) {
  check_size(text);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw ExpressionError(text, 0, "the expression is empty");
  }
  TreeBuilder tree(text);
  const auto parser = x3::with<BuilderTag>(std::ref(tree))[expression];
  Iterator at = text.begin();
  int root = -1;
  const auto offset = [&](Iterator it) { return static_cast<std::size_t>(it - text.begin()); };
  try {
    if (!x3::phrase_parse(at, text.end(), parser, x3::char_(" \t\r\n"), root)) {
      throw ExpressionError(text, column_of(text, offset(at)),
                            "found " + found_at(text, offset(at)) + ", expected a value");
    }
  } catch (const x3::expectation_failure<Iterator>& failure) {
    const std::size_t from = offset(failure.where());
    throw ExpressionError(text, column_of(text, from),
                          "found " + found_at(text, from) + ", expected " + failure.which());
  }
  const std::size_t rest = offset(at);
  if (text.find_first_not_of(" \t\r\n", rest) != std::string_view::npos) {
    const std::string found = found_at(text, rest);
    const bool chained = found == "'<'" || found == "'>'" || found == "'='" || found == "'!'";
    throw ExpressionError(text, column_of(text, rest),
                          "found " + found + ", expected an operator or the end" +
                              (chained ? " (comparisons do not chain: write a < b and b < c)" : ""));
  }
  return tree.take(root);
}

}  // namespace grammar
}  // namespace trammel
