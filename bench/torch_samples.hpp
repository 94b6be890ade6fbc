#pragma once

#include <stoker/core/dtype.hpp>
#include <stoker/core/random.hpp>
#include <stoker/pipeline/pipeline.hpp>

#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

namespace stoker::bench {

/// Makes a sample's tensor of its file, in one of LibTorch's workers. May be used by many threads
/// at the same time.
class SampleMaker {
 public:
  SampleMaker() = default;
  SampleMaker(const SampleMaker&) = delete;
  SampleMaker& operator=(const SampleMaker&) = delete;
  virtual ~SampleMaker() = default;

  /// @throws std::runtime_error that names the file.
  virtual torch::Tensor make(const std::string& path, const RandomKey& key) const = 0;
};

/// OpenCV decodes and resizes, LibTorch's tensor operations normalise and cast. Boxes and flips are
/// those that stoker would take. Only where the build has OpenCV.
std::unique_ptr<const SampleMaker> opencv_samples(const Pipeline& pipeline);

/// stoker's plan makes the whole sample; LibTorch only drives it.
std::unique_ptr<const SampleMaker> plan_samples(const Pipeline& pipeline);

/// LibTorch's name of an element type.
torch::ScalarType scalar_type(DType dtype);

/// @throws std::runtime_error
std::vector<char> read_file(const std::string& path);

}  // namespace stoker::bench
