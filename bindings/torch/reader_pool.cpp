#include "bindings/torch/reader_pool.hpp"

namespace stoker::torch {
namespace {

/// Where this thread looks first: another place for each of the threads that come one behind the
/// other.
std::size_t own_place() noexcept {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t place = threads.fetch_add(1, std::memory_order_relaxed);
  return place;
}

}  // namespace

ReaderPool::Reader* ReaderPool::take_free() noexcept {
  const std::size_t first = own_place();
  for (std::size_t i = 0; i < places; ++i) {
    std::atomic<Reader*>& place = free_[(first + i) % places].reader;
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    if (Reader* reader = place.exchange(nullptr, std::memory_order_acquire)) return reader;
  }
  return nullptr;
}

ReaderPool::Reader* ReaderPool::take_from_list() {
  const std::lock_guard lock(mutex_);
  if (more_free_.empty()) return nullptr;
  Reader* reader = more_free_.back();
  more_free_.pop_back();
  return reader;
}

/// A copy constructor may be slow: those who give copies back do not wait for it.
ReaderPool::Reader* ReaderPool::take_or_make() {
  if (Reader* reader = take_from_list()) return reader;
  const std::lock_guard one_at_a_time(copying_);
  if (Reader* reader = take_free()) return reader;  // given back meanwhile
  if (Reader* reader = take_from_list()) return reader;
  auto made = std::make_unique<Reader>(source_.copy(), source_.fields.size());
  const std::lock_guard lock(mutex_);
  more_free_.reserve(readers_.size() + 1);  // giving back then allocates nothing
  readers_.push_back(std::move(made));
  return readers_.back().get();
}

std::vector<std::uint64_t> ReaderPool::being_read() {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> indices;
  for (const auto& reader : readers_) {
    const std::uint64_t index = reader->index.load(std::memory_order_relaxed);
    if (index != Reader::none) indices.push_back(index);
  }
  return indices;
}

ReaderPool::Loan ReaderPool::borrow() {
  Reader* reader = take_free();
  return {*this, reader != nullptr ? reader : take_or_make()};
}

void ReaderPool::give_back(Reader* reader) noexcept {
  for (at::Tensor& tensor : reader->tensors) tensor.reset();
  reader->index.store(Reader::none, std::memory_order_relaxed);
  const std::size_t first = own_place();
  for (std::size_t i = 0; i < places; ++i) {
    std::atomic<Reader*>& place = free_[(first + i) % places].reader;
    Reader* expected = nullptr;
    if (place.compare_exchange_strong(expected, reader, std::memory_order_release,
                                      std::memory_order_relaxed)) {
      return;
    }
  }
  const std::lock_guard lock(mutex_);
  more_free_.push_back(reader);
}

}  // namespace stoker::torch
