#pragma once

#include <mpi.h>

#include <span>
#include <string>

#include "kernel/model.hpp"
#include "trammel/export.hpp"

namespace trammel {

/// An error on this rank during an evaluation by all ranks. It is kept until all ranks agree on one error.
class TRAMMEL_API LocalFault {
 public:
  /// Call inside a catch block: keeps the exception, with the entity whose evaluation threw it. `time` [s] is for the message.
  void capture(const Entity* entity, int rank, double time);
  /// Records a rejection of the step, as a RejectStep with this text would.
  void refuse(std::string text);
  bool waits() const { return kind_ != Kind::none; }
  double level() const { return static_cast<double>(kind_); }  ///< 0: none; larger: worse; for reductions

  /// Merges the errors of all ranks. Returns true if there is none. Returns false if the worst is a RejectStep;
  /// `text` then gives, on every rank, its source and its text. Otherwise throws the same Error on every rank. The
  /// numbers `maxima`, at most 63, become the maxima over the ranks. Collective.
  bool agree(MPI_Comm comm, std::span<double> maxima = {});
  bool settle(MPI_Comm comm,
              double largest_level);  ///< the rest of `agree`, for ranks that know their largest level
  const std::string& text() const { return text_; }

 private:
  enum class Kind { none, reject, failure };
  Kind kind_ = Kind::none;
  std::string text_;
};

}  // namespace trammel
