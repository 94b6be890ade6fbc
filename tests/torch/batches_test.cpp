#include <stoker/torch/batches.hpp>

#include <stoker/core/error.hpp>
#include <stoker/engine/loader.hpp>
#include <stoker/torch/device.hpp>

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace stoker::torch {
namespace {

/// Samples of an image in some layout, filled with the sample's index, and a label.
class Counted final : public Producer {
 public:
  static constexpr std::int64_t height = 3, width = 5;

  explicit Counted(std::uint64_t size, Layout layout = Layout::NCHW) : size_(size) {
    const Shape shape = layout == Layout::NCHW ? Shape{3, height, width} : Shape{height, width, 3};
    fields_ = {{"image", DType::float32, shape, 0, layout}, {"label", DType::int64, {}}};
  }

  std::uint64_t size() const override { return size_; }
  const std::vector<FieldSpec>& fields() const override { return fields_; }
  std::string name(std::uint64_t index) const override { return std::to_string(index); }
  std::string fingerprint() const override { return "counted"; }
  std::string pipeline() const override { return "counted"; }
  bool in_memory() const override { return true; }
  Status read(std::uint64_t, EncodedSample&) const override { return {}; }

  /// Element k of sample i is 1000 i + k.
  Status produce(std::uint64_t index, const EncodedSample&, const SamplePlace& place,
                 const RandomKey&, ProduceCounters&) const override {
    auto* image = reinterpret_cast<float*>(place[0]);
    for (std::int64_t k = 0; k < fields_[0].shape.elements(); ++k) {
      image[k] = static_cast<float>(1000 * index) + static_cast<float>(k);
    }
    const auto label = static_cast<std::int64_t>(index);
    std::memcpy(place[1], &label, sizeof label);
    return {};
  }

 private:
  std::uint64_t size_;
  std::vector<FieldSpec> fields_;
};

Loader counted_loader(std::uint64_t size, LoaderOptions options, Layout layout = Layout::NCHW) {
  return {std::make_shared<Counted>(size, layout), std::move(options)};
}

at::Tensor expected(std::int64_t sample) {
  return at::arange(3 * Counted::height * Counted::width, at::kFloat) +
         static_cast<float>(1000 * sample);
}

TEST(Batches, AreTheSlotsAsTensors) {
  Loader loader = counted_loader(10, {.batch_size = 4, .num_workers = 2});
  std::int64_t sample = 0;
  for (Batch& batch : batches(loader, 0)) {
    const std::int64_t count = std::min<std::int64_t>(4, 10 - sample);
    EXPECT_EQ(batch.data.sizes(), (std::vector<std::int64_t>{count, 3, 3, 5}));
    EXPECT_EQ(batch.data.scalar_type(), at::kFloat);
    EXPECT_EQ(batch.target.sizes(), (std::vector<std::int64_t>{count}));
    EXPECT_TRUE(at::equal(batch.target, batch.indices));
    EXPECT_TRUE(batch.valid.all().item<bool>());
    EXPECT_TRUE(batch["image"].is_same(batch.data));
    for (std::int64_t i = 0; i < count; ++i, ++sample) {
      EXPECT_TRUE(at::equal(batch.data[i].flatten(), expected(sample)));
      EXPECT_EQ(batch.target[i].item<std::int64_t>(), sample);
    }
    EXPECT_THROW(batch["mask"], Error);
  }
  EXPECT_EQ(sample, 10);
}

TEST(Batches, ShowImagesInNhwcAsChannelsLast) {
  Loader loader = counted_loader(2, {.batch_size = 2, .num_workers = 0}, Layout::NHWC);
  Batches all = batches(loader, 0);
  const std::optional<Batch> batch = all.next();
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->data.sizes(), (std::vector<std::int64_t>{2, 3, 3, 5}));
  EXPECT_TRUE(batch->data.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(at::equal(batch->data[1].permute({1, 2, 0}).flatten(), expected(1)));
}

TEST(Batches, TensorsKeepTheirSlotAndOutliveTheLoader) {
  std::vector<at::Tensor> kept;
  {
    Loader loader = counted_loader(
        40, {.batch_size = 4, .num_workers = 2, .prefetch = 1, .on_all_held = OnAllHeld::grow});
    for (Batch& batch : batches(loader, 0)) kept.push_back(batch.data);
    EXPECT_GT(loader.stats().slots_grown, 0U);
  }
  ASSERT_EQ(kept.size(), 10U);
  for (std::int64_t b = 0; b < 10; ++b) {
    EXPECT_TRUE(at::equal(kept[static_cast<std::size_t>(b)][3].flatten(), expected(4 * b + 3)));
  }
}

/// Counts how many batches a loader with `wait` and two slots can give while something is kept.
int batches_while(const std::function<void(Batch&)>& keep) {
  Loader loader = counted_loader(
      40,
      {.batch_size = 4, .num_workers = 1, .prefetch = 1, .timeout = std::chrono::milliseconds(50)});
  Batches all = batches(loader, 0);
  int count = 0;
  try {
    while (auto batch = all.next()) {
      ++count;
      keep(*batch);
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::all_slots_held);
  }
  return count;
}

TEST(Batches, EveryViewHoldsTheSlot) {
  std::vector<at::Tensor> kept;
  EXPECT_EQ(batches_while([](Batch&) {}), 10);
  EXPECT_EQ(batches_while([&](Batch& batch) { kept.push_back(batch.data[0]); }), 2);
  kept.clear();
  EXPECT_EQ(batches_while([&](Batch& batch) { kept.push_back(batch.target.view({2, 2})); }), 2);
  kept.clear();
  EXPECT_EQ(batches_while([&](Batch& batch) { kept.push_back(batch.data.clone()); }), 10);
  kept.clear();
  EXPECT_EQ(batches_while([&](Batch& batch) { kept.push_back(batch.indices); }), 10);
}

TEST(Batches, WhatAutogradSavedHoldsTheSlotUntilBackward) {
  Loader loader = counted_loader(
      16, {.batch_size = 4, .num_workers = 2, .prefetch = 1, .on_all_held = OnAllHeld::grow});
  const at::Tensor weight = at::ones({1}, at::kFloat).set_requires_grad(true);
  at::Tensor loss = at::zeros({}, at::kFloat);
  for (Batch& batch : batches(loader, 0)) loss = loss + (batch.data * weight).sum();
  loss.backward();
  at::Tensor sum = at::zeros({}, at::kFloat);
  for (std::int64_t i = 0; i < 16; ++i) sum = sum + expected(i).sum();
  EXPECT_FLOAT_EQ(weight.grad().item<float>(), sum.item<float>());
}

TEST(Batches, CanBeReleasedOnAnyThread) {
  Loader loader = counted_loader(200, {.batch_size = 4, .num_workers = 2, .prefetch = 2});
  std::vector<std::thread> threads;
  for (Batch& batch : batches(loader, 0)) {
    threads.emplace_back([data = std::move(batch.data), target = std::move(batch.target)] {
      EXPECT_EQ(data.size(0), target.size(0));
    });
    batch.fields.clear();
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Batches, RecordUseKnowsItsTensorsFromOthers) {
  Loader loader = counted_loader(4, {.batch_size = 4, .num_workers = 0});
  Batches all = batches(loader, 0);
  const std::optional<Batch> batch = all.next();
  const c10::Stream stream(c10::Stream::DEFAULT, c10::kCPU);
  EXPECT_TRUE(record_use(batch->data.slice(0, 1, 2), stream));
  EXPECT_FALSE(record_use(batch->data.clone(), stream));
  EXPECT_FALSE(record_use(at::Tensor(), stream));
  batch->record_use(stream);
}

TEST(Device, NamesWhatItCannotServe) {
  EXPECT_EQ(torch::device(c10::Device(c10::kCPU)), host());
  EXPECT_THROW(torch::device(c10::Device(c10::kMeta)), Error);
}

}  // namespace
}  // namespace stoker::torch
