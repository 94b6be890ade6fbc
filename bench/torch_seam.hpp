#pragma once

#include <cstddef>
#include <cstdint>

namespace stoker::bench {

/// Which decoder works inside LibTorch's dataset.
enum class TorchDecoder : std::int32_t { opencv, stoker };

/// What the module with LibTorch is asked to load. Plain data, so that the command itself neither
/// links LibTorch nor shares C++ types with the module.
struct TorchRequest {
  const char* const* paths;
  std::uint64_t files;
  std::uint64_t repeat;
  const char* pipeline;
  std::uint64_t seed;
  std::uint64_t batch_size;
  std::int32_t num_workers;
  std::int32_t shuffle;
  TorchDecoder decoder;
};

struct TorchRepetition {
  std::uint64_t images;
  double seconds;
  double first_batch_seconds;
};

struct TorchLoader;  // belongs to the module

/// The module's functions. Those that fail return null or 0 and write one line to `error`.
struct TorchApi {
  const char* (*version)();
  TorchLoader* (*open)(const TorchRequest* request, char* error, std::size_t error_bytes);
  std::int32_t (*run)(TorchLoader* loader, std::uint64_t epoch,
                      void (*progress)(void* context, std::uint64_t images), void* context,
                      TorchRepetition* repetition, char* error, std::size_t error_bytes);
  void (*close)(TorchLoader* loader);
};

/// The module's one symbol: `extern "C" const TorchApi* stoker_torch_api()`.
inline constexpr const char* torch_api_symbol = "stoker_torch_api";

}  // namespace stoker::bench
