#include "split_host_element.hpp"

#include <cmath>

#include <Eigen/LU>

#include "trammel/error.hpp"

namespace trammel::beam_sliding {

namespace {

// The operators of SE(3), each compiled once for a scalar: they are long when inlined.
/// [[F, F'[u]], [0, F]]^T b, h = (u, theta)
template <class S>
[[gnu::noinline]] Vec6T<S> transposed_times(const lie::Isotropic<S>& F, const Vec6T<S>& h,
                                            const Vec6T<S>& b) {
  const Vec3T<S> u = h.template head<3>(), theta = h.template tail<3>();
  const Vec3T<S> b_u = b.template head<3>(), b_theta = b.template tail<3>();
  const S s = trammel::dot(theta, u), r = trammel::dot(theta, b_u);
  const S both = S(s * F.B1) * r + F.B * S(trammel::dot(u, b_u) + trammel::dot(theta, b_theta));
  Vec6T<S> out;
  out.template head<3>() = F.A * b_u + S(F.B * r) * theta - F.G * trammel::cross(theta, b_u);
  out.template tail<3>() = F.A * b_theta + S(s * F.A1) * b_u + both * theta + S(F.B * r) * u -
                           trammel::cross(Vec3T<S>(S(s * F.G1) * theta + F.G * u), b_u) -
                           F.G * trammel::cross(theta, b_theta);
  return out;
}
/// T(h)^T b
template <class S>
Vec6T<S> tangent_transposed_times(const Vec6T<S>& h, const Vec6T<S>& b) {
  return transposed_times<S>(lie::tangent_operator<1>(h.template tail<3>().eval()), h, b);
}
/// T(h)^-T b
template <class S>
Vec6T<S> inverse_transposed_times(const Vec6T<S>& h, const Vec6T<S>& b) {
  return transposed_times<S>(lie::inverse_tangent_operator<1>(h.template tail<3>().eval()), h, b);
}

template <class S>
[[gnu::noinline]] Mat6T<S> tangent_of(const Vec6T<S>& h) {
  return se3::T(h);
}
template <class S>
[[gnu::noinline]] Mat6T<S> inverse_of(const Vec6T<S>& h) {
  return se3::T_inverse(h);
}
/// d(T^T b)/dh
template <class S>
[[gnu::noinline]] Mat6T<S> turning(const Vec6T<S>& h, const Vec6T<S>& b) {
  return se3::dT_transpose(h, b);
}
/// d(T^-T b)/dh
template <class S>
[[gnu::noinline]] Mat6T<S> inverse_turning(const Vec6T<S>& h, const Vec6T<S>& b) {
  return se3::dT_inverse_transpose(h, b);
}
/// X_12, without the rounding of places far from the origin.
template <class S>
PoseT<S> pose_between(const PoseT<S>& X_1, const PoseT<S>& X_2, const Vec3& compensation = Vec3::Zero()) {
  const Mat3T<S> back = X_1.R.transpose();
  return {back * X_2.R, back * (X_2.p - X_1.p + compensation.cast<S>())};
}
template <class S>
[[gnu::noinline]] Vec6T<S> twist_of(const PoseT<S>& X) {
  return se3::log(X);
}
template <class S, int columns>
[[gnu::noinline]] void solve_in_place(const Mat6T<S>& A, Eigen::Matrix<S, 6, columns>& b) {
  b = A.partialPivLu().solve(b).eval();
}

}  // namespace

/// Columns of variations of things at the contact, e_a held; and by e_a.
template <class S>
struct SplitHostElement<S>::Parts {
  /// `columns` = Columns::turn: for quantities that depend only on the nodes and on s.
  template <int rows, int columns = Columns::all>
  struct Variation {
    Eigen::Matrix<S, rows, columns> by = Eigen::Matrix<S, rows, columns>::Zero();
    Eigen::Matrix<S, rows, 6> by_strain = Eigen::Matrix<S, rows, 6>::Zero();

    template <int inner, int some>
    void add(const Eigen::Matrix<S, rows, inner>& A, const Variation<inner, some>& v) {
      static_assert(some <= columns);
      by.template leftCols<some>().noalias() += A.lazyProduct(v.by);
      by_strain.noalias() += A.lazyProduct(v.by_strain);
    }
    template <int n>
    Variation<n, columns> rows_from(int first) const {
      Variation<n, columns> out;
      out.by = by.template middleRows<n>(first);
      out.by_strain = by_strain.template middleRows<n>(first);
      return out;
    }
  };

  Matrix by = Matrix::Zero();
  Eigen::Matrix<S, Columns::all, 6> by_strain = Eigen::Matrix<S, Columns::all, 6>::Zero();
  Eigen::Matrix<S, 6, Columns::all> strain;

  template <int n, int columns>
  void set(int row, const Variation<n, columns>& v) {
    by.template block<n, columns>(row, 0) = v.by;
    by_strain.template middleRows<n>(row) = v.by_strain;
  }
};

template <class S>
Mat6T<S> HostElement::piece(const S& z) const {
  Mat6T<S> K = stiffness.template cast<S>();
  if (spread.isZero(0)) return K;
  // (K^-1 + z^2 R)^-1, R on both shear forces alone, so that nothing cancels.
  using Mat2 = Eigen::Matrix<S, 2, 2>;
  const Eigen::Matrix<S, 6, 2> U = K.template middleCols<2>(1);
  const Mat2 q = S(z * z) * spread.template block<2, 2>(1, 1).template cast<S>();
  const Mat2 softened = Mat2(Mat2::Identity() + q * U.template middleRows<2>(1)).inverse();
  const Eigen::Matrix<S, 6, 2> V = U * softened;
  K -= V * (q * U.transpose());
  K.template middleCols<2>(1) = V;
  K.template middleRows<2>(1) = V.transpose();
  return K;
}

HostElement::HostElement(const ElasticLine::Law& law, double first, double second)
    : s_1(first), s_2(second), reference(law.reference), stiffness(law.stiffness) {
  if (law.linear_moment) {
    const Mat3 across = skew(Vec3::UnitX());
    const Mat6 compliance = law.stiffness.inverse();
    spread.topLeftCorner<3, 3>() = across.transpose() * compliance.bottomRightCorner<3, 3>() * across / 12.0;
  }
  stiffness_whole = piece(s_2 - s_1);
}

template <class S>
SplitHostElement<S>::SplitHostElement(const HostElement& element)
    : element_(&element),
      s_1_(element.s_1),
      s_2_(element.s_2),
      reference_(element.reference.cast<S>()),
      R_(element.spread.cast<S>()) {}

template <class S>
void SplitHostElement<S>::begin() {
  const PoseT<S>&X_a = first_is_near_ ? X_1 : X_2, &X_b = first_is_near_ ? X_2 : X_1;
  X_ab_ = pose_between<S>(X_a, X_b, value_of(direction()) * (compensation_2 - compensation_1));
  force_a_ = X_a.R.transpose() * force;
  if (rotates) {
    turned_ = so3::exp(Vec3T<S>(turn * Vec3T<S>::Unit(0)));
    R_aB_ = X_a.R.transpose() * R_WB;
  }
  K_a_ = element_->piece<S>(z_a());
  if (beyond == 0) {
    whole_ = direction() * twist_of<S>(X_ab_);
    K_whole_ = element_->stiffness_whole.template cast<S>();
    sigma_whole_ = K_whole_ * (whole_ / S(s_2_ - s_1_) - reference_);
    K_b_ = element_->piece<S>(z_b());
    return;
  }
  for (Mat6T<S>* K : {&K_whole_, &K_b_}) K->setZero();
  for (Vec6T<S>* v : {&whole_, &sigma_whole_, &h_b_, &e_b_, &sigma_b_}) v->setZero();
}

template <class S>
Vec6T<S> SplitHostElement<S>::first_strain() const {
  return beyond != 0 ? reference_ : Vec6T<S>(whole_ / S(s_2_ - s_1_));
}

template <class S>
Vec3T<S> SplitHostElement<S>::gap() const {
  const PoseT<S>& X_a = first_is_near_ ? X_1 : X_2;
  const Vec3 compensation = compensation_B - (first_is_near_ ? compensation_1 : compensation_2);
  return (p_WB - X_a.p + compensation.template cast<S>()) - X_a.R * X_aC_.p;
}

template <class S>
void SplitHostElement<S>::solve(const HostElementStart& start) {
  constexpr double left = 1e-16, small = 1e-9;  // stiff sections multiply what is left by 1e11
  constexpr double rounding = 4e-16;
  constexpr double near = 1e-2;  // a start that is farther off is none
  first_is_near_ = beyond != 0 ? beyond < 0 : value_of(s) < 0.5 * (s_1_ + s_2_);
  begin();
  const Vec6T<S> unsplit = first_strain();
  e_a_ = unsplit;
  bool renew = !start.known || start.first_is_near != first_is_near_ || start.beyond != beyond;
  if (!renew) {
    e_a_ += start.offset.cast<S>();
    inverse_ = start.inverse.cast<S>();
  }
  Vec6T<S> change = Vec6T<S>::Zero(), open = Vec6T<S>::Zero();
  double last = 0;
  for (int iteration = 0; iteration < 40; ++iteration) {
    place();
    const Vec6T<S> before = open;
    open = balance();
    if (renew) {
      inverse_ = balance_by_strain().inverse();
    } else if (last > 0) {
      // Broyden's update (Math. Comp. 19, 1965) by the last change: few iterations, and no derivative.
      const Vec6T<S> y = inverse_ * (open - before);
      const Vec6T<S> miss = change - y;
      const S along = trammel::dot(change, y);
      if (std::abs(value_of(along)) > 0.1 * std::abs(value_of(trammel::dot(change, change))))
        inverse_ += miss / along * (change.transpose() * inverse_);
    }
    change = -(inverse_ * open);
    double size = 0, largest = 1;
    for (int i = 0; i < 6; ++i) {
      size = std::max(size, std::abs(value_of(change[i])));
      largest = std::max(largest, std::abs(value_of(e_a_[i] + change[i])));
      if (!std::isfinite(value_of(change[i]))) size = std::numeric_limits<double>::infinity();
    }
    if (iteration == 0 && !renew && size > near * largest) {
      e_a_ = unsplit;
      renew = true;
      continue;
    }
    if (!std::isfinite(size)) break;
    e_a_ += change;
    // The error is of the order of the square of this change with a new inverse; otherwise it is smaller by the
    // last factor.
    const double factor = last > 0 ? size / last : 0;
    const bool there =
        size <= rounding * largest ||
        (renew ? size <= small * largest : last > 0 && size * std::min(factor, 1.0) <= left * largest);
    if (there) {
      place();
      complete();
      return;
    }
    renew = factor > 0.05;
    last = size;
  }
  throw RejectStep("the contact of a sliding joint finds no balance in its element of the beam");
}

template <class S>
HostElementStart SplitHostElement<S>::found() const {
  HostElementStart start;
  start.known = true;
  start.first_is_near = first_is_near_;
  start.beyond = beyond;
  const Vec6T<S> offset = e_a_ - first_strain();
  for (int i = 0; i < 6; ++i) start.offset[i] = value_of(offset[i]);
  for (int i = 0; i < 36; ++i) start.inverse(i) = value_of(inverse_(i));
  return start;
}

template <class S>
void SplitHostElement<S>::take(const SplitHostElement<double>& found, const Vec6T<S>& e_a) {
  first_is_near_ = found.first_is_near();
  begin();
  e_a_ = e_a;
  place();
  complete();
}

template <class S>
S SplitHostElement<S>::density(const Vec6T<S>& e, const Vec6T<S>& sigma) const {
  return S(0.5) * trammel::dot(Vec6T<S>(e - reference_), sigma);
}

template <class S>
S SplitHostElement<S>::energy() const {
  const S length(s_2_ - s_1_);
  return direction() * S(z_a() * density(e_a_, sigma_a_) + z_b() * density(e_b_, sigma_b_)) -
         length * density(Vec6T<S>(whole_ / length), sigma_whole_);
}

template <class S>
void SplitHostElement<S>::place() {
  h_a_ = z_a() * e_a_;
  X_aC_ = se3::exp(h_a_);
  sigma_a_ = K_a_ * (e_a_ - reference_);
  if (beyond == 0) {
    h_b_ = twist_of<S>(pose_between(X_aC_, X_ab_));
    e_b_ = h_b_ / z_b();
    sigma_b_ = K_b_ * (e_b_ - reference_);
  }
  const Mat3T<S> R_Ca = X_aC_.R.transpose();
  f_C_ = -(R_Ca * force_a_);
  g_.template head<3>() = f_C_;
  g_.template tail<3>().setZero();
  if (rotates) {
    Q_ = turned_.transpose() * (R_Ca * R_aB_);
    P_ = -S(0.5) * Q_.transpose();
    P_.diagonal().array() += S(0.5) * Q_.trace();
    m_B_ = P_.transpose() * moment;
    m_D_ = -(Q_ * m_B_);
    g_.template tail<3>() = turned_ * m_D_;
  }
  g_ -= direction() * inverse_transposed_times<S>(-h_b_, sigma_b_);
}

template <class S>
void SplitHostElement<S>::complete() {
  X_C_ = (first_is_near_ ? X_1 : X_2) * X_aC_;
}

template <class S>
Mat6T<S> SplitHostElement<S>::turning_b() const {
  return inverse_turning<S>(-h_b_, sigma_b_);
}

template <class S>
Vec6T<S> SplitHostElement<S>::balance() const {
  return direction() * sigma_a_ + tangent_transposed_times<S>(h_a_, g_);
}

template <class S>
Mat6T<S> SplitHostElement<S>::balance_by_strain() const {
  const Mat6T<S> T_a = tangent_of<S>(h_a_);
  const Mat6T<S> G = wrench_by_contact() * T_a;
  return direction() * K_a_ + z_a() * (T_a.transpose() * G + turning<S>(h_a_, g_));
}

template <class S>
Mat6T<S> SplitHostElement<S>::wrench_by_contact() const {
  const Mat6T<S> T_b1 = inverse_of<S>(-h_b_);
  const Mat6T<S> by_h = T_b1.transpose() * (K_b_ / z_b()) - turning_b();
  Mat6T<S> G = direction() * (by_h * T_b1);
  G.template topRightCorner<3, 3>() += skew(f_C_);
  if (rotates)
    G.template bottomRightCorner<3, 3>() -=
        turned_ * (moment_D_by_turn() * (Q_.transpose() * turned_.transpose()));
  return G;
}

template <class S>
Mat3T<S> SplitHostElement<S>::moment_B_by_turn() const {
  return S(0.5) * (Q_ * skew(moment)) - moment * axial(Q_).transpose();
}

template <class S>
Mat3T<S> SplitHostElement<S>::moment_D_by_turn() const {
  return Q_ * (skew(m_B_) - moment_B_by_turn());
}

template <class S>
typename SplitHostElement<S>::Vector SplitHostElement<S>::residual() const {
  const S d = direction();
  Vector r;
  // In balance the near node carries what its piece does.
  r.template segment<6>(near()) = -d * inverse_transposed_times<S>(-h_a_, sigma_a_);
  r.template segment<6>(far()) = d * inverse_transposed_times<S>(h_b_, sigma_b_);
  const auto thrust = [this](const Vec6T<S>& e, const Vec6T<S>& sigma, const S& z) {
    return S(density(e, sigma) - trammel::dot(sigma, e) - z * z * trammel::dot(sigma, Vec6T<S>(R_ * sigma)));
  };
  r[Columns::s] = d * S(thrust(e_a_, sigma_a_, z_a()) - thrust(e_b_, sigma_b_, z_b()));
  r[Columns::turn] = m_D_[0];
  r.template segment<3>(Columns::slider) = force;
  r.template segment<3>(Columns::slider + 3) = m_B_;
  r.template segment<3>(Columns::multipliers) = gap();
  r.template segment<3>(Columns::multipliers + 3).setZero();
  if (rotates) r.template segment<3>(Columns::multipliers + 3) = axial(Q_);
  r.template segment<6>(Columns::node_1) += inverse_transposed_times<S>(-whole_, sigma_whole_);
  r.template segment<6>(Columns::node_2) -= inverse_transposed_times<S>(whole_, sigma_whole_);
  return r;
}

template <class S>
void SplitHostElement<S>::derivatives(Parts& out) const {
  using V3 = typename Parts::template Variation<3>;
  using V6 = typename Parts::template Variation<6>;
  using V3Near = typename Parts::template Variation<3, Columns::turn>;
  using V6Near = typename Parts::template Variation<6, Columns::turn>;
  const S d = direction();
  const Mat6T<S> T_a = tangent_of<S>(h_a_), T_b1 = inverse_of<S>(-h_b_), T_b2 = T_b1 + se3::ad(h_b_);
  const Mat6T<S> N_b = turning_b();
  V6Near contact;  // the twist of C
  contact.by.template middleCols<6>(near()) = se3::Ad_inverse(X_aC_);
  contact.by.col(Columns::s) = T_a * e_a_;
  contact.by_strain = z_a() * T_a;
  const V3Near contact_turn = contact.template rows_from<3>(3);

  V6Near h_b;
  h_b.add(Mat6T<S>(-T_b1), contact);
  h_b.by.template middleCols<6>(far()) += T_b2;
  // z_b de_b = dh_b + e_b ds; the stiffnesses depend on s.
  const Vec6T<S> Rs_a = R_ * sigma_a_, Rs_b = R_ * sigma_b_;
  const Vec6T<S> softer = S(2.0) * z_a() * (K_a_ * Rs_a);
  V6Near sigma_b;
  const Mat6T<S> C = K_b_ / z_b();
  sigma_b.add(C, h_b);
  sigma_b.by.col(Columns::s) += C * e_b_ + S(2.0) * z_b() * (K_b_ * Rs_b);

  V6 g;
  g.add(Mat6T<S>(d * N_b), h_b);
  g.add(Mat6T<S>(-d * T_b1.transpose()), sigma_b);
  const Mat3T<S> f = skew(f_C_);
  g.by.template topLeftCorner<3, Columns::turn>().noalias() += f.lazyProduct(contact_turn.by);
  g.by_strain.template topRows<3>().noalias() += f.lazyProduct(contact_turn.by_strain);
  g.by.template block<3, 3>(0, Columns::multipliers) -= X_C_.R.transpose();

  constexpr int position = Columns::multipliers, rotation = Columns::multipliers + 3;
  V3 row;
  row.add(Mat3T<S>(-X_C_.R), contact.template rows_from<3>(0));
  row.by.template middleCols<3>(Columns::slider) += Mat3T<S>::Identity();
  out.set(position, row);
  out.by.template block<3, 3>(Columns::slider, position).setIdentity();

  if (rotates) {
    const Mat3T<S> Qt = Q_.transpose();
    V3 turn_B;  // of B in C, in axes of B
    turn_B.add(Mat3T<S>(-(Qt * turned_.transpose())), contact_turn);
    turn_B.by.col(Columns::turn) -= Qt.col(0);
    turn_B.by.template middleCols<3>(Columns::slider + 3) += Mat3T<S>::Identity();
    V3 m_B, m_D, C_r;
    m_B.add(moment_B_by_turn(), turn_B);
    m_B.by.template middleCols<3>(rotation) += P_.transpose();
    m_D.add(moment_D_by_turn(), turn_B);
    m_D.by.template middleCols<3>(rotation) -= Q_ * P_.transpose();
    C_r.add(P_, turn_B);
    out.set(Columns::slider + 3, m_B);
    out.set(rotation, C_r);
    out.by.row(Columns::turn) = m_D.by.row(0);
    out.by_strain.row(Columns::turn) = m_D.by_strain.row(0);

    V3 m_C;
    m_C.add(turned_, m_D);
    m_C.by.col(Columns::turn) += turned_ * trammel::cross(Vec3T<S>(Vec3T<S>::Unit(0)), m_D_);
    g.by.template bottomRows<3>() += m_C.by;
    g.by_strain.template bottomRows<3>() += m_C.by_strain;
  }

  out.strain.noalias() = T_a.transpose().lazyProduct(g.by);
  out.strain.col(Columns::s) += turning<S>(h_a_, g_) * e_a_ - d * softer;
  solve_in_place<S, Columns::all>(balance_by_strain(), out.strain);
  out.strain = -out.strain;

  V6Near at_near, at_far;
  const Mat6T<S> N_a = d * inverse_turning<S>(-h_a_, sigma_a_);
  const Mat6T<S> back_a = d * inverse_of<S>(-h_a_).transpose();
  at_near.by_strain = z_a() * N_a - back_a * K_a_;
  at_near.by.col(Columns::s) = N_a * e_a_ + back_a * softer;
  out.set(near(), at_near);
  at_far.add(Mat6T<S>(d * T_b2.transpose()), sigma_b);
  at_far.add(Mat6T<S>(d * inverse_turning<S>(h_b_, sigma_b_)), h_b);
  out.set(far(), at_far);
  const Vec6T<S> u_a = e_a_ + S(2.0) * z_a() * z_a() * Rs_a, u_b = e_b_ + S(2.0) * z_b() * z_b() * Rs_b;
  out.by.row(Columns::s).template head<Columns::turn>() = d * (u_b.transpose() * sigma_b.by);
  out.by_strain.row(Columns::s) = d * (u_b.transpose() * sigma_b.by_strain - u_a.transpose() * K_a_);
  out.by(Columns::s, Columns::s) +=
      d * S(trammel::dot(u_a, softer) - S(3.0) * z_a() * trammel::dot(sigma_a_, Rs_a) -
            S(3.0) * z_b() * trammel::dot(sigma_b_, Rs_b));
}

template <class S>
typename SplitHostElement<S>::Matrix SplitHostElement<S>::tangent() const {
  Parts parts;
  derivatives(parts);
  parts.by.noalias() += parts.by_strain.lazyProduct(parts.strain);
  subtract_whole(parts.by);
  return parts.by;
}

template <class S>
void SplitHostElement<S>::constraint_gradient(Gradient& B, Gradient& strain) const {
  Parts parts;
  derivatives(parts);
  strain = parts.strain.template leftCols<Columns::multipliers>();
  B = parts.by.template bottomLeftCorner<6, Columns::multipliers>();
  B.noalias() += parts.by_strain.template bottomRows<6>() * strain;
}

template <class S>
void SplitHostElement<S>::subtract_whole(Matrix& by) const {
  const Vec6T<S>& sigma = sigma_whole_;
  const Mat6T<S> T_1 = inverse_of<S>(-whole_), T_2 = T_1 + se3::ad(whole_);
  const Mat6T<S> C = K_whole_ / S(s_2_ - s_1_);
  const Mat6T<S> row_1 = T_1.transpose() * C - inverse_turning<S>(-whole_, sigma);
  const Mat6T<S> row_2 = T_2.transpose() * C + inverse_turning<S>(whole_, sigma);
  by.template block<6, 6>(0, 0) -= row_1 * T_1;
  by.template block<6, 6>(0, 6) += row_1 * T_2;
  by.template block<6, 6>(6, 0) += row_2 * T_1;
  by.template block<6, 6>(6, 6) -= row_2 * T_2;
}

template class SplitHostElement<double>;
// For derivatives by complex steps.
using Complex = std::complex<double>;
template SplitHostElement<Complex>::SplitHostElement(const HostElement&);
template void SplitHostElement<Complex>::take(const SplitHostElement<double>&, const Vec6T<Complex>&);
template void SplitHostElement<Complex>::constraint_gradient(Gradient&, Gradient&) const;

}  // namespace trammel::beam_sliding
