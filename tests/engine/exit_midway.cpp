// Ends while its loader works and batches are held: exit_midway host|simulated exit|static|global
#include "tests/engine/exit_midway.hpp"

#include <stoker/device/simulated.hpp>

int main(int count, char** arguments) {
  using namespace stoker;
  return testing::exit_midway_main(count, arguments, [](auto device, auto way) {
    return testing::exit_midway(device == "host" ? host() : simulated(1), way);
  });
}
