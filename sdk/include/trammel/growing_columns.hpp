#pragma once

#include <cstddef>
#include <new>

#include <Eigen/Core>

namespace trammel {

/// A matrix of `Rows` rows whose number of columns is chosen at run time. Up to `Inline` columns lie in place, so that one with
/// few columns asks for no memory; more are possible. Numbers are not initialized.
template <int Rows, int Inline>
class GrowingColumns
    : public Eigen::Map<
          Eigen::Matrix<double, Rows, Eigen::Dynamic, Rows == 1 ? Eigen::RowMajor : Eigen::ColMajor>> {
 public:
  using Plain = Eigen::Matrix<double, Rows, Eigen::Dynamic, Rows == 1 ? Eigen::RowMajor : Eigen::ColMajor>;
  using Base = Eigen::Map<Plain>;

  GrowingColumns() : Base(few_, Rows, 0) {}
  GrowingColumns(Eigen::Index rows, Eigen::Index columns) : GrowingColumns() { resize(rows, columns); }
  GrowingColumns(const GrowingColumns& other) : GrowingColumns() {
    resize(Rows, other.cols());
    Base::operator=(static_cast<const Base&>(other));
  }
  template <class Other>
  GrowingColumns(const Eigen::MatrixBase<Other>& other) : GrowingColumns() {
    resize(other.rows(), other.cols());
    this->noalias() = other.derived();
  }
  ~GrowingColumns() {
    if (this->data() != few_) delete[] this->data();
  }
  GrowingColumns& operator=(const GrowingColumns& other) {
    if (this == &other) return *this;
    resize(Rows, other.cols());
    Base::operator=(static_cast<const Base&>(other));
    return *this;
  }
  template <class Other>
  GrowingColumns& operator=(const Eigen::MatrixBase<Other>& other) {
    // `other` may read this matrix, which a resize or a product would overwrite.
    constexpr bool may_alias = Eigen::internal::evaluator_assume_aliasing<Other>::value;
    if (may_alias || other.cols() != this->cols()) return *this = GrowingColumns(other);
    Base::operator=(other.derived());
    return *this;
  }

  /// Numbers are lost.
  void resize(Eigen::Index rows, Eigen::Index columns) {
    eigen_assert(rows == Rows);
    double* numbers = this->data();
    if (columns > (numbers == few_ ? Inline : room_)) {
      double* const more = new double[static_cast<std::size_t>(Rows * columns)];
      if (numbers != few_) delete[] numbers;
      numbers = more;
      room_ = columns;
    }
    ::new (static_cast<Base*>(this)) Base(numbers, rows, columns);
  }
  void setZero(Eigen::Index rows, Eigen::Index columns) {
    resize(rows, columns);
    Base::setZero();
  }
  using Base::setZero;
  void setIdentity(Eigen::Index rows, Eigen::Index columns) {
    resize(rows, columns);
    Base::setIdentity();
  }
  using Base::setIdentity;

 private:
  // The map points to the numbers in place, or to memory of its own once there were more columns than Inline. That the first
  // costs a comparison and nothing else keeps joints between rigid frames, which read no numbers, as fast as without.
  Eigen::Index room_;  ///< columns of the memory of its own
  double few_[static_cast<std::size_t>(Rows * Inline)];
};

}  // namespace trammel
