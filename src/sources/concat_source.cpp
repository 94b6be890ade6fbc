#include <stoker/sources/concat_source.hpp>

#include "src/core/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stoker {

ConcatSource::ConcatSource(std::vector<std::shared_ptr<const Source>> parts)
    : parts_(std::move(parts)) {
  if (parts_.empty()) throw Error(ErrorCode::empty_source, "there are no sources to join");
  for (const auto& part : parts_) {
    if (!part) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("source {} of those to join is null", starts_.size() - 1));
    }
    starts_.push_back(starts_.back() + part->size());
  }
}

std::size_t ConcatSource::part_of(std::uint64_t index) const {
  if (index >= size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("there is no sample {}: the source has {}", index, size()));
  }
  // Behind the last start that is not behind the index: parts without samples are passed over.
  const auto next = std::ranges::upper_bound(starts_, index);
  return static_cast<std::size_t>(next - starts_.begin()) - 1;
}

Status ConcatSource::read(std::uint64_t index, EncodedSample& sample) const {
  const std::size_t part = part_of(index);
  return parts_[part]->read(index - starts_[part], sample);
}

std::string ConcatSource::name(std::uint64_t index) const {
  const std::size_t part = part_of(index);
  return parts_[part]->name(index - starts_[part]);
}

bool ConcatSource::in_memory() const {
  return std::ranges::all_of(parts_, [](const auto& part) { return part->in_memory(); });
}

std::string ConcatSource::fingerprint() const {
  Fingerprint fingerprint;
  for (const auto& part : parts_) {
    fingerprint.add_number(part->size());
    fingerprint.add_bytes(part->fingerprint());
  }
  return fingerprint.text();
}

void ConcatSource::will_need(std::span<const std::uint64_t> indices) const {
  std::vector<std::vector<std::uint64_t>> of_part(parts_.size());
  for (const std::uint64_t index : indices) {
    const std::size_t part = part_of(index);
    of_part[part].push_back(index - starts_[part]);
  }
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (!of_part[part].empty()) parts_[part]->will_need(of_part[part]);
  }
}

std::vector<std::uint64_t> ConcatSource::sizes() const {
  std::vector<std::uint64_t> sizes;
  for (const auto& part : parts_) sizes.push_back(part->size());
  return sizes;
}

}  // namespace stoker
