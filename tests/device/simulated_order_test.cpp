// Runs random programs of queued work against a happens-before oracle: whatever the seed, work runs
// behind all that its stream and its waits put before it, and only that is promised.
#include <stoker/device/simulated.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace stoker {
namespace {

constexpr std::size_t max_work = 256;
using WorkSet = std::bitset<max_work>;

/// A device, three streams and three events; knows what must have run before each piece of work.
class Program {
 public:
  Program(std::uint64_t seed, SimulatedOptions options) : device_(seed, options) {
    for (auto& stream : streams_) stream.ref = device_.create_stream();
    for (auto& event : events_) event.ref = device_.create_event();
    to_ = static_cast<unsigned char*>(device_.allocate_device(max_work * copy_bytes));
    host_ = static_cast<unsigned char*>(device_.allocate_host(max_work * copy_bytes));
    std::memset(host_, copied, max_work * copy_bytes);
  }
  ~Program() {
    device_.free_host(host_, max_work * copy_bytes);
    device_.free_device(to_, max_work * copy_bytes);
    for (const auto& stream : streams_) device_.destroy_stream(stream.ref);
    for (const auto& event : events_) device_.destroy_event(event.ref);
  }

  void run(std::mt19937& random, int statements) {
    for (int i = 0; i < statements; ++i) statement(random);
    device_.synchronize();
    EXPECT_EQ(ran_.count() + copies_.count(), next_);
  }
  const std::vector<std::size_t>& log() const { return log_; }
  std::size_t late() const { return late_; }

 private:
  struct Stream {
    StreamRef ref;
    WorkSet before;  // what later work of this stream runs behind
  };
  struct Event {
    EventRef ref;
    WorkSet before;
  };
  static constexpr std::size_t copy_bytes = 5;
  static constexpr unsigned char copied = 1;

  void statement(std::mt19937& random) {
    Stream& stream = streams_[random() % streams_.size()];
    Event& event = events_[random() % events_.size()];
    switch (random() % 12) {
      case 0:
      case 1:
      case 2:
      case 3: return launch(stream);
      case 4:
      case 5: return copy(stream);
      case 6:
      case 7: return record(event, stream);
      case 8:
      case 9: return wait(stream, event);
      case 10: return ask(event);
      default: return synchronize(event);
    }
  }
  void launch(Stream& stream) {
    const std::size_t id = next_++;
    device_.launch(stream.ref, [this, id, before = stream.before] {
      expect_done(before, "a kernel");
      ran_.set(id);
      log_.push_back(id);
    });
    if (!ran_.test(id)) ++late_;
    stream.before.set(id);
  }
  void copy(Stream& stream) {
    const std::size_t id = next_++;
    device_.copy_to_device(to_ + id * copy_bytes, host_ + id * copy_bytes, copy_bytes, stream.ref);
    copies_.set(id);
    stream.before.set(id);
  }
  void record(Event& event, Stream& stream) {
    device_.record(event.ref, stream.ref);
    event.before = stream.before;
  }
  void wait(Stream& stream, Event& event) {
    device_.wait(stream.ref, event.ref);
    stream.before |= event.before;
  }
  void ask(Event& event) {
    if (device_.completed(event.ref)) expect_done(event.before, "a completed event");
  }
  void synchronize(Event& event) {
    device_.synchronize(event.ref);
    EXPECT_TRUE(device_.completed(event.ref));
    expect_done(event.before, "synchronize");
  }
  void expect_done(const WorkSet& before, const char* who) {
    for (std::size_t id = 0; id < next_; ++id)
      if (before.test(id) && !done(id)) ADD_FAILURE() << who << " overtook " << id;
  }
  bool done(std::size_t id) const {
    if (!copies_.test(id)) return ran_.test(id);
    const unsigned char* at = to_ + id * copy_bytes;
    return std::all_of(at, at + copy_bytes, [](unsigned char c) { return c == copied; });
  }

  SimulatedDevice device_;
  std::array<Stream, 3> streams_;
  std::array<Event, 3> events_;
  unsigned char* to_;
  unsigned char* host_;
  std::size_t next_ = 0;
  std::size_t late_ = 0;
  WorkSet ran_;
  WorkSet copies_;
  std::vector<std::size_t> log_;
};

std::vector<std::size_t> log_of(std::uint64_t program, std::uint64_t seed,
                                SimulatedOptions options = {}) {
  std::mt19937 random(static_cast<std::uint32_t>(program));
  Program run(seed, options);
  run.run(random, 150);
  return run.log();
}

TEST(SimulatedOrder, KeepsEveryPromiseOfRandomPrograms) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    log_of(seed, seed,
           {.progress = static_cast<double>(seed % 4) * 0.3, .copy_pieces = 1 + seed % 3});
    if (HasFailure()) return;
  }
}

TEST(SimulatedOrder, IsTheSameForTheSameSeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(log_of(7, seed), log_of(7, seed));
}

TEST(SimulatedOrder, DiffersBetweenSeeds) {
  std::size_t different = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    if (log_of(7, 0) != log_of(7, seed)) ++different;
  EXPECT_GE(different, 19U);
}

TEST(SimulatedOrder, RunsMostWorkLongAfterItWasQueued) {
  std::mt19937 random(3);
  Program program(3, {});
  program.run(random, 150);
  EXPECT_GT(program.late(), program.log().size() / 2);
}

TEST(SimulatedOrder, RunsUnorderedStreamsInEitherOrder) {
  int first_ran_first = 0;
  constexpr int seeds = 200;
  for (int seed = 0; seed < seeds; ++seed) {
    SimulatedDevice device(static_cast<std::uint64_t>(seed));
    const StreamRef a = device.create_stream();
    const StreamRef b = device.create_stream();
    std::string ran;
    device.launch(a, [&] { ran += 'a'; });
    device.launch(b, [&] { ran += 'b'; });
    device.synchronize();
    if (ran == "ab") ++first_ran_first;
    device.destroy_stream(a);
    device.destroy_stream(b);
  }
  EXPECT_GT(first_ran_first, seeds / 4);
  EXPECT_LT(first_ran_first, seeds * 3 / 4 + seeds / 10);
}

TEST(SimulatedOrder, WaitsForTheRecordThatWasLatestWhenTheWaitWasQueued) {
  int second_was_not_waited_for = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SimulatedDevice device(seed, {.progress = 0});
    const StreamRef a = device.create_stream();
    const StreamRef b = device.create_stream();
    const EventRef event = device.create_event();
    const EventRef end = device.create_event();
    bool first = false;
    bool second = false;
    device.launch(a, [&] { first = true; });
    device.record(event, a);
    device.wait(b, event);
    device.record(end, b);
    device.launch(a, [&] { second = true; });
    device.record(event, a);  // b still waits for the first record
    device.synchronize(end);
    EXPECT_TRUE(first);
    if (!second) ++second_was_not_waited_for;
    device.synchronize(event);
    EXPECT_TRUE(second);
    for (const StreamRef stream : {a, b}) device.destroy_stream(stream);
    for (const EventRef used : {event, end}) device.destroy_event(used);
  }
  EXPECT_GT(second_was_not_waited_for, 10);
}

TEST(SimulatedOrder, TakesANeverRecordedEventAsCompleted) {
  SimulatedDevice device(1, {.progress = 0});
  const EventRef event = device.create_event();
  bool ran = false;
  device.wait(StreamRef{}, event);
  device.launch(StreamRef{}, [&] { ran = true; });
  EXPECT_TRUE(device.completed(event));
  device.synchronize(event);
  EXPECT_FALSE(ran);
  device.synchronize();
  EXPECT_TRUE(ran);
  device.destroy_event(event);
}

TEST(SimulatedOrder, DrainsAStreamBeforeItIsDestroyed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SimulatedDevice device(seed, {.progress = 0});
    const StreamRef a = device.create_stream();
    const StreamRef b = device.create_stream();
    const EventRef event = device.create_event();
    std::string ran;
    device.launch(a, [&] { ran += 'a'; });
    device.record(event, a);
    device.wait(b, event);
    device.launch(b, [&] { ran += 'b'; });
    device.destroy_stream(b);
    EXPECT_EQ(ran, "ab");
    device.destroy_event(event);
    device.destroy_stream(a);
    EXPECT_TRUE(device.leaks().none());
  }
}

}  // namespace
}  // namespace stoker
