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

ReaderPool::Reader* ReaderPool::take_or_make() {
  const std::lock_guard lock(mutex_);
  if (Reader* reader = take_free()) return reader;  // given back meanwhile
  if (!more_free_.empty()) {
    Reader* reader = more_free_.back();
    more_free_.pop_back();
    return reader;
  }
  more_free_.reserve(readers_.size() + 1);  // giving back then allocates nothing
  readers_.push_back(std::make_unique<Reader>(
      Reader{source_.copy(), std::vector<at::Tensor>(source_.fields.size())}));
  return readers_.back().get();
}

ReaderPool::Loan ReaderPool::borrow() {
  Reader* reader = take_free();
  return {*this, reader != nullptr ? reader : take_or_make()};
}

void ReaderPool::give_back(Reader* reader) noexcept {
  for (at::Tensor& tensor : reader->tensors) tensor.reset();
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
