#pragma once

// Eigen before VTK, which has a function by the name of one of its constants.
#include "trammel/linear_algebra.hpp"

#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkXMLPolyDataReader.h>

#include <filesystem>

namespace trammel::testing {

/// A piece of a drawing (.vtp), as VTK reads it.
inline vtkSmartPointer<vtkPolyData> read_piece(const std::filesystem::path& file) {
  const vtkNew<vtkXMLPolyDataReader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  return reader->GetOutput();
}

}  // namespace trammel::testing
