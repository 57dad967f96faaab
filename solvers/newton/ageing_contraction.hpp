#pragma once

#include <algorithm>

namespace trammel {

/// The contraction of errors by a kept matrix, which is observed only now and then. It is taken to be proportional to the age of
/// the matrix, the number of steps since it was made, because the model turns.
class AgeingContraction {
 public:
  /// A new matrix. What was seen of the one before tells how fast it will age.
  void renew() {
    seen_ = slope_ > 0 ? seen_ - age_ : -most_unseen;
    age_ = 0;
  }
  void step() { ++age_; }
  /// What was seen no longer counts.
  void forget() {
    slope_ = 0;
    seen_ = age_ - most_unseen;
  }

  /// Of a matrix that is not new.
  void observe(double contraction) {
    if (age_ == 0) return;
    // One error may happen to lie where the matrix is exact.
    slope_ = std::max(contraction / age_, slope_ / 2);
    seen_ = age_;
  }
  /// Whether it was observed a short time ago.
  bool is_known() const { return age_ > 0 && age_ - seen_ < most_unseen; }
  /// What it is assumed to be at most; 1: unknown.
  double estimate() const { return is_known() ? std::clamp(margin * slope_ * age_, least, 1.0) : 1.0; }

 private:
  static constexpr double margin = 2, least = 1e-3;
  /// Most steps since it was observed: forces may become nonlinear, as friction does when a slider comes to rest.
  static constexpr int most_unseen = 8;

  int age_ = 0;
  int seen_ = -most_unseen;  ///< the age when it was observed last
  double slope_ = 0;         ///< by age: the last one observed, at least half of the one before; 0: unknown
};

}  // namespace trammel
