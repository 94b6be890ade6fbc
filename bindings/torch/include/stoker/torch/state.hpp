#pragma once

#include <stoker/engine/loader_state.hpp>

#include <torch/serialize/input-archive.h>
#include <torch/serialize/output-archive.h>

namespace stoker {

/// Writes a loader's state into a LibTorch archive, beside a model and an optimizer:
///
///     torch::serialize::OutputArchive loader_archive;
///     loader_archive << loader.state();
///     archive.write("loader", loader_archive);
::torch::serialize::OutputArchive& operator<<(::torch::serialize::OutputArchive& archive,
                                              const LoaderState& state);

/// Reads a state that was written so, for Loader::load_state.
/// @throws Error(bad_state) where the archive holds none.
::torch::serialize::InputArchive& operator>>(::torch::serialize::InputArchive& archive,
                                             LoaderState& state);

}  // namespace stoker
