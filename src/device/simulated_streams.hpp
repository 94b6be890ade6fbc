#pragma once

#include <stoker/core/random.hpp>
#include <stoker/device/device.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace stoker {

/// A place in a stream, which events name and other streams wait for.
struct SimulatedMark {
  StreamRef stream;
  bool reached = false;
  std::uint64_t step = 0;  ///< of all work, at which it was reached
};
using MarkPtr = std::shared_ptr<SimulatedMark>;

/// A copy from host to device memory and how far it is.
struct SimulatedCopy {
  std::byte* device = nullptr;
  const std::byte* host = nullptr;
  std::size_t bytes = 0;
  std::size_t done = 0;
  bool started = false;
  bool fails = false;  ///< injected: moves nothing and fails the device
};

/// The streams of a simulated device, their queued work and the seeded choice of what runs when.
/// Not thread-safe; steps run on the calling thread.
class SimulatedStreams {
 public:
  struct Policy {
    double progress;
    std::size_t copy_pieces;
    std::uint8_t poison;
  };

  SimulatedStreams(std::uint64_t seed, Policy policy);

  StreamRef create();
  bool contains(StreamRef stream) const { return streams_.contains(stream.handle); }
  void destroy(StreamRef stream) { streams_.erase(stream.handle); }
  /// Streams that were created and not destroyed.
  std::size_t count() const noexcept { return streams_.size() - 1; }

  void launch(StreamRef stream, std::function<void()> kernel);
  void copy(StreamRef stream, SimulatedCopy copy);
  /// Queues a mark behind the stream's work.
  MarkPtr mark(StreamRef stream);
  /// The same for every stream.
  std::vector<MarkPtr> mark_all();
  /// Lets later work of the stream wait for the mark.
  void wait(StreamRef stream, MarkPtr mark);

  /// Runs a random number of steps of streams that are awake, often none.
  void advance();
  /// Runs steps until the mark is reached: random ones, or only those that it needs.
  void reach(const SimulatedMark& mark);

  bool idle() const;
  /// Returns the first queued copy that reads or writes the range.
  std::optional<SimulatedCopy> copy_using(const void* memory, std::size_t bytes) const;
  /// What failed while it ran; empty if nothing.
  const std::string& failure() const noexcept { return failure_; }

 private:
  using Kernel = std::function<void()>;
  struct Reach {
    MarkPtr mark;
  };
  struct Wait {
    MarkPtr mark;
  };
  using Work = std::variant<Kernel, SimulatedCopy, Reach, Wait>;
  struct Stream {
    std::deque<Work> queue;
    bool asleep = false;
  };

  Stream& at(StreamRef stream) { return streams_.at(stream.handle); }
  void begin_phase();
  static bool runnable(const Stream& stream);
  std::vector<Stream*> runnable_streams(bool awake_only);
  Stream& needed_by(const SimulatedMark& mark);
  void step(Stream& stream);
  bool step(Kernel& kernel);
  bool step(SimulatedCopy& copy);
  bool step(Reach& reach);
  bool step(Wait& wait);

  Policy policy_;
  Random random_;
  std::map<std::uintptr_t, Stream> streams_;
  std::uintptr_t last_handle_ = 0;
  std::uint64_t calls_left_in_phase_ = 0;
  std::uint64_t steps_ = 0;
  std::string failure_;
};

}  // namespace stoker
