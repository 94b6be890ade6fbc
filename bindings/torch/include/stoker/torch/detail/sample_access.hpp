#pragma once

#include <stoker/torch/sample_source.hpp>

// datasets/chunk.h names what is in there, and does not include it.
#include <torch/data/worker_exception.h>

#include <torch/data/datasets.h>
#include <torch/data/example.h>
#include <torch/data/transforms.h>

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

/// How a torch::data dataset is taken apart into samples, so that workers share the work of a batch
/// and write to its slot. Whatever a program has overridden is called: where a dataset has a
/// get_batch of its own, or a transform an apply_batch, batches are made by it as a whole.
namespace stoker::torch::detail {

namespace data = ::torch::data;

/// Which tensors an example type has.
template <class Example>
struct ExampleFields;

template <>
struct ExampleFields<data::Example<>> {
  static std::vector<std::string> names() { return {"data", "target"}; }
  static void take(data::Example<>&& example, std::span<at::Tensor> fields) {
    fields[0] = std::move(example.data);
    fields[1] = std::move(example.target);
  }
  static data::Example<> make(std::vector<at::Tensor>&& fields) {
    return {std::move(fields[0]), std::move(fields[1])};
  }
};

template <>
struct ExampleFields<data::TensorExample> {
  static std::vector<std::string> names() { return {"data"}; }
  static void take(data::TensorExample&& example, std::span<at::Tensor> fields) {
    fields[0] = std::move(example.data);
  }
  static data::TensorExample make(std::vector<at::Tensor>&& fields) {
    return {std::move(fields[0])};
  }
};

/// Datasets that make a batch by calling `get` for each index.
template <class D>
concept GetsSamples = requires(D& dataset, std::size_t index) {
  typename D::ExampleType;
  { dataset.get(index) } -> std::convertible_to<typename D::ExampleType>;
}
&&std::same_as<decltype(&D::get_batch),
               std::vector<typename D::ExampleType> (
                   data::datasets::Dataset<typename D::SelfType, typename D::ExampleType>::*)(
                   c10::ArrayRef<std::size_t>)>;

/// Transforms that change a batch by calling `apply` for each example.
template <class T>
concept AppliesToSamples = requires {
  typename T::InputType;
  typename T::OutputType;
}
&&std::same_as<decltype(&T::apply_batch),
               std::vector<typename T::OutputType> (
                   data::transforms::Transform<typename T::InputType, typename T::OutputType>::*)(
                   std::vector<typename T::InputType>)>;

/// How single samples are had of a dataset: `value` says whether they can.
template <class D>
struct SampleAccess {
  static constexpr bool value = false;
};

template <GetsSamples D>
struct SampleAccess<D> {
  static constexpr bool value = true;
  using Example = typename D::ExampleType;
  static Example get(D& dataset, std::size_t index) { return dataset.get(index); }
};

template <class D, AppliesToSamples T>
requires SampleAccess<D>::value struct SampleAccess<data::datasets::MapDataset<D, T>> {
  static constexpr bool value = true;
  using Example = typename T::OutputType;
  // A map shows its parts as const, though it is not: its own get_batch changes them as well.
  static Example get(data::datasets::MapDataset<D, T>& map, std::size_t index) {
    auto& dataset = const_cast<D&>(map.dataset());
    auto& transform = const_cast<T&>(map.transform());
    return transform.apply(SampleAccess<D>::get(dataset, index));
  }
};

template <class D>
requires SampleAccess<D>::value struct SampleAccess<data::datasets::SharedBatchDataset<D>> {
  static constexpr bool value = true;
  using Example = typename SampleAccess<D>::Example;
  static Example get(data::datasets::SharedBatchDataset<D>& shared, std::size_t index) {
    return SampleAccess<D>::get(*shared, index);
  }
};

/// Datasets that hold their samples as rows of tensors and return them as they are.
template <class D>
std::vector<at::Tensor> rows_of(D& /*dataset*/) {
  return {};
}
inline std::vector<at::Tensor> rows_of(data::datasets::TensorDataset& dataset) {
  return {dataset.tensor};
}
inline std::vector<at::Tensor> rows_of(data::datasets::MNIST& dataset) {
  return {dataset.images(), dataset.targets()};
}

/// Returns rows as they can be copied from; none where they cannot be.
std::vector<at::Tensor> copyable(std::vector<at::Tensor> rows);

/// Datasets whose batches are stacks of samples.
template <class D>
struct StackAccess {
  static constexpr bool value = false;
};

template <class D, class Example>
requires SampleAccess<D>::value && std::same_as<typename SampleAccess<D>::Example, Example>
struct StackAccess<data::datasets::MapDataset<D, data::transforms::Stack<Example>>> {
  using Map = data::datasets::MapDataset<D, data::transforms::Stack<Example>>;
  static constexpr bool value = true;
  using Fields = ExampleFields<Example>;

  /// The samples of a stacking dataset, which is copied for each worker.
  static SampleSource samples(Map map) {
    SampleSource source;
    const auto size = map.size();
    if (size) source.size = *size;
    source.fields = Fields::names();
    source.rows = copyable(rows_of(const_cast<D&>(map.dataset())));
    source.copy = [first = std::make_shared<const D>(map.dataset())]() -> SampleSource::Read {
      return
          [dataset = std::make_shared<D>(*first)](std::size_t index, std::span<at::Tensor> fields) {
            Fields::take(SampleAccess<D>::get(*dataset, index), fields);
          };
    };
    return source;
  }
};

}  // namespace stoker::torch::detail
