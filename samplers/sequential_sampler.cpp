#include <stoker/samplers/sequential_sampler.hpp>

#include <fmt/format.h>

#include <numeric>

namespace stoker {
namespace {

class SequentialOrder final : public Order {
 public:
  explicit SequentialOrder(std::uint64_t size) noexcept : size_(size) {}

  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::span<std::uint64_t> out) const override {
    std::iota(out.begin(), out.end(), first);
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
