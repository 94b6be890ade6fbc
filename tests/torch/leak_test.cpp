// Memory stays flat however many batches are held and dropped. STOKER_LEAK_BATCHES says how many:
// 2,000 unless it is set.
#include "tests/torch/datasets.hpp"
#include <stoker/torch/make_data_loader.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace stoker::torch::testing {
namespace {

using data::samplers::RandomSampler;

std::size_t batches_to_walk() {
  const char* const text = std::getenv("STOKER_LEAK_BATCHES");
  return text == nullptr ? 2000 : std::stoul(text);
}

/// Resident memory of this process, in MiB.
double resident() {
  std::ifstream file("/proc/self/statm");
  std::size_t size = 0, pages = 0;
  file >> size >> pages;
  return static_cast<double>(pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) / (1 << 20);
}

/// The most that a quarter of the batches had resident; the first one is to warm up.
struct Peaks {
  std::vector<double> quarters = std::vector<double>(4);

  void note(std::size_t batch, std::size_t batches) {
    double& peak = quarters[std::min<std::size_t>(3, batch * 4 / batches)];
    peak = std::max(peak, resident());
  }
  void expect_flat() const {
    constexpr double allowed = 6;  // MiB: twelve batches
    EXPECT_LT(quarters[3], quarters[1] + allowed)
        << quarters[0] << ", " << quarters[1] << ", " << quarters[2] << ", " << quarters[3]
        << " MiB at most in each quarter";
  }
};

/// Samples of 32 KiB, half a MiB a batch.
auto dataset() {
  return stacked_pairs(800, [](std::size_t i) -> Example {
    return {at::full({8192}, static_cast<double>(i)),
            at::scalar_tensor(static_cast<std::int64_t>(i), at::kLong)};
  });
}

/// Walks batches, of which up to 15 are held and dropped in a random order by `drop`.
template <class Drop>
Peaks walk(const Drop& drop) {
  auto loader = torch::make_data_loader<RandomSampler>(
      dataset(), DataLoaderOptions(16).workers(2).max_jobs(4));
  std::mt19937 random(3);
  std::vector<Example> kept;
  Peaks peaks;
  const std::size_t batches = batches_to_walk();
  for (std::size_t count = 0; count < batches;) {
    for (auto& batch : *loader) {
      kept.push_back(std::move(batch));
      while (kept.size() > random() % 16) {
        std::swap(kept[random() % kept.size()], kept.back());
        drop(std::move(kept.back()));
        kept.pop_back();
      }
      if (count % 10 == 0) peaks.note(count, batches);
      if (++count == batches) break;
    }
  }
  return peaks;
}

TEST(Memory, StaysFlatWhereBatchesAreDroppedInRandomOrder) {
  walk([](Example batch) { batch = {}; }).expect_flat();
}

TEST(Memory, StaysFlatWhereOtherThreadsDropThem) {
  walk([](Example batch) {
    std::thread([last = std::move(batch)] {
      EXPECT_EQ(last.data.size(0), last.target.size(0));
    }).join();
  }).expect_flat();
}

TEST(Memory, StaysFlatWhereLoadersComeAndGo) {
  const std::size_t loaders = batches_to_walk() / 10;
  Peaks peaks;
  std::vector<at::Tensor> kept(3);
  for (std::size_t i = 0; i < loaders; ++i) {
    auto loader = torch::make_data_loader<RandomSampler>(
        dataset(), DataLoaderOptions(16).workers(2).max_jobs(4));
    std::size_t batches = 0;
    for (auto& batch : *loader) {
      kept[i % kept.size()] = batch.data;  // outlives its loader
      if (++batches == 1 + i % 9) break;
    }
    peaks.note(i, loaders);
  }
  peaks.expect_flat();
}

TEST(Memory, StaysFlatWhereBatchesFail) {
  auto loader = torch::make_data_loader<RandomSampler>(
      stacked_pairs(64,
                    [](std::size_t i) -> Example {
                      if (i % 2 == 1) throw std::runtime_error(std::string(1000, 'x'));
                      return {at::zeros({8192}), at::scalar_tensor(1, at::kLong)};
                    }),
      DataLoaderOptions(1).workers(2));
  Peaks peaks;
  const std::size_t batches = batches_to_walk();
  for (std::size_t count = 0; count < batches; ++count) {
    try {
      for (auto& batch : *loader) {
        static_cast<void>(batch);
        if (++count == batches) break;
      }
    } catch (const Error&) {
      peaks.note(std::min(count, batches - 1), batches);
    }
  }
  peaks.expect_flat();
}

}  // namespace
}  // namespace stoker::torch::testing
