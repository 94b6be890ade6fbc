#pragma once

#include <stoker/core/error.hpp>
#include <stoker/distributed/communicator.hpp>
#include <stoker/distributed/ranks.hpp>

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace stoker {

/// Something that must be the same on all ranks, e.g. {"seed", "42"}. The value may be any bytes.
struct Fact {
  std::string name;
  std::string value;

  friend bool operator==(const Fact&, const Fact&) = default;
};

/// What a rank states about itself before it works with the others.
struct Statement {
  /// Each name once. On all ranks the same names with the same values, in any order.
  std::vector<Fact> facts;
  /// Checked to be a full set over all ranks: each part of the data on equally many ranks.
  std::optional<DataRanks> data = {};
};

/// Exchanges the ranks' statements and returns where they agree. Collective: see
/// Communicator::all_gather. Where they do not agree, every rank throws the same error at once; it
/// names the facts and which ranks hold which value.
/// @throws Error(ranks_disagree), also where another rank took part with a failure, or with
/// something that is no statement of this version of stoker; Error(invalid_argument) for a name
/// that comes twice, which the other ranks are told.
void agree(Communicator& communicator, const Statement& statement);

/// Takes part in the others' `agree` where this rank cannot: they throw
/// Error(ranks_disagree) with this rank's number and message instead of waiting for it for ever.
/// Does not throw for the failure itself; the caller goes on to throw its own error. Where the
/// exchange fails too, that is left unsaid: the failure that is reported came first.
void report_failure(Communicator& communicator, const std::string& message);

/// Runs what may fail on one rank alone (opening a source, reading a file) ahead of `agree`, and
/// tells the others where it throws. Returns what `prepare` returns; the caller must then call
/// `agree`, as the other ranks do. @throws what `prepare` throws.
template <class Prepare>
std::invoke_result_t<Prepare> prepare_or_report(Communicator& communicator, Prepare&& prepare) {
  try {
    return std::forward<Prepare>(prepare)();
  } catch (const std::exception& error) {
    report_failure(communicator, error.what());
    throw;
  } catch (...) {
    report_failure(communicator, "an exception that is no std::exception");
    throw;
  }
}

}  // namespace stoker
