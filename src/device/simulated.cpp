#include <stoker/device/simulated.hpp>

#include "src/device/finish_on_host.hpp"
#include "src/device/resize_on_host.hpp"
#include "src/device/simulated_state.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace stoker {
namespace {

using Space = SimulatedMemory::Space;

void append_count(std::string& text, std::size_t count, std::string_view what) {
  if (count == 0) return;
  if (!text.empty()) text += ", ";
  text += fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string SimulatedLeaks::text() const {
  std::string text;
  append_count(text, host_blocks, "host block");
  append_count(text, device_blocks, "device block");
  append_count(text, streams, "stream");
  append_count(text, events, "event");
  return text.empty() ? "nothing" : text;
}

SimulatedDevice::SimulatedDevice(std::uint64_t seed, SimulatedOptions options)
    : state_(std::make_unique<State>(seed, options)) {}

SimulatedDevice::~SimulatedDevice() {
  state_->on_destruction({state_->leaks(), state_->violations});
}

DeviceId SimulatedDevice::id() const {
  return {state_->options.zero_copy ? DeviceId::Kind::cpu : DeviceId::Kind::simulated,
          state_->options.ordinal};
}

bool SimulatedDevice::zero_copy() const { return state_->options.zero_copy; }

void* SimulatedDevice::allocate_host(std::size_t bytes) {
  const auto held = state_->begin();
  return state_->allocate(Space::host, bytes);
}

void SimulatedDevice::free_host(void* memory, std::size_t bytes) noexcept {
  state_->free(Space::host, memory, bytes);
}

void* SimulatedDevice::allocate_device(std::size_t bytes) {
  const auto held = state_->begin();
  return state_->allocate(Space::device, bytes);
}

void SimulatedDevice::free_device(void* memory, std::size_t bytes) noexcept {
  state_->free(Space::device, memory, bytes);
}

StreamRef SimulatedDevice::create_stream() {
  const auto held = state_->begin();
  return state_->streams.create();
}

void SimulatedDevice::destroy_stream(StreamRef stream) noexcept {
  auto held = state_->lock();
  if (stream == StreamRef{} || !state_->streams.contains(stream)) {
    state_->violations.push_back(fmt::format("destroyed stream {}, which is none", stream.handle));
    return;
  }
  state_->reach(held, *state_->streams.mark(stream));
  state_->streams.destroy(stream);
}

EventRef SimulatedDevice::create_event() {
  const auto held = state_->begin();
  state_->events.emplace(++state_->last_event, nullptr);
  return {state_->last_event};
}

EventRef SimulatedDevice::create_timed_event() {
  const EventRef event = create_event();
  const auto held = state_->lock();
  state_->timed_events.insert(event.handle);
  return event;
}

void SimulatedDevice::destroy_event(EventRef event) noexcept {
  const auto held = state_->lock();
  state_->timed_events.erase(event.handle);
  if (state_->events.erase(event.handle) == 0)
    state_->violations.push_back(fmt::format("destroyed event {}, which is none", event.handle));
}

void SimulatedDevice::copy_to_device(void* device, const void* host, std::size_t bytes,
                                     StreamRef stream) {
  const auto held = state_->begin();
  state_->require_stream(stream);
  state_->require_copyable(device, host, bytes);
  const bool fails = state_->next_copy_fails();
  state_->streams.copy(stream, {.device = static_cast<std::byte*>(device),
                                .host = static_cast<const std::byte*>(host),
                                .bytes = bytes,
                                .fails = fails});
}

void SimulatedDevice::copy_on_device(void* to, const void* from, std::size_t bytes,
                                     StreamRef stream) {
  const auto held = state_->begin();
  state_->require_stream(stream);
  for (const void* memory : {static_cast<const void*>(to), from}) {
    require(state_->memory.contains(Space::device, memory, bytes),
            "a copy on the device leaves memory that allocate_device gave");
  }
  const bool fails = state_->next_copy_fails();
  state_->streams.launch(stream, [=] {
    if (fails) throw std::runtime_error("a copy failed (injected)");
    std::memcpy(to, from, bytes);
  });
}

void SimulatedDevice::finish(const FinishTask& task, StreamRef stream) {
  launch(stream, [task] { finish_on_host(task); });
}

void SimulatedDevice::resize(const ResizeTask& task, StreamRef stream) {
  launch(stream, [task] { resize_on_host(task); });
}

void SimulatedDevice::record(EventRef event, StreamRef stream) {
  const auto held = state_->begin();
  state_->require_stream(stream);
  state_->mark_of(event) = state_->streams.mark(stream);
}

void SimulatedDevice::wait(StreamRef stream, EventRef event) {
  const auto held = state_->begin();
  state_->require_stream(stream);
  if (const MarkPtr mark = state_->mark_of(event)) state_->streams.wait(stream, mark);
}

bool SimulatedDevice::completed(EventRef event) {
  const auto held = state_->begin();
  const MarkPtr mark = state_->mark_of(event);
  return mark == nullptr || mark->reached;
}

std::chrono::nanoseconds SimulatedDevice::elapsed(EventRef from, EventRef to) {
  const auto held = state_->begin();
  const SimulatedMark& first = state_->timed_mark(from);
  const SimulatedMark& last = state_->timed_mark(to);
  return std::chrono::nanoseconds(static_cast<std::int64_t>(last.step - first.step));
}

void SimulatedDevice::synchronize(EventRef event) {
  auto held = state_->begin();
  if (const MarkPtr mark = state_->mark_of(event)) state_->reach(held, *mark);
  state_->require_health();
}

void SimulatedDevice::on_reuse(void* host, std::size_t bytes) {
  const auto held = state_->begin();
  require(state_->memory.contains(Space::host, host, bytes),
          "reused memory that allocate_host did not give");
  state_->report_use(host, bytes, "was reused");
  state_->memory.poison(host, bytes);
}

void SimulatedDevice::launch(StreamRef stream, std::function<void()> kernel) {
  const auto held = state_->begin();
  state_->require_stream(stream);
  state_->streams.launch(stream, std::move(kernel));
}

void SimulatedDevice::synchronize() {
  auto held = state_->begin();
  for (const MarkPtr& mark : state_->streams.mark_all()) state_->reach(held, *mark);
  state_->require_health();
}

void SimulatedDevice::pause() {
  const auto held = state_->lock();
  state_->paused = true;
}

void SimulatedDevice::resume() {
  const auto held = state_->lock();
  state_->paused = false;
  state_->resumed.notify_all();
}

void SimulatedDevice::fail_allocation(std::uint64_t n) {
  const auto held = state_->lock();
  state_->failing_allocation.arm(n);
}

void SimulatedDevice::fail_copy(std::uint64_t n, CopyFailure when) {
  const auto held = state_->lock();
  state_->failing_copy.arm(n);
  state_->copy_failure = when;
}

SimulatedLeaks SimulatedDevice::leaks() const {
  const auto held = state_->lock();
  return state_->leaks();
}

std::vector<std::string> SimulatedDevice::violations() const {
  const auto held = state_->lock();
  return state_->violations;
}

void SimulatedDevice::on_destruction(std::function<void(const SimulatedReport&)> callback) {
  const auto held = state_->lock();
  state_->on_destruction = std::move(callback);
}

std::shared_ptr<SimulatedDevice> simulated(std::uint64_t seed, SimulatedOptions options) {
  return std::make_shared<SimulatedDevice>(seed, options);
}

}  // namespace stoker
