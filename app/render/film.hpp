#pragma once

#include <filesystem>
#include <vector>

#include "picture.hpp"
#include "series_reader.hpp"

namespace trammel::render {

/// Draws instants one by one, from one place and with one range of colours. An output `motion.webm` becomes a film of `rate`
/// pictures a second, by the program ffmpeg; an output `motion.png` becomes `motion_0000.png`, `motion_0001.png`, ... Needs a
/// display. Throws Error.
void write_film(const SeriesReader& series, const std::vector<std::size_t>& instants, PictureOptions options,
                double rate, const std::filesystem::path& output);

}  // namespace trammel::render
