#include "bench/torch_samples.hpp"

#include <stoker/core/error.hpp>
#include <stoker/pipeline/plan.hpp>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

namespace stoker::bench {
namespace {

/// stoker's plan makes the whole sample; LibTorch only drives it.
class PlanMaker : public SampleMaker {
 public:
  explicit PlanMaker(const Pipeline& pipeline) : plan_(pipeline), shape_(plan_.output_shape()) {}

  torch::Tensor make(const std::string& path, const RandomKey& key) const override {
    const std::vector<char> bytes = read_file(path);
    thread_local Workspace workspace;
    const auto dimensions = shape_.dimensions();
    torch::Tensor tensor = torch::empty(c10::IntArrayRef(dimensions.data(), dimensions.size()),
                                        torch::TensorOptions(scalar_type(plan_.finish().dtype())));
    const auto status = plan_.run(std::as_bytes(std::span(bytes)), key, workspace,
                                  static_cast<std::byte*>(tensor.data_ptr()));
    if (!status) throw std::runtime_error(path + ": " + status.error().message);
    return tensor;
  }

 private:
  Plan plan_;
  Shape shape_;
};

}  // namespace

std::unique_ptr<const SampleMaker> plan_samples(const Pipeline& pipeline) {
  return std::make_unique<PlanMaker>(pipeline);
}

torch::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::float16: return torch::kHalf;
    case DType::bfloat16: return torch::kBFloat16;
    case DType::float32: return torch::kFloat32;
    default: return torch::kUInt8;
  }
}

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<char> bytes(file ? static_cast<std::size_t>(file.tellg()) : 0);
  file.seekg(0);
  if (!file.read(bytes.data(), std::ssize(bytes))) throw std::runtime_error("cannot read " + path);
  return bytes;
}

}  // namespace stoker::bench
