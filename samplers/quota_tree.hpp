#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stoker {

/// Divides the first n places of an order among sources in proportion to their weights, for any n
/// and without going through the places before: each source's number never falls as n grows, all
/// numbers sum to n, and each is within 2 of its exact share.
///
/// A binary tree whose leaves are the sources divides n at each of its nodes, rounding to the
/// nearest. It is built as Huffman's: a node's share of what its parent has is then at most 2/3
/// unless it is a leaf, so the halves that the roundings on the way can be off sum to less than
/// 1/2 + 1/2 (1 + 2/3 + 4/9 + ...) = 2.
/// Source: Huffman, "A method for the construction of minimum-redundancy codes", Proc. IRE 40
/// (1952).
class QuotaTree {
 public:
  /// `weights` are finite, not negative, and one at least is positive.
  explicit QuotaTree(std::span<const double> weights);

  /// Sets counts[s] to how many of the first `n` places are source s's; n is below 2^63.
  void counts(std::uint64_t n, std::span<std::uint64_t> counts) const;

 private:
  struct Node {
    std::size_t left;
    std::size_t right;
    std::uint64_t left_share;  // in 2^-64
  };

  std::size_t sources_;
  // A number below sources_ is a leaf, the others are nodes_[number - sources_]. Parents come
  // behind their children; the root is last, or the only source with a weight.
  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace stoker
