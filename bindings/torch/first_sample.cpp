#include "bindings/torch/first_sample.hpp"

#include <stoker/core/error.hpp>

#include <fmt/format.h>

#include <exception>
#include <new>

namespace stoker::torch {
namespace {

/// What is thrown becomes an Error, as on a worker.
std::shared_ptr<const TensorProducer> learn(const SampleSource& source, std::size_t index) {
  const SampleContext context{index, fmt::format("get({})", index), {}, {}};
  if (source.size && index >= *source.size) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the sampler asks for index {} of a dataset of {} samples", index,
                            *source.size),
                context);
  }
  try {
    return std::make_shared<TensorProducer>(source, index);
  } catch (const Error& error) {
    throw Error(error.code(), error.message(), context);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorCode::user_code, error.what(), context);
  } catch (...) {
    throw Error(ErrorCode::user_code, "something was thrown that is no std::exception", context);
  }
}

}  // namespace

std::shared_ptr<const TensorProducer> learn_samples(const SampleSource& source,
                                                    std::span<const std::size_t> candidates,
                                                    OnError on_error) {
  for (std::size_t i = 0;; ++i) {
    try {
      return learn(source, candidates[i]);
    } catch (const Error&) {
      if (on_error == OnError::fail || i + 1 == candidates.size()) throw;
    }
  }
}

}  // namespace stoker::torch
