#pragma once

#include <stoker/core/dtype.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace stoker {

/// Dimensions of a tensor, held without allocation. At most `capacity` dimensions.
class Shape {
 public:
  static constexpr std::size_t capacity = 8;

  constexpr Shape() = default;
  /// @throws Error(invalid_argument) for more than `capacity` dimensions or a negative one.
  Shape(std::initializer_list<std::int64_t> dimensions);
  explicit Shape(std::span<const std::int64_t> dimensions);

  std::size_t rank() const noexcept { return rank_; }
  std::int64_t operator[](std::size_t i) const noexcept { return dimensions_[i]; }
  std::span<const std::int64_t> dimensions() const noexcept { return {dimensions_.data(), rank_}; }
  /// Number of elements; 1 for a scalar.
  std::int64_t elements() const noexcept;
  /// Returns this shape with `leading` put before its dimensions.
  Shape prepended(std::int64_t leading) const;
  /// "[256, 3, 224, 224]"
  std::string text() const;

  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    return a.rank_ == b.rank_ && a.dimensions_ == b.dimensions_;
  }

 private:
  std::array<std::int64_t, capacity> dimensions_{};
  std::size_t rank_ = 0;
};

/// Where memory lies, numbered as DLPack does.
struct DeviceId {
  enum class Kind : std::uint8_t { cpu = 1, cuda = 2, simulated = 255 };
  Kind kind = Kind::cpu;
  std::int32_t ordinal = 0;
  friend bool operator==(const DeviceId&, const DeviceId&) = default;
};

/// Names a contiguous tensor without owning it: row-major, strides in elements.
/// Valid as long as what owns the memory, for a batch's fields the Batch.
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::uint8;
  Shape shape;
  DeviceId device;
  std::optional<Layout> layout = {};  ///< of images: what the dimensions mean

  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(shape.elements()) * size_of(dtype);
  }
  /// Strides in elements, as DLPack counts them.
  Shape strides() const;
  /// The data as elements of type `T`, see is_element_of. The pointer is the device's where the
  /// memory is. @throws Error(invalid_argument) where dtype is another
  template <class T>
  T* as() const {
    if (!is_element_of<T>(dtype)) {
      refuse(std::is_floating_point_v<T> ? "float"
             : std::is_signed_v<T>       ? "int"
                                         : "uint",
             8 * sizeof(T));
    }
    return static_cast<T*>(data);
  }

 private:
  [[noreturn]] void refuse(std::string_view kind, std::size_t bits) const;
};

}  // namespace stoker
