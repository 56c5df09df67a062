// Shadow and Order against their definitions: a list of all accesses, and vector clocks with an entry for every thread.
#include "solver/kernel/order/shadow.h"

#include <catch2/catch.hpp>
#include <random>

#include "tests/support/volume.h"

using namespace tessera;
using namespace tessera::kernel;

namespace {

constexpr std::uint32_t kBlocks = 2, kThreads = 64, kAll = kBlocks * kThreads;
// The copies (cp.async) that thread t has started are an agent, number kAll + t.
constexpr std::uint32_t kAgents = 2 * kAll;

// knows[t][u]: how many actions of agent u thread t knows.
class VectorClocks {
 public:
  VectorClocks() : knows_(kAll, std::vector<std::uint32_t>(kAgents, 0)), copies_(kAll, 0) {}
  std::uint32_t act(std::uint32_t t) { return knows_[t][t]++; }
  std::uint32_t copy(std::uint32_t t) { return copies_[t]++; }
  void wait(std::uint32_t t) { knows_[t][kAll + t] = copies_[t]; }
  [[nodiscard]] bool before(std::uint32_t agent, std::uint32_t index, std::uint32_t now) const {
    return agent == now || index < knows_[now][agent];
  }
  using Row = std::vector<std::uint32_t>;
  [[nodiscard]] static Row nothing() { return Row(kAgents, 0); }
  static void join(Row& into, const Row& from) {
    for (std::size_t k = 0; k < kAgents; ++k) into[k] = std::max(into[k], from[k]);
  }
  Row& row(std::uint32_t t) { return knows_[t]; }
  void meet(const std::vector<std::uint32_t>& threads) {
    Row all = nothing();
    for (const std::uint32_t t : threads) join(all, knows_[t]);
    for (const std::uint32_t t : threads) knows_[t] = all;
  }

 private:
  std::vector<Row> knows_;
  std::vector<std::uint32_t> copies_;
};

struct Seen {
  std::uint32_t agent = 0, index = 0;
  i64 address = 0;
  int width = 0;
  bool write = false, strong = false;
};

// One random execution until its first race.
class Execution {
 public:
  // `passing`: whether threads may pass order to each other one by one. `rows`: whole warps access rows of memory.
  Execution(std::uint64_t seed, bool passing, bool rows)
      : seed_(seed), passing_(passing), rows_(rows), random_(seed), order_(kBlocks, kThreads, passing) {
    readers_ = 2 + pick(9);
    rowWidth_ = 1 << pick(5);
  }
  void run() {
    const int actions = rows_ ? 80 : 400;
    for (action_ = 0; action_ < actions && !raced_; ++action_) act();
  }

 private:
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  // Renumbers the events that the shadow names.
  void forget() {
    std::vector<char> used(events_.size(), 0);
    shadow_.eachEvent([&](std::uint32_t& event) { used[event] = 1; });
    const auto numbers = events_.keep(used);
    shadow_.eachEvent([&](std::uint32_t& event) { event = numbers[event]; });
  }

  void act() {
    if (pick(30) == 0) forget();
    const std::uint32_t what = pick(20);
    const std::uint32_t t = pick(4) == 0 ? pick(kAll) : pick(4) * 16 + pick(2);
    const bool write = pick(10) >= readers_, strong = pick(8) == 0;
    if (what < 12 && rows_ && pick(8) != 0) {
      row(t / 32 * 32, write, strong);
    } else if (what < 12) {
      const int width = 1 << pick(rows_ ? 5 : 4);
      const i64 address = static_cast<i64>(pick((rows_ ? 256 : 16) / static_cast<std::uint32_t>(width))) * width;
      const bool copy = pick(4) == 0;
      access(t, address, width, write, strong && !copy, copy);
    } else if (what < 13) {
      clocks_.wait(t);
      order_.learn(t, Domain::Copies, copies_ + 1, t);
    } else if (what < 14) {
      std::vector<std::uint32_t> threads;
      const std::uint32_t block = pick(kBlocks);
      for (std::uint32_t k = 0; k < kThreads; ++k) threads.push_back(block * kThreads + k);
      clocks_.meet(threads);
      order_.meet(threads, true);
    } else if (what < 17) {
      const std::uint32_t first = pick(kAll / 32) * 32;
      const std::uint32_t mask = pick(2) == 0 || !passing_ ? ~0u : static_cast<std::uint32_t>(random_()) | 1u;
      std::vector<std::uint32_t> threads;
      for (std::uint32_t l = 0; l < 32; ++l)
        if ((mask >> l & 1) != 0) threads.push_back(first + l);
      clocks_.meet(threads);
      order_.meetWarp(first, mask);
    } else if (passing_) {
      pass(what, t);
    }
  }

  void pass(std::uint32_t what, std::uint32_t t) {
    if (what < 19) {
      const std::uint32_t h = pick(3);
      if (pick(2) == 0) {
        VectorClocks::join(given_[h], clocks_.row(t));
        order_.release(t, handovers_[h]);
      } else {
        VectorClocks::join(clocks_.row(t), given_[h]);
        order_.acquire(t, handovers_[h]);
      }
      return;
    }
    std::vector<std::uint32_t> threads;
    const std::uint32_t block = pick(kBlocks);
    for (std::uint32_t k = 0; k < kThreads; ++k)
      if (pick(2) == 0) threads.push_back(block * kThreads + k);
    clocks_.meet(threads);
    order_.meet(threads, false);
  }

  // Whether the access races with one of the list, to which it is added.
  bool races(std::uint32_t t, const Seen& mine) {
    bool found = false;
    for (const Seen& s : seen_)
      found = found || (s.address < mine.address + mine.width && mine.address < s.address + s.width &&
                        (s.write || mine.write) && !(s.strong && mine.strong) && !clocks_.before(s.agent, s.index, t));
    seen_.push_back(mine);
    return found;
  }

  void access(std::uint32_t t, i64 address, int width, bool write, bool strong, bool copy) {
    const std::uint32_t first = t / 32 * 32;
    const std::uint32_t time = copy ? ++copies_ : order_.now(t);
    const std::uint32_t event =
        events_.add({first, time, action_, copy ? Domain::Copies : Domain::Thread, strong, write});
    Accessor who(order_, events_, event, first, write);
    const bool found = shadow_.note(who, static_cast<int>(t - first), address, width).has_value();
    raced_ = races(t, {copy ? kAll + t : t, copy ? clocks_.copy(t) : clocks_.act(t), address, width, write, strong});
    INFO("seed " << seed_ << " action " << action_);
    REQUIRE(found == raced_);
  }

  // Lane l of a warp accesses its place of a row, or a neighbour's.
  void row(std::uint32_t first, bool write, bool strong) {
    const int width = pick(8) == 0 ? 1 << pick(5) : rowWidth_;
    const bool shifted = pick(8) == 0;
    const i64 address =
        static_cast<i64>(pick(512 / (32 * static_cast<std::uint32_t>(width)))) * 32 * width + (shifted ? width : 0);
    const std::uint32_t event = events_.add({first, order_.now(first), action_, Domain::Thread, strong, write});
    Accessor who(order_, events_, event, first, write);
    const bool noted = shadow_.noteRow(who, address, width);
    CHECK_FALSE((noted && shifted));
    noted_ += noted ? 1 : 0;
    bool found = false;
    for (std::uint32_t l = 0; l < 32; ++l) {
      const i64 at = address + static_cast<i64>(l) * width;
      if (!noted) found = shadow_.note(who, static_cast<int>(l), at, width).has_value() || found;
      raced_ = races(first + l, {first + l, clocks_.act(first + l), at, width, write, strong}) || raced_;
    }
    INFO("seed " << seed_ << " action " << action_);
    REQUIRE(found == raced_);
  }

  std::uint64_t seed_;
  bool passing_, rows_;
  std::mt19937_64 random_;
  Order order_;
  VectorClocks clocks_;
  Events events_;
  Shadow shadow_{1024};
  std::vector<Seen> seen_;
  std::array<Handover, 3> handovers_;
  std::array<VectorClocks::Row, 3> given_{VectorClocks::nothing(), VectorClocks::nothing(), VectorClocks::nothing()};
  std::uint32_t readers_ = 2, copies_ = 0;  // of ten accesses; copies so far
  int action_ = 0, rowWidth_ = 4;
  bool raced_ = false;

 public:
  int noted_ = 0;  // rows noted at once
};

}  // namespace

TEST_CASE("a race is found iff two accesses of the list are unordered") {
  const std::int64_t rounds = test::volume(3'000, 300'000);
  for (std::int64_t seed = 0; seed < rounds; ++seed)
    Execution(static_cast<std::uint64_t>(seed), seed % 2 == 1, false).run();
}

TEST_CASE("a row of memory that whole warps access has the races of its words") {
  const std::int64_t rounds = test::volume(1'000, 100'000);
  int noted = 0;
  for (std::int64_t seed = 0; seed < rounds; ++seed) {
    Execution one(static_cast<std::uint64_t>(seed), seed % 2 == 1, true);
    one.run();
    noted += one.noted_;
  }
  CHECK(noted > rounds);  // the short way was taken
}

TEST_CASE("a row takes one entry, and words where lanes do not follow it") {
  Order order(4, 32, false);
  Events events;
  Shadow shadow(1 << 14);
  const auto bytes = [&] { return shadow.allocatedBytes(); };
  const std::size_t none = bytes();
  for (std::uint32_t block = 0; block < 4; ++block) {
    const std::uint32_t event = events.add({block * 32, 1, 0, Domain::Thread, false, false});
    Accessor reads(order, events, event, block * 32, false);
    for (i64 row = 0; row < 128; ++row) REQUIRE(shadow.noteRow(reads, row * 128, 4));
  }
  CHECK(bytes() - none <= (1 << 14) / 4);
  const std::uint32_t event = events.add({0, 1, 1, Domain::Thread, false, true});
  Accessor writes(order, events, event, 0, true);
  CHECK_FALSE(shadow.noteRow(writes, 128, 4));
  CHECK(shadow.note(writes, 5, 128 + 20, 4).has_value());
  CHECK_FALSE(shadow.noteRow(writes, 128 + 4, 4));
}

TEST_CASE("a unit takes as many marks as its row has needed") {
  // Words of 4 bytes; each access is by another warp than the last, at another lane than that of its row.
  Order order(1, 96, false);
  Events events;
  Shadow shadow(1 << 14);
  const std::size_t none = shadow.allocatedBytes();
  for (std::uint32_t warp = 0; warp < 3; ++warp) {
    const std::uint32_t event = events.add({warp * 32, 1, 0, Domain::Thread, false, false});
    Accessor reads(order, events, event, warp * 32, false);
    for (i64 at = 0; at < 1 << 14; at += 4) CHECK_FALSE(shadow.note(reads, static_cast<int>(at / 4 * 7 % 32), at, 4));
    INFO(warp);
    const std::size_t marks = std::min(warp + 1, 2u);  // two readers suffice
    CHECK(shadow.allocatedBytes() - none <= (marks << 14) + (1 << 12));
    std::size_t named = 0;
    shadow.eachEvent([&](std::uint32_t& number) { named += number == event ? 1 : 0; });
    CHECK(named == (warp < 2 ? std::size_t{1} << 12 : 0));
  }
  const std::uint32_t write = events.add({0, 1, 0, Domain::Thread, false, true});
  Accessor writes(order, events, write, 0, true);
  const auto conflict = shadow.note(writes, 3, 128, 4);
  REQUIRE(conflict);
  CHECK_FALSE(conflict->otherWrites);
}

TEST_CASE("order of a copy begins at the wait for it, and what a proxy sees at the fence") {
  Order order(1, 64, false);
  const Moment copy{3, 1, Domain::Copies};
  CHECK_FALSE(order.before(copy, 3));
  order.learn(3, Domain::Copies, 2, 3);
  CHECK(order.before(copy, 3));
  CHECK_FALSE(order.before({3, 2, Domain::Copies}, 3));
  std::vector<std::uint32_t> all(64);
  for (std::uint32_t k = 0; k < 64; ++k) all[k] = k;
  CHECK_FALSE(order.before(copy, 40));
  order.meet(all, true);
  CHECK(order.before(copy, 40));

  const Moment write = order.moment(5);
  order.meet(all, true);
  CHECK(order.before(write, 40));
  CHECK_FALSE(order.before(write, 40, /*async=*/true));
  order.fenceAsync(40);
  CHECK(order.before(write, 40, true));
  const Moment later = order.moment(6);
  order.fenceAsync(6);
  order.meet(all, true);
  CHECK(order.before(later, 40, true));
}
