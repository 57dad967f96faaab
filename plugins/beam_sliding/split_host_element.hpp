#pragma once

#include <complex>

#include "trammel/archive.hpp"
#include "trammel/elastic_line.hpp"
#include "trammel/lie.hpp"

namespace trammel::beam_sliding {

/// Where the variations of a SplitHostElement stand: twists of the host's nodes in their own axes (translation first), the
/// arc length, the turn about the tangent, the slider's variation (world displacement; rotation in its own axes), the
/// multipliers of position (world components) and of rotation.
struct Columns {
  static constexpr int node_1 = 0, node_2 = 6, s = 12, turn = 13, slider = 14, multipliers = 20, all = 26;
};

/// The element that is a host, with what follows from its section alone.
struct HostElement {
  double s_1 = 0, s_2 = 1;
  Vec6 reference = Vec6::Zero();
  Mat6 stiffness = Mat6::Identity();        ///< of the section
  Mat6 spread = Mat6::Zero();               ///< what a piece of length z adds to its compliance, over z^2
  Mat6 stiffness_whole = Mat6::Identity();  ///< of the element as one piece

  HostElement(const ElasticLine::Law& law, double s_1, double s_2);
  /// Stiffness of a piece of length z.
  template <class S>
  Mat6T<S> piece(const S& z) const;
};

/// A place to start the search for a host's strains from: those found at another state nearby.
struct HostElementStart {
  bool known = false, first_is_near = true;
  int beyond = 0;
  Vec6 offset =
      Vec6::Zero();  ///< of the near piece's strain from that of the unsplit element, or of the reference
  Mat6 inverse = Mat6::Zero();  ///< of the balance's derivative by the near piece's strain

  void serialize(Archive& archive) { archive(known, first_is_near, beyond, offset, inverse); }
};

/// One finite element of a beam, host of a contact: two pieces of constant strain meet at a frame C at the arc length s,
///
///     X_C = X_a exp((s - s_a) e_a),   e_b = log(X_C^-1 X_b) / (s_b - s),
///
/// a the nearer node. e_a is an unknown of the host's own: it follows from the balance at C of both pieces' section
/// forces and of the contact's reaction, and is condensed. Written in strains, the balance has no denominator that
/// vanishes where the contact meets a node, or goes on beyond it. The elastic energy less that of the unsplit element
/// is the host element's contribution, so that the beam's own elements are left as they are.
///
/// Where the beam's moments vary linearly along an element (`bending: linear`), they do along the pieces: a piece of
/// length z has besides the compliance z^2 R of the force, R = t1~^T C_mm t1~ / 12.
///
/// Beyond an end of the track (`beyond`) one piece goes on from the end's node to C, which nothing but the contact loads:
///
///     X_C = X_a exp((s - s_a) e_a),   U = |s - s_a| W(e_a),
///
/// and the element stays whole. This is what a beam without mass that prolongs it would do. In the formulas it is the
/// near piece, its sense turned, without the other one and without the element.
///
/// Why the contact is not assembled as joints are: a joint's markers follow from the unknowns of what carries them, and its rows
/// are B^T lambda. C follows from the multipliers too, through e_a, so that the constraints have derivatives by their own
/// multipliers once e_a is condensed, and the rows of the nodes are elastic forces besides. With e_a as a block of six unknowns
/// it could be a marker, at the cost of those six rows a contact. What it shares with joints: the slider's marker, the stops at
/// the ends of a track, the force across (ForceAcross).
///
/// The slider's frame B is held to C: p_B = p_C, and, where `rotates`, Q = exp(-turn t1~) R_CB = 1, by the axial vector
/// of Q. S: double, or std::complex for derivatives of `constraint_gradient` by complex steps.
template <class S>
class SplitHostElement {
 public:
  using Vector = Eigen::Matrix<S, Columns::all, 1>;
  using Matrix = Eigen::Matrix<S, Columns::all, Columns::all>;
  using Gradient = Eigen::Matrix<S, 6, Columns::multipliers>;

  // Arguments of the element.
  PoseT<S> X_1, X_2;
  S s = S(0), turn = S(0);
  Mat3T<S> R_WB = Mat3T<S>::Identity();
  Vec3T<S> p_WB = Vec3T<S>::Zero();
  /// Rounding errors (compensation) of the positions of the nodes and of B.
  Vec3 compensation_1 = Vec3::Zero(), compensation_2 = Vec3::Zero(), compensation_B = Vec3::Zero();
  Vec3T<S> force = Vec3T<S>::Zero();   ///< multiplier: minus the force on the slider, world components
  Vec3T<S> moment = Vec3T<S>::Zero();  ///< multiplier of the rotation
  bool rotates = false;
  int beyond =
      0;  ///< -1: s lies before the start of the track, which the element begins at; 1: after its end

  /// `element` must outlive the object.
  explicit SplitHostElement(const HostElement& element);

  /// Splits at the nearer node and finds e_a, to rounding wherever it starts from. Throws RejectStep where there is none
  /// near.
  void solve(const HostElementStart& start = {});
  /// The solution that `solve` found, as a start for others.
  HostElementStart found() const;
  /// Takes what `solve` found at the same place.
  void take(const SplitHostElement<double>& found, const Vec6T<S>& e_a);

  bool first_is_near() const { return first_is_near_; }
  const Vec6T<S>& near_strain() const { return e_a_; }
  const PoseT<S>& X_WC() const { return X_C_; }
  /// Section forces (N, M) in the middle of the pieces.
  const Vec6T<S>& force_before() const { return near_is_before() ? sigma_a_ : sigma_b_; }
  const Vec6T<S>& force_after() const { return near_is_before() ? sigma_b_ : sigma_a_; }

  /// Elastic energy of the split element less that of the whole one.
  S energy() const;

  /// The contribution of the residual, by Columns: the multipliers' rows hold the constraints.
  Vector residual() const;

  /// Derivative of the residual along the variations, e_a condensed.
  Matrix tangent() const;

  /// Derivative of the constraints, and of e_a, along the variations at fixed multipliers.
  void constraint_gradient(Gradient& B, Gradient& strain) const;

 private:
  struct Parts;

  int near() const { return first_is_near_ ? Columns::node_1 : Columns::node_2; }
  int far() const { return first_is_near_ ? Columns::node_2 : Columns::node_1; }
  bool near_is_before() const { return beyond != 0 ? beyond > 0 : first_is_near_; }
  S direction() const { return S(near_is_before() ? 1.0 : -1.0); }
  S z_a() const { return s - S(first_is_near_ ? s_1_ : s_2_); }
  S z_b() const { return S(first_is_near_ ? s_2_ : s_1_) - s; }
  /// Energy a length of a piece at the strain e under the section force sigma.
  S density(const Vec6T<S>& e, const Vec6T<S>& sigma) const;
  void begin();
  /// p_CB_W
  Vec3T<S> gap() const;
  /// The strain that the search for e_a begins with.
  Vec6T<S> first_strain() const;

  /// Finds what the balance needs of what follows from e_a.
  void place();
  /// And the rest.
  void complete();
  /// The balance at C, as the row of e_a over s - s_a, and its derivative by e_a.
  Vec6T<S> balance() const;
  Mat6T<S> balance_by_strain() const;
  /// d(T^-T(-h_b) sigma_b)/d(-h_b)
  Mat6T<S> turning_b() const;
  /// Derivative of g_ along the twist of C alone.
  Mat6T<S> wrench_by_contact() const;
  Mat3T<S> moment_B_by_turn() const;
  Mat3T<S> moment_D_by_turn() const;
  /// Derivatives of the residual, without the whole element's, with e_a as a variable of its own, and of e_a.
  void derivatives(Parts& parts) const;
  void subtract_whole(Matrix& by) const;

  const HostElement* element_;
  double s_1_, s_2_;
  Vec6T<S> reference_;
  Mat6T<S> K_a_, K_b_, K_whole_, R_;
  bool first_is_near_ = true;
  Vec6T<S> whole_, sigma_whole_;  ///< log(X_1^-1 X_2), and the section force that it means
  Vec6T<S> e_a_, e_b_, h_a_, h_b_, sigma_a_, sigma_b_;
  PoseT<S> X_ab_, X_aC_, X_C_;
  Vec3T<S> force_a_;
  Mat3T<S> R_aB_ = Mat3T<S>::Identity();
  Mat6T<S> inverse_;  ///< about that of the balance's derivative by e_a
  Mat3T<S> turned_ = Mat3T<S>::Identity(), Q_ = Mat3T<S>::Identity(), P_ = Mat3T<S>::Identity();
  Vec3T<S> f_C_;
  Vec3T<S> m_D_ = Vec3T<S>::Zero(), m_B_ = Vec3T<S>::Zero();
  Vec6T<S> g_;  ///< the wrench on C of all but the piece at node a, in axes of C
};

extern template class SplitHostElement<double>;

}  // namespace trammel::beam_sliding
