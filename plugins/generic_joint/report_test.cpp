#include <gtest/gtest.h>

#include "sample.hpp"

namespace trammel::generic_joint {
namespace {

struct Reported {
  RecordedOutputs out;
  MarkerMotion A, B;
  Reported(const Sample<GenericJoint>& sample, const Definition& d, const TestState& s) {
    sample.range.outputs(0, s.local(), {}, out);
    d.J0.evaluate(s.local(), 0, MotionLevel::velocity, A);
    d.J1.evaluate(s.local(), 2, MotionLevel::velocity, B);
  }
  Vec3 operator[](const char* name) const { return out.vectors.at(name); }
};

TEST(GenericJointReport, gives_the_motion_that_the_page_defines) {
  for (const unsigned bits : {63U, 20U, 0U}) {
    Definition d = definition_of(axes_of(bits), tilted_marker(0), tilted_marker(1));
    d.offsets = lively_offsets(d.axes);
    const Sample<GenericJoint> sample = sample_of(d);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      TestState s = sample.test_state;
      s.disturb(seed);
      const Reported r(sample, d, s);
      const Mat3 R_0W = r.A.R_WM.transpose();
      EXPECT_LT((r["position"] - r.A.p_WM).norm(), 1e-14);
      EXPECT_LT((r["velocity"] - r.A.twist.head<3>()).norm(), 1e-14);
      EXPECT_LT((r["displacement_local"] - R_0W * (r.B.p_WM - r.A.p_WM)).norm(), 1e-14);
      EXPECT_LT((r["velocity_local"] - R_0W * (r.B.twist.head<3>() - r.A.twist.head<3>())).norm(), 1e-13);
      const Vec3 w = R_0W * (r.B.R_WM * r.B.twist.tail<3>()) - r.A.twist.tail<3>();
      EXPECT_LT((r["angular_velocity_local"] - w).norm(), 1e-13);
      const Vec3 a = r["rotation"];
      const Mat3 R = so3::exp(Vec3(a[0], 0, 0)) * so3::exp(Vec3(0, a[1], 0)) * so3::exp(Vec3(0, 0, a[2]));
      EXPECT_LT((R - R_0W * r.B.R_WM).norm(), 1e-13);
      EXPECT_LE(std::abs(a[1]), std::numbers::pi / 2);
      EXPECT_LT((so3::exp(r["rotation_vector"]) - R).norm(), 1e-13);
    }
  }
}

/// Force and moment of the joint on its side of `block`, about the world's origin, from the rows of the residual.
Vec6 from_rows(const TestState& s, const Eigen::VectorXd& r, int block) {
  const Vec3 force = -r.segment<3>(s.offset(block));
  const Vec3 moment = -(s.local().rotation(block + 1) * r.segment<3>(s.offset(block + 1)));
  return (Vec6() << force, moment + Vec3(s.local().position(block)).cross(force)).finished();
}

TEST(GenericJointReport, gives_the_true_moment_for_all_flags) {
  for (unsigned bits = 1; bits < 64; ++bits)
    for (const int variant : {0, 1, 2}) {
      Definition d = definition_of(axes_of(bits), tilted_marker(0), tilted_marker(1));
      if (variant > 0) d.offsets = lively_offsets(d.axes);
      d.alternative = variant == 2 && d.axes.rotations() >= 2;
      const Sample<GenericJoint> sample = sample_of(d);
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        TestState s = sample.test_state;
        s.disturb(seed);
        const Eigen::VectorXd rows = evaluate(sample.range, 0, s, {}).residual;
        const Reported r(sample, d, s);
        const Mat3 R_0W = r.A.R_WM.transpose();
        const Vec6 on_A = from_rows(s, rows, 0), on_B = from_rows(s, rows, 2);
        const auto about = [](const Vec6& w, const Vec3& p) {
          return Vec3(w.tail<3>() - p.cross(w.head<3>()));
        };
        EXPECT_LT((r["force_local"] - R_0W * on_B.head<3>()).norm(), 1e-12) << text(d.axes);
        EXPECT_LT((r["torque_local"] - R_0W * about(on_B, r.B.p_WM)).norm(), 1e-12) << text(d.axes);
        EXPECT_LT((r["force_world"] - on_B.head<3>()).norm(), 1e-12);
        EXPECT_LT((r["force_on_A_world"] - on_A.head<3>()).norm(), 1e-12);
        EXPECT_LT((r["moment_on_A_world"] - about(on_A, r.A.p_WM)).norm(), 1e-12) << text(d.axes);
      }
    }
}

TEST(GenericJointReport, gives_the_moment_that_keeps_a_body_at_rest) {
  // A body turned by the free angles and pulled by a force F and a moment M: with all axes but one of rotation locked,
  // equilibrium wants force -F and moment -M less its part about the free axis, whatever the multipliers mean.
  for (const unsigned bits : {63U, 55U, 47U, 31U})
    for (const bool alternative : {false, true}) {
      Definition d = definition_of(axes_of(bits), Marker::ground(tilted(), arm()), Marker::on_frame({0, 1}));
      d.alternative = alternative;
      const Sample<GenericJoint> sample = sample_of(d);
      const GenericJoint joint(d);
      TestState s = sample.test_state;
      close(s, joint, FreePose(d.axes, Vec3::Zero(), Vec3(0.8, 0.8, 0.8)));
      const int free = d.axes.rotation_that_is(false, 0);
      Vec3 M(3, -2, 5);  // axes of J0
      if (free >= 0) M[free] = 0;
      const Vec3 F(10, 20, -7);
      // B^T lambda = (F, M) in the rows of the body.
      Vec6 load;
      load << tilted() * F, s.local().rotation(1).transpose() * tilted() * M;
      Request request;
      request.tangent = true;
      const int rows = s.dofs() - 6;
      const Eigen::MatrixXd B_T = evaluate(sample.range, 0, s, request).K.topRightCorner(6, rows);
      const Eigen::VectorXd lambda = B_T.colPivHouseholderQr().solve(load);
      std::copy_n(lambda.data(), 3, s.state().value.data() + s.state_offsets()[2].value);
      std::copy_n(lambda.data() + 3, rows - 3, s.state().value.data() + s.state_offsets()[3].value);
      RecordedOutputs out;
      sample.range.outputs(0, s.local(), {}, out);
      EXPECT_LT((out.vectors.at("force_local") + F).norm(), 1e-12) << text(d.axes);
      EXPECT_LT((out.vectors.at("torque_local") + M).norm(), 1e-12) << text(d.axes);
    }
}

class CountingCanvas final : public Canvas {
 public:
  int parts = 0, fields = 0;
  std::size_t size = 0;
  std::vector<double> colour;

  void polyline(Layer, std::span<const Vec3> points) override { part(points); }
  void points(Layer, std::span<const Vec3> points) override { part(points); }
  void surface(Layer, std::span<const Vec3> points, std::span<const int>) override { part(points); }
  void field(std::string_view name, std::span<const double> values, int components) override {
    EXPECT_EQ(values.size(), size * static_cast<std::size_t>(components)) << name;
    if (name == "colour") colour.assign(values.begin(), values.begin() + 4);
    ++fields;
  }

 private:
  void part(std::span<const Vec3> points) {
    ++parts;
    size = points.size();
  }
};

TEST(GenericJointReport, draws_its_free_axes) {
  const auto drawn = [](unsigned bits, bool show) {
    Definition d = definition_of(axes_of(bits), tilted_marker(0), tilted_marker(1));
    d.drawing.show = show;
    d.drawing.axis_radius = 0.1;
    d.drawing.axis_length = 0.4;
    d.drawing.colour = {0.1, 0.2, 0.3, 0.4};
    const Sample<GenericJoint> sample = sample_of(d);
    CountingCanvas canvas;
    sample.range.draw(0, sample.test_state.local(), {}, canvas);
    return canvas;
  };
  EXPECT_EQ(drawn(63, false).parts, 0);
  EXPECT_EQ(drawn(63, true).parts, 2);  // the point and a ball
  EXPECT_EQ(drawn(31, true).parts, 2);
  EXPECT_EQ(drawn(0, true).parts, 7);
  EXPECT_EQ(drawn(0, true).colour, (std::vector<double>{0.1, 0.2, 0.3, 0.4}));
}

}  // namespace
}  // namespace trammel::generic_joint
