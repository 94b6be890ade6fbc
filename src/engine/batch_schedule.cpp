#include "src/engine/batch_schedule.hpp"

#include "src/engine/epoch_orders.hpp"

#include <algorithm>
#include <numeric>

namespace stoker {
namespace {

std::uint64_t ceil_divided(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// Makes room for `count` samples whose indices are to be filled in.
std::span<std::uint64_t> resized(BatchInfo& info, std::uint64_t count) {
  const auto samples = static_cast<std::size_t>(count);
  info.indices.resize(samples);
  info.positions.resize(samples);
  info.valid.assign(samples, 1);
  return info.indices;
}

template <class AnySampler>
void check_indices(const BatchInfo& info, std::uint64_t source_size, const AnySampler& sampler) {
  const auto wrong = std::ranges::find_if(
      info.indices, [source_size](std::uint64_t index) { return index >= source_size; });
  if (wrong == info.indices.end()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("sampler {}: index {} of a source of {} samples", sampler.text(), *wrong,
                          source_size));
}

/// Splits single samples among the ranks, then cuts each rank's into batches of equal size.
class SampleSchedule final : public BatchSchedule {
 public:
  SampleSchedule(const LoaderOptions& options, std::uint64_t source_size)
      : orders_(options.sampler, options.seed),
        split_{options.rank, options.world_size, options.remainder},
        batch_size_(options.batch_size),
        drop_last_(options.drop_last),
        source_size_(source_size) {}

  std::uint64_t size() const override { return orders_.sampler().size(); }
  std::uint64_t size_in(std::uint64_t /*epoch*/) const override { return size(); }
  std::size_t max_batch_size() const override {
    const std::uint64_t samples = std::max<std::uint64_t>(1, split_.count(size()));
    return static_cast<std::size_t>(std::min<std::uint64_t>(batch_size_, samples));
  }
  std::uint64_t steps(std::uint64_t from) const override {
    const std::uint64_t samples = split_.count(size(), from);
    return drop_last_ ? samples / batch_size_ : ceil_divided(samples, batch_size_);
  }
  std::uint64_t steps_in(std::uint64_t /*epoch*/, std::uint64_t from) const override {
    return steps(from);
  }
  bool epochs_differ() const override { return false; }
  std::uint64_t position_after(std::uint64_t from, std::uint64_t steps) const override {
    const std::uint64_t whole_steps = (size() - from) / batch_size_ / split_.world_size;
    return steps <= whole_steps ? from + steps * batch_size_ * split_.world_size : size();
  }
  std::string sampler_text() const override { return orders_.sampler().text(); }

  void assign(std::uint64_t epoch, std::uint64_t from, std::uint64_t step,
              BatchInfo& info) override {
    const Order& order = orders_.of(epoch);
    const std::uint64_t first = step * batch_size_;
    const std::uint64_t left = split_.count(size(), from) - first;
    const auto indices = resized(info, std::min<std::uint64_t>(batch_size_, left));
    read_split(order, split_, from, first, 1, indices);
    check_indices(info, source_size_, orders_.sampler());
    for (std::uint64_t i = 0; i < indices.size(); ++i) {
      info.positions[i] = split_.position(from, first + i);
    }
    info.count = info.samples = indices.size();
  }
  void prepare(std::uint64_t epoch) override { orders_.prepare(epoch); }

 private:
  EpochOrders<Sampler> orders_;
  RankSplit split_;
  std::uint64_t batch_size_;
  bool drop_last_;
  std::uint64_t source_size_;
};

/// Splits the whole batches of a batch sampler among the ranks.
class WholeBatchSchedule final : public BatchSchedule {
 public:
  WholeBatchSchedule(const LoaderOptions& options, std::uint64_t source_size)
      : orders_(options.batch_sampler, options.seed),
        split_{options.rank, options.world_size, options.remainder},
        source_size_(source_size) {}

  std::uint64_t size() const override { return orders_.sampler().size(); }
  std::uint64_t size_in(std::uint64_t epoch) const override {
    return orders_.sampler().size_of(epoch);
  }
  std::size_t max_batch_size() const override { return orders_.sampler().max_batch_size(); }
  std::uint64_t steps(std::uint64_t from) const override { return split_.count(size(), from); }
  std::uint64_t steps_in(std::uint64_t epoch, std::uint64_t from) const override {
    return split_.count(size_in(epoch), from);
  }
  bool epochs_differ() const override { return orders_.sampler().epochs_differ(); }
  std::uint64_t position_after(std::uint64_t from, std::uint64_t steps) const override {
    const std::uint64_t whole_steps = (size() - from) / split_.world_size;
    return steps <= whole_steps ? from + steps * split_.world_size : size();
  }
  std::string sampler_text() const override { return orders_.sampler().text(); }

  void assign(std::uint64_t epoch, std::uint64_t from, std::uint64_t step,
              BatchInfo& info) override {
    const BatchOrder& order = orders_.of(epoch);
    const std::uint64_t place = split_.position(from, step);
    const std::uint64_t batch = place % order.size();  // behind the end it is padding
    const std::uint64_t first = order.first(batch);
    const std::uint64_t count = order.first(batch + 1) - first;
    check_size(count);
    order.read(batch, resized(info, count));
    check_indices(info, source_size_, orders_.sampler());
    const std::uint64_t padding = place < order.size() ? 0 : order.first(order.size());
    std::iota(info.positions.begin(), info.positions.end(), padding + first);
    info.count = info.samples = static_cast<std::size_t>(count);
  }
  void prepare(std::uint64_t epoch) override { orders_.prepare(epoch); }

 private:
  void check_size(std::uint64_t count) const {
    if (count >= 1 && count <= max_batch_size()) return;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("batch sampler {}: a batch of {} samples, it must have from 1 to {}",
                            sampler_text(), count, max_batch_size()));
  }

  EpochOrders<BatchSampler> orders_;
  RankSplit split_;
  std::uint64_t source_size_;
};

/// Makes another schedule's batches equally large: behind the samples comes padding.
class PaddedSchedule final : public BatchSchedule {
 public:
  PaddedSchedule(std::unique_ptr<BatchSchedule> schedule, std::size_t batch_size)
      : schedule_(std::move(schedule)), batch_size_(batch_size) {}

  std::uint64_t size() const override { return schedule_->size(); }
  std::uint64_t size_in(std::uint64_t epoch) const override { return schedule_->size_in(epoch); }
  std::size_t max_batch_size() const override { return batch_size_; }
  std::uint64_t steps(std::uint64_t from) const override { return schedule_->steps(from); }
  std::uint64_t steps_in(std::uint64_t epoch, std::uint64_t from) const override {
    return schedule_->steps_in(epoch, from);
  }
  bool epochs_differ() const override { return schedule_->epochs_differ(); }
  std::uint64_t position_after(std::uint64_t from, std::uint64_t steps) const override {
    return schedule_->position_after(from, steps);
  }
  std::string sampler_text() const override { return schedule_->sampler_text(); }
  /// The last sample's index and position stand for what is behind it.
  void assign(std::uint64_t epoch, std::uint64_t from, std::uint64_t step,
              BatchInfo& info) override {
    schedule_->assign(epoch, from, step, info);
    info.indices.resize(batch_size_, info.indices.back());
    info.positions.resize(batch_size_, info.positions.back());
    info.valid.resize(batch_size_, 0);
    info.count = batch_size_;
  }
  void prepare(std::uint64_t epoch) override { schedule_->prepare(epoch); }

 private:
  std::unique_ptr<BatchSchedule> schedule_;
  std::size_t batch_size_;
};

std::unique_ptr<BatchSchedule> make_plain_schedule(const LoaderOptions& options,
                                                   std::uint64_t source_size) {
  if (options.batch_sampler) return std::make_unique<WholeBatchSchedule>(options, source_size);
  return std::make_unique<SampleSchedule>(options, source_size);
}

}  // namespace

std::unique_ptr<BatchSchedule> make_schedule(const LoaderOptions& options,
                                             std::uint64_t source_size) {
  auto schedule = make_plain_schedule(options, source_size);
  if (!options.static_batch) return schedule;
  const std::size_t batch_size =
      options.batch_sampler ? schedule->max_batch_size() : options.batch_size;
  return std::make_unique<PaddedSchedule>(std::move(schedule), batch_size);
}

}  // namespace stoker
