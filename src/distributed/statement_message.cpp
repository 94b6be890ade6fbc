#include "src/distributed/statement_message.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace stoker {
namespace {

using nlohmann::json;

constexpr const char* kind = "stoker statement, version 1";

json data_of(const Statement& statement) {
  if (!statement.data) return nullptr;
  return {statement.data->rank, statement.data->world_size};
}

Statement statement_of(const json& content) {
  Statement statement;
  for (const json& fact : content.at("facts"))
    statement.facts.push_back({fact.at(0).get<std::string>(), fact.at(1).get<std::string>()});
  const json& data = content.at("data");
  if (!data.is_null())
    statement.data = {data.at(0).get<std::uint64_t>(), data.at(1).get<std::uint64_t>()};
  return statement;
}

StatementMessage message_of(const json& content) {
  if (content.contains("failure")) return {.failure = content.at("failure").get<std::string>()};
  return {.statement = statement_of(content)};
}

}  // namespace

// CBOR, since a JSON text could not hold values of any bytes.
std::string encode(const StatementMessage& message) {
  json content = {{"kind", kind}};
  if (message.failure) {
    content["failure"] = *message.failure;
  } else {
    content["facts"] = json::array();
    for (const Fact& fact : message.statement.facts)
      content["facts"].push_back(json::array({fact.name, fact.value}));
    content["data"] = data_of(message.statement);
  }
  std::string bytes;
  json::to_cbor(content, bytes);
  return bytes;
}

std::optional<StatementMessage> decode(const std::string& bytes) {
  try {
    const json content = json::from_cbor(bytes);
    if (content.at("kind") != kind) return std::nullopt;
    return message_of(content);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace stoker
