#include "bindings/torch/tensor_producer.hpp"

#include <stoker/torch/detail/plain_errors.hpp>

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <limits>
#include <utility>

namespace stoker::torch {
namespace {

constexpr const char* how_to_collate =
    "give a collate function instead of Stack, .map(torch::data::transforms::Collate<...>(...)), "
    "or "
    "bring samples to one shape in the dataset";

/// What keeps a tensor from being gathered; nothing where it can be.
std::optional<std::string> obstacle(const at::Tensor& tensor) {
  if (!tensor.defined()) return "is undefined";
  if (!tensor.device().is_cpu()) {
    return fmt::format(
        "lies on {}; samples are gathered in host memory and cross to the device a batch at a "
        "time: "
        "return CPU tensors and give the loader a device",
        tensor.device().str());
  }
  if (tensor.layout() != at::kStrided || tensor.is_quantized()) {
    return "is sparse or quantized; return a dense tensor";
  }
  return std::nullopt;
}

std::string description(const at::Tensor& tensor) {
  return fmt::format("{} [{}]", c10::toString(tensor.scalar_type()),
                     fmt::join(tensor.sizes().begin(), tensor.sizes().end(), ", "));
}

bool is_plain(const at::Tensor& tensor) {
  return tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg() &&
         !tensor._is_zerotensor();
}

void copy_to(std::byte* place, const at::Tensor& tensor, const TensorSpec& spec) {
  if (spec.bytes == 0) return;
  if (is_plain(tensor)) {
    std::memcpy(place, tensor.data_ptr(), spec.bytes);
    return;
  }
  const c10::NoGradGuard no_grad;
  at::from_blob(place, spec.sizes, at::TensorOptions().dtype(spec.dtype)).copy_(tensor);
}

/// Copies rows to where they lie one behind the other; those that do so already at once.
void copy_rows(const std::byte* rows, std::size_t row_bytes, std::span<const std::uint64_t> indices,
               std::byte* to) {
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t end = i + 1;
    while (end < indices.size() && indices[end] == indices[end - 1] + 1) ++end;
    std::memcpy(to + i * row_bytes, rows + indices[i] * row_bytes, (end - i) * row_bytes);
    i = end;
  }
}

TensorSpec spec_of(const at::Tensor& tensor) {
  return {tensor.scalar_type(), tensor.sizes().vec(),
          static_cast<std::size_t>(tensor.numel()) * tensor.element_size()};
}

}  // namespace

std::string TensorSpec::text() const {
  return fmt::format("{} [{}]", c10::toString(dtype), fmt::join(sizes, ", "));
}

TensorProducer::TensorProducer(SampleSource source, std::uint64_t first, Failures failures)
    : source_(std::move(source)),
      first_index_(first),
      failures_(std::move(failures)),
      any_failures_(!failures_.empty()),
      readers_(source_) {
  if (!source_.rows.empty()) {
    Tensors row;
    for (const at::Tensor& rows : source_.rows)
      row.push_back(rows[static_cast<std::int64_t>(first)]);
    learn(row);
    return;
  }
  const ReaderPool::Loan reader = detail::with_plain_errors([&] { return readers_.borrow(); });
  const std::span<at::Tensor> tensors =
      detail::with_plain_errors([&] { return reader.read(first); });
  learn(tensors);
  // Copies: the data set may write to what it returned when it is asked for the next sample.
  for (const at::Tensor& tensor : tensors) first_.emplace_back(tensor.clone());
}

void TensorProducer::learn(std::span<const at::Tensor> tensors) {
  for (std::size_t f = 0; f < tensors.size(); ++f) {
    if (const auto why = obstacle(tensors[f])) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("{} of the first sample {}", source_.fields[f], *why),
                  {first_index_, name(first_index_), {}, {}});
    }
    specs_.push_back(spec_of(tensors[f]));
    fields_.push_back(
        {source_.fields[f], DType::uint8, {static_cast<std::int64_t>(specs_.back().bytes)}});
  }
}

std::uint64_t TensorProducer::size() const {
  return source_.size.value_or(std::numeric_limits<std::int64_t>::max());
}

std::string TensorProducer::name(std::uint64_t index) const {
  return fmt::format("get({})", index);
}

std::string TensorProducer::in_work() const {
  std::vector<std::string> names;
  for (const std::uint64_t index : readers_.being_read()) names.push_back(name(index));
  if (names.empty()) return "no sample is being read";
  return fmt::format("{} being read", fmt::join(names, ", "));
}

std::string TensorProducer::fingerprint() const {
  std::string text = fmt::format("LibTorch dataset of {} samples", size());
  for (std::size_t f = 0; f < specs_.size(); ++f) {
    text += fmt::format("; {} {}", fields_[f].name, specs_[f].text());
  }
  return text;
}

/// Returns the first sample's tensors where they are due for the first time, else none.
TensorProducer::Tensors TensorProducer::take_first(std::uint64_t index) const {
  if (index != first_index_) return {};
  const std::lock_guard lock(mutex_);
  return std::exchange(first_, {});
}

/// Returns what reading the sample threw before the loader began, the first time it is due.
std::optional<Failure> TensorProducer::take_failure(std::uint64_t index) const {
  if (!any_failures_.load(std::memory_order_relaxed)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  auto failure = failures_.extract(index);
  any_failures_ = !failures_.empty();
  if (failure.empty()) return std::nullopt;
  return std::move(failure.mapped());
}

Status TensorProducer::check(std::uint64_t index, std::size_t field,
                             const at::Tensor& tensor) const {
  if (const auto why = obstacle(tensor)) {
    return fail(ErrorCode::unsupported, fmt::format("{} {}", source_.fields[field], *why));
  }
  const TensorSpec& spec = specs_[field];
  if (tensor.scalar_type() == spec.dtype && tensor.sizes() == spec.sizes) return {};
  const std::string like = index == first_index_ ? "when it was first read it was"
                                                 : fmt::format("of sample {} it is", first_index_);
  return fail(ErrorCode::shape_mismatch,
              fmt::format("{} of sample {} is {}, {} {}: {}", source_.fields[field], index,
                          description(tensor), like, spec.text(), how_to_collate));
}

Status TensorProducer::gather(std::uint64_t index, std::span<const at::Tensor> tensors,
                              const SamplePlace& place) const {
  for (std::size_t f = 0; f < tensors.size(); ++f) {
    STOKER_RETURN_IF_FAILED(check(index, f, tensors[f]));
    copy_to(place[f], tensors[f], specs_[f]);
  }
  return {};
}

bool TensorProducer::copy(std::span<const std::uint64_t> indices,
                          std::span<std::byte* const> fields) const {
  for (std::size_t f = 0; f < source_.rows.size(); ++f) {
    if (specs_[f].bytes == 0) continue;
    const auto* rows = static_cast<const std::byte*>(source_.rows[f].data_ptr());
    copy_rows(rows, specs_[f].bytes, indices, fields[f]);
  }
  return !source_.rows.empty();
}

Status TensorProducer::produce(std::uint64_t index, const EncodedSample& /*sample*/,
                               const SamplePlace& place, const RandomKey& /*key*/,
                               ProduceCounters& /*counters*/) const {
  if (const Tensors first = take_first(index); !first.empty()) return gather(index, first, place);
  if (std::optional<Failure> failure = take_failure(index)) {
    return fail(failure->code, std::move(failure->message));
  }
  const ReaderPool::Loan reader = detail::with_plain_errors([&] { return readers_.borrow(); });
  return gather(index, detail::with_plain_errors([&] { return reader.read(index); }), place);
}

}  // namespace stoker::torch
