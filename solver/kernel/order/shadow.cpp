#include "solver/kernel/order/shadow.h"

#include <algorithm>

namespace tessera::kernel {

void Shadow::clear() {
  for (auto& page : pages_) page.reset();
  split_.clear();
  more_.clear();
  made_ = 0;
}

Shadow::Word& Shadow::word(i64 index) {
  auto& page = pages_[static_cast<std::size_t>(index / (kPageBytes / 4))];
  if (!page) {
    page = std::make_unique<Page>();
    ++made_;
  }
  return (*page)[static_cast<std::size_t>(index % (kPageBytes / 4))];
}

bool Shadow::ordered(const Context& c, std::uint32_t event, std::uint8_t lane) {
  Context::Answer& a = c.answers[event % c.answers.size()];
  if (a.event != event || a.lane != lane) a = {event, lane, c.order.before(c.events.moment(event, lane), c.thread)};
  return a.ordered;
}

bool Shadow::clashes(const Context& c, std::uint32_t event, std::uint8_t lane) const {
  if (event == 0) return false;
  if (event == c.me.event && lane == c.me.lane) return false;
  if (c.events[event].strong && c.events[c.me.event].strong) return false;
  // A fence makes writes visible to the asynchronous proxy; that it writes only after a read needs none.
  if (c.async && c.events[event].write) return !c.order.before(c.events.moment(event, lane), c.thread, true);
  return !ordered(c, event, lane);
}

std::optional<Conflict> Shadow::note(const Order& order, const Events& events, i64 address, int width, Access me,
                                     std::uint32_t thread, bool write, bool async) {
  const Context c{order, events, me, thread, write, async, false, {}};
  std::optional<Conflict> found;
  const i64 end = address + width;
  for (i64 at = address; at < end;) {
    const i64 index = at / 4;
    const int from = static_cast<int>(at % 4), to = static_cast<int>(std::min<i64>(end - index * 4, 4));
    at = index * 4 + to;
    const auto mask = static_cast<std::uint8_t>((1 << to) - (1 << from));
    Word& w = word(index);
    const std::uint8_t whose = w.bytes & 0xf;
    if ((w.bytes & kSplit) == 0 && (whose == 0 || whose == mask)) {
      w.bytes |= mask;
      if (auto conflict = visit(c, w, static_cast<u64>(index) * 4); conflict && !found) found = conflict;
      continue;
    }
    if ((w.bytes & kSplit) == 0) {
      Bytes parts{};
      for (int b = 0; b < 4; ++b)
        if ((whose >> b & 1) != 0) {
          parts[b] = w;
          if (b != 0 && (w.bytes & kMore) != 0)
            more_[static_cast<u64>(index) * 4 + b] = more_[static_cast<u64>(index) * 4];
        }
      split_.emplace(index, parts);
      w = {};
      w.bytes = kSplit;
    }
    Bytes& parts = split_.at(index);
    for (int b = from; b < to; ++b)
      if (auto conflict = visit(c, parts[b], static_cast<u64>(index) * 4 + b); conflict && !found) found = conflict;
  }
  return found;
}

std::optional<Conflict> Shadow::visit(const Context& c, Word& w, u64 key) {
  std::optional<Conflict> found;
  const auto check = [&](std::uint32_t event, std::uint8_t lane) {
    if (found || event == 0 || (!c.write && !c.events[event].write)) return;
    if (clashes(c, event, lane)) found = Conflict{{event, lane}, c.events[event].write};
  };
  check(w.write, w.writeLane);
  check(w.read, w.readLane);
  check(w.other, w.otherLane);
  const bool replaces = c.write && !c.events[c.me.event].strong;
  if ((w.bytes & kMore) != 0) {
    const auto more = more_.find(key);
    for (const Access& a : more->second) check(a.event, a.lane);
    if (replaces) {
      more_.erase(more);
      w.bytes &= static_cast<std::uint8_t>(~kMore);
    }
  }
  if (!replaces) {
    keep(c, w, key);
    return found;
  }
  w.write = c.me.event;
  w.writeLane = c.me.lane;
  w.read = w.other = 0;
  return found;
}

// Keeps reads and strong writes, except those for which a later one does as well.
void Shadow::keep(const Context& c, Word& w, u64 key) {
  const Event& mine = c.events[c.me.event];
  const auto covered = [&](std::uint32_t event, std::uint8_t lane) {
    if (event == 0) return true;
    const Event& e = c.events[event];
    // A strong access conflicts with less than an ordinary one, a read with less than a write, and the accesses of a
    // copy are known to others than its thread's.
    if ((mine.strong && !e.strong) || (e.write && !mine.write)) return false;
    if (mine.domain != Domain::Thread)
      return e.domain == mine.domain && c.events.moment(event, lane) == c.events.moment(c.me.event, c.me.lane);
    return ordered(c, event, lane);
  };
  if (w.read == c.me.event && w.readLane == c.me.lane) return;
  if (covered(w.read, w.readLane)) {
    w.read = c.me.event;
    w.readLane = c.me.lane;
    if (w.other != 0 && covered(w.other, w.otherLane)) w.other = 0;
    return;
  }
  if (covered(w.other, w.otherLane)) {
    w.other = c.me.event;
    w.otherLane = c.me.lane;
    return;
  }
  const Event &one = c.events[w.read], &two = c.events[w.other];
  const auto alike = [&](const Event& e) {
    return e.domain == Domain::Thread && e.strong == mine.strong && e.write == mine.write;
  };
  const bool plain = mine.domain == Domain::Thread && alike(one) && alike(two);
  if (plain && (w.bytes & kMore) == 0) {
    const Order::Third third =
        c.order.third(c.events.moment(w.read, w.readLane), c.events.moment(w.other, w.otherLane), c.thread);
    if (third == Order::Third::Replace) {
      w.other = c.me.event;
      w.otherLane = c.me.lane;
    }
    if (third != Order::Third::Keep) return;
  }
  auto& more = more_[key];
  w.bytes |= kMore;
  std::erase_if(more, [&](const Access& a) { return covered(a.event, a.lane); });
  more.push_back(c.me);
}

}  // namespace tessera::kernel
