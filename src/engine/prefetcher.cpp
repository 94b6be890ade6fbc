#include "src/engine/prefetcher.hpp"

#include <pthread.h>

#include <utility>

namespace stoker {

Prefetcher::Prefetcher(const Parameters& parameters)
    : p_(parameters),
      stream_(p_.host.device().create_stream()),
      clock_(p_.host.device(), p_.counters, p_.device_slots + p_.host.size()),
      ready_(p_.device_slots + 8) {
  if (!p_.threaded) return;
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "stoker-copy");
    copy_batches();
  });
}

Prefetcher::~Prefetcher() {
  close();
  if (thread_.joinable()) thread_.join();
  while (!in_flight_.empty()) free_oldest();
  p_.host.device().destroy_stream(stream_);
}

void Prefetcher::close() noexcept {
  p_.device.close();
  ready_.close();
}

void Prefetcher::copy_batches() {
  copy_until_closed();
  ready_.close();  // whoever waits for a batch would wait in vain
}

void Prefetcher::copy_until_closed() {
  while (Slot* full = next_full()) {
    const Timer timer;
    Slot* target = p_.device.take();
    if (target == nullptr) return;
    p_.counters.copy.blocked_on_output.add(timer.elapsed());
    transfer(*full, *target);
  }
}

/// While a batch is not complete there is time to wait for copies, so that host slots are free
/// again.
Slot* Prefetcher::next_full() {
  for (;;) {
    if (Slot* full = p_.upstream.try_next()) return full;
    if (in_flight_.empty()) break;
    free_oldest();
  }
  const Timer timer;
  Slot* full = p_.upstream.next({});
  p_.counters.copy.blocked_on_input.add(timer.elapsed());
  return full;
}

void Prefetcher::transfer(Slot& full, Slot& target) {
  const Timer timer;
  full.state.move(SlotState::full, SlotState::copying);
  target.state.move(SlotState::free, SlotState::copying);
  std::swap(full.info, target.info);
  if (!target.info.failure) copy(full, target);
  in_flight_.push_back(&full);
  target.state.move(SlotState::copying, SlotState::ready);
  p_.counters.copy.busy.add(timer.elapsed());
  p_.counters.copy.items.add();
  ready_.push(&target);
}

void Prefetcher::copy(Slot& from, Slot& to) {
  try {
    if (device_failure_) throw *std::exchange(device_failure_, std::nullopt);
    issue(from, to);
  } catch (const Error& error) {
    to.info.failure.emplace(error.code(), error.message(),
                            SampleContext{std::nullopt, "", to.info.epoch, to.info.number});
  }
}

void Prefetcher::issue(Slot& from, Slot& to) {
  Device& device = p_.host.device();
  for (std::size_t i = 0; i < to.used_count; ++i) device.wait(stream_, to.used[i]);
  to.used_count = 0;
  clock_.begin(stream_);
  const std::size_t bytes = p_.transfer.copy(from, to, to.info.count, stream_);
  device.record(from.copied, stream_);
  clock_.copied(stream_, bytes);
  p_.transfer.finish(to, to.info.count, stream_);
  clock_.finished(stream_);
  device.record(to.copied, stream_);
  p_.counters.bytes_copied.add(bytes);
}

void Prefetcher::free_oldest() {
  Slot& slot = *in_flight_.front();
  in_flight_.pop_front();
  try {
    p_.host.device().synchronize(slot.copied);
    clock_.collect();
  } catch (const Error& error) {
    device_failure_ = error;  // this batch is with the consumer already: the next one reports it
  }
  slot.state.move(SlotState::copying, SlotState::free);
  p_.host.put(slot);
}

Slot* Prefetcher::try_next() {
  if (!p_.threaded) {
    Slot* target = p_.device.try_take();
    if (target == nullptr) return nullptr;
    Slot* full = p_.upstream.try_next();
    if (full == nullptr) {
      p_.device.put(*target);
      return nullptr;
    }
    transfer(*full, *target);
    while (!in_flight_.empty()) free_oldest();
  }
  return ready_.try_pop().value_or(nullptr);
}

Slot* Prefetcher::next(Deadline deadline) {
  return p_.threaded ? ready_.pop(deadline).value_or(nullptr) : try_next();
}

}  // namespace stoker
