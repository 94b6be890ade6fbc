#include <stoker/samplers/large_permutation.hpp>

#include "samplers/check_size.hpp"
#include "samplers/keyed_permutation.hpp"

#include <fmt/format.h>

namespace stoker {
namespace {

class ComputedOrder final : public Order {
 public:
  explicit ComputedOrder(const KeyedPermutation& permutation) noexcept
      : permutation_(permutation) {}

  std::uint64_t size() const override { return permutation_.size(); }
  void read(std::uint64_t first, std::uint64_t stride,
            std::span<std::uint64_t> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = permutation_(first + i * stride);
  }

 private:
  KeyedPermutation permutation_;
};

}  // namespace

LargePermutation::LargePermutation(std::uint64_t size) : size_(size) { check_size(size); }

std::shared_ptr<const Order> LargePermutation::order(std::uint64_t seed,
                                                     std::uint64_t epoch) const {
  constexpr std::uint64_t stream = 0;
  return std::make_shared<const ComputedOrder>(KeyedPermutation(size_, seed, epoch, stream));
}

std::string LargePermutation::text() const {
  return fmt::format("large_permutation(size={})", size_);
}

}  // namespace stoker
