// Ends while its loader works, a kernel runs and batches are held:
// exit_midway_cuda pinned|unpinned exit|static|global
#include "bench/spin_kernel.hpp"
#include "tests/engine/exit_midway.hpp"
#include <stoker/device/cuda.hpp>

int main(int count, char** arguments) {
  using namespace stoker;
  return testing::exit_midway_main(count, arguments, [](auto device, auto way) {
    const auto spin = [](StreamRef stream) {
      bench::launch_spin(reinterpret_cast<cudaStream_t>(stream.handle), 1'000'000'000);
    };
    return testing::exit_midway(cuda(0, {.pin_memory = device == "pinned"}), way, spin);
  });
}
