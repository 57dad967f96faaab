#include "solvers/linear/shared_front.hpp"

#include <algorithm>
#include <utility>

#include "solvers/linear/front.hpp"
#include "solvers/ranks/number_messages.hpp"

namespace trammel {

namespace {

constexpr int scale_tag = 11, panel_tag = 12, upper_tag = 13, gather_tag = 14;

}  // namespace

void SharedFront::set_structure(ColumnOwners owners, int rank, int solve_tag) {
  owners_ = std::move(owners);
  solve_tag_ = solve_tag;
  place_ = static_cast<int>(std::ranges::find(owners_.ranks, rank) - owners_.ranks.begin());
}

void SharedFront::start(int delayed) {
  leading_ = owners_.eliminated + delayed;
  size_ = leading_ + owners_.border;
  blocks_.clear();
  const auto add = [&](int from, int to) {
    for (int first = from; first < to; first += ColumnOwners::width) {
      const bool is_delayed = first >= owners_.eliminated && first < leading_;
      const int number = first < owners_.eliminated ? first : first - delayed;
      blocks_.push_back(
          {first, std::min(ColumnOwners::width, to - first), is_delayed ? 0 : owners_.of(number)});
    }
  };
  add(0, owners_.eliminated);
  add(owners_.eliminated, leading_);
  panel_count_ = static_cast<int>(blocks_.size());
  add(leading_, size_);
  local_.assign(at(size_), -1);
  int count = 0;
  for (const Block& block : blocks_)
    if (block.owner == place_)
      for (int k = 0; k < block.width; ++k) local_[at(block.first + k)] = count++;
  columns_.resize(size_, count);
  std::fill_n(columns_.data(), columns_.size(), 0.0);
  panels_.resize(at(panel_count_));
}

/// Makes the largest entries of E one.
void SharedFront::scale(MPI_Comm comm) {
  Eigen::Index mine = 0;
  for (int c = 0; c < leading_; ++c) mine += local_[at(c)] >= 0 ? 1 : 0;
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(leading_);
  for (Eigen::Index c = 0; c < mine; ++c)
    largest = largest.cwiseMax(columns_.col(c).head(leading_).cwiseAbs());
  if (leads()) {
    Eigen::VectorXd its(leading_);
    for (std::size_t k = 1; k < owners_.ranks.size(); ++k) {
      receive_numbers(its.data(), its.size(), owners_.ranks[k], scale_tag, comm);
      largest = largest.cwiseMax(its);
    }
    row_scale_ = Front::scales_of(largest);
    for (std::size_t k = 1; k < owners_.ranks.size(); ++k)
      send_numbers(row_scale_.data(), row_scale_.size(), owners_.ranks[k], scale_tag, comm);
  } else {
    send_numbers(largest.data(), largest.size(), owners_.ranks[0], scale_tag, comm);
    row_scale_.resize(leading_);
    receive_numbers(row_scale_.data(), row_scale_.size(), owners_.ranks[0], scale_tag, comm);
  }
  column_scale_.resize(mine);
  column_sum_.resize(mine);
  for (Eigen::Index c = 0; c < columns_.cols(); ++c) {
    auto of_e = columns_.col(c).head(leading_);
    of_e = row_scale_.cwiseProduct(of_e);
    if (c >= mine) continue;
    column_scale_[c] = Front::scales_of(Eigen::VectorXd::Constant(1, of_e.lpNorm<Eigen::Infinity>()))[0];
    columns_.col(c) *= column_scale_[c];
    column_sum_[c] = of_e.lpNorm<1>();
  }
}

/// From columns of this rank to which all panels before were applied.
void SharedFront::make(int panel) {
  const Block& block = blocks_[at(panel)];
  Panel& its = panels_[at(panel)];
  const int w = block.width, rows = size_ - block.first, local = local_[at(block.first)];
  its.exchanged.resize(at(w));
  double* a = column(block.first) + block.first;
  const bool fine = dense_->factorize_panel(a, size_, rows, leading_ - block.first, w, its.exchanged.data());
  its.numbers.assign({fine ? 1.0 : 0.0, column_sum_.segment(local, w).maxCoeff()});
  its.numbers.insert(its.numbers.end(), its.exchanged.begin(), its.exchanged.end());
  const auto scales = column_scale_.segment(local, w);
  its.numbers.insert(its.numbers.end(), scales.begin(), scales.end());
  for (int k = 0; k < w; ++k)
    its.numbers.insert(its.numbers.end(), a + std::ptrdiff_t{size_} * k,
                       a + std::ptrdiff_t{size_} * k + rows);
}

/// Panels go round the ranks.
void SharedFront::pass_on(MPI_Comm comm, int panel) {
  if (next(place_) == blocks_[at(panel)].owner) return;
  const std::vector<double>& numbers = panels_[at(panel)].numbers;
  MPI_Isend(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, owners_.ranks[at(next(place_))],
            panel_tag, comm, &sent_.emplace_back());
}

void SharedFront::receive(MPI_Comm comm, int panel) {
  const Block& block = blocks_[at(panel)];
  Panel& its = panels_[at(panel)];
  const int w = block.width;
  its.numbers.resize(at(2 + 2 * w + (size_ - block.first) * w));
  receive_numbers(its.numbers.data(), static_cast<std::ptrdiff_t>(its.numbers.size()),
                  owners_.ranks[at(previous(place_))], panel_tag, comm);
  its.exchanged.clear();
  for (int k = 0; k < w; ++k) its.exchanged.push_back(static_cast<int>(its.numbers[at(2 + k)]));
}

/// To columns of this rank.
void SharedFront::apply(int panel, int first, int count) {
  if (count == 0) return;
  const Block& block = blocks_[at(panel)];
  const int rows = size_ - block.first;
  dense_->apply_panel(factors(panel), rows, panels_[at(panel)].exchanged.data(), block.width,
                      columns_.data() + std::ptrdiff_t{size_} * first + block.first, size_, rows, count);
}

bool SharedFront::find_panels(MPI_Comm comm) {
  const auto count = static_cast<int>(columns_.cols());
  int later = 0;  // the first column of this rank after the panel
  for (int k = 0; k < panel_count_; ++k) {
    const bool mine = blocks_[at(k)].owner == place_;
    if (!mine) {
      receive(comm, k);
      pass_on(comm, k);
    } else if (k == 0) {
      make(k);
      pass_on(comm, k);
    }
    if (mine) later += blocks_[at(k)].width;
    if (panels_[at(k)].numbers[0] == 0) return false;
    int applied = later;
    if (k + 1 < panel_count_ && blocks_[at(k + 1)].owner == place_) {  // others wait for it
      apply(k, later, blocks_[at(k + 1)].width);
      applied += blocks_[at(k + 1)].width;
      make(k + 1);
      pass_on(comm, k + 1);
    }
    apply(k, applied, count - applied);
  }
  return true;
}

void SharedFront::gather_upper(MPI_Comm comm) {
  if (finishes()) upper_.resize(leading_, size_);
  for (std::size_t place = 0; place < owners_.ranks.size(); ++place) {
    if (!finishes() && at(place_) != place) continue;
    const auto rows = [&](const Block& block) { return std::min(block.first + block.width, leading_); };
    std::vector<double> numbers;
    std::ptrdiff_t length = 0;
    for (const Block& block : blocks_)
      if (at(block.owner) == place) length += std::ptrdiff_t{rows(block)} * block.width;
    if (at(place_) == place) {
      for (const Block& block : blocks_)
        if (at(block.owner) == place)
          for (int k = 0; k < block.width; ++k)
            numbers.insert(numbers.end(), column(block.first + k), column(block.first + k) + rows(block));
    } else {
      numbers.resize(static_cast<std::size_t>(length));
      receive_numbers(numbers.data(), length, owners_.ranks[place], upper_tag, comm);
    }
    if (!finishes()) {
      send_numbers(numbers.data(), length, owners_.ranks[at(owners_.finisher())], upper_tag, comm);
      continue;
    }
    const double* from = numbers.data();
    for (const Block& block : blocks_)
      if (at(block.owner) == place)
        for (int k = 0; k < block.width; ++k, from += rows(block))
          std::copy_n(from, rows(block), upper_.col(block.first + k).data());
  }
}

void SharedFront::solve_lower(double* x, int rows) const {
  for (int k = 0; k < panel_count_; ++k) {
    const Block& block = blocks_[at(k)];
    dense_->apply_panel(factors(k), size_ - block.first, panels_[at(k)].exchanged.data(), block.width,
                        x + block.first, rows, rows - block.first, 1);
  }
}

/// Of E scaled, for Eigen's estimate of a condition number.
struct SharedFront::Inverse {
  using MatrixType = Eigen::MatrixXd;
  using Scalar = double;
  using RealScalar = double;
  struct Transposed {
    const SharedFront& front;
    Eigen::VectorXd solve(Eigen::VectorXd x) const {
      front.upper_.leftCols(front.leading_).triangularView<Eigen::Upper>().transpose().solveInPlace(x);
      for (int k = front.panel_count_ - 1; k >= 0; --k) {
        const Block& block = front.blocks_[at(k)];
        const int rest = front.leading_ - block.first - block.width;
        const Eigen::Map<const Eigen::MatrixXd> L(front.factors(k), front.size_ - block.first, block.width);
        auto its = x.segment(block.first, block.width);
        its.noalias() -= L.middleRows(block.width, rest).transpose() * x.tail(rest);
        L.topRows(block.width).triangularView<Eigen::UnitLower>().transpose().solveInPlace(its);
        for (int i = block.width - 1; i >= 0; --i)
          std::swap(x[block.first + i], x[block.first + front.panels_[at(k)].exchanged[at(i)]]);
      }
      return x;
    }
  };

  const SharedFront& front;
  Eigen::Index rows() const { return front.leading_; }
  Eigen::Index cols() const { return front.leading_; }
  Eigen::VectorXd solve(Eigen::VectorXd x) const {
    front.solve_lower(x.data(), front.leading_);
    front.dense_->solve_upper(front.upper_.data(), front.leading_, front.leading_, x.data());
    return x;
  }
  Transposed adjoint() const { return {front}; }
};

bool SharedFront::eliminate(MPI_Comm comm, double least) {
  original_ = columns_;
  scale(comm);
  bool fine = find_panels(comm);
  if (fine) {
    gather_upper(comm);
    double rcond = 0;
    if (finishes()) {
      double sum = 0;
      for (const Panel& panel : panels_) sum = std::max(sum, panel.numbers[1]);
      rcond = 1 / (sum * Eigen::internal::rcond_invmatrix_L1_norm_estimate(Inverse{*this}));
      for (std::size_t k = 0; k < owners_.ranks.size(); ++k)
        if (static_cast<int>(k) != place_) send_numbers(&rcond, 1, owners_.ranks[k], scale_tag, comm);
    } else {
      receive_numbers(&rcond, 1, owners_.ranks[at(owners_.finisher())], scale_tag, comm);
    }
    fine = rcond > least;
  }
  wait_until_sent();
  return fine;
}

void SharedFront::gather(MPI_Comm comm, Eigen::MatrixXd& matrix) {
  if (!leads()) return send_numbers(original_.data(), original_.size(), owners_.ranks[0], gather_tag, comm);
  for (std::size_t place = 0; place < owners_.ranks.size(); ++place) {
    Eigen::Index count = 0;
    for (const Block& block : blocks_)
      if (at(block.owner) == place) count += block.width;
    if (place > 0) {
      original_.resize(size_, count);
      receive_numbers(original_.data(), original_.size(), owners_.ranks[place], gather_tag, comm);
    }
    Eigen::Index from = 0;
    for (const Block& block : blocks_)
      if (at(block.owner) == place) {
        matrix.middleCols(block.first, block.width) = original_.middleCols(from, block.width);
        from += block.width;
      }
  }
}

void SharedFront::forward(MPI_Comm comm, const Eigen::VectorXd& b, Eigen::VectorXd& rest) {
  own_ = b;
  own_.head(leading_) = row_scale_.cwiseProduct(b.head(leading_));
  solve_lower(own_.data(), size_);
  rest = own_.tail(size_ - leading_);
  if (!finishes())
    MPI_Isend(own_.data(), leading_, MPI_DOUBLE, owners_.ranks[at(owners_.finisher())], solve_tag_, comm,
              &sent_.emplace_back());
}

void SharedFront::wait_until_sent() {
  MPI_Waitall(static_cast<int>(sent_.size()), sent_.data(), MPI_STATUSES_IGNORE);
  sent_.clear();
}

void SharedFront::backward(MPI_Comm comm, const Eigen::VectorXd& rest, Eigen::VectorXd& x) {
  if (leads()) {
    x = own_;
  } else {
    x.resize(size_);
    receive_numbers(x.data(), leading_, owners_.ranks[0], solve_tag_, comm);
  }
  if (rest.size() > 0)
    dense_->subtract_product(x.data(), upper_.data() + std::ptrdiff_t{leading_} * leading_, rest.data(),
                             leading_, leading_, static_cast<int>(rest.size()), 1);
  dense_->solve_upper(upper_.data(), leading_, leading_, x.data());
  for (int k = 0; k < panel_count_; ++k) {
    const Block& block = blocks_[at(k)];
    const Eigen::Map<const Eigen::VectorXd> scales(panels_[at(k)].numbers.data() + 2 + block.width,
                                                   block.width);
    x.segment(block.first, block.width) = scales.cwiseProduct(x.segment(block.first, block.width)).eval();
  }
  x.tail(rest.size()) = rest;
}

}  // namespace trammel
