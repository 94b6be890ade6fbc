#pragma once

#include <stoker/engine/producer.hpp>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace stoker::testing {

/// A door that calls wait at until a test opens it.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  /// Waits until the door is open; counts who has come.
  void pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void wait_for_arrivals(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int arrived_ = 0;
};

/// What a FakeProducer writes for a sample.
struct FakeSample {
  std::int64_t index;
  std::uint64_t random;
  friend bool operator==(const FakeSample&, const FakeSample&) = default;
};

/// What a view of the field "sample" holds.
inline const FakeSample* fake_samples(const TensorView& view) {
  return reinterpret_cast<const FakeSample*>(view.as<std::byte>());
}

/// Makes samples of two fields from index and random key alone: "sample" (FakeSample as int64[2])
/// and "bytes" (uint8, as many as asked for, each index + i). Hooks let tests fail, stop or count.
class FakeProducer final : public Producer {
 public:
  explicit FakeProducer(std::uint64_t size, bool in_memory = false, std::int64_t bytes = 24)
      : size_(size), in_memory_(in_memory) {
    fields_ = {{"sample", DType::int64, Shape{2}}, {"bytes", DType::uint8, Shape{bytes}}};
  }

  std::function<Status(std::uint64_t)> on_read = [](std::uint64_t) { return Status{}; };
  std::function<Status(std::uint64_t)> on_produce = [](std::uint64_t) { return Status{}; };

  std::string source_name = std::string(32, '0');
  std::string pipeline_text = "fake";

  std::uint64_t size() const override { return size_; }
  const std::vector<FieldSpec>& fields() const override { return fields_; }
  std::string name(std::uint64_t index) const override { return "fake/" + std::to_string(index); }
  std::string fingerprint() const override { return source_name; }
  std::string pipeline() const override { return pipeline_text; }
  bool in_memory() const override { return in_memory_; }

  Status read(std::uint64_t index, EncodedSample& sample) const override {
    STOKER_RETURN_IF_FAILED(on_read(index));
    sample.storage.resize(sizeof index);
    std::memcpy(sample.storage.data(), &index, sizeof index);
    sample.bytes = sample.storage;
    return {};
  }

  Status produce(std::uint64_t index, const EncodedSample& sample, const SamplePlace& place,
                 const RandomKey& key, ProduceCounters&) const override {
    STOKER_RETURN_IF_FAILED(on_produce(index));
    std::uint64_t read_index = 0;
    std::memcpy(&read_index, sample.bytes.data(), sizeof read_index);
    if (read_index != index) return fail(ErrorCode::corrupt, "another sample's bytes");
    const FakeSample made = expected(index, key);
    std::memcpy(place[0], &made, sizeof made);
    for (std::size_t i = 0; i < fields_[1].bytes(); ++i) {
      place[1][i] = static_cast<std::byte>(index + i);
    }
    return {};
  }

  static FakeSample expected(std::uint64_t index, const RandomKey& key) {
    Random random(key, 1);
    const std::uint64_t high = random.bits();
    return {static_cast<std::int64_t>(index), high << 32 | random.bits()};
  }

 private:
  std::uint64_t size_;
  bool in_memory_;
  std::vector<FieldSpec> fields_;
};

}  // namespace stoker::testing
