#include "trammel/scene_check.hpp"

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <numbers>
#include <random>

#include <Eigen/QR>

#include "same_results.hpp"
#include "trammel/error.hpp"
#include "trammel/index.hpp"
#include "trammel/joint_check.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

/// One instance of the entity, and where its blocks stand among those of all its instances.
struct Part {
  const ElementRange* range = nullptr;
  int instance = 0;
  std::vector<BlockId> stencil;
  std::vector<int> of_whole;
};

struct Whole {
  std::vector<BlockId> blocks;
  std::vector<Part> parts;
  int own = 0;  ///< kinematic unknowns of the entity's own
};

Whole collect(const EntityInstances& joint) {
  Whole whole;
  for (const auto& [range, instance] : joint.instances) {
    Part part{range, instance, {}, {}};
    for (const BlockId id : range->stencil(instance)) {
      const auto found = std::ranges::find(whole.blocks, id);
      part.stencil.push_back(id);
      part.of_whole.push_back(static_cast<int>(found - whole.blocks.begin()));
      if (found == whole.blocks.end()) whole.blocks.push_back(id);
    }
    whole.parts.push_back(std::move(part));
  }
  for (const BlockId id : whole.blocks)
    if (const Block& block = joint.block(id); is_kinematic(block.kind) && block.entity == joint.entity)
      whole.own += block.size;
  return whole;
}

/// A random state around the start.
TestState stirred(const TestState& start, const JointScene& scene, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto draw = [&] {
    const double x = number(random), y = number(random), z = number(random);
    return Vec3(x, y, z);
  };
  const Vec3 axis = draw().normalized();
  const double angle = std::numbers::pi * number(random);
  const Vec3 shift = draw(), v = draw(), w = draw();
  TestState s = carried(start, so3::exp(Vec3(angle * axis)), shift, v, w);
  Eigen::VectorXd move = Eigen::VectorXd::Zero(s.dofs());
  for (int k = 0; k < static_cast<int>(s.blocks().size()); ++k) {
    const Block& block = s.blocks()[at(k)];
    if (block.kind == BlockKind::rotation) {
      const Vec3 about = draw().normalized();
      move.segment<3>(s.offset(k)) = scene.rotation * number(random) * about;
      continue;
    }
    const double size = block.kind == BlockKind::position     ? scene.position
                        : block.kind == BlockKind::coordinate ? scene.coordinate
                                                              : scene.multiplier;
    for (int i = 0; i < block.size; ++i) move[s.offset(k) + i] = size * number(random);
  }
  s = s.moved(move);
  State& state = s.state();
  for (double& rate : state.rate) rate += number(random);
  for (double& acceleration : state.acceleration) acceleration += number(random);
  state.time += number(random);
  return s;
}

/// The blocks of one part at a state of the whole.
TestState part_of(const Part& part, const TestState& whole) {
  std::vector<Block> blocks;
  for (const int k : part.of_whole) blocks.push_back(whole.blocks()[at(k)]);
  TestState s(std::move(blocks));
  s.state().time = whole.state().time;
  for (std::size_t k = 0; k < part.stencil.size(); ++k) {
    const Block& block = s.blocks()[k];
    const BlockOffset &from = whole.state_offsets()[at(part.of_whole[k])], &to = s.state_offsets()[k];
    std::copy_n(whole.state().value.begin() + from.value, value_size(block.kind, block.size),
                s.state().value.begin() + to.value);
    std::copy_n(whole.state().rate.begin() + from.dof, block.size, s.state().rate.begin() + to.dof);
    std::copy_n(whole.state().acceleration.begin() + from.dof, block.size,
                s.state().acceleration.begin() + to.dof);
  }
  return s;
}

/// The gradient of the constraints of all parts, in the kinematic unknowns of the whole.
Eigen::MatrixXd gradient_of(const Whole& whole, const TestState& state, std::span<const TestState> parts) {
  std::vector<int> column(whole.blocks.size(), -1);
  int columns = 0;
  for (std::size_t k = 0; k < whole.blocks.size(); ++k)
    if (is_kinematic(state.blocks()[k].kind)) {
      column[k] = columns;
      columns += state.blocks()[k].size;
    }
  Eigen::MatrixXd all(0, columns);
  for (std::size_t p = 0; p < whole.parts.size(); ++p) {
    const Part& part = whole.parts[p];
    const Eigen::MatrixXd B = constraint_gradient(*part.range, part.instance, parts[p]);
    const Eigen::Index first = all.rows();
    all.conservativeResize(first + B.rows(), columns);
    all.bottomRows(B.rows()).setZero();
    int from = 0;
    for (std::size_t k = 0; k < part.stencil.size(); ++k) {
      const int to = column[at(part.of_whole[k])], n = parts[p].blocks()[k].size;
      if (to < 0) continue;
      all.block(first, to, B.rows(), n) = B.middleCols(from, n);
      from += n;
    }
  }
  return all;
}

int rank_of(const Eigen::MatrixXd& B) {
  if (B.rows() == 0) return 0;
  Eigen::FullPivHouseholderQR<Eigen::MatrixXd> qr(B.rows(), B.cols());
  qr.setThreshold(1e-9);
  return static_cast<int>(qr.compute(B).rank());
}

/// Error of objectivity of a part: the change of its equations, and of its reactions in turning axes, in a
/// superposed rigid motion, and the resultant of its reactions, relative to the largest of them or 1.
double objectivity_of(const Part& part, const JointScene& scene, const TestState& closed,
                      std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto draw = [&](double size) {
    const double x = number(random), y = number(random), z = number(random);
    return Vec3(size * x, size * y, size * z);
  };
  const Mat3 Q = so3::exp(draw(std::numbers::pi / std::sqrt(3.0)));
  const Vec3 shift = draw(3), v = draw(2), w = draw(2);
  TestState moved = carried(closed, Q, shift, v, w);
  Eigen::VectorXd turning = Eigen::VectorXd::Zero(moved.dofs());  // of the multipliers
  for (int k = 0; k < static_cast<int>(moved.blocks().size()); ++k)
    for (const std::string& name : scene.in_world)
      if (is_multiplier(moved.blocks()[at(k)].kind) && moved.blocks()[at(k)].name.text().ends_with(name)) {
        Eigen::Map<Vec3> vector(moved.state().value.data() + moved.state_offsets()[at(k)].value);
        vector = (Q * vector).eval();
        turning.segment<3>(moved.offset(k)) = w.cross(vector);
      }
  const Evaluation before = evaluate(*part.range, part.instance, closed, {true, true, false}),
                   after = evaluate(*part.range, part.instance, moved, {true, true, false});
  const double size = std::max(1.0, before.residual.lpNorm<Eigen::Infinity>());
  const double speed = std::max(1.0, closed.velocities().lpNorm<Eigen::Infinity>());
  double error = resultant(closed, before.residual).lpNorm<Eigen::Infinity>() / size;
  for (int k = 0; k < static_cast<int>(closed.blocks().size()); ++k) {
    const Block& block = closed.blocks()[at(k)];
    const int r = closed.offset(k), n = block.size;
    Eigen::VectorXd expected = before.residual.segment(r, n);
    if (block.kind == BlockKind::position) expected = Q * expected;
    error = std::max(error, (after.residual.segment(r, n) - expected).lpNorm<Eigen::Infinity>() / size);
    if (block.kind == BlockKind::multiplier)
      error =
          std::max(error, (after.rate + after.K * turning).segment(r, n).lpNorm<Eigen::Infinity>() / speed);
  }
  return error;
}

/// Power of the reactions of all constraints less that stored as energy, relative to the power exchanged.
double power_of(const Part& part, const TestState& s) {
  const Eigen::VectorXd v = s.velocities();
  const Evaluation e = evaluate(*part.range, part.instance, s, {true, true, false});
  double error = power_error(*part.range, part.instance, s);
  const LocalState x = s.local();
  for (std::size_t k = 0; k < s.blocks().size(); ++k) {
    if (s.blocks()[k].kind != BlockKind::velocity_multiplier) continue;
    const int r = s.offset(static_cast<int>(k)), m = s.blocks()[k].size;
    error -= ConstVectorMap(x.value(static_cast<int>(k)), m).dot(e.D.middleRows(r, m) * v);
  }
  const auto stored = [&](double tau) {
    return part.range->energy(part.instance, s.after(tau).local()).strain;
  };
  constexpr double h = 1e-3;
  error -= (45 * (stored(h) - stored(-h)) - 9 * (stored(2 * h) - stored(-2 * h)) +
            (stored(3 * h) - stored(-3 * h))) /
           (60 * h);
  return std::abs(error) / std::max(1.0, e.residual.cwiseProduct(v).cwiseAbs().sum());
}

JointCheck::Worst& kind_of(JointCheck& check, CheckedTerm::Kind kind) {
  switch (kind) {
    case CheckedTerm::Kind::gradient:
      return check.gradient;
    case CheckedTerm::Kind::stiffness:
      return check.stiffness;
    case CheckedTerm::Kind::rate:
    case CheckedTerm::Kind::rate_gradient:
      return check.rate;
    case CheckedTerm::Kind::second_rate:
      return check.bias;
    default:
      return check.other;
  }
}

}  // namespace

std::vector<JointScene> scenes_of(const Type& type) {
  std::vector<JointScene> all;
  if (type.library.empty()) return all;
  constexpr const char* entry = "trammel_joint_scenes";
  boost::dll::fs::error_code failed;
  boost::dll::shared_library library;
  library.load(type.library, failed, boost::dll::load_mode::rtld_lazy | boost::dll::load_mode::rtld_local);
  if (failed || !library.has(entry)) return all;
  library.get<void(std::vector<JointScene>&)>(entry)(all);
  std::erase_if(all, [&](const JointScene& scene) { return scene.joint != type.name; });
  return all;
}

namespace {

/// The blocks of the whole, as they start.
TestState start_of(const Whole& whole, const EntityInstances& joint) {
  std::vector<Block> blocks;
  for (const BlockId id : whole.blocks) blocks.push_back(joint.block(id));
  return TestState(std::move(blocks));
}

}  // namespace

void check_scene(const EntityInstances& joint, const JointScene& scene, int states, JointCheck& into) {
  const Whole whole = collect(joint);
  if (whole.parts.empty()) throw Error("the joint consists of nothing");
  const TestState start = start_of(whole, joint);
  std::vector<std::vector<TestState>> repeated(whole.parts.size());
  for (int state = 1; state <= states; ++state) {
    const auto seed = static_cast<std::uint64_t>(state);
    const TestState s = stirred(start, scene, seed);
    const std::string where = ", " + scene.title + ", state " + std::to_string(state);
    std::vector<TestState> parts;
    for (const Part& part : whole.parts) parts.push_back(part_of(part, s));
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Part& part = whole.parts[p];
      const std::string pose = relative_pose(*part.range, part.instance, parts[p]);
      if (repeated[p].size() < JointCheck::states_repeated) repeated[p].push_back(parts[p]);
      for (const CheckedTerm& term : check_derivatives_closely(*part.range, part.instance, parts[p],
                                                               JointCheck::close_look, scene.difference))
        kind_of(into, term.kind).take(term.relative(), term.what + where, pose);
      into.power.take(power_of(part, parts[p]), "the reactions" + where, pose);
    }
    const Eigen::MatrixXd B = gradient_of(whole, s, parts);
    const int rank = rank_of(B);
    into.rank = into.states == 0 ? rank : std::min(into.rank, rank);
    into.equations = static_cast<int>(B.rows());
    into.kinematic = 12 + whole.own;
    ++into.states;
    bool closed = true;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Part& part = whole.parts[p];
      if (constraint_gradient(*part.range, part.instance, parts[p]).rows() == 0) continue;
      if (!close(*part.range, part.instance, parts[p])) {
        closed = false;
        continue;
      }
      into.objectivity.take(objectivity_of(part, scene, parts[p], seed), "a superposed rigid motion" + where);
    }
    if (closed) ++into.closed;
  }
  for (std::size_t p = 0; p < repeated.size() && into.unrepeated.empty(); ++p) {
    const Part& part = whole.parts[p];
    check_same_results(*part.range, part.instance, repeated[p], ", " + scene.title, into.unrepeated,
                       into.beside_a_thread);
  }
}

std::string differs_between(const EntityInstances& joint, const EntityInstances& other,
                            const JointScene& scene) {
  const Whole whole = collect(joint), others = collect(other);
  if (whole.parts.size() != others.parts.size() || whole.blocks != others.blocks)
    return "what the joint consists of";
  const TestState start = start_of(whole, joint);
  for (int state = 1; state <= static_cast<int>(JointCheck::states_repeated); ++state) {
    const TestState s = stirred(start, scene, static_cast<std::uint64_t>(state));
    for (std::size_t p = 0; p < whole.parts.size(); ++p) {
      const Part &part = whole.parts[p], &its = others.parts[p];
      const std::vector<TestState> one{part_of(part, s)};
      if (std::string found = differs_between(*part.range, part.instance, *its.range, its.instance, one);
          !found.empty())
        return found;
    }
  }
  return {};
}

}  // namespace trammel
