// Shadow: the last accesses to each byte of a memory, to find the conflicting access that the next one is not ordered
// after.
//
//     shadow.note(order, events, 132, 4, event of thread 1, lane 1, write)    nothing
//     shadow.note(order, events, 132, 4, event of thread 40, lane 8, read)    Conflict{the write of thread 1}
//
// An event is one execution of an instruction by a warp; an access is an event and a lane. A word of 4 bytes has the
// last write and two reads. Two reads suffice while order is given by barriers of the block and of the warp: a write is
// unordered with one of all readers only if it is with one of the two. Otherwise (mbarrier, atomics, named barriers)
// every reader that is not before a later one is kept aside. Words whose bytes have different histories are kept byte
// by byte.
//
// Atomics and strong accesses (volatile, relaxed, acquire, release) do not conflict with each other. Strong writes are
// kept like reads: they do not replace what an ordinary access would conflict with.
//
// Law: a conflict is reported iff the list of all accesses contains one (tests/kernel compares with that list).
//
// Source: FastTrack (Flanagan, Freund, PLDI 2009) for the last accesses; PTX ISA 9.0, 8.7 (data races).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "solver/kernel/order/order.h"

namespace tessera::kernel {

struct Event {
  std::uint32_t warpThread = 0;  // the first thread of the warp
  std::uint32_t time = 0;
  std::int32_t step = -1;  // of the program
  Domain domain = Domain::Thread;
  bool strong = false;
  bool write = false;
  bool operator==(const Event&) const = default;
};

// The events of a launch, by number; 0 is none.
class Events {
 public:
  Events() : all_(1) {}
  // The number of `event`; the same as before if it equals the last one.
  std::uint32_t add(const Event& event) {
    if (!(all_.back() == event)) all_.push_back(event);
    return static_cast<std::uint32_t>(all_.size() - 1);
  }
  [[nodiscard]] const Event& operator[](std::uint32_t number) const { return all_[number]; }
  [[nodiscard]] Moment moment(std::uint32_t number, int lane) const {
    const Event& e = all_[number];
    return {e.warpThread + static_cast<std::uint32_t>(lane), e.time, e.domain};
  }
  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  std::vector<Event> all_;
};

struct Access {
  std::uint32_t event = 0;
  std::uint8_t lane = 0;
  bool operator==(const Access&) const = default;
};

struct Conflict {
  Access other;
  bool otherWrites = false;
};

class Shadow {
 public:
  explicit Shadow(i64 bytes = 0) { resize(bytes); }
  void resize(i64 bytes) { pages_.resize(static_cast<std::size_t>((bytes + kPageBytes - 1) / kPageBytes)); }
  // Forgets all accesses.
  void clear();

  // `me` accesses `width` bytes at `address`. `thread`: who decides what is known (the thread that starts a copy, for a
  // copy). `async`: the access is by the asynchronous proxy.
  std::optional<Conflict> note(const Order& order, const Events& events, i64 address, int width, Access me,
                               std::uint32_t thread, bool write, bool async = false);
  [[nodiscard]] std::size_t allocatedBytes() const { return made_ * sizeof(Page) + split_.size() * sizeof(Bytes); }

 private:
  static constexpr i64 kPageBytes = 1024;
  struct Word {
    std::uint32_t write = 0, read = 0, other = 0;  // events
    std::uint8_t writeLane = 0, readLane = 0, otherLane = 0;
    std::uint8_t bytes = 0;  // whose history this is; kSplit: kept byte by byte
  };
  static constexpr std::uint8_t kSplit = 0x80, kMore = 0x40;  // kMore: further readers are in more_
  using Page = std::array<Word, kPageBytes / 4>;
  using Bytes = std::array<Word, 4>;
  struct Context {
    const Order& order;
    const Events& events;
    Access me;
    std::uint32_t thread;
    bool write, async, simple;
    // The last answers of ordered(): the words of one access mostly have the same history.
    struct Answer {
      std::uint32_t event = 0;
      std::uint8_t lane = 0;
      bool ordered = false;
    };
    mutable std::array<Answer, 4> answers{};
  };

  Word& word(i64 index);
  // Whether c.thread knows the access, as an ordinary access does.
  [[nodiscard]] static bool ordered(const Context& c, std::uint32_t event, std::uint8_t lane);
  [[nodiscard]] bool clashes(const Context& c, std::uint32_t event, std::uint8_t lane) const;
  std::optional<Conflict> visit(const Context& c, Word& w, u64 key);
  void keep(const Context& c, Word& w, u64 key);

  std::vector<std::unique_ptr<Page>> pages_;
  std::unordered_map<i64, Bytes> split_;               // by word
  std::unordered_map<u64, std::vector<Access>> more_;  // by word * 4 + byte
  std::size_t made_ = 0;
};

}  // namespace tessera::kernel
