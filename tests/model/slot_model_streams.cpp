// What the device does: streams and events.
#include "tests/model/slot_model.hpp"

#include <algorithm>

namespace stoker::model {

bool SlotModel::run_copies(State& s) {
  Operation& next = s.copy_stream.items[0];
  const Operation now = next;
  switch (now.work) {
    case Work::copy:
      say("begins the copy to device slot", now.to, now.tag);
      expect(std::ranges::none_of(s.consumer_stream,
                                  [&now](const Operation& queued) {
                                    return queued.work == Work::kernel && queued.to == now.to &&
                                           queued.tag < now.tag;
                                  }),
             "a device slot is overwritten while queued work of the consumer reads it");
      s.device[now.to].content = {};
      s.device[now.to].finished = 0;
      next.work = Work::copy_rest;
      return true;
    case Work::copy_rest:
      say("ends the copy to device slot", now.to, now.tag);
      s.device[now.to].content = s.host[now.from].content;
      break;
    case Work::finish:
      say("does what is left behind the copy to device slot", now.to, now.tag);
      s.device[now.to].finished = 1;
      break;
    case Work::record: say("reaches a mark"); return reach_marks(s, s.copy_stream);
    default: return false;  // a wait
  }
  s.copy_stream.take();
  return reach_marks(s, s.copy_stream);
}

bool SlotModel::run_consumer_work(State& s) {
  const Operation now = s.consumer_stream.items[0];
  switch (now.work) {
    case Work::kernel:
      say("runs the kernel that reads device slot", now.to, now.tag);
      expect(s.device[now.to].finished != 0 && holds(s.device[now.to].content, now.tag),
             "a kernel reads what is not its batch");
      break;
    case Work::record: say("reaches a mark"); return reach_marks(s, s.consumer_stream);
    default: return false;  // a wait
  }
  s.consumer_stream.take();
  return reach_marks(s, s.consumer_stream);
}

void SlotModel::queue(Stream& stream, Operation operation) {
  expect(stream.push(operation), "the model's streams are too short");
}

/// A wait counts the marks that are still to come: at none it is over, and taken out.
void SlotModel::queue_wait(State& s, Stream& stream, Small event) {
  if (s.unreached[event] != 0) queue(stream, {Work::wait, event, s.unreached[event], 0});
}

void SlotModel::queue_record(State& s, Stream& stream, Small event) {
  ++s.unreached[event];
  queue(stream, {Work::record, event, 0, 0});
}

/// The marks behind work are reached in its step: nobody sees it done before them, and what goes
/// wrong while it is done unseen goes wrong while it is still to come, too.
bool SlotModel::reach_marks(State& s, Stream& stream) {
  while (stream.size != 0 && stream.items[0].work == Work::record) reach(s, stream.take().from);
  return true;
}

/// Whether an event's latest record is reached.
bool SlotModel::reached(const State& s, Event event, Small slot) {
  return s.unreached[event_of(event, slot)] == 0;
}

void SlotModel::reach(State& s, Small event) {
  --s.unreached[event];
  const auto count_down = [event](auto& stream) {
    for (std::size_t i = stream.size; i-- > 0;) {
      Operation& queued = stream.items[i];
      if (queued.work == Work::wait && queued.from == event && --queued.to == 0) stream.take(i);
    }
  };
  count_down(s.copy_stream);
  count_down(s.consumer_stream);
}

}  // namespace stoker::model
