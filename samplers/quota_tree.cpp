#include "samplers/quota_tree.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace stoker {
namespace {

/// A part's share of a whole in 2^-64; below 1, so that rounding cannot give away more than all.
std::uint64_t share_of(double part, double whole) noexcept {
  const double scaled_up = part / whole * 0x1.0p64;
  return scaled_up < 0x1.0p64 ? static_cast<std::uint64_t>(scaled_up) : ~std::uint64_t{0};
}

/// The nearest whole number to n * share, halves up. Since share is below 1, it grows by 1 at most
/// where n does.
std::uint64_t part_of(std::uint64_t n, std::uint64_t share) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{n} * share + (Wide{1} << 63)) >> 64);
}

}  // namespace

QuotaTree::QuotaTree(std::span<const double> weights) : sources_(weights.size()) {
  const double largest = std::ranges::max(weights);
  using Entry = std::pair<double, std::size_t>;  // ties go by number: the tree is always the same
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  for (std::size_t source = 0; source < weights.size(); ++source) {
    if (weights[source] > 0) open.emplace(weights[source] / largest, source);
  }
  while (open.size() > 1) {
    const auto [left_weight, left] = open.top();
    open.pop();
    const auto [right_weight, right] = open.top();
    open.pop();
    const double both = left_weight + right_weight;
    open.emplace(both, sources_ + nodes_.size());
    nodes_.push_back({left, right, share_of(left_weight, both)});
  }
  root_ = open.top().second;
}

void QuotaTree::counts(std::uint64_t n, std::span<std::uint64_t> counts) const {
  std::ranges::fill(counts, 0);
  if (root_ < sources_) {
    counts[root_] = n;
    return;
  }
  std::vector<std::uint64_t> inner(nodes_.size());
  const auto at = [&](std::size_t number) -> std::uint64_t& {
    return number < sources_ ? counts[number] : inner[number - sources_];
  };
  inner.back() = n;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    at(nodes_[i].left) = part_of(inner[i], nodes_[i].left_share);
    at(nodes_[i].right) = inner[i] - at(nodes_[i].left);
  }
}

}  // namespace stoker
