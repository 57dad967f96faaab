#include "io/expressions/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/expressions/expression_functions.hpp"
#include "io/expressions/name_chain.hpp"
#include "trammel/nearest_name.hpp"
#include "trammel/number_text.hpp"

namespace trammel {

using grammar::Node;
using grammar::NodeKind;

namespace {

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto inside = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), inside);
}

/// Who has a name already, or "".
std::string owner_of(std::string_view name) {
  if (name == "t") return "time";
  if (name == "and" || name == "or" || name == "not") return "an operator";
  if (grammar::find_constant(name)) return "a constant";
  if (grammar::find_function(name)) return "a function";
  return {};
}

}  // namespace

/// Turns a parsed tree into the instructions of an Expression, computing constant parts on the way.
class ExpressionCompiler {
 public:
  ExpressionCompiler(const grammar::Tree& tree, const Names& names, Expression& out)
      : tree_(tree), names_(names), out_(out) {}

  void compile_all() { compile(tree_.root); }

 private:
  using Instruction = Expression::Instruction;
  using Kind = Instruction::Kind;

  const Node& node(int index) const { return tree_.nodes[static_cast<std::size_t>(index)]; }

  [[noreturn]] void fail(int column, const std::string& what) const {
    throw ExpressionError(out_.text_, column, what);
  }

  // --- instructions ---

  void emit(const Instruction& instruction, int growth, int column) {
    if (++emitted_ > most_instructions) {
      fail(column, "the expression is too large: laws within laws compute their values several times");
    }
    out_.code_.push_back(instruction);
    depth_ += growth;
    if (depth_ > Expression::max_stack) {
      fail(column,
           "more than " + std::to_string(Expression::max_stack) + " values are open here; split it up");
    }
  }

  void emit_number(double value, int column) {
    Instruction instruction;
    instruction.number = value;
    emit(instruction, 1, column);
  }

  void emit_variable(int index, int column) {
    Instruction instruction;
    instruction.kind = Kind::variable;
    instruction.index = index;
    emit(instruction, 1, column);
  }

  /// True where the last `count` operands are numbers that nothing jumps behind.
  bool constant_operands(std::size_t count) const {
    const auto& code = out_.code_;
    if (code.size() < barrier_ + count) return false;
    return std::all_of(code.end() - static_cast<std::ptrdiff_t>(count), code.end(),
                       [](const Instruction& i) { return i.kind == Kind::number; });
  }

  double pop_number() {
    const double value = out_.code_.back().number;
    out_.code_.pop_back();
    --depth_;
    return value;
  }

  /// Remembers where a constant first left the finite numbers.
  void blame(double result, bool finite_operands, int column, const std::string& what) {
    if (std::isfinite(result) || !finite_operands || out_.blame_column_ != 0) return;
    out_.blame_column_ = column;
    out_.blame_text_ = what + " is " + number_text(result);
  }

  void emit_unary(Derivatives (*f)(double), std::string_view name, int column) {
    if (constant_operands(1)) {
      const double x = pop_number(), y = f(x).f;
      blame(y, std::isfinite(x), column, std::string(name) + "(" + number_text(x) + ")");
      return emit_number(y, column);
    }
    Instruction instruction;
    instruction.kind = Kind::unary;
    instruction.unary = f;
    emit(instruction, 0, column);
  }

  void emit_binary(Derivatives2 (*f)(double, double), std::string_view name, int column) {
    if (constant_operands(2)) {
      const double b = pop_number(), a = pop_number(), y = f(a, b).f;
      const std::string what = is_identifier(name)
                                   ? std::string(name) + "(" + number_text(a) + ", " + number_text(b) + ")"
                                   : number_text(a) + std::string(name) + number_text(b);
      blame(y, std::isfinite(a) && std::isfinite(b), column, what);
      return emit_number(y, column);
    }
    Instruction instruction;
    // With a constant exponent the base may be negative or zero.
    if (f == elementary::power2 && constant_operands(1)) {
      instruction.kind = Kind::power;
      instruction.number = pop_number();
      return emit(instruction, 0, column);
    }
    instruction.kind = Kind::binary;
    instruction.binary = f;
    emit(instruction, -1, column);
  }

  // --- nodes ---

  void compile(int index) {
    const Node& n = node(index);
    switch (n.kind) {
      case NodeKind::number:
        return emit_number(n.number, n.column);
      case NodeKind::name:
        return compile_name(n);
      case NodeKind::call:
        return compile_call(n);
      case NodeKind::binary:
        compile(n.items[0]);
        compile(n.items[1]);
        return emit_binary(grammar::binary_operator(n.name), n.name, n.column);
      case NodeKind::negate:
        compile(n.items[0]);
        return emit_unary(elementary::negate, "-", n.column);
      case NodeKind::logical_not:
        compile(n.items[0]);
        return emit_unary(grammar::logical_not, "not", n.column);
    }
  }

  void compile_name(const Node& n) {
    if (const auto parameter = names_.parameters.find(n.name); parameter != names_.parameters.end()) {
      return emit_number(parameter->second, n.column);
    }
    if (const auto* constant = grammar::find_constant(n.name)) return emit_number(constant->value, n.column);
    if (n.name == "t") {
      if (!names_.time) fail(n.column, "time is not allowed here: a constant is expected");
      out_.reads_time_ = true;
      return emit_variable(0, n.column);
    }
    const auto& known = names_.signals;
    const bool dotted = n.name.find('.') != std::string::npos;
    const bool is_known = std::find(known.begin(), known.end(), n.name) != known.end();
    if (is_known || (dotted && names_.any_signal)) return emit_variable(1 + signal_index(n), n.column);
    if (const auto* function = grammar::find_function(n.name)) {
      fail(n.column, "'" + n.name + "' is a function: write " + std::string(function->signature));
    }
    refuse_named_function(n);
    const std::string near = did_you_mean(n.name, all_names());
    // A single letter after the dot is a component. All other letters are equally near, so the message lists all of them.
    const bool component = n.name.size() - std::min(n.name.size(), n.name.find('.')) <= 2;
    if (const std::string parts = parts_of(n.name.substr(0, n.name.find('.')));
        !parts.empty() && (component || near.empty())) {
      fail(n.column, "unknown name " + in_quotes(n.name) + "; " +
                         in_quotes(n.name.substr(0, n.name.find('.'))) + " has " + parts);
    }
    if (dotted && known.empty()) fail(n.column, "the signal " + in_quotes(n.name) + " may not be read here");
    fail(n.column, "unknown name " + in_quotes(n.name) + near);
  }

  /// The known signals whose names begin with a word and a dot: "p.x, p.y, p.z".
  std::string parts_of(const std::string& word) const {
    std::string parts;
    for (const std::string& signal : names_.signals)
      if (signal.starts_with(word + ".")) parts += (parts.empty() ? "" : ", ") + signal;
    return parts;
  }

  void refuse_named_function(const Node& n) const {
    if (std::find(names_.functions.begin(), names_.functions.end(), n.name) == names_.functions.end()) return;
    fail(n.column, in_quotes(n.name) +
                       " is an entry of 'functions': its name may stand alone where a function is "
                       "expected, but not in an expression");
  }

  int signal_index(const Node& n) {
    auto& signals = out_.signals_;
    const auto at = std::find(signals.begin(), signals.end(), n.name);
    if (at != signals.end()) return static_cast<int>(at - signals.begin());
    signals.push_back(n.name);
    return static_cast<int>(signals.size()) - 1;
  }

  std::vector<std::string> all_names() const {
    std::vector<std::string> all;
    for (const auto& [name, value] : names_.parameters) all.push_back(name);
    all.insert(all.end(), names_.signals.begin(), names_.signals.end());
    for (const auto& constant : grammar::constants()) all.emplace_back(constant.name);
    for (const auto& function : grammar::functions()) all.emplace_back(function.name);
    if (names_.time) all.emplace_back("t");
    return all;
  }

  void compile_call(const Node& n) {
    const auto* function = grammar::find_function(n.name);
    if (!function) {
      std::vector<std::string> known;
      for (const auto& entry : grammar::functions()) known.emplace_back(entry.name);
      refuse_named_function(n);
      fail(n.column, "unknown function " + in_quotes(n.name) + did_you_mean(n.name, known));
    }
    const auto given = static_cast<int>(n.items.size());
    if (function->any_number ? given < function->arguments() : given != function->arguments()) {
      fail(n.column, std::string(function->signature) + " takes " +
                         (function->any_number ? "at least " : "") + std::to_string(function->arguments()) +
                         (function->arguments() == 1 ? " argument" : " arguments") + ", found " +
                         std::to_string(given));
    }
    if (function->unary) {
      compile(n.items[0]);
      return emit_unary(function->unary, n.name, n.column);
    }
    if (function->law) return compile_law(n, *function);
    if (!function->binary) return compile_if(n);
    compile(n.items[0]);
    for (std::size_t i = 1; i < n.items.size(); ++i) {
      compile(n.items[i]);
      emit_binary(function->binary, n.name, n.column);
    }
  }

  /// y0 + (y1 - y0) law((x - x0) / (x1 - x0))
  void compile_law(const Node& n, const grammar::FunctionEntry& function) {
    const double x0 = law_limit(n, 1), x1 = law_limit(n, 2);
    if (!(x1 > x0)) {
      fail(n.column, std::string(function.signature) + " needs x1 > x0, found x0 = " + number_text(x0) +
                         ", x1 = " + number_text(x1));
    }
    const int y0 = n.items[3], y1 = n.items[4];
    compile(y0);
    compile(y1);
    compile(y0);
    emit_binary(elementary::subtract, "-", n.column);
    compile(n.items[0]);
    emit_number(x0, n.column);
    emit_binary(elementary::subtract, "-", n.column);
    emit_number(x1 - x0, n.column);
    emit_binary(elementary::divide, "/", n.column);
    emit_unary(function.law, n.name, n.column);
    emit_binary(elementary::multiply, "*", n.column);
    emit_binary(elementary::add, "+", n.column);
  }

  double law_limit(const Node& n, std::size_t item) {
    const Node& limit = node(n.items[item]);
    compile(n.items[item]);
    if (!constant_operands(1)) {
      fail(limit.column, "the limits x0 and x1 of " + n.name + " must be constants");
    }
    return pop_number();
  }

  void compile_if(const Node& n) {
    compile(n.items[0]);
    if (constant_operands(1)) {
      const bool taken = pop_number() != 0;
      if (taken) compile(n.items[1]);
      check_only(n.items[taken ? 2 : 1]);
      if (!taken) compile(n.items[2]);
      return;
    }
    auto& code = out_.code_;
    const auto here = [&] { return static_cast<int>(code.size()); };
    Instruction jump;
    jump.kind = Kind::jump_if_zero;
    const std::size_t to_else = code.size();
    emit(jump, -1, n.column);
    barrier_ = code.size();
    compile(n.items[1]);
    const std::size_t to_end = code.size();
    jump.kind = Kind::jump;
    // The value of the first branch does not remain on the stack below that of the second.
    emit(jump, -1, n.column);
    code[to_else].index = here();
    barrier_ = code.size();
    compile(n.items[2]);
    code[to_end].index = here();
    barrier_ = code.size();
  }

  /// Reports the errors of a branch that is never taken, and forgets it.
  void check_only(int index) {
    const Expression before = out_;
    const int depth = depth_;
    const std::size_t barrier = barrier_;
    compile(index);
    out_ = before;
    depth_ = depth;
    barrier_ = barrier;
  }

  const grammar::Tree& tree_;
  const Names& names_;
  Expression& out_;
  /// A law uses its first value twice, so that laws within laws grow as powers of two.
  static constexpr int most_instructions = 100'000;
  int emitted_ = 0;
  int depth_ = 0;
  std::size_t barrier_ = 0;  // instructions before this index are not folded any more
};

Expression::Expression(std::string_view text, const Names& names) : text_(text) {
  const grammar::Tree tree = grammar::parse(text_);
  ExpressionCompiler(tree, names, *this).compile_all();
}

double Expression::constant() const {
  if (!is_constant()) {
    throw ExpressionError(text_, 0,
                          "a constant is expected, but it reads " +
                              (reads_time_ ? "time" : "the signal " + in_quotes(signals_.front())));
  }
  const double value = code_.front().number;
  if (!std::isfinite(value)) {
    throw ExpressionError(text_, blame_column_,
                          blame_text_.empty() ? "the value is " + number_text(value) : blame_text_);
  }
  return value;
}

template <class Scalar>
Scalar Expression::run(std::span<const Scalar> variables) const {
  std::array<Scalar, max_stack> stack;
  Scalar* end = stack.data();  // behind the top of the stack
  for (std::size_t at = 0; at < code_.size(); ++at) {
    const Instruction& i = code_[at];
    switch (i.kind) {
      case Instruction::Kind::number:
        *end++ = Scalar(i.number);
        break;
      case Instruction::Kind::variable:
        *end++ = variables[static_cast<std::size_t>(i.index)];
        break;
      case Instruction::Kind::unary:
        end[-1] = chain(end[-1], i.unary(end[-1].value));
        break;
      case Instruction::Kind::power:
        end[-1] = chain(end[-1], elementary::power(end[-1].value, i.number));
        break;
      case Instruction::Kind::binary:
        --end;
        end[-1] = chain(end[-1], end[0], i.binary(end[-1].value, end[0].value));
        break;
      case Instruction::Kind::jump_if_zero:
        if ((--end)->value == 0) at = static_cast<std::size_t>(i.index) - 1;
        break;
      case Instruction::Kind::jump:
        at = static_cast<std::size_t>(i.index) - 1;
        break;
    }
  }
  return end[-1];
}

namespace {

/// A number without derivatives, in the place of a jet.
struct Value {
  double value;

  Value(double number = 0) : value(number) {}  // NOLINT: every number is one
};
Value chain(const Value&, const Derivatives& f) { return f.f; }
Value chain(const Value&, const Value&, const Derivatives2& f) { return f.f; }

}  // namespace

double Expression::value_at(double t, std::span<const double> signals) const {
  InlineVector<Value, 1 + max_signals> variables(signals.size() + 1);
  variables[0] = t;
  std::ranges::copy(signals, variables.begin() + 1);
  return run<Value>(std::span<const Value>(variables.data(), variables.size())).value;
}

Jet Expression::at(double t) const {
  const std::array<Jet, 1> variables{Jet::time(t)};
  return run<Jet>(variables);
}

void Expression::evaluate(double t, std::span<const double> signals, FunctionValue& out) const {
  const int n = static_cast<int>(signals_.size());
  if (n > max_signals) {
    evaluate_by_groups(t, signals, out);
    return;
  }
  std::array<GradientJet, GradientJet::max_variables> variables;
  variables[0] = GradientJet::variable(t, 0, 1 + n);
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    variables[k + 1] = GradientJet::variable(signals[k], i + 1, 1 + n);
  }
  const GradientJet f = run<GradientJet>(variables);
  out.reset(n);
  out.value = f.value;
  if (f.n == 0) return;
  out.dt = f.g(0);
  out.dtt = f.h(0, 0);
  for (int i = 0; i < n; ++i) {
    out.gradient(i) = f.g(i + 1);
    out.gradient_dt(i) = f.h(i + 1, 0);
    for (int j = 0; j <= i; ++j) out.hessian(i, j) = out.hessian(j, i) = f.h(i + 1, j + 1);
  }
}

void Expression::evaluate_by_groups(double t, std::span<const double> signals, FunctionValue& out) const {
  // A jet holds the signals of two groups; each pair of groups gives its part of the second derivatives.
  constexpr int group = max_signals / 2;
  const int n = static_cast<int>(signals_.size()), groups = (n + group - 1) / group;
  std::vector<GradientJet> variables(static_cast<std::size_t>(n) + 1);
  out.reset(n);
  for (int a = 0; a < groups; ++a)
    for (int b = a + 1; b < groups; ++b) {
      std::array<int, max_signals> of{};  // by variable of the jet: its signal
      int count = 0;
      for (const int g : {a, b})
        for (int i = group * g; i < std::min(n, group * (g + 1)); ++i)
          of[static_cast<std::size_t>(count++)] = i;
      for (int i = 0; i < n; ++i)
        variables[static_cast<std::size_t>(i) + 1] = signals[static_cast<std::size_t>(i)];
      variables[0] = GradientJet::variable(t, 0, 1 + count);
      for (int k = 0; k < count; ++k) {
        const auto i = static_cast<std::size_t>(of[static_cast<std::size_t>(k)]);
        variables[i + 1] = GradientJet::variable(signals[i], k + 1, 1 + count);
      }
      const GradientJet f = run<GradientJet>(variables);
      out.value = f.value;
      if (f.n == 0) continue;
      out.dt = f.g(0);
      out.dtt = f.h(0, 0);
      for (int k = 0; k < count; ++k) {
        const int i = of[static_cast<std::size_t>(k)];
        out.gradient(i) = f.g(k + 1);
        out.gradient_dt(i) = f.h(k + 1, 0);
        for (int l = 0; l <= k; ++l) {
          const int j = of[static_cast<std::size_t>(l)];
          out.hessian(i, j) = out.hessian(j, i) = f.h(k + 1, l + 1);
        }
      }
    }
}

double evaluate_constant(std::string_view text, const ParameterValues& parameters) {
  return Expression(text, Names::constants(parameters)).constant();
}

void check_own_name(std::string_view name) {
  if (!is_identifier(name)) {
    throw Error("a name is made of letters, digits and '_', and begins with a letter or '_'");
  }
  if (const std::string owner = owner_of(name); !owner.empty()) {
    throw Error("the name belongs to " + owner);
  }
}

namespace {

/// Computes each parameter after those that it needs, with a stack of its own: chains may be long.
class ParameterResolver {
 public:
  explicit ParameterResolver(const std::vector<std::pair<std::string, std::string>>& definitions) {
    for (const auto& [name, text] : definitions) {
      try {
        check_own_name(name);
      } catch (const Error& error) {
        throw ParameterError(name, 0, error.what());
      }
      if (!definitions_.emplace(name, Definition{text, Progress::untouched}).second) {
        throw ParameterError(name, 0, "given twice");
      }
    }
    // Every name is known from the start, so that a misspelt one is compared with all of them.
    for (const auto& [name, definition] : definitions_) names_.parameters.emplace(name, 0.0);
  }

  ParameterValues resolve() {
    for (auto at = definitions_.begin(); at != definitions_.end(); ++at) compute(at);
    return std::move(names_.parameters);
  }

 private:
  enum class Progress : std::uint8_t { untouched, open, done };
  struct Definition {
    std::string text;
    Progress progress;
  };
  using Entry = std::map<std::string, Definition, std::less<>>::iterator;
  struct Open {
    Entry entry;
    std::vector<Entry> needed;  ///< parameters that its text names
    std::size_t next = 0;       ///< the first of them that may not be computed yet
  };

  /// Gives errors of the expression the name of its parameter.
  template <class Work>
  static auto blaming(Entry entry, const Work& work) {
    try {
      return work();
    } catch (const ExpressionError& error) {
      throw ParameterError(entry->first, error.column(), error.what());
    }
  }

  void compute(Entry first) {
    if (first->second.progress == Progress::done) return;
    open(first);
    while (!path_.empty()) {
      Open& top = path_.back();
      if (top.next < top.needed.size()) {
        const Entry needed = top.needed[top.next++];
        if (needed->second.progress == Progress::open) refuse_cycle(needed);
        if (needed->second.progress == Progress::untouched) open(needed);
        continue;
      }
      const Entry entry = top.entry;
      names_.parameters[entry->first] =
          blaming(entry, [&] { return Expression(entry->second.text, names_).constant(); });
      entry->second.progress = Progress::done;
      path_.pop_back();
    }
  }

  void open(Entry entry) {
    Open opened{entry, {}};
    const grammar::Tree tree = blaming(entry, [&] { return grammar::parse(entry->second.text); });
    for (const Node& n : tree.nodes) {
      if (n.kind != NodeKind::name) continue;
      if (const Entry needed = definitions_.find(n.name); needed != definitions_.end()) {
        opened.needed.push_back(needed);
      }
    }
    entry->second.progress = Progress::open;
    path_.push_back(std::move(opened));
  }

  [[noreturn]] void refuse_cycle(Entry again) const {
    std::vector<std::string> cycle;
    const auto first =
        std::find_if(path_.begin(), path_.end(), [&](const Open& o) { return o.entry == again; });
    for (auto at = first; at != path_.end(); ++at) cycle.push_back(at->entry->first);
    cycle.push_back(again->first);
    throw ParameterError(again->first, 0, "it is defined by itself: " + name_chain(cycle));
  }

  std::map<std::string, Definition, std::less<>> definitions_;
  Names names_ = Names::constants();
  std::vector<Open> path_;  ///< the parameters that are being computed, each needed by the one before
};

}  // namespace

ParameterValues resolve_parameters(const std::vector<std::pair<std::string, std::string>>& definitions) {
  return ParameterResolver(definitions).resolve();
}

}  // namespace trammel
