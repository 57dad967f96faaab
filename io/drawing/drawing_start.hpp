#pragma once

#include "io/drawing/vtk_drawing.hpp"
#include "kernel/assembler.hpp"

namespace trammel {

/// Writes or reads where everything was in the first drawing of a run, instance by instance, so that a run that goes on counts
/// displacements from there on any number of ranks. What is written is complete on rank 0. Collective.
void archive_drawing_start(Archive& archive, Assembler& assembler, VtkDrawing& drawing);

}  // namespace trammel
