#include "bindings/torch/first_sample.hpp"

#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace stoker::torch {
namespace {

std::string sample_name(std::size_t index) { return fmt::format("get({})", index); }

/// What is thrown becomes an Error, as on a worker.
std::shared_ptr<const TensorProducer> make_producer(const SampleSource& source, std::size_t index,
                                                    const TensorProducer::Failures& failures) {
  const SampleContext context{index, sample_name(index), {}, {}};
  if (source.size && index >= *source.size) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the sampler asks for index {} of a dataset of {} samples", index,
                            *source.size),
                context);
  }
  try {
    return std::make_shared<TensorProducer>(source, index, failures);
  } catch (const Error& error) {
    throw Error(error.code(), error.message(), context);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, "memory for the sample could not be allocated", context);
  } catch (const std::exception& error) {
    throw Error(ErrorCode::user_code, error.what(), context);
  } catch (...) {
    throw Error(ErrorCode::user_code, "something was thrown that is no std::exception", context);
  }
}

}  // namespace

SampleLearner::ProducerPtr SampleLearner::read_one(const SampleSource& source,
                                                   const std::vector<std::size_t>& candidates) {
  TensorProducer::Failures failures;
  std::optional<Error> first;
  for (const std::size_t index : candidates) {
    if (failures.contains(index)) continue;
    reading_.store(index, std::memory_order_relaxed);
    try {
      return make_producer(source, index, failures);
    } catch (const Error& error) {
      if (!first) first = error;
      failures.emplace(index, Failure{error.code(), error.message()});
    }
  }
  throw *first;
}

SampleLearner::ProducerPtr SampleLearner::learn(const SampleSource& source,
                                                std::vector<std::size_t> candidates,
                                                std::chrono::milliseconds timeout) {
  if (timeout.count() == 0) return read_one(source, candidates);
  if (!begun_.valid()) {
    begun_ = std::async(std::launch::async, [this, &source, candidates = std::move(candidates)] {
      return read_one(source, candidates);
    });
  }
  if (begun_.wait_for(timeout) == std::future_status::ready) return begun_.get();
  const std::size_t index = reading_.load(std::memory_order_relaxed);
  const std::string name = sample_name(index);
  throw Error(ErrorCode::timeout,
              fmt::format("no first sample within {} ms: {} is being read", timeout.count(), name),
              {index, name, {}, {}});
}

}  // namespace stoker::torch
