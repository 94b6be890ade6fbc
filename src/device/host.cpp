#include "src/device/finish_on_host.hpp"
#include "src/device/resize_on_host.hpp"
#include <stoker/core/error.hpp>
#include <stoker/device/device.hpp>

#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace stoker {
namespace {

// Fewer and larger page faults in the first batches; smaller blocks would only waste memory.
constexpr std::size_t huge_page = std::size_t{2} << 20;

class HostDevice final : public Device {
 public:
  DeviceId id() const override { return {DeviceId::Kind::cpu, 0}; }
  bool zero_copy() const override { return true; }

  // Mapped rather than taken from the heap: untouched pages cost nothing and go to the NUMA node of
  // the thread that first writes them, and freeing gives them back to the system.
  void* allocate_host(std::size_t bytes) override {
    void* memory =
        ::mmap(nullptr, mapped(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw Error(ErrorCode::out_of_memory,
                  fmt::format("the host has no {} bytes for a slot: {}", bytes,
                              std::generic_category().message(errno)));
    // A wish only: where it is refused, small pages do as well.
    if (bytes >= huge_page) ::madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
  }
  void free_host(void* memory, std::size_t bytes) noexcept override {
    if (memory != nullptr) ::munmap(memory, mapped(bytes));
  }
  void* allocate_device(std::size_t bytes) override { return allocate_host(bytes); }
  void free_device(void* memory, std::size_t bytes) noexcept override { free_host(memory, bytes); }

  StreamRef create_stream() override { return {next_handle()}; }
  void destroy_stream(StreamRef) noexcept override {}
  EventRef create_event() override { return {next_handle()}; }
  EventRef create_timed_event() override { return {next_handle()}; }
  void destroy_event(EventRef) noexcept override {}

  void copy_to_device(void* device, const void* host, std::size_t bytes, StreamRef) override {
    if (bytes != 0) std::memcpy(device, host, bytes);
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes, StreamRef stream) override {
    copy_to_device(to, from, bytes, stream);
  }
  void finish(const FinishTask& task, StreamRef) override { finish_on_host(task); }
  void resize(const ResizeTask& task, StreamRef) override { resize_on_host(task); }
  void record(EventRef, StreamRef) override {}
  void wait(StreamRef, EventRef) override {}
  bool completed(EventRef) override { return true; }
  std::chrono::nanoseconds elapsed(EventRef, EventRef) override { return {}; }
  void synchronize(EventRef) override {}

 private:
  static std::size_t mapped(std::size_t bytes) noexcept { return bytes == 0 ? 1 : bytes; }
  std::uintptr_t next_handle() noexcept { return last_handle_.fetch_add(1) + 1; }

  std::atomic<std::uintptr_t> last_handle_{0};
};

}  // namespace

DevicePtr host() {
  // Never destroyed: what is static itself may free its memory later.
  static const DevicePtr* const device = new DevicePtr(std::make_shared<HostDevice>());
  return *device;
}

}  // namespace stoker
