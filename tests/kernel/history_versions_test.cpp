// Histories that were written by other versions of an element: read by `serialize`, which is told the version, or refused.

#include <gtest/gtest.h>

#include <string>

#include "trammel/archive.hpp"
#include "trammel/element.hpp"

namespace trammel {
namespace {

/// Remembers a number of turns, each version more about it.
template <int present, int first>
struct Counter {
  struct History {
    static constexpr int version = present, oldest = first;
    int turns = 7;
    double last = -1;

    void serialize(Archive& archive, int of_version) {
      archive(turns);
      if (of_version >= 2) archive(last);
    }
  };
  History& history() { return now; }
  void evaluate(const LocalState&, LocalSystem&) const {}

  History now;
};

/// The same without a word on earlier versions.
struct Plain {
  struct History {
    static constexpr int version = 2;
    int turns = 7;

    void serialize(Archive& archive) { archive(turns); }
  };
  History& history() { return now; }
  void evaluate(const LocalState&, LocalSystem&) const {}

  History now;
};

template <class E>
std::vector<std::byte> written(const typename E::History& history) {
  RangeOf<E> range;
  E element;
  element.now = history;
  range.add(element, {3}, 1, 0);
  Archive archive;
  range.serialize(0, archive);
  return archive.bytes();
}

/// What an element of version E makes of bytes; and the message where it refuses them.
template <class E>
typename E::History read(const std::vector<std::byte>& bytes, std::string* message = nullptr) {
  RangeOf<E> range;
  range.add(E{}, {3}, 1, 0);
  Archive archive(bytes);
  try {
    range.serialize(0, archive);
  } catch (const Error& error) {
    if (message == nullptr) throw;
    *message = error.what();
    return {};
  }
  EXPECT_EQ(archive.left(), 0U);
  Archive again;
  range.serialize(0, again);  // in the present version
  typename E::History history;
  std::vector<BlockId> stencil;
  int dofs = 0, version = 0;
  Archive back(again.bytes());
  back(stencil, dofs, version);
  EXPECT_EQ(version, E::History::version);
  if constexpr (requires { history.serialize(back, version); })
    history.serialize(back, version);
  else
    history.serialize(back);
  return history;
}

TEST(HistoryVersions, an_older_one_is_read_by_its_version_and_written_by_the_present_one) {
  const auto first = written<Counter<1, 1>>({.turns = 4, .last = 9});
  const auto history = read<Counter<2, 1>>(first);
  EXPECT_EQ(history.turns, 4);
  EXPECT_EQ(history.last, -1);  // that of a new element: version 1 has none
  const auto present = read<Counter<2, 1>>(written<Counter<2, 1>>({.turns = 4, .last = 9}));
  EXPECT_EQ(present.last, 9);
}

TEST(HistoryVersions, what_is_too_old_or_too_new_is_refused_with_the_versions_that_are_read) {
  std::string message;
  read<Counter<3, 2>>(written<Counter<1, 1>>({}), &message);
  EXPECT_EQ(message,
            "its history has version 1, and this plugin reads versions 2 to 3: an older plugin is needed "
            "that reads "
            "version 1");
  read<Counter<2, 1>>(written<Counter<3, 2>>({}), &message);
  EXPECT_EQ(
      message,
      "its history has version 3, and this plugin reads versions 1 to 2: a newer plugin is needed that reads "
      "version 3");
  read<Plain>(written<Counter<1, 1>>({}), &message);
  EXPECT_EQ(
      message,
      "its history has version 1, and this plugin reads version 2: an older plugin is needed that reads "
      "version 1");
}

}  // namespace
}  // namespace trammel
