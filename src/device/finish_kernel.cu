#include "src/device/finish_kernel.hpp"

#include <algorithm>

namespace stoker {
namespace {

constexpr unsigned threads = 256;

// A thread a pixel, rows of a plane side by side: what neighbours write to a plane lies together,
// and what they read comes from the same few cache lines. The tables lie in shared memory.
template <class Element>
__global__ void __launch_bounds__(threads) finish(const FinishTask task) {
  __shared__ Element tables[3 * 256];
  const auto* all = reinterpret_cast<const Element*>(task.tables);
  for (unsigned i = threadIdx.x; i < 3 * 256; i += threads) tables[i] = all[i];
  __syncthreads();
  auto* out = reinterpret_cast<Element*>(task.out);
  const std::size_t plane = std::size_t{task.height} * task.width;
  const std::size_t pixels = task.count * plane;
  for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < pixels;
       i += std::size_t{gridDim.x} * threads) {
    const std::size_t image = i / plane;
    const std::size_t place = i - image * plane;
    const unsigned x = static_cast<unsigned>(place % task.width);
    const ImageState state = task.states[image];
    const std::size_t from = state == ImageState::mirrored ? i - x + (task.width - 1 - x) : i;
    const std::uint8_t* rgb = task.pixels + from * 3;
    const bool absent = state == ImageState::absent;
    Element* to = task.planar ? out + image * 3 * plane + place : out + i * 3;
    const std::size_t step = task.planar ? plane : 1;
    to[0] = absent ? 0 : tables[rgb[0]];
    to[step] = absent ? 0 : tables[256 + rgb[1]];
    to[2 * step] = absent ? 0 : tables[512 + rgb[2]];
  }
}

}  // namespace

cudaError_t launch_finish(const FinishTask& task, cudaStream_t stream) {
  const std::size_t pixels = std::size_t{task.count} * task.height * task.width;
  if (pixels == 0) return cudaSuccess;
  // Enough blocks to fill any device, few enough that each block's tables serve many pixels.
  const auto blocks =
      static_cast<unsigned>(std::min<std::size_t>((pixels + threads - 1) / threads, 4096));
  switch (task.element_bytes) {
    case 1: finish<std::uint8_t><<<blocks, threads, 0, stream>>>(task); break;
    case 2: finish<std::uint16_t><<<blocks, threads, 0, stream>>>(task); break;
    case 4: finish<std::uint32_t><<<blocks, threads, 0, stream>>>(task); break;
    default: return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

}  // namespace stoker
