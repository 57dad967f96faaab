#pragma once

#include <optional>
#include <string>
#include <utility>

#include "io/case/case_context.hpp"
#include "kernel/model.hpp"
#include "trammel/registry.hpp"
#include "trammel/value.hpp"

namespace trammel {

/// One entity of a type alone, between sample markers, or on the coordinate of the sample joint "sample".
class TypeAlone {
 public:
  /// `own`: the entity; `entry`: its parameters as a case gives them; `filling`: of the memory that it is built over.
  TypeAlone(const Type& type, const Entity& own, const std::string& entry,
            std::optional<unsigned char> filling = {});

  const Model& model() const { return model_; }
  /// The entity's only instance. Throws Error if it has none or several.
  std::pair<const ElementRange*, int> instance() const;

 private:
  Value map_;
  CaseContext context_;
  Model model_;
};

}  // namespace trammel
