#include "bench/device_feed/cupti.hpp"
#include "bench/device_feed/cupti_error.hpp"
#include "bench/device_feed/training_loop.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace stoker::bench {
namespace {

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

/// Copies and fills without "Async" in their names return when they are done.
bool synchronises(std::string_view name) {
  const bool moves = has(name, "Memcpy") || has(name, "Memset");
  return has(name, "Synchronize") || (moves && !has(name, "Async"));
}

bool allocates(std::string_view name) {
  static constexpr std::string_view parts[]{"Alloc",          "alloc",     "Free",  "HostRegister",
                                            "HostUnregister", "MemCreate", "MemMap"};
  return std::any_of(std::begin(parts), std::end(parts),
                     [name](std::string_view part) { return has(name, part); });
}

/// Is called by CUPTI on the thread that makes the call; only one thread is ever inside the loader.
void CUPTIAPI count_call(void* user, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite != CUPTI_API_ENTER || !InsideLoader::now()) return;
  auto& calls = *static_cast<ApiCalls*>(user);
  const std::string name = call.functionName;
  ++calls.all[name];
  if (synchronises(name)) ++calls.synchronisations[name];
  if (allocates(name)) ++calls.allocations[name];
}

/// CUPTI's attention for as long as it lives.
class Subscription {
 public:
  explicit Subscription(ApiCalls& calls) {
    check(cuptiSubscribe(&subscriber_, &count_call, &calls));
    try {
      check(cuptiEnableDomain(1, subscriber_, CUPTI_CB_DOMAIN_RUNTIME_API));
      check(cuptiEnableDomain(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API));
    } catch (...) {
      cuptiUnsubscribe(subscriber_);
      throw;
    }
  }
  ~Subscription() { cuptiUnsubscribe(subscriber_); }
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

 private:
  CUpti_SubscriberHandle subscriber_{};
};

}  // namespace

std::optional<ApiCalls> count_api_calls(const std::function<void()>& work) {
  ApiCalls calls;
  const Subscription subscription(calls);
  work();
  return calls;
}

}  // namespace stoker::bench
