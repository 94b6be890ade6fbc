#pragma once

#include <stoker/engine/loader_state.hpp>

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include <filesystem>

namespace examples {

/// Writes all that a run goes on from to one file. The file is there as a whole or, where the
/// program is stopped meanwhile, as it was before.
void save_checkpoint(const std::filesystem::path& file, const torch::nn::Module& model,
                     const torch::optim::Optimizer& optimizer, const stoker::LoaderState& state);

/// Reads what `save_checkpoint` wrote, and returns where the run stands in its data.
stoker::LoaderState load_checkpoint(const std::filesystem::path& file, torch::nn::Module& model,
                                    torch::optim::Optimizer& optimizer, torch::Device device);

}  // namespace examples
