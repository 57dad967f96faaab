#include "slider.hpp"
#include "trammel/motion_level.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel::beam_sliding {

namespace {

using C = Columns;

// Pieces in the stencil ahead of a slider whose step is not known yet.
constexpr int ahead_at_start = 2;

}  // namespace

HostElement Slider::host_of(const Track& track, int piece) {
  const Track::Piece& p = track.piece(piece);
  return {*p.law, p.s_first, p.s_last};
}

Slider::Slider(std::shared_ptr<const SliderLaw> law, double s, bool forward)
    : law_(std::move(law)),
      slider_blocks_(law_->slider.block_count()),
      host_(host_of(*law_->track, law_->track->piece_at(s))) {
  int next = 1;
  if (law_->has_angle()) row_offsets_.angle = next++;
  row_offsets_.slider = next;
  for (const int size : law_->slider.block_sizes()) next += size;
  row_offsets_.force = next;
  next += 3;
  if (law_->rotates()) {
    row_offsets_.moment = next;
    next += 3;
  }
  row_offsets_.nodes = next + static_cast<int>(law_->others.size());
  now_.last = {s, 0};
  now_.host = now_.host_before = law_->track->piece_at(s);
  const int ahead = std::min(law_->reserve, ahead_at_start);
  if (forward)
    take_window(now_.host - 1, now_.host + ahead);
  else
    take_window(now_.host - ahead, now_.host + 1);
}

std::vector<BlockId> Slider::window_blocks() const {
  std::vector<BlockId> blocks;
  for (int k = first_node_; k <= law_->track->piece(now_.last_piece).node + 1; ++k) {
    blocks.push_back(law_->track->node(k).position);
    blocks.push_back(law_->track->node(k).rotation);
  }
  return blocks;
}

std::vector<BlockId> Slider::stencil() const {
  std::vector<BlockId> all = fixed_;
  const std::vector<BlockId> window = window_blocks();
  all.insert(all.end(), window.begin(), window.end());
  return all;
}

int Slider::node_block(int node) const {
  return other_block() + static_cast<int>(law_->others.size()) + 2 * (node - first_node_);
}

bool Slider::couples(int row, int column) const {
  const int nodes = node_block(first_node_), others = other_block();
  if ((row >= others && row < nodes) || (column >= others && column < nodes)) return false;
  if (row < nodes || column < nodes) return true;
  return std::abs((row - nodes) / 2 - (column - nodes) / 2) <= 1;
}

double Slider::turn(const LocalState& x) const {
  if (law_->has_angle()) return x.value(angle_block())[0];
  return law_->turn_by_s * (x.value(0)[0] - law_->s_start);
}

double Slider::turn_rate(const LocalState& x) const {
  return law_->has_angle() ? x.rate(angle_block())[0] : law_->turn_by_s * x.rate(0)[0];
}

bool Slider::place_host(SplitHostElement<double>& host, const LocalState& x,
                        const MarkerMotion& slider) const {
  bool same = true;
  const auto set = [&same](auto& to, const auto& from) {
    same = same && to == from;
    to = from;
  };
  const int k = node_block(law_->track->piece(now_.host).node);
  set(host.X_1.R, x.rotation(k + 1));
  set(host.X_1.p, x.position(k));
  set(host.X_2.R, x.rotation(k + 3));
  set(host.X_2.p, x.position(k + 2));
  set(host.compensation_1, x.compensation(k));
  set(host.compensation_2, x.compensation(k + 2));
  set(host.s, x.value(0)[0]);
  set(host.beyond, now_.beyond);
  set(host.force, Eigen::Map<const Vec3>(x.value(force_block())));
  host.p_WB = slider.p_WM;
  host.compensation_B = slider.compensation_W;
  host.rotates = law_->rotates();
  if (host.rotates) {
    set(host.turn, turn(x));
    set(host.R_WB, slider.R_WM);
    set(host.moment, Eigen::Map<const Vec3>(x.value(force_block() + 1)));
  }
  return !same;
}

const SplitHostElement<double>& Slider::host_at(const LocalState& x, const MarkerMotion& slider) const {
  if (!memory_.host) memory_.host.emplace(host_);
  SplitHostElement<double>& host = *memory_.host;
  const bool moved = place_host(host, x, slider);
  if (memory_.found && !moved) return host;
  memory_.found = false;
  host.solve(host_start());
  memory_.found = true;
  return host;
}

SplitHostElement<double> Slider::solved_host(const LocalState& x, const MarkerMotion& slider) const {
  SplitHostElement<double> host(host_);
  place_host(host, x, slider);
  host.solve(host_start());
  return host;
}

void Slider::evaluate(const LocalState& x, LocalSystem& out) const {
  const Request& request = out.request;
  MarkerMotion slider;
  law_->slider.evaluate(x, slider_block(), level_of_position_rows(request), slider);
  const SplitHostElement<double>& host = host_at(x, slider);
  const SplitHostElement<double>::Vector contribution = host.residual();

  auto r = out.residual();
  const int n = node_row(law_->track->piece(now_.host).node);
  r.segment<3>(n) += host.X_1.R * contribution.segment<3>(C::node_1);
  r.segment<3>(n + 3) += contribution.segment<3>(C::node_1 + 3);
  r.segment<3>(n + 6) += host.X_2.R * contribution.segment<3>(C::node_2);
  r.segment<3>(n + 9) += contribution.segment<3>(C::node_2 + 3);
  r[0] += contribution[C::s] + law_->turn_by_s * contribution[C::turn] - stops_at(host.s).force;
  if (law_->has_angle()) r[row_offsets_.angle] += contribution[C::turn];
  r.segment(row_offsets_.slider, slider.dofs) +=
      slider.J.transpose().lazyProduct(contribution.segment<6>(C::slider));
  r.segment<3>(row_offsets_.force) += contribution.segment<3>(C::multipliers);
  if (law_->rotates()) r.segment<3>(row_offsets_.moment) += contribution.segment<3>(C::multipliers + 3);

  if (request.tangent) fill_tangent(x, host, contribution, slider, out);
  if (request.rates || request.bias) fill_rates(x, host, slider, out);
}

void Slider::fill_tangent(const LocalState& x, const SplitHostElement<double>& host,
                          const SplitHostElement<double>::Vector& contribution, const MarkerMotion& slider,
                          LocalSystem& out) const {
  SplitHostElement<double>::Matrix M = host.tangent();
  for (const auto& [at, R] :
       {std::pair(int{C::node_1}, &host.X_1.R), std::pair(int{C::node_2}, &host.X_2.R)}) {
    M.middleRows<3>(at) = (*R * M.middleRows<3>(at)).eval();
    M.middleCols<3>(at) = (M.middleCols<3>(at) * R->transpose()).eval();
    // The world's components of the force turn with the node.
    M.block<3, 3>(at, at + 3) -= *R * skew(Vec3(contribution.segment<3>(at)));
  }
  if (law_->turn_by_s != 0) {
    M.row(C::s) += law_->turn_by_s * M.row(C::turn);
    M.col(C::s) += law_->turn_by_s * M.col(C::turn);
  }
  M(C::s, C::s) += stops_at(host.s).stiffness;

  struct Part {
    int from, to, size;
  };
  std::array<Part, 5> parts{Part{C::node_1, node_row(law_->track->piece(now_.host).node), 12},
                            Part{C::s, 0, 1}, Part{C::multipliers, row_offsets_.force, 3}};
  std::size_t count = 3;
  if (law_->has_angle()) parts[count++] = {C::turn, row_offsets_.angle, 1};
  if (law_->rotates()) parts[count++] = {C::multipliers + 3, row_offsets_.moment, 3};

  auto K = out.K();
  const auto J = slider.J.leftCols(slider.dofs);
  for (std::size_t i = 0; i < count; ++i) {
    const Part& row = parts[i];
    for (std::size_t j = 0; j < count; ++j)
      K.block(row.to, parts[j].to, row.size, parts[j].size) +=
          M.block(row.from, parts[j].from, row.size, parts[j].size);
    K.block(row.to, row_offsets_.slider, row.size, slider.dofs) +=
        M.block<Eigen::Dynamic, 6>(row.from, C::slider, row.size, 6).lazyProduct(J);
    K.block(row_offsets_.slider, row.to, slider.dofs, row.size) +=
        J.transpose().lazyProduct(M.block<6, Eigen::Dynamic>(C::slider, row.from, 6, row.size));
  }
  auto own = K.block(row_offsets_.slider, row_offsets_.slider, slider.dofs, slider.dofs);
  const ByMarker<6> turned = M.block<6, 6>(C::slider, C::slider).lazyProduct(J);
  own += J.transpose().lazyProduct(turned);
  law_->slider.add_second_order(x, slider_block(), slider, contribution.segment<6>(C::slider), own);
}

}  // namespace trammel::beam_sliding
