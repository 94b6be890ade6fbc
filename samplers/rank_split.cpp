#include <stoker/samplers/rank_split.hpp>

#include <stoker/core/error.hpp>

#include <fmt/format.h>

namespace stoker {

std::string_view name(Remainder remainder) noexcept {
  switch (remainder) {
    case Remainder::pad: return "pad";
    case Remainder::drop: return "drop";
    case Remainder::uneven: return "uneven";
  }
  return "";
}

void RankSplit::check() const {
  if (world_size == 0) throw Error(ErrorCode::invalid_argument, "world_size must be at least 1");
  if (world_size > max_world_size) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("world_size is {}, it must be at most {}", world_size, max_world_size));
  }
  if (rank < world_size) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("rank {} does not exist among {} ranks: it must be from 0 to {}", rank,
                          world_size, world_size - 1));
}

std::uint64_t RankSplit::count(std::uint64_t size, std::uint64_t from) const noexcept {
  const std::uint64_t left = from < size ? size - from : 0;
  const std::uint64_t each = left / world_size;
  const std::uint64_t over = left % world_size;
  switch (remainder) {
    case Remainder::pad: return each + (over > 0 ? 1 : 0);
    case Remainder::drop: return each;
    case Remainder::uneven: return each + (rank < over ? 1 : 0);
  }
  return each;
}

void read_split(const Order& order, const RankSplit& split, std::uint64_t from, std::uint64_t first,
                std::uint64_t stride, std::span<std::uint64_t> out) {
  if (out.empty()) return;
  const std::uint64_t last = split.position(from, first + (out.size() - 1) * stride);
  // Padding is shorter than the number of ranks: each rank has one sample of it at most.
  const bool padded = last >= order.size();
  const std::span<std::uint64_t> inside = out.first(out.size() - (padded ? 1 : 0));
  order.read(split.position(from, first), stride * split.world_size, inside);
  if (padded) order.read(last % order.size(), 1, out.last(1));
}

}  // namespace stoker
