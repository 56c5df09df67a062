#include "solver/kernel/order/shadow.h"

#include <algorithm>
#include <bit>

namespace tessera::kernel {

std::vector<std::uint32_t> Events::keep(const std::vector<char>& used) {
  std::vector<std::uint32_t> numbers(all_.size(), 0);
  std::uint32_t kept = 1;
  for (std::size_t k = 1; k < all_.size(); ++k) {
    if (!used[k]) continue;
    all_[kept] = all_[k];
    numbers[k] = kept++;
  }
  all_.resize(kept);
  limit_ = std::min(std::max<std::size_t>(1 << 16, 2 * all_.size()), kMost);
  return numbers;
}

// ---- accessor

bool Accessor::ordered(std::uint32_t event, std::uint8_t lane) const {
  const Event& e = events_[event];
  const std::uint32_t thread = e.warpThread + lane;
  if (e.domain == Domain::Thread) {
    if (thread == thread_) return true;
    if (floors_.same) {
      if (floors_.inBlock(thread)) {
        if (e.time < floors_.block || (e.time < floors_.warp && e.warpThread == floors_.firstThread)) return true;
        if (floors_.simple) return false;
      } else if (floors_.alone) {
        return false;
      }
    }
  } else if (e.domain == Domain::Copies && floors_.copies != nullptr && floors_.inBlock(thread) &&
             e.time < floors_.copies[thread - floors_.firstOfBlock]) {
    return true;
  }
  Answer& a = answers_[event % answers_.size()];
  if (a.event != event || a.lane != lane || a.thread != thread_)
    a = {event, thread_, lane, order_.before(events_.moment(event, lane), thread_)};
  return a.ordered;
}

bool Accessor::clashes(std::uint32_t event, std::uint8_t lane) const {
  if (event == event_ && lane == lane_) return false;
  const Event& e = events_[event];
  if (e.strong && mine_.strong) return false;
  // A fence makes writes visible to the asynchronous proxy; that it writes only after a read needs none.
  if (async_ && e.write) return !order_.before(events_.moment(event, lane), thread_, true);
  return !ordered(event, lane);
}

bool Accessor::uniform(std::uint32_t event) const {
  if (event == 0) return true;
  const Event& e = events_[event];
  if (e.domain != Domain::Thread) return false;
  if (!floors_.inBlock(e.warpThread)) return floors_.alone;
  // Of the own warp: lane l is the thread that accessed unit l before.
  return e.warpThread == floors_.firstThread || e.time < floors_.block || floors_.simple;
}

// ---- pages

void Shadow::clear() {
  for (Page& page : pages_) page.rows.reset();
  more_.clear();
}

std::size_t Shadow::allocatedBytes() const {
  std::size_t bytes = pages_.capacity() * sizeof(Page);
  for (const Page& page : pages_) {
    if (!page.rows) continue;
    for (int r = 0; r < kPageBytes >> page.unit >> 5; ++r)
      bytes += sizeof(Row) + page.rows[static_cast<std::size_t>(r)].each * kRow * sizeof(Mark);
  }
  for (const auto& [key, accesses] : more_) bytes += accesses.capacity() * sizeof(Access) + 64;
  return bytes;
}

void Shadow::make(Page& page, int unit) {
  page.unit = unit;
  page.rows = std::make_unique<Row[]>(static_cast<std::size_t>(kPageBytes >> unit >> 5));
}

Shadow::Word Shadow::wordOf(const Row& row, std::size_t unit) {
  Word w = row.whole;
  if (row.each == 0) {
    w.writeLane = w.readLane = w.otherLane = static_cast<std::uint8_t>(unit);
    return w;
  }
  if (row.each == kWord) return wordAt(&row.marks[unit * kWord]);
  w = {};
  for (std::size_t k = 0; k < row.each; ++k) {
    const Mark mark = row.marks[unit * row.each + k];
    if (mark == 0) continue;
    const std::uint32_t event = mark >> 7;
    const auto lane = static_cast<std::uint8_t>(mark >> 2 & 31);
    w.more = w.more || (mark & 1) != 0;
    if ((mark & 2) != 0) {
      w.write = event;
      w.writeLane = lane;
    } else if (w.read == 0) {
      w.read = event;
      w.readLane = lane;
    } else {
      w.other = event;
      w.otherLane = lane;
    }
  }
  return w;
}

void Shadow::setWord(Row& row, std::size_t unit, const Word& w, int bytes) {
  if (row.each == kWord) return setWordAt(&row.marks[unit * kWord], w);
  const auto needed = static_cast<std::uint8_t>((w.write != 0) + (w.read != 0) + (w.other != 0));
  if (needed == 0 && row.each == 0) return;
  if (needed > row.each) {
    split(row, needed, bytes);
    return setWord(row, unit, w, bytes);
  }
  Mark* to = &row.marks[unit * row.each];
  Mark* const end = to + row.each;
  const Mark more = w.more ? 1 : 0;
  const auto add = [&](std::uint32_t event, std::uint8_t lane, Mark write) {
    if (event != 0) *to++ = event << 7 | Mark{lane} << 2 | write | more;
  };
  add(w.write, w.writeLane, 2);
  add(w.read, w.readLane, 0);
  add(w.other, w.otherLane, 0);
  std::fill(to, end, 0);
}

// Gives each unit of the row `each` marks, at least as many as it has, or a word.
void Shadow::split(Row& row, std::uint8_t each, int bytes) {
  Row finer;
  const auto whole = static_cast<std::uint8_t>((row.whole.write != 0) + (row.whole.read != 0) + (row.whole.other != 0));
  finer.each = bytes >= 3 ? kWord : std::max(each, whole);
  finer.marks = std::make_unique<Mark[]>(std::size_t{finer.each} * kRow);
  for (std::size_t u = 0; u < kRow; ++u) setWord(finer, u, wordOf(row, u), bytes);
  row = std::move(finer);
}

// Splits the units of the page at `address` into units of 2^`unit` bytes.
void Shadow::refine(Page& page, i64 address, int unit) {
  Page finer;
  make(finer, unit);
  const int by = page.unit - unit;
  for (int u = 0; u < kPageBytes >> page.unit; ++u) {
    const Word w = wordOf(page.rows[static_cast<std::size_t>(u / kRow)], static_cast<std::size_t>(u % kRow));
    const u64 key = static_cast<u64>(address + (i64{u} << page.unit));
    const std::vector<Access> more = w.more ? more_[key] : std::vector<Access>{};
    for (int part = 0; part < 1 << by; ++part) {
      const int v = (u << by) + part;
      setWord(finer.rows[static_cast<std::size_t>(v / kRow)], static_cast<std::size_t>(v % kRow), w, unit);
      if (w.more) more_[key + (static_cast<u64>(part) << unit)] = more;
    }
  }
  page = std::move(finer);
}

std::optional<Conflict> Shadow::note(Accessor& who, int lane, i64 address, int width) {
  who.setLane(lane);
  std::optional<Conflict> found;
  const i64 end = address + width;
  for (i64 at = address; at < end;) {
    const i64 first = at / kPageBytes * kPageBytes, until = std::min(end, first + kPageBytes);
    Page& page = pages_[static_cast<std::size_t>(at / kPageBytes)];
    if (const auto parts = static_cast<u64>(at | until); !page.rows)
      make(page, std::min(std::countr_zero(parts), 4));
    else if ((parts & ((u64{1} << page.unit) - 1)) != 0)
      refine(page, first, std::countr_zero(parts));
    for (; at < until; at += i64{1} << page.unit) {
      const auto u = static_cast<std::size_t>((at - first) >> page.unit);
      Row& row = page.rows[u / kRow];
      std::optional<Conflict> conflict;
      if (row.each == kWord) {  // without calls: the usual case of matrices
        Mark* const place = &row.marks[u % kRow * kWord];
        Word w = wordAt(place);
        conflict = visit(who, w, static_cast<u64>(at));
        setWordAt(place, w);
      } else {
        Word w = wordOf(row, u % kRow);
        conflict = visit(who, w, static_cast<u64>(at));
        setWord(row, u % kRow, w, page.unit);
      }
      if (conflict && !found) found = conflict;
    }
  }
  return found;
}

bool Shadow::noteRow(Accessor& who, i64 address, int width) {
  if (width > 16 || (address & (kRow * width - 1)) != 0 || !who.floors_.same || who.async_) return false;
  const int unit = std::countr_zero(static_cast<unsigned>(width));
  Page& page = pages_[static_cast<std::size_t>(address / kPageBytes)];
  if (!page.rows)
    make(page, unit);
  else if (page.unit != unit)
    return false;
  Row& row = page.rows[static_cast<std::size_t>((address & (kPageBytes - 1)) >> unit) / kRow];
  if (row.each != 0 || !who.uniform(row.whole.write) || !who.uniform(row.whole.read) || !who.uniform(row.whole.other))
    return false;
  who.setLane(0);
  Word next = row.whole;
  std::optional<Conflict> found;
  if (seen(who, next, found) != Seen::Noted) return false;
  row.whole = next;
  return true;
}

// ---- accesses

Shadow::Seen Shadow::seen(const Accessor& c, Word& w, std::optional<Conflict>& found) {
  const auto check = [&](std::uint32_t event, std::uint8_t lane) {
    if (found || event == 0 || (!c.write_ && !c.events_[event].write)) return;
    if (c.clashes(event, lane)) found = Conflict{{event, lane}, c.events_[event].write};
  };
  check(w.write, w.writeLane);
  // Two lanes of this instruction were noted, and a third one tells no more.
  if (!c.write_ && w.read == c.event_ && w.other == c.event_ && !w.more && c.mine_.domain == Domain::Thread &&
      c.floors_.same && c.floors_.simple && !c.order_.passes())
    return found ? Seen::Conflicts : Seen::Noted;
  check(w.read, w.readLane);
  check(w.other, w.otherLane);
  if (w.more) return Seen::More;
  if (c.write_ && !c.mine_.strong) {
    w.write = c.event_;
    w.writeLane = c.lane_;
    w.read = w.other = 0;
  } else if (!keep(c, w)) {
    return Seen::More;
  }
  return found ? Seen::Conflicts : Seen::Noted;
}

std::optional<Conflict> Shadow::visit(const Accessor& c, Word& w, u64 key) {
  std::optional<Conflict> found;
  if (seen(c, w, found) != Seen::More) return found;
  if (!w.more) {
    keepMore(c, w, key);
    return found;
  }
  const auto more = more_.find(key);
  for (const Access& a : more->second)
    if (!found && (c.write_ || c.events_[a.event].write) && c.clashes(a.event, a.lane))
      found = Conflict{a, c.events_[a.event].write};
  if (c.write_ && !c.mine_.strong) {
    more_.erase(more);
    w = {c.event_, 0, 0, c.lane_, 0, 0, false};
  } else if (!keep(c, w)) {
    keepMore(c, w, key);
  }
  return found;
}

// Whether the access need not be kept beside that of `c`, which does as well.
bool Shadow::covered(const Accessor& c, std::uint32_t event, std::uint8_t lane) {
  if (event == 0) return true;
  const Event& e = c.events_[event];
  // A strong access conflicts with less than an ordinary one, a read with less than a write, and the accesses of a
  // copy are known to others than its thread's.
  if ((c.mine_.strong && !e.strong) || (e.write && !c.mine_.write)) return false;
  if (c.mine_.domain != Domain::Thread)
    return e.domain == c.mine_.domain && c.events_.moment(event, lane) == c.events_.moment(c.event_, c.lane_);
  return c.ordered(event, lane);
}

// Keeps a read or a strong write, except where another one does as well. False if both entries are needed for others.
bool Shadow::keep(const Accessor& c, Word& w) {
  const Event& mine = c.mine_;
  if (w.read == c.event_ && w.readLane == c.lane_) return true;
  if (covered(c, w.read, w.readLane)) {
    w.read = c.event_;
    w.readLane = c.lane_;
    if (w.other != 0 && covered(c, w.other, w.otherLane)) w.other = 0;
    return true;
  }
  if (covered(c, w.other, w.otherLane)) {
    w.other = c.event_;
    w.otherLane = c.lane_;
    return true;
  }
  if (w.more) return false;
  const Event &one = c.events_[w.read], &two = c.events_[w.other];
  const auto all = [&](const auto& holds) { return holds(mine) && holds(one) && holds(two); };
  const bool threads = all(
      [&](const Event& e) { return e.domain == Domain::Thread && e.strong == mine.strong && e.write == mine.write; });
  const bool reads = all([](const Event& e) {
    return (e.domain == Domain::Thread || e.domain == Domain::Copies) && !e.strong && !e.write;
  });
  if (!threads && !reads) return false;
  const WarpFloors& floors = c.floors_;
  if (threads && floors.same && floors.simple && !c.order_.passes() && floors.inBlock(one.warpThread) &&
      floors.inBlock(two.warpThread)) {  // Order::third() without its divisions: neither of the two is below a floor
    if (one.warpThread != two.warpThread) return true;
    if (one.warpThread == floors.firstThread) return w.readLane != w.otherLane;
    w.other = c.event_;
    w.otherLane = c.lane_;
    return true;
  }
  const Order::Third third =
      c.order_.third(c.events_.moment(w.read, w.readLane), c.events_.moment(w.other, w.otherLane), c.thread_, !threads);
  if (third == Order::Third::Replace) {
    w.other = c.event_;
    w.otherLane = c.lane_;
  }
  return third != Order::Third::Keep;
}

void Shadow::keepMore(const Accessor& c, Word& w, u64 key) {
  auto& more = more_[key];
  w.more = true;
  std::erase_if(more, [&](const Access& a) { return covered(c, a.event, a.lane); });
  more.push_back({c.event_, c.lane_});
}

}  // namespace tessera::kernel
