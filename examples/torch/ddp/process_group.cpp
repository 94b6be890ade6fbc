#include "process_group.hpp"

#include "../plain_message.hpp"
#include <stoker/core/error.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <unistd.h>
#ifdef WITH_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#ifdef WITH_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <system_error>

namespace examples {
namespace {

using stoker::Error;
using stoker::ErrorCode;
using stoker::Ranks;

std::string environment(const std::string& name) {
  const auto value = stoker::process_environment(name);
  if (!value)
    throw Error(ErrorCode::bad_environment, "a launcher sets " + name + "; it is missing");
  return *value;
}

/// Rank 0 keeps the store, unless torchrun does.
StorePtr launchers_store(const Ranks& ranks) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(std::stoi(environment("MASTER_PORT")));
  options.numWorkers = ranks.world_size;
  options.isServer =
      ranks.rank == 0 && stoker::process_environment("TORCHELASTIC_USE_AGENT_STORE") != "True";
  return c10::make_intrusive<c10d::TCPStore>(environment("MASTER_ADDR"), options);
}

StorePtr file_store(const std::filesystem::path& file, const Ranks& ranks) {
  return c10::make_intrusive<c10d::FileStore>(file.string(), static_cast<int>(ranks.world_size));
}

/// What a child process does. It never returns to the parent's code.
[[noreturn]] void run_child(const RankMain& rank_main, const Ranks& ranks,
                            const std::filesystem::path& file) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  int status = 1;
  try {
    status = rank_main(ranks, file_store(file, ranks));
  } catch (const std::exception& error) {
    std::cerr << "rank " + std::to_string(ranks.rank) + ": " + plain_message(error) + '\n';
  }
  std::exit(status);
}

/// A template, so that it may ask for what a group of an earlier LibTorch has not.
template <class Group>
void shut_down_where_possible(Group& group) {
  if constexpr (requires { group.shutdown(); }) group.shutdown();
}

/// The rank of each child process that has not ended.
using Children = std::map<pid_t, int>;

void end_all(const Children& children) {
  for (const auto& [child, rank] : children) ::kill(child, SIGTERM);
}

/// A rank that a signal ends cannot say so itself.
void report_signal(int rank, int signal) {
  std::cerr << "rank " + std::to_string(rank) + " was ended by signal " + std::to_string(signal) +
                   " (" + ::strsignal(signal) + ")\n";
}

/// Waits for all; ends the others where one fails, since they would wait for it.
int wait_for(Children children) {
  int result = 0;
  while (!children.empty()) {
    int status = 0;
    const pid_t ended = ::wait(&status);
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0) throw std::system_error(errno, std::generic_category(), "a rank is lost");
    const auto child = children.extract(ended);
    if (child.empty()) continue;
    const bool by_us = result != 0 && WTERMSIG(status) == SIGTERM;
    if (WIFSIGNALED(status) && !by_us) report_signal(child.mapped(), WTERMSIG(status));
    const int failed = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (failed == 0 || result != 0) continue;
    result = failed;
    end_all(children);
  }
  return result;
}

}  // namespace

ProcessGroupPtr make_group([[maybe_unused]] const StorePtr& store,
                           [[maybe_unused]] const Ranks& ranks, c10::Device device) {
#ifdef WITH_NCCL
  if (device.is_cuda()) {
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, static_cast<int>(ranks.rank),
                                                       static_cast<int>(ranks.world_size));
  }
#endif
#ifdef WITH_GLOO
  if (device.is_cpu()) {
    auto options = c10d::ProcessGroupGloo::Options::create();
    options->devices.push_back(c10d::ProcessGroupGloo::createDefaultDevice());
    return c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(ranks.rank),
                                                       static_cast<int>(ranks.world_size), options);
  }
#endif
  throw Error(
      ErrorCode::unsupported,
      "this program was built without a process group for " + device.str() +
          ": Gloo for the CPU and NCCL for CUDA need LibTorch to have them, and their headers");
}

void shut_down(ProcessGroup& group) { shut_down_where_possible(group); }

int run_ranks(int world_size, const RankMain& rank_main) {
  const Ranks launched = stoker::find_ranks();
  if (launched.origin != "one process") return rank_main(launched, launchers_store(launched));
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("torch_ddp-" + std::to_string(::getpid()));
  std::filesystem::remove(file);  // a run that was killed may have left it
  ::signal(SIGCHLD, SIG_DFL);     // who ignores it is not told how ranks end
  Children children;
  for (int rank = 0; rank < world_size; ++rank) {
    const auto number = static_cast<std::uint64_t>(rank);
    const auto size = static_cast<std::uint64_t>(world_size);
    const pid_t child = ::fork();
    if (child == 0) run_child(rank_main, {number, size, number, size, "a fork"}, file);
    if (child < 0) {
      const std::system_error error(errno, std::generic_category(), "a rank cannot be started");
      end_all(children);
      throw error;
    }
    children.emplace(child, rank);
  }
  const int result = wait_for(std::move(children));
  std::filesystem::remove(file);
  return result;
}

}  // namespace examples
