#include <stoker/distributed/agreement.hpp>

#include "src/distributed/disagreement.hpp"
#include "src/distributed/rank_list.hpp"
#include "src/distributed/statement_message.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

namespace stoker {
namespace {

void check_names(const Statement& statement) {
  std::set<std::string_view> names;
  for (const Fact& fact : statement.facts)
    if (!names.insert(fact.name).second)
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("the statement has the fact {} twice", fact.name));
}

std::vector<std::string> exchange(Communicator& communicator, const StatementMessage& mine) {
  std::vector<std::string> all = communicator.all_gather(encode(mine));
  if (all.size() != communicator.world_size())
    throw Error(ErrorCode::invalid_state,
                fmt::format("the communicator of {} ranks gathered from {}",
                            communicator.world_size(), all.size()));
  return all;
}

/// @throws Error that lists the ranks whose bytes are no message.
std::vector<StatementMessage> decode_all(const std::vector<std::string>& all) {
  std::vector<StatementMessage> messages;
  std::vector<std::uint64_t> strange;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    std::optional<StatementMessage> message = decode(all[rank]);
    if (message)
      messages.push_back(std::move(*message));
    else
      strange.push_back(rank);
  }
  if (strange.empty()) return messages;
  throw Error(ErrorCode::ranks_disagree,
              fmt::format("{} sent no statement: another version of stoker, or another call",
                          rank_list(strange)));
}

void throw_failures(const std::vector<StatementMessage>& messages) {
  std::map<std::string, std::vector<std::uint64_t>> ranks_of;
  for (std::size_t rank = 0; rank < messages.size(); ++rank)
    if (messages[rank].failure) ranks_of[*messages[rank].failure].push_back(rank);
  std::vector<std::string> lines;
  for (const auto& [message, ranks] : ranks_of)
    lines.push_back(fmt::format("{} failed: {}", rank_list(ranks), message));
  if (!lines.empty())
    throw Error(ErrorCode::ranks_disagree, fmt::format("{}", fmt::join(lines, "; ")));
}

}  // namespace

void agree(Communicator& communicator, const Statement& statement) {
  prepare_or_report(communicator, [&] { check_names(statement); });
  const std::vector<StatementMessage> messages =
      decode_all(exchange(communicator, {.statement = statement}));
  throw_failures(messages);
  std::vector<Statement> statements;
  for (const StatementMessage& message : messages) statements.push_back(message.statement);
  const std::vector<std::string> lines = disagreements(statements);
  if (!lines.empty())
    throw Error(ErrorCode::ranks_disagree, fmt::format("{}", fmt::join(lines, "; ")));
}

void report_failure(Communicator& communicator, const std::string& message) {
  try {
    exchange(communicator, {.failure = message});
  } catch (const Error&) {
    // The caller throws what it reports, which says more than that it could not be told.
    return;
  }
}

}  // namespace stoker
