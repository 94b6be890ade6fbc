// One rank as a process of its own: c10d_rank WAY PLACE RANK WORLD_SIZE DYING. WAY is a store or
// "gloo" (tests/torch/c10d_meeting.hpp), PLACE its file or port. The ranks agree on a loader; then
// the rank DYING (none where there is no such rank) is killed, and the others say how they fare
// without it.
#include "tests/engine/fake_producer.hpp"
#include "tests/torch/c10d_meeting.hpp"
#include <stoker/engine/loader.hpp>

#include <csignal>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace stoker::testing {
namespace {

c10::intrusive_ptr<c10d::Store> store_at(const std::string& way, const std::string& place) {
  if (way == "tcp_store") return tcp_store(false, static_cast<std::uint16_t>(std::stoi(place)));
  return file_store(place);
}

std::shared_ptr<Communicator> join([[maybe_unused]] const std::string& way,
                                   const c10::intrusive_ptr<c10d::Store>& store, std::uint64_t rank,
                                   std::uint64_t world_size) {
#ifdef STOKER_TORCH_GLOO
  if (way == "gloo")
    return std::make_shared<torch::ProcessGroupCommunicator>(gloo_group(store, rank, world_size));
#endif
  return std::make_shared<torch::StoreCommunicator>(store, rank, world_size);
}

void make_loader(const std::shared_ptr<Communicator>& communicator) {
  LoaderOptions options{.num_workers = 0};
  options.rank = communicator->rank();
  options.world_size = communicator->world_size();
  options.communicator = communicator;
  const Loader loader(std::make_shared<FakeProducer>(12), options);
}

void run(const std::vector<std::string>& arguments) {
  const std::string& way = arguments.at(0);
  const auto store = store_at(way, arguments.at(1));
  const auto communicator =
      join(way, store, std::stoull(arguments.at(2)), std::stoull(arguments.at(3)));
  const std::uint64_t dying = std::stoull(arguments.at(4));
  make_loader(communicator);
  std::cout << "agreed\n" << std::flush;
  if (communicator->rank() == dying) std::raise(SIGKILL);
  if (dying < communicator->world_size()) store->setTimeout(impatient);
  make_loader(communicator);
  std::cout << "agreed again\n";
}

}  // namespace
}  // namespace stoker::testing

int main(int argc, char** argv) try {
  stoker::testing::run({argv + 1, argv + argc});
  return 0;
} catch (const std::exception& error) {
  std::cout << error.what() << '\n';
  return 1;
}
