#include <stoker/samplers/sequential_sampler.hpp>

#include <fmt/format.h>

#include <utility>

namespace stoker {
namespace {

class SequentialOrder final : public Order {
 public:
  explicit SequentialOrder(std::uint64_t size) noexcept : size_(size) {}

  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride,
            std::span<std::uint64_t> out) const override {
    for (std::uint64_t& index : out) index = std::exchange(first, first + stride);
  }

 private:
  std::uint64_t size_;
};

}  // namespace

std::shared_ptr<const Order> SequentialSampler::order(std::uint64_t /*seed*/,
                                                      std::uint64_t /*epoch*/) const {
  return std::make_shared<const SequentialOrder>(size_);
}

std::string SequentialSampler::text() const { return fmt::format("sequential(size={})", size_); }

}  // namespace stoker
