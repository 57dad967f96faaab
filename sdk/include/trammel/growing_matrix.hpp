#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include <Eigen/Core>

#include "trammel/inline_vector.hpp"

namespace trammel {

/// A matrix (or, with one column, a vector) whose size is chosen at run time. Up to `Inline` numbers lie in place, so that a
/// small one asks for no memory.
template <int Columns, std::size_t Inline>
class GrowingMatrix : public Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Columns>> {
 public:
  using Plain = Eigen::Matrix<double, Eigen::Dynamic, Columns>;
  using Base = Eigen::Map<Plain>;

  GrowingMatrix() : GrowingMatrix(0, Columns == 1 ? 1 : 0) {}
  explicit GrowingMatrix(Eigen::Index size) : GrowingMatrix(size, Columns == 1 ? 1 : size) {}
  GrowingMatrix(Eigen::Index rows, Eigen::Index columns) : Base(nullptr, 0, Columns == 1 ? 1 : 0) {
    resize(rows, columns);
  }
  GrowingMatrix(const GrowingMatrix& other) : GrowingMatrix(other.rows(), other.cols()) {
    Base::operator=(static_cast<const Base&>(other));
  }
  GrowingMatrix& operator=(const GrowingMatrix& other) {
    if (this == &other) return *this;
    resize(other.rows(), other.cols());
    Base::operator=(static_cast<const Base&>(other));
    return *this;
  }
  template <class Other>
  GrowingMatrix& operator=(const Eigen::DenseBase<Other>& other) {
    if (other.rows() == this->rows() && other.cols() == this->cols()) {
      Base::operator=(other.derived());
      return *this;
    }
    const Plain copy = other;  // it may read what is resized
    resize(copy.rows(), copy.cols());
    Base::operator=(copy);
    return *this;
  }

  /// Numbers are lost.
  void resize(Eigen::Index rows, Eigen::Index columns) {
    const auto size = static_cast<std::size_t>(rows * columns);
    if (size > numbers_.size()) numbers_.resize(size);
    ::new (static_cast<Base*>(this)) Base(numbers_.data(), rows, columns);
  }
  void setZero(Eigen::Index size) { setZero(size, Columns == 1 ? 1 : size); }
  void setZero(Eigen::Index rows, Eigen::Index columns) {
    resize(rows, columns);
    Base::setZero();
  }
  using Base::setZero;

 private:
  InlineVector<double, Inline> numbers_;
};

}  // namespace trammel
