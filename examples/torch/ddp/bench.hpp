#pragma once

#include "trainer.hpp"

namespace examples {

/// Trains on photos over and over. Prints how many images a second this rank trains on and how long
/// it waits for batches, in the steps after the warm-up; rank 0 also all ranks' images. Collective.
void measure(const DdpSettings& settings, const Rank& rank);

}  // namespace examples
