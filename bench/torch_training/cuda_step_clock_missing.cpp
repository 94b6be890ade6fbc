#include "bench/torch_training/step_clock.hpp"
#include <stoker/core/error.hpp>

namespace stoker::bench {

std::unique_ptr<StepClock> cuda_step_clock(torch::Device) {
  throw Error(ErrorCode::unsupported, "this LibTorch has no CUDA");
}

}  // namespace stoker::bench
