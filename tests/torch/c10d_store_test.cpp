// What is a store's own: its keys, its timeout and what it throws.
#include "tests/error_of.hpp"
#include "tests/torch/c10d_meeting.hpp"
#include <stoker/distributed/agreement.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace stoker::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using torch::StoreCommunicator;

TEST(StoreCommunicator, KeepsApartFromOthersOverTheSameStore) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto thrown = on_threads(2, [&](std::uint64_t rank) {
    const std::string name = std::to_string(rank);
    StoreCommunicator first(store, rank, 2);
    StoreCommunicator second(store, rank, 2);
    StoreCommunicator prefixed(store, rank, 2, "mine");
    EXPECT_THAT(second.all_gather("second" + name), ElementsAre("second0", "second1"));
    EXPECT_THAT(prefixed.all_gather("mine" + name), ElementsAre("mine0", "mine1"));
    EXPECT_THAT(first.all_gather("first" + name), ElementsAre("first0", "first1"));
  });
  EXPECT_THAT(thrown, Each(IsEmpty()));
}

TEST(StoreCommunicator, LeavesRoundsThatAreOverBehindNoLongerThanTheLastTwo) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto thrown = on_threads(2, [&](std::uint64_t rank) {
    StoreCommunicator communicator(store, rank, 2);
    for (int round = 0; round < 100; ++round)
      EXPECT_THAT(communicator.all_gather("x"), ElementsAre("x", "x"));
  });
  EXPECT_THAT(thrown, Each(IsEmpty()));
  // Each rank's number and its last two messages, and how many were received.
  EXPECT_EQ(store->getNumKeys(), 2 * (1 + 2) + 1);
}

TEST(StoreCommunicator, RefusesNoStoreAndARankThatIsNone) {
  EXPECT_THAT(error_of([] { StoreCommunicator({}, 0, 1); }, ErrorCode::invalid_argument),
              HasSubstr("null"));
  const auto store = c10::make_intrusive<c10d::HashStore>();
  for (const std::uint64_t world_size : {0U, 3U})
    EXPECT_THAT(
        error_of([&] { StoreCommunicator(store, 3, world_size); }, ErrorCode::invalid_argument),
        HasSubstr("rank 3 of " + std::to_string(world_size)));
}

/// Fails where it is told to.
class BrokenStore final : public c10d::HashStore {
 public:
  explicit BrokenStore(std::string broken) : broken_(std::move(broken)) {}

  std::int64_t add(const std::string& key, std::int64_t value) override {
    fail_if("add");
    return HashStore::add(key, value);
  }
  void set(const std::string& key, const std::vector<std::uint8_t>& value) override {
    fail_if("set");
    HashStore::set(key, value);
  }
  std::vector<std::uint8_t> get(const std::string& key) override {
    fail_if("get");
    return HashStore::get(key);
  }

 private:
  void fail_if(const std::string& call) const {
    if (call == broken_) throw std::runtime_error("no " + call + " today");
  }

  std::string broken_;
};

TEST(StoreCommunicator, PassesOnWhatTheStoreSays) {
  for (const std::string call : {"add", "set", "get"})
    EXPECT_THAT(error_of(
                    [&] {
                      StoreCommunicator communicator(c10::make_intrusive<BrokenStore>(call), 0, 1);
                      communicator.all_gather("x");
                    },
                    ErrorCode::communication_error),
                HasSubstr("no " + call + " today"));
}

/// What the only rank of two that has come throws.
std::string alone(const c10::intrusive_ptr<c10d::Store>& store, std::uint64_t rank) {
  StoreCommunicator communicator(store, rank, 2);
  return error_of([&] { agree(communicator, {}); }, ErrorCode::communication_error);
}

TEST(StoreCommunicator, WaitsForARankThatNeverComesAsLongAsTheStoreDoes) {
  for (const std::uint64_t rank : {0U, 1U}) {
    const std::string missing = "the message of rank " + std::to_string(1 - rank) + " of 2: ";
    const auto hash_store = c10::make_intrusive<c10d::HashStore>();
    hash_store->setTimeout(impatient);
    EXPECT_THAT(alone(hash_store, rank), HasSubstr(missing));
    const StoreFile file("impatient");
    EXPECT_THAT(alone(file_store(file.path(), impatient), rank), HasSubstr(missing));
    const auto server = tcp_store(true, 0);
    const auto client = tcp_store(false, server->getPort());
    client->setTimeout(impatient);
    EXPECT_THAT(alone(client, rank), HasSubstr(missing));
  }
}

TEST(StoreCommunicator, IsOfNoUseBehindACallThatFailed) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  store->setTimeout(impatient);
  StoreCommunicator communicator(store, 0, 2);
  error_of([&] { communicator.all_gather("x"); }, ErrorCode::communication_error);
  StoreCommunicator late(store, 1, 2);
  EXPECT_THAT(late.all_gather("y"), ::testing::ElementsAre("x", "y"));
  EXPECT_THAT(error_of([&] { communicator.all_gather("z"); }, ErrorCode::communication_error),
              HasSubstr("an earlier call failed"));
}

TEST(StoreCommunicator, LetsRankZeroEndTheServerOnceItHasItsMessages) {
  constexpr std::uint64_t world_size = 3;
  for (int round = 0; round < 30; ++round) {
    auto server = tcp_store(true, 0);
    const std::uint16_t port = server->getPort();
    const auto thrown = on_threads(world_size, [&](std::uint64_t rank) {
      c10::intrusive_ptr<c10d::Store> store =
          rank == 0 ? std::move(server) : tcp_store(false, port);
      StoreCommunicator communicator(std::move(store), rank, world_size);
      EXPECT_THAT(communicator.all_gather(std::to_string(rank)), ElementsAre("0", "1", "2"));
    });
    EXPECT_THAT(thrown, Each(IsEmpty()));
  }
}

TEST(StoreCommunicator, FailsWhereTheServerHasGone) {
  auto server = tcp_store(true, 0);
  StoreCommunicator communicator(tcp_store(false, server->getPort()), 0, 1);
  EXPECT_THAT(communicator.all_gather("x"), ElementsAre("x"));
  server.reset();
  EXPECT_THAT(error_of([&] { communicator.all_gather("y"); }, ErrorCode::communication_error),
              HasSubstr("the store did not"));
}

}  // namespace
}  // namespace stoker::testing
