#include <stoker/distributed/ranks.hpp>

#include <stoker/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <vector>

namespace stoker {
namespace {

using Number = std::optional<std::uint64_t>;

/// Names of a launcher's variables; "" where it has none.
struct Launcher {
  const char* origin;
  const char* rank;
  const char* world_size;
  const char* local_rank;
  const char* local_world_size;
};

constexpr Launcher torchrun = {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr Launcher plain = {"RANK and WORLD_SIZE", "RANK", "WORLD_SIZE", "LOCAL_RANK",
                            "LOCAL_WORLD_SIZE"};
constexpr Launcher open_mpi = {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                               "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Launcher pmi = {"PMI", "PMI_RANK", "PMI_SIZE", "", ""};
constexpr Launcher srun = {"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", ""};

/// The last step id that srun gives out: SLURM_MAX_NORMAL_STEP_ID in slurm.h.
constexpr std::uint64_t last_srun_step = 0xfffffff0;

constexpr const char* ways_out = "unset what is wrong, or pass rank and world_size explicitly";

[[noreturn]] void fail_environment(const std::string& message) {
  throw Error(ErrorCode::bad_environment, fmt::format("{}; {}", message, ways_out));
}

/// A variable's value as it may stand in a message: on one line, and not too long.
std::string shown(const std::string& value) {
  const std::string text = value.substr(0, 100);
  const bool printable = std::ranges::all_of(text, [](unsigned char c) { return std::isprint(c); });
  return printable ? text : fmt::format("{:?}", text);
}

/// The number that a whole text is; nothing where it is none or beyond 64 bits.
Number number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// One launcher's variables, and how to speak of them.
class Variables {
 public:
  Variables(const Launcher& launcher, const Environment& environment) : launcher_(launcher) {
    for (const char* name :
         {launcher.rank, launcher.world_size, launcher.local_rank, launcher.local_world_size})
      texts_.push_back(*name != '\0' ? environment(name) : std::nullopt);
  }

  bool any() const {
    for (const auto& text : texts_)
      if (text) return true;
    return false;
  }

  /// Reads and checks them. @throws Error(bad_environment)
  Ranks read() const;
  /// E.g. "RANK=1, WORLD_SIZE is not set".
  std::string text() const;

 private:
  const char* name(std::size_t i) const {
    return std::vector{launcher_.rank, launcher_.world_size, launcher_.local_rank,
                       launcher_.local_world_size}[i];
  }
  Number number(std::size_t i) const;
  void check(const Ranks& ranks) const;

  const Launcher& launcher_;
  std::vector<std::optional<std::string>> texts_;
};

std::string Variables::text() const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (texts_[i])
      parts.push_back(fmt::format("{}={}", name(i), shown(*texts_[i])));
    else if (i < 2)
      parts.push_back(fmt::format("{} is not set", name(i)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Number Variables::number(std::size_t i) const {
  if (!texts_[i]) return std::nullopt;
  const Number number = number_in(*texts_[i]);
  if (!number)
    fail_environment(
        fmt::format("{}={} is no number from 0 to 2^64 - 1", name(i), shown(*texts_[i])));
  return number;
}

void Variables::check(const Ranks& ranks) const {
  if (ranks.world_size == 0)
    fail_environment(fmt::format("{}: the world size must be at least 1", text()));
  if (ranks.rank >= ranks.world_size)
    fail_environment(fmt::format("{}: the rank must be below the world size", text()));
  const Number& size = ranks.local_world_size;
  if (ranks.local_rank && *ranks.local_rank >= size.value_or(ranks.world_size))
    fail_environment(fmt::format("{}: the local rank must be below the {}", text(),
                                 size ? "local world size" : "world size"));
  if (size && *size > ranks.world_size)
    fail_environment(fmt::format("{}: the local world size is larger than the world size", text()));
}

Ranks Variables::read() const {
  const Number rank = number(0);
  const Number world_size = number(1);
  if (!rank || !world_size) fail_environment(fmt::format("half set: {}", text()));
  Ranks ranks = {*rank, *world_size, number(2), number(3), launcher_.origin};
  check(ranks);
  return ranks;
}

bool is_step_of_srun(const Environment& environment) {
  const std::optional<std::string> text = environment("SLURM_STEP_ID");
  const Number step = text ? number_in(*text) : std::nullopt;
  return step && *step <= last_srun_step;
}

/// The innermost launcher around this process, torchrun apart.
std::optional<Variables> outer_variables(const Environment& environment) {
  std::vector<const Launcher*> launchers = {&open_mpi, &pmi};
  if (is_step_of_srun(environment)) launchers.push_back(&srun);
  for (const Launcher* launcher : launchers) {
    Variables variables(*launcher, environment);
    if (variables.any()) return variables;
  }
  return std::nullopt;
}

Ranks read_plain(const Variables& variables, const Environment& environment) {
  Ranks ranks = variables.read();
  const std::optional<Variables> outer = outer_variables(environment);
  if (!outer) return ranks;
  const Ranks others = outer->read();
  if (ranks.rank == others.rank && ranks.world_size == others.world_size) return ranks;
  fail_environment(
      fmt::format("{} (not set by torchrun: there is no TORCHELASTIC_RUN_ID) contradicts {} of {}",
                  variables.text(), outer->text(), others.origin));
}

Ranks explicit_ranks(Number rank, Number world_size) {
  if (!rank || !world_size)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is given without {}: rank and world_size go together",
                            rank ? "rank" : "world_size", rank ? "world_size" : "rank"));
  if (*rank >= *world_size)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("rank {} is not below world_size {}", *rank, *world_size));
  return {.rank = *rank, .world_size = *world_size, .origin = "explicit"};
}

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

Ranks find_ranks(std::optional<std::uint64_t> rank, std::optional<std::uint64_t> world_size,
                 const Environment& environment) {
  if (rank || world_size) return explicit_ranks(rank, world_size);
  if (environment("TORCHELASTIC_RUN_ID")) {
    const Variables variables(torchrun, environment);
    if (variables.any()) return variables.read();
  }
  const Variables variables(plain, environment);
  if (variables.any()) return read_plain(variables, environment);
  const std::optional<Variables> outer = outer_variables(environment);
  return outer ? outer->read() : Ranks();
}

}  // namespace stoker
