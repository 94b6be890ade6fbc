#pragma once

#include <torch/types.h>

#include <cstdint>

namespace examples {

/// Which part of a data set.
enum class Split : std::uint8_t { train, test };

/// Images in memory, each with the number of its class.
struct LabelledImages {
  torch::Tensor images;  ///< uint8 [N, C, H, W]
  torch::Tensor labels;  ///< int64 [N]
};

}  // namespace examples
