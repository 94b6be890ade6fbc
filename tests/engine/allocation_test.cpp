// Replaces malloc, so it is a program of its own: counts what the steady state allocates.
#include <stoker/engine/loader.hpp>
#include <stoker/pipeline/plan.hpp>
#include <stoker/sources/file_list.hpp>
#include <stoker/sources/memory_source.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* __libc_calloc(std::size_t count, std::size_t bytes);
extern "C" void* __libc_realloc(void* memory, std::size_t bytes);
extern "C" void* __libc_memalign(std::size_t alignment, std::size_t bytes);

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, bytes);
}

}  // extern "C"

namespace stoker {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t batch_size = 32;
constexpr std::size_t batches = 10;
constexpr const char* pipeline_text =
    "decode | random_resized_crop(32) | random_horizontal_flip | normalize(imagenet)";

fs::path jpeg(const char* name) { return fs::path(STOKER_TEST_DATA) / "jpegs" / name; }

std::vector<std::byte> read(const fs::path& path) {
  std::vector<std::byte> bytes(fs::file_size(path));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(file) << path;
  return bytes;
}

const std::vector<const char*> names{"var_420.jpg", "var_444.jpg", "var_q5.jpg",
                                     "var_restart_row.jpg"};

MemorySource memory_source() {
  std::vector<MemorySample> samples;
  for (std::size_t i = 0; i < batch_size * batches; ++i) {
    samples.push_back({names[i % names.size()], read(jpeg(names[i % names.size()])), 0});
  }
  return MemorySource(std::move(samples));
}

FileList file_source() {
  std::vector<FileList::Item> items;
  for (std::size_t i = 0; i < batch_size * batches; ++i) {
    items.push_back({jpeg(names[i % names.size()]).string(), 0});
  }
  return FileList(items);
}

/// What libjpeg's pools allocate for an epoch: the plan alone, without an engine.
std::uint64_t allocations_of_decoding(const Source& source) {
  const Plan plan(Pipeline::parse(pipeline_text));
  Workspace workspace;
  EncodedSample sample;
  std::vector<float> out(3 * 32 * 32);
  std::uint64_t counted = 0;
  for (int round = 0; round < 2; ++round) {
    counted = 0;
    for (std::uint64_t i = 0; i < source.size(); ++i) {
      EXPECT_TRUE(source.read(i, sample));
      const std::uint64_t before = allocations.load();
      EXPECT_TRUE(plan.run(sample.bytes, {0, 0, i, 0}, workspace,
                           reinterpret_cast<std::byte*>(out.data())));
      counted += allocations.load() - before;
    }
  }
  return counted;
}

void expect_no_allocation_per_sample(const Source& source, int num_workers) {
  LoaderOptions options;
  options.batch_size = batch_size;
  options.num_workers = num_workers;
  Loader loader(source, Pipeline::parse(pipeline_text), options);
  const auto walk = [&](std::uint64_t epoch) {
    std::size_t samples = 0;
    for (const Batch& batch : loader.epoch(epoch, true)) samples += batch.size();
    EXPECT_EQ(samples, batch_size * batches);
  };
  for (std::uint64_t epoch = 0; epoch < 4; ++epoch) walk(epoch);
  const std::uint64_t before = allocations.load();
  walk(4);
  const std::uint64_t counted = allocations.load() - before;
  const std::uint64_t decoding = allocations_of_decoding(source);
  // A batch's lease is an allocation, an epoch's order some more; samples must add none.
  EXPECT_LE(counted, decoding + 4 * batches + 16) << "of which libjpeg " << decoding;
}

TEST(Allocation, SamplesInMemoryAddNoneInTheSteadyState) {
  const MemorySource source = memory_source();
  for (const int workers : {0, 1, 2}) expect_no_allocation_per_sample(source, workers);
}

TEST(Allocation, FilesAddNoneInTheSteadyState) {
  const FileList source = file_source();
  for (const int workers : {0, 1, 2}) expect_no_allocation_per_sample(source, workers);
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(Memory, StaysFlatOver50Epochs) {
  const FileList source = file_source();
  LoaderOptions options;
  options.batch_size = batch_size;
  options.num_workers = 2;
  options.shuffle = true;
  Loader loader(source, Pipeline::parse(pipeline_text), options);
  std::size_t after_warmup = 0;
  for (std::uint64_t epoch = 0; epoch < 55; ++epoch) {
    for (const Batch& batch : loader.epoch(epoch)) ASSERT_GT(batch.size(), 0U);
    if (epoch == 4) after_warmup = resident_bytes();
  }
  EXPECT_LE(resident_bytes(), after_warmup + (std::size_t{2} << 20));
}

}  // namespace
}  // namespace stoker
