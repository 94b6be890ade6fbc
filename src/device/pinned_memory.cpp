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
    throw Error(ErrorCode::out_of_memory,
                fmt::format("the host has no {} bytes for a slot: {}", bytes,
                            std::generic_category().message(errno)));
  }
  ::madvise(memory, size, MADV_HUGEPAGE);
  if (const auto node = node_near(ordinal)) prefer_node(memory, size, static_cast<unsigned>(*node));
  return memory;
}

void unmap(void* memory, std::size_t bytes) noexcept { ::munmap(memory, mapped_bytes(bytes)); }

std::string locked_memory_limits() {
  rlimit limit{};
  std::string own = "the process's limit of locked memory (ulimit -l) is unknown";
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
    own = limit.rlim_cur == RLIM_INFINITY
              ? "the process may lock any memory (ulimit -l)"
              : fmt::format("the process may lock {} kB (ulimit -l)", limit.rlim_cur / 1024);
  }
  const auto pages = static_cast<double>(::sysconf(_SC_AVPHYS_PAGES));
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  return fmt::format("{}, the machine has {:.1f} MB free", own, pages * page * 1e-6);
}

}  // namespace stoker
