#include <stoker/core/stream_copy.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace stoker {
namespace {

#ifdef __SSE2__

constexpr std::size_t line = 64;

using CopyLines = void (*)(std::byte* to, const std::byte* from, std::size_t bytes);

// Each copies whole cache lines past the caches, to an aligned place.
void copy_lines_sse2(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += line) {
    const auto* source = reinterpret_cast<const __m128i*>(from + at);
    auto* target = reinterpret_cast<__m128i*>(to + at);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  _mm_sfence();  // these stores are not ordered by what hands the data on
}

/// A line a store, which is a fourth faster on current servers.
__attribute__((target("avx512f"))) void copy_lines_avx512(std::byte* to, const std::byte* from,
                                                          std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += line) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + at), _mm512_loadu_si512(from + at));
  }
  _mm_sfence();
}

CopyLines best_copy_lines() {
  return __builtin_cpu_supports("avx512f") ? copy_lines_avx512 : copy_lines_sse2;
}

#endif

}  // namespace

#ifdef __SSE2__

void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  static const CopyLines copy_lines = best_copy_lines();
  const std::size_t before =
      std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(to) % line) % line);
  const std::size_t lines = (bytes - before) / line * line;
  std::memcpy(to, from, before);
  copy_lines(to + before, from + before, lines);
  std::memcpy(to + before + lines, from + before + lines, bytes - before - lines);
}

#else

void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}

#endif

}  // namespace stoker
