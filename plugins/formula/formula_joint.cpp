#include "formula_joint.hpp"

#include "trammel/formula_drawing.hpp"
#include "trammel/glyph.hpp"
#include "trammel/joint_assembly.hpp"
#include "trammel/motion_level.hpp"

namespace trammel::formula {

namespace {

using Components = std::array<FormulaPtr, 3>;

struct DrawnSurface {
  const Components& of;
  Vec3 surface(double u, double v) const {
    const std::array<double, 2> at{u, v};
    return {of[0]->value(at), of[1]->value(at), of[2]->value(at)};
  }
};
struct DrawnCurve {
  const Components& of;
  Vec3 curve(double u) const { return DrawnSurface{of}.surface(u, 0); }
};

}  // namespace

FormulaJoint::FormulaJoint(JointSite site, std::shared_ptr<const Equations> equations,
                           std::shared_ptr<const std::vector<Coordinate>> coordinates,
                           std::shared_ptr<const Drawing> drawing)
    : site_(std::move(site)),
      equations_(std::move(equations)),
      coordinates_(std::move(coordinates)),
      drawing_(std::move(drawing)) {
  blocks_ = site_.block_count();
  first_multiplier_ = blocks_ + (equations_->coordinates() > 0 ? 1 : 0);
}

RelativeValues FormulaJoint::values(const LocalState& x, const Mat3& R_AB, const Vec3& p_AB_A,
                                    const Vec6* twist) const {
  const bool own = equations_->coordinates() > 0;
  return {equations_->variables(),         R_AB,    p_AB_A, twist, own ? x.value(blocks_) : nullptr,
          own ? x.rate(blocks_) : nullptr, x.time()};
}

void FormulaJoint::evaluate(const LocalState& x, LocalSystem& out) const {
  const Request& request = out.request;
  if (!has_velocity()) {
    MarkerMotion A, B;
    evaluate_markers(site_, x, request, A, B);
    const RelativePose pose = relative_pose(A, B);
    return add_position_rows(x, pose, values(x, pose.R_AB, pose.p_AB_A, nullptr), out);
  }
  RelativeMotion motion;
  motion.evaluate(x, site_.A, site_.B, 0, level_of_velocity_rows(request));
  const RelativeValues at = values(x, motion.R_AB, motion.p_AB_A, &motion.twist);
  if (has_position()) add_position_rows(x, {motion.A, motion.B, motion.R_AB, motion.p_AB_A}, at, out);
  add_velocity_rows(x, motion, at, out);
}

void FormulaJoint::add_position_rows(const LocalState& x, const RelativePose& pose, const RelativeValues& at,
                                     LocalSystem& out) const {
  JointRows rows;
  rows.coordinate_row = pose.A.dofs + pose.B.dofs;
  rows.any = {x.value(first_multiplier_), rows.coordinate_row + equations_->coordinates()};
  if (equations_->coordinates() > 0) rows.coordinate_rates = x.rate(blocks_);
  const JointTermsView terms = equations_->position_terms(at, needs_curvature(out.request));
  assemble_joint(site_, x, pose, terms, JointStructure{}, rows, out);
}

void FormulaJoint::add_velocity_rows(const LocalState& x, const RelativeMotion& motion,
                                     const RelativeValues& at, LocalSystem& out) const {
  const Request& request = out.request;
  const VelocityTerms terms = equations_->velocity_terms(at, request.tangent);
  const int dofs = motion.dofs(), nc = equations_->coordinates();
  const int row = dofs + nc + static_cast<int>(equations_->position().size());
  const double* lambda = x.value(velocity_block());

  auto r = out.residual();
  Vec6 wrench = Vec6::Zero();
  for (int i = 0; i < terms.equations; ++i) {
    const double* A = terms.row(terms.A, i);
    wrench += lambda[i] * Eigen::Map<const Vec6>(A);
    for (int k = 0; k < nc; ++k) r[dofs + k] += lambda[i] * A[6 + k];
    r[row + i] += terms.e[i];
  }
  r.head(dofs).noalias() += motion.J.transpose().lazyProduct(wrench);

  if (request.tangent) {
    auto K = out.K();
    auto D = out.D();
    for (int i = 0; i < terms.equations; ++i) {
      const double *A = terms.row(terms.A, i), *s = terms.row(terms.by_z, i);
      const Eigen::Map<const Vec6> A_zeta(A), s_zeta(s);
      for (int j = 0; j < dofs; ++j) {
        const double B = A_zeta.dot(motion.J.col(j));
        D(row + i, j) += B;
        K(j, row + i) += B;
        K(row + i, j) += s_zeta.dot(motion.J.col(j)) + A_zeta.dot(motion.twist_gradient.col(j));
      }
      for (int k = 0; k < nc; ++k) {
        D(row + i, dofs + k) += A[6 + k];
        K(dofs + k, row + i) += A[6 + k];
        K(row + i, dofs + k) += s[6 + k];
      }
    }
    // The forces A^T lambda by z.
    using ByZ = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    thread_local ByZ S;
    S.setZero(terms.n, terms.n);
    for (int i = 0; i < terms.equations; ++i)
      S += lambda[i] * Eigen::Map<const ByZ>(terms.A_z + i * terms.n * terms.n, terms.n, terms.n);
    const Mat6 S_zeta = S.topLeftCorner<6, 6>();
    PairJacobian SJ(6, dofs);
    SJ.noalias() = S_zeta.lazyProduct(motion.J);
    K.topLeftCorner(dofs, dofs).noalias() += motion.J.transpose().lazyProduct(SJ);
    motion.add_second_order(x, site_.A, site_.B, 0, wrench, K.topLeftCorner(dofs, dofs));
    for (int k = 0; k < nc; ++k) {
      const Vec6 by_c = S.block<6, 1>(0, 6 + k), of_c = S.block<1, 6>(6 + k, 0).transpose();
      for (int j = 0; j < dofs; ++j) {
        K(j, dofs + k) += by_c.dot(motion.J.col(j));
        K(dofs + k, j) += of_c.dot(motion.J.col(j));
      }
      for (int l = 0; l < nc; ++l) K(dofs + k, dofs + l) += S(6 + k, 6 + l);
    }
  }
  if (request.bias) {
    auto bias = out.bias();
    const double* rates = nc > 0 ? x.rate(blocks_) : nullptr;
    for (int i = 0; i < terms.equations; ++i) {
      const double *A = terms.row(terms.A, i), *s = terms.row(terms.by_z, i);
      double sum = Eigen::Map<const Vec6>(A).dot(motion.bias) + Eigen::Map<const Vec6>(s).dot(motion.twist) +
                   terms.e_t[i];
      for (int k = 0; k < nc; ++k) sum += s[6 + k] * rates[k];
      bias[row + i] += sum;
    }
  }
}

Vec6 FormulaJoint::wrench(const LocalState& x, const RelativeMotion& motion, bool position) const {
  const RelativeValues at = values(x, motion.R_AB, motion.p_AB_A, &motion.twist);
  const int n = 6 + equations_->coordinates();
  Vec6 w = Vec6::Zero();
  const auto add = [&](const double* gradients, int equations, const double* lambda) {
    for (int i = 0; i < equations; ++i) w += lambda[i] * Eigen::Map<const Vec6>(gradients + i * n);
  };
  if (position && has_position()) {
    const JointTermsView terms = equations_->position_terms(at, false);
    add(terms.G, terms.equations, x.value(first_multiplier_));
  }
  if (has_velocity()) {
    const VelocityTerms terms = equations_->velocity_terms(at, false);
    add(terms.A, terms.equations, x.value(velocity_block()));
  }
  return w;
}

Energy FormulaJoint::energy(const LocalState& x) const {
  // Equations that move in time, and velocities that are driven, do work: -lambda . C_t and -lambda . b leave the system.
  Energy e;
  const bool position = site_.moves_in_time() || equations_->position_reads_time();
  if (!position && !has_velocity()) return e;
  RelativeMotion motion;
  motion.evaluate(x, site_.A, site_.B, 0, MotionLevel::velocity);
  const Vec6 w = wrench(x, motion, position);
  e.dissipated_power = site_.dissipated_power(x, motion.wrench_on_A(w), motion.wrench_on_B(w));
  const RelativeValues at = values(x, motion.R_AB, motion.p_AB_A, &motion.twist);
  if (position && has_position()) {
    const JointTermsView terms = equations_->position_terms(at, false);
    for (int i = 0; i < terms.equations; ++i)
      e.dissipated_power -= x.value(first_multiplier_)[i] * terms.C_t[i];
  }
  if (has_velocity()) {
    const Vec6 still = Vec6::Zero();
    const std::vector<double> rates(static_cast<std::size_t>(equations_->coordinates()), 0.0);
    const VelocityTerms terms =
        equations_->velocity_terms(RelativeValues(equations_->variables(), motion.R_AB, motion.p_AB_A, &still,
                                                  rates.empty() ? nullptr : x.value(blocks_),
                                                  rates.empty() ? nullptr : rates.data(), x.time()),
                                   false);
    for (int i = 0; i < terms.equations; ++i) e.dissipated_power -= x.value(velocity_block())[i] * terms.e[i];
  }
  return e;
}

JointForces FormulaJoint::reaction(const LocalState& x, const ReactionContributions& contributions,
                                   RelativeMotion& motion) const {
  motion.evaluate(x, site_.A, site_.B, 0, MotionLevel::velocity);
  const Vec6 w = wrench(x, motion, true);
  return site_.forces(motion.A.R_WM, motion.B.R_WM, motion.wrench_on_A(w), motion.wrench_on_B(w),
                      contributions);
}

void FormulaJoint::outputs(const LocalState& x, const ReactionContributions& contributions,
                           OutputSink& sink) const {
  RelativeMotion motion;
  const JointForces forces = reaction(x, contributions, motion);
  site_.report(motion.A, motion.B, forces, sink);
  const auto report = [&](const char* name, std::size_t count, int block) {
    if (count > 0) report_numbered(sink, name, "", 1, {x.value(block), count});
  };
  report("multipliers", equations_->position().size(), first_multiplier_);
  report("velocity_multipliers", equations_->velocity().size(), velocity_block());
  int k = 0;
  for (const Coordinate& c : *coordinates_) {
    sink.scalar(c.name, c.unit, x.value(blocks_)[k]);
    sink.scalar(c.name + "_rate", rate_unit(c.unit), x.rate(blocks_)[k]);
    sink.scalar(c.name + "_acceleration", rate_unit(c.unit, 2), x.second_rate(blocks_)[k]);
    ++k;
  }
}

Eigen::MatrixXd FormulaJoint::equations_by_motion(const LocalState& x, const RelativeMotion& motion) const {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int n = 6 + equations_->coordinates();
  const auto position = static_cast<Eigen::Index>(equations_->position().size()),
             velocity = static_cast<Eigen::Index>(equations_->velocity().size());
  Eigen::MatrixXd rows(position + velocity, n);
  const RelativeValues at = values(x, motion.R_AB, motion.p_AB_A, &motion.twist);
  if (has_position())
    rows.topRows(position) = Eigen::Map<const Rows>(equations_->position_terms(at, false).G, position, n);
  if (has_velocity())
    rows.bottomRows(velocity) = Eigen::Map<const Rows>(equations_->velocity_terms(at, false).A, velocity, n);
  return rows;
}

void FormulaJoint::draw(const LocalState& x, const ReactionContributions& contributions,
                        Canvas& canvas) const {
  RelativeMotion motion;
  const JointForces forces = reaction(x, contributions, motion);
  site_.draw(motion.A, motion.B, forces, canvas);
  const MarkerMotion& A = motion.A;
  const Glyph glyph(canvas, A, motion.B, site_.size);
  if (glyph.shown()) {
    glyph.free_motions(equations_by_motion(x, motion));
    // The sign of equality beside it: equations of the case.
    for (const double height : {0.62, 0.78}) glyph.box(glyph.B, {0.5, height, 0}, {0.4, 0.07, 0.07});
  }
  if (drawing_->surface[0]) draw_formula(DrawnSurface{drawing_->surface}, A.R_WM, A.p_WM, canvas);
  if (drawing_->curve[0]) draw_formula(DrawnCurve{drawing_->curve}, A.R_WM, A.p_WM, canvas);
}

}  // namespace trammel::formula
