#include "src/core/trace_range.hpp"

#include <nvtx3/nvToolsExt.h>

#include <array>

namespace stoker {
namespace {

/// A stage as a profiler draws it.
struct Style {
  const char* name;
  std::uint32_t color;  ///< alpha, red, green, blue
};
constexpr std::array<Style, 5> styles{{{"schedule", 0xFF808080},
                                       {"read", 0xFF3B75AF},
                                       {"produce", 0xFF519E3E},
                                       {"copy", 0xFFEF8636},
                                       {"next", 0xFFC53A32}}};
static_assert(styles.size() == static_cast<std::size_t>(TraceStage::next) + 1);

/// What the profiler knows the stages by; lives as long as the process.
struct Domain {
  nvtxDomainHandle_t handle = nullptr;  ///< null: there is no profiler
  std::array<nvtxStringHandle_t, styles.size()> names{};
};

Domain make_domain() {
  Domain made{nvtxDomainCreateA("stoker"), {}};
  if (made.handle == nullptr) return made;
  for (std::size_t i = 0; i < styles.size(); ++i) {
    made.names[i] = nvtxDomainRegisterStringA(made.handle, styles[i].name);
  }
  return made;
}

const Domain& domain() {
  static const Domain the_domain = make_domain();
  return the_domain;
}

void push(const Domain& in, TraceStage stage, std::uint64_t number) {
  const auto i = static_cast<std::size_t>(stage);
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = styles[i].color;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  attributes.payload.ullValue = number;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = in.names[i];
  nvtxDomainRangePushEx(in.handle, &attributes);
}

}  // namespace

bool TraceRange::begin(TraceStage stage, std::uint64_t number) noexcept {
  const Domain& in = domain();
  if (in.handle != nullptr) {
    push(in, stage, number);
  } else {
    untraced_.store(true, std::memory_order_relaxed);
  }
  return in.handle != nullptr;
}

void TraceRange::end() noexcept { nvtxDomainRangePop(domain().handle); }

}  // namespace stoker
