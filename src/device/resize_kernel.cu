#include "src/device/resize_formula.hpp"
#include "src/device/resize_kernel.hpp"

// This file is compiled without contraction of a * b + c: the weights must round as Pillow's do.
namespace stoker {
namespace {

using resize_formula::Placement;

// A block makes a tile of one image's result: it weighs the tile's columns and rows, filters the
// source rows that the tile reads horizontally into shared memory, then these vertically.
constexpr int threads = 256;
constexpr int tile_width = 32;
constexpr int tile_height = 16;
constexpr int max_taps = ResizeTask::max_taps;
// Two results one behind the other begin at most half the taps apart, and a pixel for rounding.
constexpr int max_rows = (tile_height - 1) * (max_taps / 2 + 1) + max_taps;

template <int results>
struct Taps {
  int begin[results];
  int count[results];
  std::int32_t weights[max_taps * results];  ///< of one tap side by side
};

struct Tile {
  Taps<tile_width> across;
  Taps<tile_height> down;
  std::uint8_t rows[max_rows][tile_width * 3];
};

template <int results>
__device__ void weigh(const ResizeAxis& axis, int first, int wanted, int i, Taps<results>& taps) {
  if (i >= wanted) return;
  const Placement at = resize_formula::place(axis, first + i);
  taps.begin[i] = at.begin - axis.held;
  taps.count[i] = at.count < max_taps ? at.count : max_taps;
  resize_formula::weigh(axis.filter, {at.center, at.inverse, at.begin, taps.count[i]},
                        taps.weights + i, results);
}

struct Sums {
  std::int32_t r = resize_formula::rounding, g = resize_formula::rounding,
               b = resize_formula::rounding;
  __device__ void add(std::int32_t weight, const std::uint8_t* rgb) {
    r += weight * rgb[0];
    g += weight * rgb[1];
    b += weight * rgb[2];
  }
};

__device__ void filter_across(const std::uint8_t* row, const Taps<tile_width>& taps, int x,
                              std::uint8_t* out) {
  Sums sums;
  const std::uint8_t* pixel = row + std::ptrdiff_t{taps.begin[x]} * 3;
  for (int tap = 0; tap < taps.count[x]; ++tap) {
    sums.add(taps.weights[tap * tile_width + x], pixel + tap * 3);
  }
  out[0] = resize_formula::to_byte(sums.r);
  out[1] = resize_formula::to_byte(sums.g);
  out[2] = resize_formula::to_byte(sums.b);
}

__device__ Sums filter_down(const Tile& tile, int first_row, int x, int y) {
  Sums sums;
  const int begin = tile.down.begin[y] - first_row;
  for (int tap = 0; tap < tile.down.count[y]; ++tap) {
    sums.add(tile.down.weights[tap * tile_height + y], tile.rows[begin + tap] + x * 3);
  }
  return sums;
}

/// Where a block's tile lies in the result.
struct Place {
  int left, top, width, height;
};

__device__ Place place_of_block(const ResizeTask& task) {
  const int left = static_cast<int>(blockIdx.z) * tile_width;
  const int top = static_cast<int>(blockIdx.y) * tile_height;
  const int right = static_cast<int>(task.width) - left,
            bottom = static_cast<int>(task.height) - top;
  return {left, top, right < tile_width ? right : tile_width,
          bottom < tile_height ? bottom : tile_height};
}

template <class Element>
__device__ void write(const ResizeTask& task, std::size_t image, int y, int x, Element r, Element g,
                      Element b) {
  const std::size_t plane = std::size_t{task.height} * task.width;
  const std::size_t place = std::size_t{task.width} * y + x;
  Element* const out =
      reinterpret_cast<Element*>(task.out) + image * 3 * plane + (task.planar ? place : place * 3);
  const std::size_t step = task.planar ? plane : 1;
  out[0] = r;
  out[step] = g;
  out[2 * step] = b;
}

template <class Element>
__global__ void __launch_bounds__(threads) resize(const ResizeTask task) {
  __shared__ Tile tile;
  const std::size_t image = blockIdx.x;
  const ResizeCrop& crop = task.crops[image];
  const Place place = place_of_block(task);
  const int thread = static_cast<int>(threadIdx.x);
  if (crop.stride == 0) {
    for (int i = thread; i < place.width * place.height; i += threads) {
      write<Element>(task, image, place.top + i / place.width, place.left + i % place.width, 0, 0,
                     0);
    }
    return;
  }
  if (thread < tile_width) {
    weigh(crop.across, place.left, place.width, thread, tile.across);
  } else if (thread - tile_width < tile_height) {
    weigh(crop.down, place.top, place.height, thread - tile_width, tile.down);
  }
  __syncthreads();

  const int first_row = tile.down.begin[0];
  const int rows =
      tile.down.begin[place.height - 1] + tile.down.count[place.height - 1] - first_row;
  const std::uint8_t* const pixels = task.pixels + crop.offset;
  for (int i = thread; i < rows * tile_width; i += threads) {
    const int row = i / tile_width, x = i % tile_width;
    if (x >= place.width || row >= max_rows) continue;
    filter_across(pixels + std::size_t{crop.stride} * (first_row + row), tile.across, x,
                  tile.rows[row] + x * 3);
  }
  __syncthreads();

  const auto* const tables = reinterpret_cast<const Element*>(task.tables);
  for (int i = thread; i < tile_width * tile_height; i += threads) {
    const int y = i / tile_width, x = i % tile_width;
    if (x >= place.width || y >= place.height) continue;
    const Sums sums = filter_down(tile, first_row, x, y);
    const int to =
        crop.flip != 0 ? static_cast<int>(task.width) - 1 - (place.left + x) : place.left + x;
    write<Element>(task, image, place.top + y, to, tables[resize_formula::to_byte(sums.r)],
                   tables[256 + resize_formula::to_byte(sums.g)],
                   tables[512 + resize_formula::to_byte(sums.b)]);
  }
}

}  // namespace

cudaError_t launch_resize(const ResizeTask& task, cudaStream_t stream) {
  if (task.count == 0 || task.height == 0 || task.width == 0) return cudaSuccess;
  // Images along x, where a grid may be longest.
  const dim3 blocks(task.count, (task.height + tile_height - 1) / tile_height,
                    (task.width + tile_width - 1) / tile_width);
  switch (task.element_bytes) {
    case 1: resize<std::uint8_t><<<blocks, threads, 0, stream>>>(task); break;
    case 2: resize<std::uint16_t><<<blocks, threads, 0, stream>>>(task); break;
    case 4: resize<std::uint32_t><<<blocks, threads, 0, stream>>>(task); break;
    default: return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

}  // namespace stoker
