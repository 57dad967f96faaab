#pragma once

#include <algorithm>

namespace trammel {

/// The contraction of errors by a kept matrix, which is observed only now and then. It is taken to be proportional to the age of
/// the matrix, the number of steps since it was made, because the model turns.
class AgeingContraction {
 public:
  /// `margin`: what is observed may become so many times as large.
  explicit AgeingContraction(double margin = 2) : margin_(margin) {}
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
  /// What is left is rounding errors: the contraction is `most` or less.
  void observe_at_most(double most) {
    if (age_ == 0) return;
    slope_ = slope_ > 0 ? std::min(slope_, most / age_) : most / age_;
    seen_ = age_;
  }
  /// It was observed where errors are as small as roundings, and may be as it was assumed.
  void confirm() {
    if (age_ == 0) return;
    slope_ = std::max(slope_ / 2, least_confirmed / age_);
    seen_ = age_;
  }
  /// Whether it was observed a short time ago.
  bool is_known() const { return age_ > 0 && age_ - seen_ < most_unseen; }
  /// What it probably is; 1: unknown.
  double likely() const { return is_known() ? std::min(slope_ * age_, 1.0) : 1.0; }
  /// What it is assumed to be at most; 1: unknown.
  double estimate() const { return is_known() ? std::clamp(most(), least, 1.0) : 1.0; }
  /// The same without bounds, where it is known.
  double most() const { return margin_ * slope_ * age_; }

 private:
  static constexpr double least = 1e-3, least_confirmed = 0.01;
  /// Most steps since it was observed: forces may become nonlinear, as friction does when a slider comes to rest.
  static constexpr int most_unseen = 8;

  double margin_;
  int age_ = 0;
  int seen_ = -most_unseen;  ///< the age when it was observed last
  double slope_ = 0;         ///< by age: the last one observed, at least half of the one before; 0: unknown
};

}  // namespace trammel
