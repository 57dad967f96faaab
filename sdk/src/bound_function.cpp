#include "trammel/bound_function.hpp"

#include <numeric>

namespace trammel {

namespace {

constexpr std::string_view rate_suffix = "_rate";

BoundFunction::Source find(const std::string& name, Builder& builder, const Location& where) {
  if (name == "t" || builder.has_signal(name)) return {builder.signal(name, where), false};
  if (name.ends_with(rate_suffix)) {
    const std::string base = name.substr(0, name.size() - rate_suffix.size());
    const auto dot = base.rfind('.');
    const int joint = dot == std::string::npos ? -1 : builder.joint_named(base.substr(0, dot));
    if (joint >= 0) {
      const JointCoordinate c = builder.coordinate(joint, base.substr(dot + 1), where);
      const Block& block = builder.block(c.block);
      return {component_signal(c.block, block.kind, block.size, c.component, rate_unit(c.unit)), true};
    }
  }
  return {builder.signal(name, where), false};
}

}  // namespace

BoundFunction::BoundFunction(FunctionPtr f, Builder& builder) : f_(std::move(f)) {
  for (const std::string& name : f_->signals()) {
    Source source = find(name, builder, f_->where());
    const std::vector<int> widths = builder.sizes_of(source.signal->blocks());
    add(std::move(source), widths);
  }
}

BoundFunction::BoundFunction(FunctionPtr f, std::vector<Source> sources, std::vector<int> widths)
    : f_(std::move(f)) {
  std::size_t used = 0;
  for (Source& source : sources) {
    const std::size_t n = source.signal->blocks().size();
    add(std::move(source), std::span(widths).subspan(used, n));
    used += n;
  }
}

void BoundFunction::add(Source source, std::span<const int> widths) {
  Reading r;
  r.first_block = static_cast<int>(blocks_.size());
  r.first_column = dofs_;
  r.width = std::accumulate(widths.begin(), widths.end(), 0);
  const std::vector<BlockId> more = source.signal->blocks();
  r.source = std::move(source);
  blocks_.insert(blocks_.end(), more.begin(), more.end());
  dofs_ += r.width;
  readings_.push_back(std::move(r));
}

double BoundFunction::at(const LocalState& x, int first) const {
  thread_local SignalValue signal;
  SignalNumbers values(readings_.size());
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    const Source& source = readings_[i].source;
    const int its_first = first + readings_[i].first_block;
    if (source.rate) {
      source.signal->evaluate(x, its_first, false, signal);
      values[i] = signal.rate;
    } else {
      values[i] = source.signal->value_at(x, its_first);
    }
  }
  return f_->value_at(x.time(), values);
}

double BoundFunction::add_gradient(const LocalState& x, int first, int column, int row, double factor,
                                   LocalSystem& out) const {
  thread_local std::vector<SignalValue> signals;
  thread_local FunctionValue f;
  if (signals.size() < readings_.size()) signals.resize(readings_.size());
  SignalNumbers values(readings_.size());
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    signals[i].forget_rates();
    readings_[i].source.signal->evaluate(x, first + readings_[i].first_block, true, signals[i]);
    values[i] = readings_[i].source.rate ? signals[i].rate : signals[i].value;
  }
  f_->evaluate(x.time(), values, f);
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    const Reading& r = readings_[i];
    // A rate is that of a coordinate: its derivative by the coordinate's own rate is the signal's gradient.
    MatrixMap to = r.source.rate ? out.D() : out.K();
    const double weight = factor * f.gradient(static_cast<Eigen::Index>(i));
    const int at = column + r.first_column;
    for (int k = 0; k < r.width; ++k) to(row, at + k) += weight * signals[i].gradient[k];
    if (r.source.rate) continue;
    if (signals[i].by_rate.size() > 0)
      out.D().row(row).segment(at, r.width) += weight * signals[i].by_rate.transpose();
    if (signals[i].by_second_rate.size() > 0)
      out.M().row(row).segment(at, r.width) += weight * signals[i].by_second_rate.transpose();
  }
  return f.value;
}

}  // namespace trammel
