#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "bushing.hpp"
#include "spring_damper.hpp"
#include "trammel/builder.hpp"
#include "trammel/lie.hpp"
#include "trammel/plugin.hpp"

namespace trammel::spring {
namespace {

using Kind = Parameter::Kind;

std::vector<Parameter> spring_parameters() {
  return {
      Parameter::make(Kind::marker_pair, "between", "",
                      "the two markers whose origins it pulls together; `ground`: the world's origin")
          .must(),
      Parameter::make(Kind::real, "stiffness", "N/m", "force by elongation").not_negative().defaults("0"),
      Parameter::make(Kind::real, "damping", "N s/m", "force by rate of the length")
          .not_negative()
          .defaults("0"),
      Parameter::make(Kind::real, "rest_length", "m", "length without force; absent: the length at the start")
          .not_negative(),
      Parameter::make(Kind::real, "preload", "N", "tension at the rest length").defaults("0"),
      Parameter::make(Kind::function, "force", "N",
                      "further tension, a function of t, self.length, self.elongation, self.rate and "
                      "signals; absent: none"),
      Parameter::make(Kind::real, "radius", "m",
                      "of the coil that it is drawn as; 0: a line; absent: by the size of the model")
          .not_negative(),
  };
}

std::vector<BlockId> blocks_of(const Marker& a, const Marker& b) {
  std::vector<BlockId> stencil = a.blocks();
  const std::vector<BlockId> more = b.blocks();
  stencil.insert(stencil.end(), more.begin(), more.end());
  return stencil;
}

void build_spring(const Parameters& in, Builder& builder) {
  const auto [a, b] = builder.marker_pair(in, "between");
  if (a.is_ground() && b.is_ground())
    throw Error(in.where("between"), "both ends of the spring are on the ground");
  const double length = (builder.initial(b).p_WM - builder.initial(a).p_WM).norm();
  Law law;
  law.stiffness = in.real("stiffness");
  law.damping = in.real("damping");
  law.preload = in.real("preload");
  law.rest_length = in.has("rest_length") ? in.real("rest_length") : length;
  if (in.has("force")) law.function = in.function("force");
  std::vector<std::shared_ptr<const Signal>> others;
  std::vector<BlockId> stencil = blocks_of(a, b);
  for (const std::string& name : law.others()) {
    others.push_back(builder.signal(name, law.function->where()));
    const std::vector<BlockId> more = others.back()->blocks();
    stencil.insert(stencil.end(), more.begin(), more.end());
  }
  if (law.stiffness == 0 && law.damping == 0 && law.preload == 0 && !law.function)
    throw Error(in.where(), "the spring does nothing: give 'stiffness', 'damping', 'preload' or 'force'");
  if (length == 0 && !law.passes_through_zero())
    throw Error(
        in.where("between"),
        "the ends of the spring meet at the start, so that it has no direction; with 'rest_length: 0' and "
        "no preload it needs none");
  builder.add(SpringDamper(a, b, law, in.has("radius") ? in.real("radius") : -1, std::move(others)),
              std::move(stencil));
}

std::vector<Parameter> bushing_parameters() {
  return {
      Parameter::make(Kind::marker_pair, "between", "",
                      "the two markers, `ground` the world's origin; directions are those of the first")
          .must(),
      Parameter::make(Kind::any, "stiffness", "N/m, N m/rad",
                      "six numbers (translations, rotations) or a symmetric 6 x 6 matrix")
          .must(),
      Parameter::make(Kind::any, "damping", "N s/m, N m s/rad", "like the stiffness")
          .defaults("[0, 0, 0, 0, 0, 0]"),
      Parameter::make(Kind::choice, "rest", "",
                      "where it is without force: as placed at the start, or markers aligned")
          .one_of({"start", "aligned"})
          .defaults("start"),
  };
}

Mat6 read_six_by_six(const Parameters& in, const char* name) {
  const Value& value = *in.value(name);
  const bool rows = value.is_sequence() && !value.items.empty() && value.items.front().is_sequence();
  Mat6 A = Mat6::Zero();
  if (rows) {
    A = in.matrix(name, 6, 6);
  } else {
    const std::vector<double> diagonal = in.reals(value);
    if (diagonal.size() != 6)
      throw Error(value.where, fmt::format("'{}' must have six numbers, found {}", name, diagonal.size()));
    A.diagonal() = Eigen::Map<const Vec6>(diagonal.data());
  }
  const double size = A.cwiseAbs().maxCoeff();
  if (!((A - A.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * size))
    throw Error(value.where, fmt::format("'{}' must be symmetric", name));
  A = (0.5 * (A + A.transpose())).eval();
  const double least =
      Eigen::SelfAdjointEigenSolver<Mat6>(A, Eigen::EigenvaluesOnly).eigenvalues().minCoeff();
  if (!(least >= -1e-9 * size))
    throw Error(value.where, fmt::format("'{}' must not be negative in any direction", name));
  return A;
}

void build_bushing(const Parameters& in, Builder& builder) {
  const auto [a, b] = builder.marker_pair(in, "between");
  if (a.is_ground() && b.is_ground())
    throw Error(in.where("between"), "both sides of the bushing are on the ground");
  for (const Marker* m : {&a, &b})
    if (m->is_point()) throw Error(in.where("between"), "'" + m->name() + "' is a point without orientation");
  Vec6 rest = Vec6::Zero();
  if (in.text("rest") == "start") {
    const InitialMotion A = builder.initial(a), B = builder.initial(b);
    rest << A.R_WM.transpose() * (B.p_WM - A.p_WM), so3::log(Mat3(A.R_WM.transpose() * B.R_WM));
  }
  builder.add(Bushing(a, b, read_six_by_six(in, "stiffness"), read_six_by_six(in, "damping"), rest),
              blocks_of(a, b));
}

Type element_type(std::string name, std::string summary, std::vector<Parameter> parameters,
                  std::function<void(const Parameters&, Builder&)> build) {
  Type type;
  type.name = std::move(name);
  type.category = Type::Category::element;
  type.summary = std::move(summary);
  type.parameters = std::move(parameters);
  type.build = std::move(build);
  return type;
}

}  // namespace
}  // namespace trammel::spring

TRAMMEL_PLUGIN("spring", "0.1") {
  using namespace trammel::spring;
  registry.add(element_type("spring", "a spring and damper along the line between two markers",
                            spring_parameters(), build_spring));
  registry.add(element_type("bushing", "linear springs and dampers in six directions between two markers",
                            bushing_parameters(), build_bushing));
}
