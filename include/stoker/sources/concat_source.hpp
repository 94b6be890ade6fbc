#pragma once

#include <stoker/sources/source.hpp>

#include <memory>
#include <vector>

namespace stoker {

/// Several sources one behind the other, as torch's ConcatDataset: sample i of the second one has
/// the index first.size() + i. Passes everything on to the parts, whose fingerprints make its own.
/// Thread-safe as they are.
class ConcatSource final : public Source {
 public:
  /// @throws Error(empty_source) where there is no part, Error(invalid_argument) where one is null.
  explicit ConcatSource(std::vector<std::shared_ptr<const Source>> parts);

  std::uint64_t size() const override { return starts_.back(); }
  /// @throws Error(invalid_argument) where there is no such sample.
  Status read(std::uint64_t index, EncodedSample& sample) const override;
  /// @throws Error(invalid_argument) where there is no such sample.
  std::string name(std::uint64_t index) const override;
  /// True where all parts are.
  bool in_memory() const override;
  /// Computed at each call.
  std::string fingerprint() const override;
  void will_need(std::span<const std::uint64_t> indices) const override;

  const std::vector<std::shared_ptr<const Source>>& parts() const noexcept { return parts_; }
  /// Numbers of samples of the parts, as a MixtureSampler takes them.
  std::vector<std::uint64_t> sizes() const;

 private:
  /// Returns which part holds a sample.
  std::size_t part_of(std::uint64_t index) const;

  std::vector<std::shared_ptr<const Source>> parts_;
  std::vector<std::uint64_t> starts_{0};  // of each part, and the end
};

}  // namespace stoker
