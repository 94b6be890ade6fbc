// Every run of the slot protocol's model: none breaks it as it is built, and some run breaks it
// with each fault that is planted.
#include "tests/model/slot_model.hpp"

#include "tests/model/state_space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

namespace stoker::model {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

void print(const Counterexample& example) {
  fmt::print("{}\n  {}\n", example.broken, fmt::join(example.trace, "\n  "));
}

Exploration explored(SlotModel& model) {
  Exploration found = explore(model);
  fmt::print("{} states, {} steps, {} ends, {} MB\n", found.states, found.steps, found.ends,
             found.bytes >> 20);
  if (found.counterexample) print(*found.counterexample);
  return found;
}

/// Explores a protocol that is to hold; returns how many states there are.
std::size_t states_of_sound(const SlotModelOptions& options) {
  SlotModel model(options);
  const Exploration found = explored(model);
  EXPECT_FALSE(found.counterexample) << found.counterexample->broken;
  EXPECT_GE(found.ends, 1U);
  return found.states;
}

/// Explores a protocol with a fault; returns the run that breaks it.
Counterexample broken_by(const SlotModelOptions& options) {
  SlotModel model(options);
  const Exploration found = explored(model);
  EXPECT_TRUE(found.counterexample);
  return found.counterexample.value_or(Counterexample{});
}

std::vector<SlotTransition> edges_of(const SlotModelOptions& options) {
  SlotModel model(options);
  EXPECT_FALSE(explored(model).counterexample);
  std::vector<SlotTransition> edges;
  for (const SlotTransition& edge : slot_transitions) {
    if (model.took(edge)) edges.push_back(edge);
  }
  return edges;
}

std::string text(const std::vector<SlotTransition>& edges) {
  std::string text;
  for (const auto& [from, to] : edges) text += fmt::format("{} -> {}\n", name(from), name(to));
  return text;
}

TEST(SlotModel, HoldsInEveryRunWithADevice) {
  EXPECT_GE(states_of_sound({.batches = 4}), 1'000'000U);
}

TEST(SlotModel, HoldsWhereTwoWorkersShareABatch) {
  EXPECT_GE(states_of_sound({.batches = 3, .samples = 2}), 100'000U);
}

TEST(SlotModel, HoldsWhereTheConsumerKeepsABatchUntilItHasAnother) {
  EXPECT_GE(states_of_sound({.batches = 4, .keeps_one = true}), 100'000U);
}

TEST(SlotModel, HoldsWhereTheConsumerBeginsAgain) {
  EXPECT_GE(states_of_sound({.batches = 2, .releaser = false, .restart = true}), 100'000U);
}

TEST(SlotModel, HoldsInEveryRunWithoutADevice) {
  EXPECT_GE(states_of_sound({.batches = 6, .samples = 2, .zero_copy = true}), 10'000U);
  EXPECT_GE(states_of_sound({.batches = 4, .zero_copy = true, .restart = true}), 100'000U);
  EXPECT_GE(states_of_sound({.batches = 6, .zero_copy = true, .keeps_one = true}), 1'000U);
}

TEST(SlotModel, HoldsWhereEveryHandOverIsTwoSteps) {
  EXPECT_GE(states_of_sound({.batches = 2, .all_in_halves = true}), 100'000U);
}

TEST(SlotModel, SeesADeviceSlotOverwrittenWithoutTheConsumersEvent) {
  const Counterexample found = broken_by({.fault = Fault::release_event_dropped});
  EXPECT_THAT(found.broken, HasSubstr("overwritten while queued work of the consumer reads it"));
  EXPECT_THAT(found.trace, Contains(HasSubstr("marks its use and releases device slot")));
  ASSERT_FALSE(found.trace.empty());
  EXPECT_THAT(found.trace.back(), HasSubstr("copy stream: begins the copy to device slot"));
}

TEST(SlotModel, SeesAHostSlotReusedBeforeItsCopyIsDone) {
  const Counterexample found = broken_by({.fault = Fault::host_slot_free_at_issue});
  EXPECT_THAT(found.broken, HasSubstr("written while a queued copy reads it"));
  EXPECT_THAT(found.trace, Contains(HasSubstr("frees, with its copy queued, host slot 0")));
  ASSERT_FALSE(found.trace.empty());
  EXPECT_THAT(found.trace.back(), HasSubstr("worker: produces a sample in host slot 0"));
}

TEST(SlotModel, SeesAKernelAheadOfACopyThatIsNotedAtIssue) {
  const Counterexample found = broken_by({.fault = Fault::arrival_noted_at_issue});
  EXPECT_THAT(found.broken, HasSubstr("a kernel reads what is not its batch"));
  EXPECT_THAT(found.trace, Contains(HasSubstr("queues at once a kernel that reads arrived")));
  ASSERT_FALSE(found.trace.empty());
  EXPECT_THAT(found.trace.back(), HasSubstr("consumer's stream: runs the kernel"));
}

TEST(SlotModel, SeesAKernelAheadOfWhatIsDoneBehindACopy) {
  const Counterexample found = broken_by({.fault = Fault::arrival_noted_unasked});
  EXPECT_THAT(found.broken, HasSubstr("a kernel reads what is not its batch"));
  EXPECT_THAT(found.trace, Contains(HasSubstr("prefetcher: marks as arrived device slot 0")));
  EXPECT_THAT(found.trace, Contains(HasSubstr("copy stream: ends the copy to device slot 0")));
  EXPECT_THAT(found.trace, Not(Contains(HasSubstr("does what is left"))));
}

// No batch is harmed: the slot's event stands for its newer copy.
TEST(SlotModel, SeesArrivalsPileUpWhereSupersededOnesAreKept) {
  const Counterexample found = broken_by({.batches = 4, .fault = Fault::superseded_arrival_noted});
  EXPECT_EQ(found.broken, "arrivals pile up");
  ASSERT_FALSE(found.trace.empty());
  EXPECT_THAT(found.trace.back(), HasSubstr("prefetcher: queues the copy to device slot"));
}

TEST(SlotModel, SeesABatchLostWhereItsGenerationIsReadTooEarly) {
  const Counterexample found = broken_by({.batches = 2,
                                          .releaser = false,
                                          .restart = true,
                                          .fault = Fault::generation_read_too_early});
  EXPECT_THAT(found.broken, HasSubstr("deadlock"));
  EXPECT_THAT(found.trace,
              Contains(HasSubstr("prefetcher: drops host slot 0 (batch 0 of generation 1)")));
}

class SlotModelWakeUps : public ::testing::TestWithParam<WaitAt> {};

TEST_P(SlotModelWakeUps, AreNotLost) {
  EXPECT_GE(states_of_sound({.batches = 3, .in_halves = GetParam()}), 100'000U);
}

TEST_P(SlotModelWakeUps, AreSeenToBeLostWhereTheyComeBeforeTheChange) {
  const Counterexample found =
      broken_by({.batches = 3, .in_halves = GetParam(), .fault = Fault::wake_up_before_change});
  EXPECT_THAT(found.broken, HasSubstr("a wake-up was lost"));
  EXPECT_THAT(found.trace, Contains(HasSubstr("falls asleep")));
}

TEST_P(SlotModelWakeUps, AreSeenToBeMissing) {
  const Counterexample found =
      broken_by({.batches = 3, .in_halves = GetParam(), .fault = Fault::wake_up_missing});
  EXPECT_THAT(found.broken, HasSubstr("a wake-up was lost"));
  ASSERT_FALSE(found.trace.empty());
  EXPECT_THAT(found.trace.back(), HasSubstr("wakes nobody who waits for"));
}

std::string name_of_place(const ::testing::TestParamInfo<WaitAt>& place) {
  constexpr std::array names{"FreeHostSlots",   "Tasks",        "CompleteBatches",
                             "FreeDeviceSlots", "ReadyBatches", "ReleasedBatches"};
  return names[static_cast<std::size_t>(place.param) - 1];
}

INSTANTIATE_TEST_SUITE_P(Everywhere, SlotModelWakeUps,
                         ::testing::Values(WaitAt::free_host, WaitAt::tasks, WaitAt::completed,
                                           WaitAt::free_device, WaitAt::ready, WaitAt::released),
                         name_of_place);

TEST(SlotModel, TakesEveryTransitionOfTheTable) {
  std::vector<SlotTransition> with_a_device, without;
  for (const SlotTransition& edge : slot_transitions) {
    const bool lends_the_host_slot = edge.from == SlotState::full && edge.to == SlotState::held;
    const bool of_a_copy = edge.from == SlotState::copying || edge.to == SlotState::copying ||
                           edge.from == SlotState::ready;
    if (!lends_the_host_slot) with_a_device.push_back(edge);
    if (!of_a_copy) without.push_back(edge);
  }
  EXPECT_EQ(text(edges_of({.batches = 1, .releaser = false, .restart = true})),
            text(with_a_device));
  EXPECT_EQ(text(edges_of({.batches = 1, .zero_copy = true, .restart = true})), text(without));
}

}  // namespace
}  // namespace stoker::model
