#include "bench/device_feed/feed.hpp"

#include "bench/small_tensors.hpp"

namespace stoker::bench {

std::shared_ptr<SmallTensors> Feed::tensors() const {
  return std::make_shared<SmallTensors>(options.batches * options.batch_size, options.sample_bytes);
}

LoaderOptions Feed::loader_options(StreamRef stream) const {
  LoaderOptions result;
  result.batch_size = options.batch_size;
  result.num_workers = options.num_workers;
  result.prefetch = options.prefetch;
  result.device_prefetch = options.device_prefetch;
  result.device = device;
  result.stream = stream;
  return result;
}

}  // namespace stoker::bench
