#include "src/device/pinned_memory.hpp"

#include "src/device/cuda_error.hpp"
#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>

namespace stoker {
namespace {

/// A wish: where the system refuses it, the pages lie where they are first written.
void prefer_node(void* memory, std::size_t bytes, unsigned node) {
  constexpr std::size_t bits = 8 * sizeof(unsigned long);
  std::array<unsigned long, 16> mask{};
  if (node >= mask.size() * bits) return;
  mask[node / bits] = 1UL << node % bits;
  ::syscall(SYS_mbind, memory, bytes, MPOL_PREFERRED, mask.data(), mask.size() * bits, 0);
}

std::string limit_text(__rlimit_resource_t resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return "unknown memory";
  return limit.rlim_cur == RLIM_INFINITY ? "any memory"
                                         : fmt::format("{} kB", limit.rlim_cur / 1024);
}

double free_megabytes() {
  return static_cast<double>(::sysconf(_SC_AVPHYS_PAGES)) *
         static_cast<double>(::sysconf(_SC_PAGESIZE)) * 1e-6;
}

}  // namespace

std::optional<int> node_near(int ordinal) {
  std::array<char, 32> bus_id{};
  STOKER_CUDA(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), ordinal));
  std::string id(bus_id.data());
  std::ranges::transform(id, id.begin(), [](unsigned char c) { return std::tolower(c); });
  std::ifstream file("/sys/bus/pci/devices/" + id + "/numa_node");
  int node = -1;
  if (!(file >> node) || node < 0) return std::nullopt;
  return node;
}

std::size_t mapped_bytes(std::size_t bytes) noexcept {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return std::max<std::size_t>(1, (bytes + page - 1) / page) * page;
}

void* map_near_device(std::size_t bytes, int ordinal) {
  const std::size_t size = mapped_bytes(bytes);
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(
        ErrorCode::out_of_memory,
        pinning_failure(bytes, "mmap failed with " + std::generic_category().message(errno)));
  }
  ::madvise(memory, size, MADV_HUGEPAGE);
  if (const auto node = node_near(ordinal)) prefer_node(memory, size, static_cast<unsigned>(*node));
  return memory;
}

void unmap(void* memory, std::size_t bytes) noexcept { ::munmap(memory, mapped_bytes(bytes)); }

std::string pinning_failure(std::size_t bytes, std::string_view cause) {
  return fmt::format(
      "{:.1f} MB of host memory could not be pinned: {}; the process may lock {} (ulimit -l) and "
      "map "
      "{} (ulimit -v), the machine has {:.1f} MB free. Lower prefetch or batch_size, or go on with "
      "pin_memory = false",
      static_cast<double>(bytes) * 1e-6, cause, limit_text(RLIMIT_MEMLOCK), limit_text(RLIMIT_AS),
      free_megabytes());
}

}  // namespace stoker
