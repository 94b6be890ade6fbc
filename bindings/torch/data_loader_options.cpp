#include <stoker/torch/data_loader_options.hpp>

#include <stoker/core/error.hpp>
#include <stoker/engine/worker_pool.hpp>
#include <stoker/torch/device.hpp>

#include <algorithm>
#include <limits>

namespace stoker::torch {
namespace {

int as_int(std::size_t workers) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
  return static_cast<int>(std::min(workers, most));  // too many are refused by the loader
}

}  // namespace

LoaderOptions DataLoaderOptions::loader_options() const {
  if (batch_size_ == 0) {  // with which samplers would never come to an end
    throw Error(ErrorCode::invalid_argument, "batch_size is 0, it must be at least 1");
  }
  LoaderOptions options;
  options.batch_size = batch_size_;
  options.seed = seed_;
  options.num_workers = worker_pool_ ? worker_pool_->num_workers() : as_int(workers_);
  options.workers = worker_pool_;
  const std::size_t two_a_worker =
      2 * static_cast<std::size_t>(std::min(options.num_workers, 1024));  // more are refused
  options.prefetch = std::max<std::size_t>(1, max_jobs_.value_or(two_a_worker));
  options.drop_last = drop_last_;
  options.device = stoker_device_ ? stoker_device_ : torch::device(device_);
  options.device_prefetch = device_prefetch_;
  options.static_batch = static_batch_;
  options.delivery = enforce_ordering_ ? Delivery::in_order : Delivery::as_completed;
  options.on_error = on_error_;
  options.on_all_held = on_all_held_;
  constexpr std::chrono::hours for_ever{24 * 365 * 100};  // the clock's end is not much further
  options.timeout = timeout_.value_or(std::chrono::milliseconds(0));
  if (options.timeout > for_ever) options.timeout = std::chrono::milliseconds(0);
  return options;
}

::torch::data::FullDataLoaderOptions DataLoaderOptions::full_options() const {
  ::torch::data::DataLoaderOptions options(batch_size_);
  options.workers(worker_pool_ ? static_cast<std::size_t>(worker_pool_->num_workers()) : workers_);
  if (max_jobs_) options.max_jobs(*max_jobs_);
  if (timeout_) options.timeout(*timeout_);
  options.enforce_ordering(enforce_ordering_).drop_last(drop_last_);
  return ::torch::data::FullDataLoaderOptions(options);
}

}  // namespace stoker::torch
