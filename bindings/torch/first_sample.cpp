#include "bindings/torch/first_sample.hpp"

#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <exception>
#include <new>
#include <optional>

namespace stoker::torch {
namespace {

/// What is thrown becomes an Error, as on a worker.
std::shared_ptr<const TensorProducer> learn(const SampleSource& source, std::size_t index,
                                            const TensorProducer::Failures& failures) {
  const SampleContext context{index, fmt::format("get({})", index), {}, {}};
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

std::shared_ptr<const TensorProducer> learn_samples(const SampleSource& source,
                                                    std::span<const std::size_t> candidates) {
  TensorProducer::Failures failures;
  std::optional<Error> first;
  for (const std::size_t index : candidates) {
    try {
      return learn(source, index, failures);
    } catch (const Error& error) {
      if (!first) first = error;
      failures.emplace(index, Failure{error.code(), error.message()});
    }
  }
  throw *first;
}

}  // namespace stoker::torch
