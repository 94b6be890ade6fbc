#include "src/engine/stuck_samples.hpp"

#include "src/engine/sample_filler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

namespace stoker {

std::string stuck_samples(SlotRing& ring, const Producer& producer) {
  constexpr std::size_t named = 3;
  std::array<std::size_t, 5> counts{};
  std::vector<std::string> examples;
  ring.for_each([&](Slot& slot) {
    for (const SampleWatch& watch : slot.watches) {
      const SamplePhase phase = watch.phase.load(std::memory_order_relaxed);
      ++counts[static_cast<std::size_t>(phase)];
      const bool running = phase == SamplePhase::reading || phase == SamplePhase::producing;
      if (!running || examples.size() == named) continue;
      const std::uint64_t index = watch.index.load(std::memory_order_relaxed);
      examples.push_back(fmt::format("sample {} \"{}\" is being {}", index,
                                     safe_name(producer, index),
                                     phase == SamplePhase::reading ? "read" : "produced"));
    }
  });
  return fmt::format(
      "{} samples wait to be read, {} are being read, {} wait for a worker, {} are "
      "being produced{}{}",
      counts[0], counts[1], counts[2], counts[3], examples.empty() ? "" : "; ",
      fmt::join(examples, "; "));
}

}  // namespace stoker
