#pragma once

#include <stoker/device/device.hpp>
#include <stoker/engine/loader.hpp>
#include <stoker/pipeline/pipeline.hpp>
#include <stoker/samplers/sampler.hpp>
#include <stoker/sources/source.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stoker::bench {

/// What every contender does: the same files, the same pipeline, the same batches.
struct Workload {
  std::shared_ptr<const Source> files;
  std::uint64_t repeat = 1;  ///< an epoch walks the files that often
  Pipeline pipeline;
  std::size_t batch_size = 128;
  int num_workers = 1;
  std::size_t prefetch = 4;
  int num_readers = LoaderOptions::automatic;  ///< stoker's alone
  DevicePtr device = host();                   ///< stoker's alone: where batches go
  FinishOn finish = FinishOn::automatic;
  ResizeOn resize_on = ResizeOn::cpu;
  bool shuffle = false;
  std::uint64_t seed = 0;

  std::uint64_t epoch_size() const noexcept { return files->size() * repeat; }
  /// The index of a file, given its place in the source that repeats.
  std::uint64_t file_of(std::uint64_t index) const noexcept { return index % files->size(); }
  std::unique_ptr<Sampler> sampler() const;
  /// "host" or "cuda:0", as options and reports say it.
  std::string device_name() const;
};

/// "auto", "cpu" or "device", as options and reports say it.
std::string name_of(FinishOn finish);
std::string name_of(ResizeOn resize);

/// Is called now and then with the number of images since the last call; by one thread at a time.
using Progress = std::function<void(std::uint64_t images)>;

/// Opens a data set: a folder of class folders, a folder of images, or a list file.
/// @throws Error as ImageFolder and FileList do.
std::shared_ptr<const Source> open_data(const std::string& path);

/// Holds a source's samples several times over: sample i is sample i % source.size() of it.
std::shared_ptr<const Source> repeated(std::shared_ptr<const Source> source, std::uint64_t times);

}  // namespace stoker::bench
