#pragma once

#include "tests/engine/fake_producer.hpp"
#include <stoker/engine/loader.hpp>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>

namespace stoker::testing {

/// Queues long work on a stream; nothing where the device needs none.
using OccupyStream = std::function<void(StreamRef)>;

/// A loader and what its consumer holds while copies are in flight.
class ConsumerMidway {
 public:
  ConsumerMidway(const DevicePtr& device, const OccupyStream& occupy)
      : options_(options_for(device)),
        loader_(std::make_shared<FakeProducer>(100'000, false, 1 << 20), options_),
        epoch_(loader_.epoch(0)),
        first_(*epoch_.next()),
        second_(*epoch_.next()) {
    std::optional<Batch> third = epoch_.next();
    if (occupy) occupy(options_.stream);
    third->release();  // the copy that takes its place waits for the work
  }

 private:
  static LoaderOptions options_for(const DevicePtr& device) {
    LoaderOptions options;
    options.device = device;
    if (device->id().kind == DeviceId::Kind::cuda) options.stream = device->create_stream();
    options.batch_size = 16;
    options.num_workers = 2;
    options.device_prefetch = 3;
    return options;
  }

  LoaderOptions options_;
  Loader loader_;
  Epoch epoch_;
  Batch first_, second_;
};

/// Destroyed after what the loader makes at its first use, since it is there before.
inline std::optional<ConsumerMidway> global_midway;

/// Ends the process while a loader works: in the middle of a function, with the loader in a
/// function's static variable, or in a global one. Returns the exit status of main.
inline int exit_midway(const DevicePtr& device, std::string_view way,
                       const OccupyStream& occupy = {}) {
  if (way == "exit") {
    const ConsumerMidway consumer(device, occupy);
    std::exit(0);
  }
  if (way == "static") static const ConsumerMidway consumer(device, occupy);
  if (way == "global") global_midway.emplace(device, occupy);
  return 0;
}

/// What main does: `run` is given the program's two arguments, device and way.
template <class Run>
int exit_midway_main(int count, char** arguments, Run run) {
  if (count != 3) return 2;
  try {
    return run(std::string_view(arguments[1]), std::string_view(arguments[2]));
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

}  // namespace stoker::testing
