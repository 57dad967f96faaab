#pragma once

#include <mpi.h>

#include <span>
#include <string>

#include "kernel/model.hpp"
#include "trammel/export.hpp"

namespace trammel {

/// What went wrong on this rank while all ranks evaluate, until they agree on it.
class TRAMMEL_API LocalFault {
 public:
  /// Call inside a catch block: keeps what was thrown, with the entity whose evaluation threw it.
  void capture(const Entity* entity, int rank, double time);
  /// As a RejectStep that says `text`.
  void refuse(std::string text);
  bool waits() const { return kind_ != Kind::none; }

  /// True where nobody has a fault; false where the worst is a RejectStep: `text` then says on every rank who threw it and
  /// what. Throws the same Error on every rank otherwise. `maxima`, at most 63, become the largest over the ranks. Collective.
  bool agree(MPI_Comm comm, std::span<double> maxima = {});
  const std::string& text() const { return text_; }

 private:
  enum class Kind { none, reject, failure };
  Kind kind_ = Kind::none;
  std::string text_;
};

}  // namespace trammel
