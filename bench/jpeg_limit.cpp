#include "bench/jpeg_limit.hpp"

#include "bench/footprint.hpp"
#include "bench/jpeg_decompressor.hpp"
#include "bench/machine.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace stoker::bench {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::byte> read(const Source& source, std::uint64_t index) {
  EncodedSample sample;
  if (const auto status = source.read(index, sample); !status) {
    SampleContext context;
    context.sample_index = index;
    context.sample_name = source.name(index);
    throw Error(status.error().code, status.error().message, context);
  }
  return {sample.bytes.begin(), sample.bytes.end()};
}

Rect all_of(Size size) { return {0, 0, size.height, size.width}; }

}  // namespace

/// What the threads of one run share.
struct JpegLimit::Walk {
  std::uint64_t epoch = 0;
  std::vector<std::uint64_t> order;  ///< file of each position
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> done{0};
  std::uint64_t first_batch = 1;
  Clock::time_point first_batch_at;
};

JpegLimit::JpegLimit(const Workload& workload) : workload_(workload) {
  JpegDecompressor probe;
  const std::uint64_t allowed = memory_bytes() / 2;
  std::uint64_t held = 0;
  for (std::uint64_t i = 0; i < workload.files->size(); ++i) {
    auto bytes = read(*workload.files, i);
    const auto size = probe.open(bytes);
    if (!size || !probe.decode(all_of(*size))) {
      ++skipped_;
      bytes = {};
    }
    held += bytes.size();
    if (held > allowed) {
      throw Error(ErrorCode::out_of_memory,
                  "--limit holds all files in memory, and these take more than half of it; measure "
                  "on a part of them");
    }
    files_.push_back(std::move(bytes));
  }
  if (skipped_ == files_.size()) {
    throw Error(ErrorCode::unsupported, "--limit: libjpeg-turbo reads none of the files");
  }
}

Measurement JpegLimit::describe() const {
  Measurement measurement;
  measurement.key = "limit";
  measurement.title = "libjpeg-turbo alone";
  measurement.num_workers = std::max(workload_.num_workers, 1);
  measurement.skipped = skipped_;
  return measurement;
}

void JpegLimit::work(Walk& walk) const {
  JpegDecompressor decompressor;
  for (;;) {
    const std::uint64_t position = walk.next.fetch_add(1, std::memory_order_relaxed);
    if (position >= walk.order.size()) return;
    const auto& bytes = files_[walk.order[position]];
    if (bytes.empty()) continue;
    const auto size = decompressor.open(bytes);
    if (!size) continue;
    const Rect crop = footprint(workload_.pipeline, *size, {workload_.seed, walk.epoch, position});
    if (!decompressor.decode(crop)) continue;
    if (walk.done.fetch_add(1) + 1 == walk.first_batch) walk.first_batch_at = Clock::now();
  }
}

Repetition JpegLimit::run(std::uint64_t epoch, const Progress& progress) {
  Walk walk;
  walk.epoch = epoch;
  walk.order.resize(workload_.epoch_size());
  workload_.sampler()->order(workload_.seed, epoch)->read(0, walk.order);
  std::uint64_t readable = 0;
  for (std::uint64_t& index : walk.order) {
    index = workload_.file_of(index);
    readable += files_[index].empty() ? 0 : 1;
  }
  walk.first_batch = std::min<std::uint64_t>(workload_.batch_size, readable);

  const double cpu_before = cpu_seconds_now();
  const auto start = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < describe().num_workers; ++i) threads.emplace_back([&] { work(walk); });
  }
  const std::chrono::duration<double> seconds = Clock::now() - start;
  const std::chrono::duration<double> first = walk.first_batch_at - start;
  progress(walk.order.size());
  return {walk.done, seconds.count(), first.count(), cpu_seconds_now() - cpu_before};
}

}  // namespace stoker::bench
