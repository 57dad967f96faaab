#include "trammel/joint_reaction.hpp"

#include <limits>
#include <memory>
#include <string_view>

#include "trammel/lie.hpp"
#include "trammel/local_copy.hpp"

namespace trammel {

JointReaction::JointReaction(std::shared_ptr<const JointView> joint, std::vector<BlockId> stencil,
                             std::vector<int> sizes, const Location& where)
    : joint_(std::move(joint)), stencil_(std::move(stencil)) {
  const JointSite& site = joint_->site();
  if (site.shares_position || site.shares_rotation)
    throw Error(where, "the reaction of a joint that shares unknowns cannot be read: give it `share: no`");
  for (const int size : sizes) dofs_ += size;
  const int blocks_A = site.A.block_count();
  int dofs_A = 0;
  for (const int size : site.A.block_sizes()) dofs_A += size;
  if (site.B.is_rigid_frame()) {
    at_B_ = true;
    rotation_block_ = blocks_A + 1;
    row_ = dofs_A;
    sign_ = -1;
  } else if (site.A.is_rigid_frame()) {
    at_B_ = false;
    rotation_block_ = 1;
    row_ = 0;
    sign_ = 1;
  } else {
    throw Error(where, "the reaction can be read where one of the joint's markers is fixed in a frame; '" +
                           site.A.name() + "' and '" + site.B.name() + "' are not");
  }
}

JointReaction JointReaction::of(int entity, Builder& builder, const Location& where) {
  auto [view, stencil] = builder.joint(entity);
  if (view == nullptr)
    throw Error(where, "joint '" + builder.entities()[static_cast<std::size_t>(entity)].name +
                           "' gives no reaction to read");
  builder.keep_multipliers(entity);
  std::vector<int> sizes = builder.sizes_of(stencil);
  return {std::move(view), std::move(stencil), std::move(sizes), where};
}

Vec6 JointReaction::evaluate(const LocalState& x, Gradient* gradient) const {
  thread_local LocalSystem residual{Request{}}, tangent{Request{true, false, false}};
  LocalSystem& system = gradient != nullptr ? tangent : residual;
  system.begin(dofs_);
  joint_->evaluate(x, system);
  const Mat3 R_WF = x.rotation(rotation_block_);
  const JointSite& site = joint_->site();
  const Marker& marker = at_B_ ? site.B : site.A;
  const Mat3 R_MF = marker.R_FM().transpose();
  const Vec3& p = marker.p_FM_F();
  const auto r = system.residual();
  const Vec3 f = sign_ * (R_WF.transpose() * r.segment<3>(row_));
  const Vec3 m = sign_ * r.segment<3>(row_ + 3) - p.cross(f);
  Vec6 wrench;
  wrench << R_MF * f, R_MF * m;
  if (gradient == nullptr) return wrench;

  gradient->resize(6, dofs_);
  const auto K = system.K();
  thread_local Eigen::Matrix<double, 3, Eigen::Dynamic> df;
  df.resize(3, dofs_);
  df.noalias() = sign_ * R_WF.transpose() * K.middleRows<3>(row_);
  df.middleCols<3>(row_ + 3) += skew(f);
  gradient->topRows<3>().noalias() = R_MF * df;
  gradient->bottomRows<3>().noalias() = R_MF * (sign_ * K.middleRows<3>(row_ + 3) - skew(p) * df);
  return wrench;
}

namespace {

class ReactionSignal final : public Signal {
 public:
  struct What {
    bool moment = false;
    bool on_A = false;
    bool in_world = false;
    int component = 0;
  };

  ReactionSignal(std::shared_ptr<const JointView> joint, std::vector<BlockId> stencil,
                 std::vector<BlockKind> kinds, std::vector<int> sizes, const What& what)
      : joint_(std::move(joint)),
        stencil_(std::move(stencil)),
        kinds_(std::move(kinds)),
        sizes_(std::move(sizes)),
        what_(what) {
    for (const int size : sizes_) dofs_ += size;
    const JointSite& site = joint_->site();
    blocks_A_ = site.A.block_count();
    for (const int size : site.A.block_sizes()) dofs_A_ += size;
    const auto is_frame = [&](bool a) { return (a ? site.A : site.B).is_rigid_frame(); };
    at_A_ = is_frame(what.on_A) ? what.on_A : !what.on_A;
  }

  std::string unit() const override { return what_.moment ? "N m" : "N"; }
  std::vector<BlockId> blocks() const override { return stencil_; }

  void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const override;

 private:
  using Gradient = Eigen::Matrix<double, 3, Eigen::Dynamic>;

  std::shared_ptr<const JointView> joint_;
  std::vector<BlockId> stencil_;
  std::vector<BlockKind> kinds_;
  std::vector<int> sizes_;
  int dofs_ = 0;
  What what_;
  int blocks_A_ = 0, dofs_A_ = 0;
  bool at_A_ = false;  ///< where the forces are read from the residual
};

void ReactionSignal::evaluate(const LocalState& at, int first, bool derivatives, SignalValue& out) const {
  // A joint's functions may read signals of other joints: each evaluation has a system of its own.
  struct Level {
    LocalCopy numbers;
    LocalSystem residual{Request{}}, tangent{Request{true, false, false}};
    Gradient df, dm, part;
  };
  const NestedScratch<Level> scratch;
  Level& level = *scratch;
  level.numbers.clear(at.time());
  for (std::size_t k = 0; k < stencil_.size(); ++k)
    level.numbers.take(at, first + static_cast<int>(k), kinds_[k], sizes_[k]);
  const LocalState x = level.numbers.local();
  LocalSystem& system = derivatives ? level.tangent : level.residual;
  system.begin(dofs_);
  joint_->evaluate(x, system);

  const JointSite& site = joint_->site();
  MarkerMotion A, B;
  site.A.evaluate(x, 0, MotionLevel::jacobian, A);
  site.B.evaluate(x, blocks_A_, MotionLevel::jacobian, B);
  const Marker& marker = at_A_ ? site.A : site.B;
  const int row = at_A_ ? 0 : dofs_A_;
  const Mat3 R_WF = x.rotation((at_A_ ? 0 : blocks_A_) + 1);
  const Vec3 arm = R_WF * marker.p_FM_F();
  const auto r = system.residual();
  Vec3 f = -r.segment<3>(row);
  const Vec3 turned = -(R_WF * r.segment<3>(row + 3));
  Vec3 m = turned - arm.cross(f);
  const bool other = at_A_ != what_.on_A;
  const Vec3 lever = other ? Vec3(at_A_ ? A.p_WM - B.p_WM : B.p_WM - A.p_WM) : Vec3(Vec3::Zero());
  const Vec3 f_here = f;
  if (other) {
    m = -m - lever.cross(f);
    f = -f;
  }
  const Vec3& wanted = what_.moment ? m : f;
  const Vec3 axis = what_.in_world ? Vec3(Vec3::Unit(what_.component)) : Vec3(A.R_WM.col(what_.component));
  out.value = axis.dot(wanted);
  out.rate = out.second_rate = std::numeric_limits<double>::quiet_NaN();
  if (!derivatives) return;

  // axis . d(wanted) + wanted . d(axis)
  const auto project = [&](const auto& rows, bool turns, Eigen::VectorXd& to) {
    level.df = -rows.template middleRows<3>(row);
    if (what_.moment) {
      level.dm.noalias() = -(R_WF * rows.template middleRows<3>(row + 3));
      if (turns) {
        level.dm.template middleCols<3>(row + 3) -= skew(turned) * R_WF;
        level.dm.template middleCols<3>(row + 3) -= skew(f_here) * skew(arm) * R_WF;
      }
      level.dm.noalias() -= skew(arm) * level.df;
      if (other) {
        level.part.noalias() = skew(lever) * level.df;
        level.dm = -level.dm - level.part;
        if (turns) {
          // -d(lever) x f
          const double sign = at_A_ ? 1 : -1;
          level.dm.leftCols(A.dofs) += sign * (skew(f_here) * A.J.template topRows<3>());
          level.dm.middleCols(A.dofs, B.dofs) -= sign * (skew(f_here) * B.J.template topRows<3>());
        }
      }
    } else if (other) {
      level.df = -level.df;
    }
    to.noalias() = (what_.moment ? level.dm : level.df).transpose() * axis;
  };
  project(system.K(), true, out.gradient);
  if (!what_.in_world) {
    const Vec3 turn = (A.R_WM.transpose() * wanted).cross(Vec3(Vec3::Unit(what_.component)));
    out.gradient.head(A.dofs) -= A.J.bottomRows<3>().transpose() * turn;
  }
  if (system.has_D()) project(system.D(), false, out.by_rate);
  if (system.has_M()) project(system.M(), false, out.by_second_rate);
  out.second.resize(0, 0);
}

}  // namespace

std::shared_ptr<const Signal> reaction_signal(std::shared_ptr<const JointView> joint,
                                              std::vector<BlockId> stencil, std::vector<BlockKind> kinds,
                                              std::vector<int> sizes, std::string_view name) {
  if (name.size() < 2 || name[name.size() - 2] != '.') return nullptr;
  const auto component = std::string_view("xyz").find(name.back());
  if (component == std::string_view::npos) return nullptr;
  ReactionSignal::What what;
  what.component = static_cast<int>(component);
  std::string_view channel = name.substr(0, name.size() - 2);
  const auto take = [&channel](std::string_view end) {
    if (!channel.ends_with(end)) return false;
    channel.remove_suffix(end.size());
    return true;
  };
  what.in_world = take("_world");
  what.on_A = take("_on_A");
  what.moment = channel == "moment";
  if (!what.moment && channel != "force") return nullptr;
  const JointSite& site = joint->site();
  if (!site.A.is_rigid_frame() && !site.B.is_rigid_frame()) return nullptr;
  return std::make_shared<ReactionSignal>(std::move(joint), std::move(stencil), std::move(kinds),
                                          std::move(sizes), what);
}

}  // namespace trammel
