#pragma once

#include <stoker/engine/loader.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// No header of LibTorch's: the program that prints needs none, and LibTorch brings a fmt of its
// own.

namespace stoker::bench {

using Json = nlohmann::ordered_json;

/// What `torch_training` can be told.
struct TrainingOptions {
  std::vector<std::string> models{"resnet18", "resnet50"};
  std::vector<std::string> feeds{"synthetic", "torch", "stoker"};
  std::string photos;         ///< a data set, as open_data takes it
  std::uint64_t samples = 0;  ///< an epoch has at least so many; 0: each photo once
  std::string device = "auto";
  std::size_t batch_size = 256;
  int image_size = 224;
  int warmup = 40;  ///< steps before those that count
  int steps = 150;
  int repetitions = 3;
  int num_workers = LoaderOptions::automatic;
  std::string decode = "auto";  ///< of the feed torch: opencv, stoker or auto
  std::string resize = "auto";  ///< of the feed stoker: where, cpu, device or auto
  std::size_t prefetch = 4;
  std::size_t device_prefetch = LoaderOptions{}.device_prefetch;
  std::string json;
};

/// Trains each model with each feed, in turns, and returns the figures.
/// @throws Error(invalid_argument) for an option that is none, Error as the loader does,
/// std::exception as LibTorch does.
Json measure_training(const TrainingOptions& options);

}  // namespace stoker::bench
