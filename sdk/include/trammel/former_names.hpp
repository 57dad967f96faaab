#pragma once

#include <array>
#include <string>
#include <string_view>

#include "trammel/export.hpp"

namespace trammel {

/// A name of a parameter, an output or an option that users wrote in an earlier version, and the name that it has now.
struct FormerName {
  std::string_view former, now;
};

/// Numbers that elements report. Functions that read the former ones are still understood in this version.
inline constexpr std::array former_outputs{
    FormerName{"lost_power", "dissipated_power"},
    FormerName{"host", "host_element"},
    FormerName{"section_force_behind", "section_force_after"},
};

/// Options of the command, which are still understood in this version.
inline constexpr FormerName former_partition_option{"-share_from", "-partition_from"};

/// Title of the notes about former names, for Builder::note.
inline constexpr const char* former_name_note = "former name";

/// The present name of the signal `name`, such as "watch.dissipated_power" for "watch.lost_power" or "stress.section_moment_2.T" for
/// "stress.section_force_2.M1"; "" where none of its parts has been renamed.
TRAMMEL_API std::string present_name(std::string_view name);

/// Text of the note about a former name.
TRAMMEL_API std::string told_of_former_name(std::string_view former, std::string_view now);

}  // namespace trammel
