#pragma once

#include <ATen/core/Tensor.h>
#include <torch/data/example.h>

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Applies a function to every tensor of a batch, whatever torch::data batches are made of.
namespace stoker::torch::detail {

/// `can` says whether all tensors of a T are found.
template <class T>
struct MapTensors {
  static constexpr bool can = std::is_arithmetic_v<T> || std::is_enum_v<T>;
  template <class Function>
  static void apply(T& /*value*/, Function /*function*/) {}
};

template <>
struct MapTensors<at::Tensor> {
  static constexpr bool can = true;
  template <class Function>
  static void apply(at::Tensor& tensor, Function function) {
    if (tensor.defined()) tensor = function(tensor);
  }
};

template <class Data, class Target>
struct MapTensors<::torch::data::Example<Data, Target>> {
  static constexpr bool can = MapTensors<Data>::can && MapTensors<Target>::can;
  template <class Function>
  static void apply(::torch::data::Example<Data, Target>& example, Function function) {
    MapTensors<Data>::apply(example.data, function);
    MapTensors<Target>::apply(example.target, function);
  }
};

template <class Data>
struct MapTensors<::torch::data::Example<Data, ::torch::data::example::NoTarget>> {
  static constexpr bool can = MapTensors<Data>::can;
  template <class Function>
  static void apply(::torch::data::Example<Data, ::torch::data::example::NoTarget>& example,
                    Function function) {
    MapTensors<Data>::apply(example.data, function);
  }
};

template <class T>
struct MapTensors<std::vector<T>> {
  static constexpr bool can = MapTensors<T>::can;
  template <class Function>
  static void apply(std::vector<T>& values, Function function) {
    if constexpr (!std::is_same_v<T, bool>) {
      for (T& value : values) MapTensors<T>::apply(value, function);
    }
  }
};

template <class T>
struct MapTensors<std::optional<T>> {
  static constexpr bool can = MapTensors<T>::can;
  template <class Function>
  static void apply(std::optional<T>& value, Function function) {
    if (value) MapTensors<T>::apply(*value, function);
  }
};

template <class A, class B>
struct MapTensors<std::pair<A, B>> {
  static constexpr bool can = MapTensors<A>::can && MapTensors<B>::can;
  template <class Function>
  static void apply(std::pair<A, B>& pair, Function function) {
    MapTensors<A>::apply(pair.first, function);
    MapTensors<B>::apply(pair.second, function);
  }
};

template <class... Ts>
struct MapTensors<std::tuple<Ts...>> {
  static constexpr bool can = (MapTensors<Ts>::can && ...);
  template <class Function>
  static void apply(std::tuple<Ts...>& tuple, Function function) {
    std::apply([&](Ts&... values) { (MapTensors<Ts>::apply(values, function), ...); }, tuple);
  }
};

}  // namespace stoker::torch::detail
