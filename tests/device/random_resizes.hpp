#pragma once

#include <stoker/device/resize_task.hpp>
#include <stoker/transforms/resample.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace stoker::testing {

/// What becomes of each crop of a batch.
struct ResizeShape {
  std::uint32_t count = 0, height = 0, width = 0;
  std::uint32_t element_bytes = 1;
  bool planar = true;
};

/// One crop in the words of the CPU: the pixels that `held` names, of a source, become the window
/// of a request.
struct CropCase {
  Size source;
  Rect held;
  Resampler::Request request;
  std::size_t offset = 0;  ///< bytes to the first held pixel
  std::size_t stride = 0;  ///< bytes; 0: there are no pixels
  bool flip = false;

  ResizeCrop crop() const;
  /// Most source pixels that a result reads on an axis.
  int taps() const;
};

/// A batch of crops in memory of the host, and what lies around them.
struct ResizeCase {
  ResizeShape shape;
  std::vector<CropCase> cases;
  std::vector<std::uint8_t> pixels;
  std::vector<ResizeCrop> crops;
  std::vector<std::byte> tables;

  std::size_t out_bytes() const;
  /// The task that reads this case's memory and writes `out`, of out_bytes().
  ResizeTask task(std::byte* out) const;
};

/// Makes crops of all kinds that a device resizes: smaller and larger, moved only, on one axis or
/// both, with boxes that end between pixels and windows that lie anywhere; the same in every run.
class RandomResizes {
 public:
  explicit RandomResizes(std::uint32_t seed) : random_(seed) {}

  ResizeCase next(const ResizeShape& shape);

 private:
  struct Side {
    int source, size, first;
    float begin, end;
  };

  CropCase crop_of(const ResizeShape& shape);
  Side side(int window, double largest_scale);
  Rect held_around(const Rect& footprint, Size source);
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  double between(double low, double high) { return low + (high - low) * below(10000) / 10000; }

  std::mt19937 random_;
};

}  // namespace stoker::testing
