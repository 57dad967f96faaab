#pragma once

// Eigen before VTK, which has a function by the name of one of its constants.
#include "trammel/linear_algebra.hpp"

#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkXMLPPolyDataReader.h>
#include <vtkXMLPolyDataReader.h>

#include <filesystem>

namespace trammel::testing {

/// A piece of a drawing (.vtp), or all pieces of one (.pvtp), as VTK reads them.
inline vtkSmartPointer<vtkPolyData> read_piece(const std::filesystem::path& file) {
  if (file.extension() == ".pvtp") {
    const vtkNew<vtkXMLPPolyDataReader> pieces;
    pieces->SetFileName(file.c_str());
    pieces->Update();
    return pieces->GetOutput();
  }
  const vtkNew<vtkXMLPolyDataReader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  return reader->GetOutput();
}

}  // namespace trammel::testing
