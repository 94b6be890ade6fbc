// The engine against its model: what slots of a real loader do is what slots of the model do.
#include "tests/engine/fake_producer.hpp"
#include "tests/model/recorded_transitions.hpp"
#include "tests/model/slot_model.hpp"
#include "tests/model/state_space.hpp"
#include <stoker/device/simulated.hpp>
#include <stoker/engine/loader.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace stoker::model {
namespace {

std::string text(const std::vector<SlotTransition>& edges) {
  std::string text;
  for (const auto& [from, to] : edges) text += fmt::format("{} -> {}\n", name(from), name(to));
  return text;
}

std::string edges_of_the_model(bool zero_copy) {
  SlotModel model({.batches = 1, .zero_copy = zero_copy, .releaser = false, .restart = true});
  EXPECT_FALSE(explore(model).counterexample);
  std::vector<SlotTransition> edges;
  for (const SlotTransition& edge : slot_transitions) {
    if (model.took(edge)) edges.push_back(edge);
  }
  return text(edges);
}

template <class Condition>
void wait_until(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
}

/// Begins again while every slot holds a batch that nobody wants any more, and delivers an epoch.
void use_every_way(DevicePtr device, StreamRef stream) {
  const std::size_t device_slots = device->zero_copy() ? 0 : 2;
  LoaderOptions options;
  options.batch_size = 2;
  options.num_workers = 2;
  options.prefetch = 3;
  options.device_prefetch = 2;
  options.device = std::move(device);
  options.stream = stream;
  Loader loader(std::make_shared<testing::FakeProducer>(40), options);
  (void)loader.epoch(0);
  wait_until([&] { return loader.stats().copy.items == device_slots; });
  // Two of these are ready, at most one waits in the prefetcher for room: others are dropped.
  const std::size_t produced = options.batch_size * (options.prefetch + 1);
  wait_until([&] { return loader.stats().produce.items >= produced; });
  std::size_t delivered = 0;
  for (const Batch& batch : loader.epoch(7, true)) delivered += batch.size();
  EXPECT_EQ(delivered, 40U);
}

TEST(EngineTransitions, AreTheModelsWithADevice) {
  auto device = std::make_shared<SimulatedDevice>(1);
  const StreamRef stream = device->create_stream();
  take_recorded_transitions();
  use_every_way(device, stream);
  device->synchronize();
  device->destroy_stream(stream);
  EXPECT_EQ(text(take_recorded_transitions()), edges_of_the_model(false));
}

TEST(EngineTransitions, AreTheModelsWithoutADevice) {
  take_recorded_transitions();
  use_every_way(host(), {});
  EXPECT_EQ(text(take_recorded_transitions()), edges_of_the_model(true));
}

}  // namespace
}  // namespace stoker::model
