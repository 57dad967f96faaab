#pragma once

#include <random>

#include "slider.hpp"
#include "trammel/element_check.hpp"

/// A slider on a chain of three elements in any state, for the tests of its equations.
namespace trammel::beam_sliding::testing {

class Sample {
 public:
  explicit Sample(unsigned seed) : engine_(seed) {}

  // What the sample is made of: set before `make`.
  Contact contact = Contact::point;
  double turn_by_s = 0;
  bool linear_moment = false;
  double bending = 1;             ///< rotation along an element [rad]
  double stretch = 0.3;           ///< of the strains of stretching and shearing
  double reaction = 1;            ///< size of the multipliers
  double gap = 0.1;               ///< between the slider and its point of the track
  Vec3 curvature = Vec3::Zero();  ///< of the reference shape
  AtEnd at_end = AtEnd::error;
  double stop_stiffness = 40;

  static constexpr double length = 0.7;  ///< of an element
  static constexpr int elements = 3;

  double number(double low = -1, double high = 1) {
    return std::uniform_real_distribution(low, high)(engine_);
  }
  Vec3 vector(double size = 1) { return size * Vec3(number(), number(), number()); }
  Vec6 vector6(double size = 1) { return (Vec6() << vector(size), vector(size)).finished(); }

  /// The range with one slider at s, on the element `host`; `test_state` is its state.
  RangeOf<Slider> make(double s, int host) {
    blocks_.clear();
    auto law = std::make_shared<SliderLaw>();
    ElasticLine line;
    auto elastic = std::make_shared<ElasticLine::Law>();
    elastic->linear_moment = linear_moment;
    elastic->reference << 1, 0, 0, curvature;
    Mat6 root = Mat6::Identity();
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) root(i, j) += 0.2 * number();
    elastic->stiffness = root * Vec6(60, 30, 25, 6, 8, 10).asDiagonal() * root.transpose();

    // The blocks stand in the order of the slider's stencil.
    const auto add = [this](BlockKind kind, int size) {
      Block b;
      b.kind = kind;
      b.size = size;
      for (int i = 0; i < size; ++i) b.initial_rate[static_cast<std::size_t>(i)] = number();
      blocks_.push_back(b);
      return static_cast<BlockId>(blocks_.size() - 1);
    };
    std::vector<BlockId> fixed{add(BlockKind::coordinate, 1)};
    if (contact == Contact::cylindrical) fixed.push_back(add(BlockKind::coordinate, 1));
    Frame body;
    body.position = add(BlockKind::position, 3);
    body.rotation = add(BlockKind::rotation, 3);
    fixed.insert(fixed.end(), {body.position, body.rotation});
    fixed.push_back(add(BlockKind::multiplier, 3));
    if (contact != Contact::point) fixed.push_back(add(BlockKind::multiplier, 3));
    for (int k = 0; k <= elements; ++k) {
      Frame node;
      node.position = add(BlockKind::position, 3);
      node.rotation = add(BlockKind::rotation, 3);
      line.nodes.push_back(node);
      line.s.push_back(length * k);
      if (k > 0) line.laws.push_back(elastic);
    }
    auto track = std::make_shared<Track>();
    track->add(line);
    law->track = track;
    const Mat3 R_FB = so3::exp(vector());
    const Vec3 p_FB = vector(0.4);
    law->slider = Marker::on_frame(body, R_FB, p_FB);
    law->contact = contact;
    law->turn_by_s = turn_by_s;
    law->s_start = 0.2;
    law->at_end = at_end;
    if (at_end == AtEnd::stop) law->stops = {.range = {0, law->track->length()}, .stiffness = stop_stiffness};

    // The track bends by itself; the slider stands near its point at s.
    std::vector<Pose> nodes{{so3::exp(vector(2)), vector(2)}};
    Pose contact_pose;
    const bool beyond = s < 0 || s > elements * length;
    for (int k = 0; k < elements; ++k) {
      Vec6 h = length * elastic->reference;
      h.head<3>() += length * vector(stretch);
      h.tail<3>() += bending * vector().normalized();
      const bool after = beyond && s > 0;  // unloaded there
      if (k == host && !after)
        contact_pose =
            nodes.back() * se3::exp(beyond ? Vec6(s * elastic->reference) : Vec6((s / length - k) * h));
      nodes.push_back(nodes.back() * se3::exp(h));
      if (k == host && after)
        contact_pose = nodes.back() * se3::exp(Vec6((s - elements * length) * elastic->reference));
    }
    test_state = std::make_unique<TestState>(blocks_);
    State& state = test_state->state();
    const auto value = [&](BlockId id) {
      return state.value.data() + test_state->state_offsets()[static_cast<std::size_t>(id)].value;
    };
    const auto put = [&](const Frame& frame, const Pose& X) {
      Eigen::Map<Vec3>(value(frame.position)) = X.p;
      test_state->set_rotation(static_cast<int>(frame.rotation), X.R);
    };
    for (int k = 0; k <= elements; ++k)
      put(line.nodes[static_cast<std::size_t>(k)], nodes[static_cast<std::size_t>(k)]);
    const Pose apart{so3::exp(vector(0.2)), vector(gap)};
    const double angle = contact == Contact::cylindrical ? 0.8 : turn_by_s * (s - law->s_start);
    const Pose B = contact_pose * Pose{so3::exp(Vec3(angle, 0, 0)), Vec3::Zero()} * apart;
    put(body, B * Pose{R_FB, p_FB}.inverse());
    value(0)[0] = s;
    if (contact == Contact::cylindrical) value(1)[0] = angle;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (blocks_[i].kind == BlockKind::multiplier)
        for (int k = 0; k < 3; ++k) value(static_cast<BlockId>(i))[k] = reaction * number();
    for (double& a : state.acceleration) a = number();

    // All nodes are in the stencil, as they are in the test_state.
    Slider slider(law, (host + 0.5) * length, host == 0);
    slider.set_fixed_blocks(fixed);
    std::vector<BlockId> stencil = slider.stencil();
    int dofs = 0;
    for (const BlockId id : stencil) dofs += blocks_[static_cast<std::size_t>(id)].size;
    RangeOf<Slider> range;
    range.add(std::move(slider), std::move(stencil), dofs, 0);
    if (beyond && at_end == AtEnd::stop) {  // what is beyond an end is known by a review
      range.commit(0, test_state->local(), {0, 0});
      range.review(0, test_state->local(), {0, 1});
      range.commit(0, test_state->local(), {0, 1});
    }
    return range;
  }

  /// Moves the slider onto its point of the track.
  void close(const RangeOf<Slider>& range) {
    const Eigen::VectorXd r = evaluate(range, 0, *test_state, {}).residual;
    const int body = contact == Contact::cylindrical ? 2 : 1;
    const int place = test_state->state_offsets()[static_cast<std::size_t>(body)].value;
    Eigen::Map<Vec3>(test_state->state().value.data() + place) -= r.segment<3>(test_state->offset(body + 2));
  }

  std::unique_ptr<TestState> test_state;

 private:
  std::mt19937 engine_;
  std::vector<Block> blocks_;
};

}  // namespace trammel::beam_sliding::testing
