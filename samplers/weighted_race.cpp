#include "samplers/weighted_race.hpp"

#include "samplers/reproducible_log.hpp"

#include <boost/sort/spreadsort/integer_sort.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>

namespace stoker {
namespace {

/// When an index arrives: the bits of a double that is not negative are in the order of its value.
/// In 32-bit parts, so that it takes 12 bytes and not 16.
struct Arrival {
  std::uint32_t time_high;
  std::uint32_t time_low;
  std::uint32_t index;

  std::uint64_t time() const noexcept { return std::uint64_t{time_high} << 32 | time_low; }
  friend bool operator<(const Arrival& a, const Arrival& b) noexcept {
    return a.time() != b.time() ? a.time() < b.time() : a.index < b.index;
  }
};

/// A radix sort, in place: several times as fast as std::sort where there are many.
void sort(Arrival* first, Arrival* last) {
  const auto shifted = [](const Arrival& arrival, unsigned by) { return arrival.time() >> by; };
  boost::sort::spreadsort::integer_sort(first, last, shifted, std::less<>());
}

Arrival arrival(std::uint32_t index, double weight, std::uint64_t number) noexcept {
  const double uniform = static_cast<double>((number >> 11) + 1) * 0x1.0p-53;  // in (0, 1]
  const double time = -reproducible_log(uniform) / weight;
  const auto bits = std::bit_cast<std::uint64_t>(time == 0 ? 0.0 : time);  // not -0
  return {static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits), index};
}

}  // namespace

template <class Weight>
void weighted_race(std::span<const Weight> weights, const CountedNumbers& numbers,
                   std::span<std::uint32_t> out) {
  const auto racers = std::size_t(std::ranges::count_if(weights, [](Weight w) { return w > 0; }));
  const auto arrivals = std::make_unique_for_overwrite<Arrival[]>(racers);
  // The largest weight comes to be about 1: else times of tiny weights were all infinite.
  const int exponent = std::ilogb(static_cast<double>(std::ranges::max(weights)));
  Arrival* end = arrivals.get();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    const double weight = std::ldexp(static_cast<double>(weights[i]), -exponent);
    *end++ = arrival(static_cast<std::uint32_t>(i), weight, numbers.pair_at(i / 2)[i % 2]);
  }
  Arrival* const last = arrivals.get() + out.size();
  if (last != end) std::nth_element(arrivals.get(), last, end);
  sort(arrivals.get(), last);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = arrivals[i].index;
}

template void weighted_race(std::span<const float>, const CountedNumbers&,
                            std::span<std::uint32_t>);
template void weighted_race(std::span<const double>, const CountedNumbers&,
                            std::span<std::uint32_t>);

}  // namespace stoker
