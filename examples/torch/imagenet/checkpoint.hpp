#pragma once

#include <stoker/engine/loader_state.hpp>

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include <filesystem>

namespace examples {

/// Tells of a name at which no checkpoint can be written at once, where a long run would meet it
/// only at its first checkpoint. An empty name is none. @throws std::invalid_argument
void check_checkpoint_name(const std::filesystem::path& file);

/// Writes all that a run goes on from to one file. The file is there as a whole or, where the
/// program is stopped meanwhile, as it was before.
void save_checkpoint(const std::filesystem::path& file, const torch::nn::Module& model,
                     const torch::optim::Optimizer& optimizer, const stoker::LoaderState& state);

/// Reads what `save_checkpoint` wrote, and returns where the run stands in its data.
/// @throws std::runtime_error that names the file where it holds no such checkpoint.
stoker::LoaderState load_checkpoint(const std::filesystem::path& file, torch::nn::Module& model,
                                    torch::optim::Optimizer& optimizer, torch::Device device);

}  // namespace examples
