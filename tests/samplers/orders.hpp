#pragma once

#include <stoker/core/error.hpp>
#include <stoker/samplers/sampler.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace stoker {

using Indices = std::vector<std::uint64_t>;

/// What PyTorch itself returns.
inline const nlohmann::json& goldens() {
  static const auto json = nlohmann::json::parse(std::ifstream(STOKER_TEST_DATA "/samplers.json"));
  return json;
}

/// Reads a whole order at once.
inline Indices whole(const Order& order) {
  Indices indices(order.size());
  order.read(0, indices);
  return indices;
}

inline Indices sorted(Indices indices) {
  std::ranges::sort(indices);
  return indices;
}

/// Returns 0, 1, ..., size - 1.
inline Indices counted(std::uint64_t size) {
  Indices indices(size);
  for (std::uint64_t i = 0; i < size; ++i) indices[i] = i;
  return indices;
}

/// Returns the digest of the indices as little-endian int64, in hexadecimal digits.
inline std::string sha256(const Indices& indices) {
  static_assert(std::endian::native == std::endian::little);
  std::array<unsigned char, 32> digest{};
  EXPECT_EQ(EVP_Digest(indices.data(), indices.size() * sizeof(std::uint64_t), digest.data(),
                       nullptr, EVP_sha256(), nullptr),
            1);
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

/// Holds every way to read an order against reading it whole: from many positions, with strides,
/// and nothing at its end.
inline void expect_readable_from_anywhere(const Order& order) {
  const Indices all = whole(order);
  const std::uint64_t size = all.size();
  for (const std::uint64_t stride : {1, 2, 3, 7}) {
    for (std::uint64_t first = 0; first < size; first += 1 + size / 11) {
      Indices expected;
      for (std::uint64_t at = first; at < size; at += stride) expected.push_back(all[at]);
      Indices read(expected.size());
      order.read(first, stride, read);
      ASSERT_EQ(read, expected) << "from " << first << " with stride " << stride;
    }
  }
  order.read(size, {});
}

/// Runs `code` and returns the message of the Error that it throws; the test fails where it throws
/// none, or one with another code.
template <class Code>
std::string refusal(ErrorCode expected, Code&& code) {
  try {
    std::forward<Code>(code)();
  } catch (const Error& error) {
    EXPECT_EQ(name(error.code()), name(expected)) << error.what();
    EXPECT_EQ(error.message().find('\n'), std::string::npos) << error.what();
    return error.message();
  }
  ADD_FAILURE() << "nothing was thrown, expected " << name(expected);
  return {};
}

}  // namespace stoker
