#pragma once

#include <torch/nn/module.h>

#include <string>

namespace examples {

/// Returns 16 hexadecimal digits that two models have in common where all their parameters and
/// buffers are equal to the bit, whatever the layout. FNV-1a.
std::string digest(const torch::nn::Module& model);

}  // namespace examples
