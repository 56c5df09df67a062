// Shadow: the last accesses to each byte of a memory, to find the conflicting access that the next one is not ordered
// after.
//
//     Accessor one(order, events, event of warp 0, 0, write)      st.shared.u32 [s + 4 * lane]
//     shadow.note(one, lane 1, 132, 4)                            nothing
//     Accessor two(order, events, event of warp 1, 32, read)      ld.shared.u32 [s + 4 * 33]
//     shadow.note(two, lane 8, 132, 4)                            Conflict{the write of thread 1}
//
// An event is one execution of an instruction by a warp; an access is an event and a lane. A unit of memory has the
// last write and two reads. Two reads suffice while order is given by barriers of the block and of the warp: a write is
// unordered with one of all readers only if it is with one of the two. Otherwise (mbarrier, atomics, named barriers)
// every reader that is not before a later one is kept aside.
//
// A page of 512 bytes has units of 1 to 16 bytes: the largest that all its accesses so far are made of. 32 units are a
// row. While each access to a row was by a whole warp, lane l to unit l, one entry stands for the row, and one check
// for a warp's access. Otherwise each unit of the row has as many marks, of 4 bytes, as a unit of it has needed; units
// of 8 and 16 bytes have a word of 16 bytes each, which takes less time:
//
//     st.global.f32 [p + 4 * tid]       a row of 128 bytes: 32 bytes for all
//     ld.global.f32 [p + 4 * tid + 4]   two rows, lanes shifted by one: 32 marks more for each
//     ld.global.f32 [p + 4 * (tid / 8)] two readers of a unit: 64 marks
//
// Atomics and strong accesses (volatile, relaxed, acquire, release) do not conflict with each other. Strong writes are
// kept like reads: they do not replace what an ordinary access would conflict with.
//
// Law: a conflict is reported iff the list of all accesses contains one (tests/kernel compares with that list).
//
// Source: FastTrack (Flanagan, Freund, PLDI 2009) for the last accesses; PTX ISA 9.0, 8.7 (data races).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
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

  // A mark has 25 bits for a number. A run ends when more than kMost are named; a slice of it adds less than the rest.
  static constexpr std::size_t kMost = (std::size_t{1} << 25) - (std::size_t{1} << 20);
  // Time to forget those that no shadow names: their number has doubled since the last time.
  [[nodiscard]] bool full() const { return all_.size() >= limit_; }
  // Keeps those of `used` (by number), and gives them new numbers in the same order. Returns the new numbers.
  std::vector<std::uint32_t> keep(const std::vector<char>& used);

 private:
  std::vector<Event> all_;
  std::size_t limit_ = 1 << 16;
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

// Who accesses: an event, and the warp whose knowledge decides (of the threads that start a copy, for a copy).
// Valid until a lane of the warp synchronizes. `async`: the accesses are by the asynchronous proxy.
class Accessor {
 public:
  Accessor(const Order& order, const Events& events, std::uint32_t event, std::uint32_t firstThread, bool write,
           bool async = false)
      : order_(order),
        events_(events),
        floors_(order.floors(firstThread)),
        mine_(events[event]),
        event_(event),
        firstThread_(firstThread),
        write_(write),
        async_(async) {}

 private:
  friend class Shadow;
  void setLane(int lane) {
    lane_ = static_cast<std::uint8_t>(lane);
    thread_ = firstThread_ + lane_;
  }
  // Whether the lane's thread knows the access, as an ordinary access does.
  [[nodiscard]] bool ordered(std::uint32_t event, std::uint8_t lane) const;
  [[nodiscard]] bool clashes(std::uint32_t event, std::uint8_t lane) const;
  // ordered(event, l) is the same for each lane l.
  [[nodiscard]] bool uniform(std::uint32_t event) const;

  const Order& order_;
  const Events& events_;
  const WarpFloors& floors_;
  const Event mine_;
  std::uint32_t event_, firstThread_, thread_ = 0;
  std::uint8_t lane_ = 0;
  bool write_, async_;
  // The last answers that took a search: the units of one access mostly have the same history.
  struct Answer {
    std::uint32_t event = 0, thread = 0;
    std::uint8_t lane = 0;
    bool ordered = false;
  };
  mutable std::array<Answer, 4> answers_{};
};

class Shadow {
 public:
  explicit Shadow(i64 bytes = 0) { resize(bytes); }
  void resize(i64 bytes) { pages_.resize(static_cast<std::size_t>((bytes + kPageBytes - 1) / kPageBytes)); }
  // Forgets all accesses.
  void clear();

  // `lane` accesses `width` bytes at `address`.
  std::optional<Conflict> note(Accessor& who, int lane, i64 address, int width);
  // Lane l of a whole warp accesses `width` bytes at `address` + l * width. False if the accesses have to be noted one
  // by one; then nothing is noted.
  bool noteRow(Accessor& who, i64 address, int width);
  [[nodiscard]] std::size_t allocatedBytes() const;
  // visit(number) for each event that is named; it may change the number.
  template <class Visit>
  void eachEvent(const Visit& visit);

 private:
  static constexpr i64 kPageBytes = 512;
  static constexpr int kRow = 32;  // units
  struct Word {
    std::uint32_t write = 0, read = 0, other = 0;  // events
    std::uint8_t writeLane = 0, readLane = 0, otherLane = 0;
    bool more = false;  // further readers are in more_
  };
  // An access of a word: event, lane, whether it is `write`, whether the word has more.
  using Mark = std::uint32_t;
  struct Row {
    Word whole;                     // without lanes: lane l accessed unit l
    std::uint8_t each = 0;          // marks of a unit; 0: `whole` has all; kWord: the place of a word
    std::unique_ptr<Mark[]> marks;  // kRow times `each`
  };
  static constexpr std::uint8_t kWord = sizeof(Word) / sizeof(Mark);
  static Word wordAt(const Mark* place) {
    std::array<Mark, kWord> bits;
    std::copy_n(place, kWord, bits.begin());
    return std::bit_cast<Word>(bits);
  }
  static void setWordAt(Mark* place, const Word& w) {
    const auto bits = std::bit_cast<std::array<Mark, kWord>>(w);
    std::copy_n(bits.begin(), kWord, place);
  }
  struct Page {
    std::unique_ptr<Row[]> rows;
    int unit = 0;  // log2 of its bytes
  };

  static void make(Page& page, int unit);
  static Word wordOf(const Row& row, std::size_t unit);
  // `bytes`: log2 of those of a unit.
  static void setWord(Row& row, std::size_t unit, const Word& word, int bytes);
  static void split(Row& row, std::uint8_t each, int bytes);
  void refine(Page& page, i64 address, int unit);
  std::optional<Conflict> visit(const Accessor& who, Word& w, u64 key);
  // The same, unless a reader has to be kept in more_.
  enum class Seen : unsigned char { Noted, Conflicts, More };
  static Seen seen(const Accessor& who, Word& w, std::optional<Conflict>& found);
  static bool keep(const Accessor& who, Word& w);
  static bool covered(const Accessor& who, std::uint32_t event, std::uint8_t lane);
  void keepMore(const Accessor& who, Word& w, u64 key);

  std::vector<Page> pages_;
  std::unordered_map<u64, std::vector<Access>> more_;  // by address of the unit
};

template <class Visit>
void Shadow::eachEvent(const Visit& visit) {
  const auto word = [&](Word& w) {
    for (std::uint32_t* event : {&w.write, &w.read, &w.other})
      if (*event != 0) visit(*event);
  };
  for (Page& page : pages_)
    for (int r = 0; page.rows && r < kPageBytes >> page.unit >> 5; ++r) {
      Row& row = page.rows[static_cast<std::size_t>(r)];
      if (row.each == 0) word(row.whole);
      for (std::size_t u = 0; row.each == kWord && u < kRow; ++u) {
        Word w = wordAt(&row.marks[u * kWord]);
        word(w);
        setWordAt(&row.marks[u * kWord], w);
      }
      if (row.each == kWord) continue;
      for (std::size_t k = 0; k < std::size_t{row.each} * kRow; ++k) {
        Mark& mark = row.marks[k];
        if (mark == 0) continue;
        std::uint32_t event = mark >> 7;
        visit(event);
        mark = event << 7 | (mark & 127);
      }
    }
  for (auto& [key, accesses] : more_)
    for (Access& a : accesses) visit(a.event);
}

}  // namespace tessera::kernel
