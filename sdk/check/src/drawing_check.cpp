#include "trammel/drawing_check.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "trammel/glyph.hpp"

namespace trammel {

namespace {

/// One call to a canvas or a sink: what it was, and its numbers.
struct Call {
  std::string what;
  std::vector<double> numbers;

  bool same_as(const Call& other) const {
    return what == other.what && numbers.size() == other.numbers.size() &&
           (numbers.empty() ||
            std::memcmp(numbers.data(), other.numbers.data(), numbers.size() * sizeof(double)) == 0);
  }
};
using Calls = std::vector<Call>;

/// Keeps all that is drawn or reported. After each call it lets others work.
class Record final : public Canvas, public GlyphCanvas, public OutputSink {
 public:
  explicit Record(std::function<void()> between = {}) : between_(std::move(between)) {}

  Calls calls;

  void polyline(Layer layer, std::span<const Vec3> points) override { shape("a line", layer, points, {}); }
  void points(Layer layer, std::span<const Vec3> points) override { shape("points", layer, points, {}); }
  void surface(Layer layer, std::span<const Vec3> points, std::span<const int> faces) override {
    shape("a surface", layer, points, faces);
  }
  void field(std::string_view name, std::span<const double> values, int) override {
    add("the field '" + std::string(name) + "'", values);
  }
  GlyphScale begin_glyph(const Vec3&) override { return {0.1, 6}; }

  void scalar(std::string_view name, std::string_view, double value) override { output(name, {&value, 1}); }
  void vector(std::string_view name, std::string_view, const Vec3& value) override {
    output(name, {value.data(), 3});
  }
  void values(std::string_view name, std::string_view, std::span<const std::string_view>,
              std::span<const double> values) override {
    output(name, values);
  }

  /// An exception is a result too.
  template <class Function>
  void take(const Function& function) {
    try {
      function();
    } catch (const std::exception& error) {
      calls.push_back({"the exception '" + std::string(error.what()) + "'", {}});
    } catch (...) {
      calls.push_back({"an exception", {}});
    }
  }

 private:
  void output(std::string_view name, std::span<const double> values) {
    add("the output '" + std::string(name) + "'", values);
  }
  void shape(const char* what, Layer layer, std::span<const Vec3> points, std::span<const int> faces) {
    std::vector<double> numbers{static_cast<double>(layer)};
    for (const Vec3& p : points) numbers.insert(numbers.end(), p.data(), p.data() + 3);
    numbers.insert(numbers.end(), faces.begin(), faces.end());
    add(what, numbers);
  }
  void add(std::string what, std::span<const double> numbers) {
    calls.push_back({std::move(what), {numbers.begin(), numbers.end()}});
    if (between_) between_();
  }

  std::function<void()> between_;
};

/// What a type's functions give at one state.
struct Given {
  Calls drawn, reported;
  Evaluation evaluation;
};

/// `what` of two lists of calls, by the first that differs; empty where none does.
std::string difference(const char* function, const Calls& alone, const Calls& beside) {
  for (std::size_t i = 0; i < std::max(alone.size(), beside.size()); ++i) {
    if (i < alone.size() && i < beside.size() && alone[i].same_as(beside[i])) continue;
    return "`" + std::string(function) + "`: " + (i < alone.size() ? alone[i] : beside[i]).what;
  }
  return {};
}

bool same_bits(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.size() == b.size() &&
         (a.size() == 0 ||
          std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0);
}

std::string difference(const Evaluation& a, const Evaluation& b) {
  for (const auto& [name, same] :
       {std::pair("residual", same_bits(a.residual, b.residual)), std::pair("K", same_bits(a.K, b.K)),
        std::pair("D", same_bits(a.D, b.D)), std::pair("M", same_bits(a.M, b.M))})
    if (!same) return "`evaluate`: " + std::string(name);
  return {};
}

/// Evaluates an instance at the states other than one, and compares with what it gave alone.
class OtherTrials {
 public:
  OtherTrials(const ElementRange& range, int instance, std::span<const TestState> states,
              const std::vector<Given>& alone)
      : range_(range), instance_(instance), states_(states), alone_(alone) {}

  void next(std::size_t drawn) {
    at_ = (at_ + 1) % states_.size();
    if (at_ == drawn) at_ = (at_ + 1) % states_.size();
    std::string found;
    try {
      found =
          difference(alone_[at_].evaluation, evaluate(range_, instance_, states_[at_], {true, false, false}));
      range_.energy(instance_, states_[at_].local());
    } catch (...) {  // it threw nothing alone
      found = "`evaluate`: an exception";
    }
    if (difference_.empty()) difference_ = found;
  }
  const std::string& difference_found() const { return difference_; }

 private:
  const ElementRange& range_;
  int instance_;
  std::span<const TestState> states_;
  const std::vector<Given>& alone_;
  std::size_t at_ = 0;
  std::string difference_;
};

/// Passes turns between the thread that draws and the one that evaluates, so that each evaluation falls between two calls.
class Turns {
 public:
  /// By the thread that draws: lets the other one work once.
  void give() {
    std::unique_lock lock(mutex_);
    given_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !given_; });
  }
  void end() {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  /// By the other one: works at each turn until the end.
  template <class Work>
  void take(const Work& work) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return given_ || ended_; });
      if (!given_) return;
      work();
      given_ = false;
      changed_.notify_all();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool given_ = false, ended_ = false;
};

}  // namespace

std::string differs_on_a_thread(const ElementRange& range, int instance, std::span<const TestState> states) {
  if (states.size() < 2) return {};
  states = states.first(std::min<std::size_t>(states.size(), 3));
  const ReactionContributions none;
  const auto draw = [&](const TestState& at, Record& record) {
    record.take([&] { range.draw(instance, at.local(), none, record); });
  };
  const auto report = [&](const TestState& at, Record& record) {
    record.take([&] { range.outputs(instance, at.local(), none, record); });
  };

  std::vector<Given> alone;
  for (const TestState& state : states) {
    Record drawn, reported;
    draw(state, drawn);
    report(state, reported);
    alone.push_back({std::move(drawn.calls), std::move(reported.calls),
                     evaluate(range, instance, state, {true, false, false})});
  }

  std::string of_thread;
  const auto compare = [&](const Record& drawn, const Record& reported, const Given& expected) {
    if (of_thread.empty()) of_thread = difference("draw", expected.drawn, drawn.calls);
    if (of_thread.empty()) of_thread = difference("outputs", expected.reported, reported.calls);
  };
  OtherTrials trials(range, instance, states, alone);

  // In turns: what the two threads share shows at any speed of the machine.
  for (std::size_t k = 0; k < states.size(); ++k) {
    Turns turns;
    Record drawn([&] { turns.give(); }), reported([&] { turns.give(); });
    {
      const std::jthread thread([&] {
        turns.give();
        draw(states[k], drawn);
        turns.give();
        report(states[k], reported);
        turns.end();
      });
      turns.take([&] { trials.next(k); });
    }
    compare(drawn, reported, alone[k]);
  }

  // At any moment, also inside a function.
  constexpr int times = 10;
  std::atomic<std::size_t> drawing = 0;
  std::atomic<bool> ended = false;
  {
    const std::jthread thread([&] {
      for (int i = 0; i < times; ++i)
        for (std::size_t k = 0; k < states.size(); ++k) {
          drawing = k;
          Record drawn, reported;
          draw(states[k], drawn);
          report(states[k], reported);
          compare(drawn, reported, alone[k]);
        }
      ended = true;
    });
    while (!ended) trials.next(drawing);
  }
  return of_thread.empty() ? trials.difference_found() : of_thread;
}

}  // namespace trammel
