#include "digest.hpp"

#include <torch/types.h>

#include <array>
#include <cstdint>
#include <cstdio>

namespace examples {
namespace {

void add(std::uint64_t& hash, const torch::Tensor& tensor) {
  const torch::Tensor plain = tensor.detach().cpu().contiguous();
  const auto* bytes = static_cast<const std::uint8_t*>(plain.data_ptr());
  for (std::size_t i = 0; i < plain.nbytes(); ++i) hash = (hash ^ bytes[i]) * 0x100000001B3U;
}

}  // namespace

std::string digest(const torch::nn::Module& model) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const torch::Tensor& parameter : model.parameters()) add(hash, parameter);
  for (const torch::Tensor& buffer : model.buffers()) add(hash, buffer);
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

}  // namespace examples
