#pragma once

#include <stoker/core/error.hpp>
#include <stoker/distributed/communicator.hpp>
#include <stoker/torch/c10d.hpp>

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#ifdef STOKER_TORCH_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace stoker::testing {

/// Longer than any machine takes: for what must not run into a timeout.
constexpr std::chrono::milliseconds patient{60'000};
/// For what must.
constexpr std::chrono::milliseconds impatient{200};

/// A file that FileStores meet in. It need not exist before; it is removed in the end.
class StoreFile {
 public:
  explicit StoreFile(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("stoker-c10d-" + name + "-" + std::to_string(::getpid()))) {
    std::filesystem::remove(path_);
  }
  ~StoreFile() { std::filesystem::remove(path_); }
  StoreFile(const StoreFile&) = delete;
  StoreFile& operator=(const StoreFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline c10::intrusive_ptr<c10d::Store> file_store(const std::string& path,
                                                  std::chrono::milliseconds timeout = patient) {
  auto store = c10::make_intrusive<c10d::FileStore>(path, -1);  // -1: of a number not known
  store->setTimeout(timeout);
  return store;
}

/// The server listens on a port of its own choice where `port` is 0.
inline c10::intrusive_ptr<c10d::TCPStore> tcp_store(bool is_server, std::uint16_t port,
                                                    std::chrono::milliseconds timeout = patient) {
  c10d::TCPStoreOptions options;
  options.port = port;
  options.isServer = is_server;
  options.waitWorkers = false;
  options.timeout = timeout;
  return c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
}

#ifdef STOKER_TORCH_GLOO
/// A group over the loopback whose patience can end once its ranks have found each other.
class GlooGroup final : public c10d::ProcessGroupGloo {
 public:
  using c10d::ProcessGroupGloo::ProcessGroupGloo;

  void wait_no_longer_than(std::chrono::milliseconds timeout) {
    for (const auto& context : contexts_) context->setTimeout(timeout);
  }
};

inline c10::intrusive_ptr<GlooGroup> gloo_group(const c10::intrusive_ptr<c10d::Store>& store,
                                                std::uint64_t rank, std::uint64_t world_size) {
  auto options = c10d::ProcessGroupGloo::Options::create(patient);
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  return c10::make_intrusive<GlooGroup>(store, static_cast<int>(rank), static_cast<int>(world_size),
                                        options);
}
#endif

/// Makes a rank's communicator. Called once a rank, by the thread that uses it.
using Join = std::function<std::shared_ptr<Communicator>(std::uint64_t rank)>;

/// What communicators can stand on.
inline std::vector<std::string> ways() {
  return {
#ifdef STOKER_TORCH_GLOO
      "gloo",
#endif
      "hash_store", "file_store", "tcp_store"};
}

/// Returns how ranks of one process join a new run of so many.
inline Join meeting(const std::string& way, std::uint64_t world_size) {
  if (way == "hash_store")
    return [=, store = c10::make_intrusive<c10d::HashStore>()](std::uint64_t rank) {
      store->setTimeout(patient);
      return std::make_shared<torch::StoreCommunicator>(store, rank, world_size);
    };
  if (way == "tcp_store")
    return [=, server = tcp_store(true, 0)](std::uint64_t rank) {
      return std::make_shared<torch::StoreCommunicator>(tcp_store(false, server->getPort()), rank,
                                                        world_size);
    };
  const auto file = std::make_shared<StoreFile>(way);
  if (way == "file_store")
    return [=](std::uint64_t rank) {
      return std::make_shared<torch::StoreCommunicator>(file_store(file->path()), rank, world_size);
    };
#ifdef STOKER_TORCH_GLOO
  if (way == "gloo")
    return [=](std::uint64_t rank) {
      return std::make_shared<torch::ProcessGroupCommunicator>(
          gloo_group(file_store(file->path()), rank, world_size));
    };
#endif
  throw std::invalid_argument(way);
}

/// Runs `rank_main` once a rank, each on a thread of its own. Returns what each threw, "" where it
/// returned.
inline std::vector<std::string> on_threads(std::uint64_t world_size,
                                           const std::function<void(std::uint64_t)>& rank_main) {
  std::vector<std::string> thrown(world_size);
  std::vector<std::thread> threads;
  for (std::uint64_t rank = 0; rank < world_size; ++rank)
    threads.emplace_back([&, rank] {
      try {
        rank_main(rank);
      } catch (const std::exception& error) {
        thrown[rank] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

/// The same with a communicator for each.
inline std::vector<std::string> on_ranks(
    const std::string& way, std::uint64_t world_size,
    const std::function<void(const std::shared_ptr<Communicator>&)>& rank_main) {
  const Join join = meeting(way, world_size);
  return on_threads(world_size, [&](std::uint64_t rank) { rank_main(join(rank)); });
}

}  // namespace stoker::testing
