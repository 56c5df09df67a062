// Shadow and Order against their definitions: a list of all accesses, and vector clocks with an entry for every thread.
#include "solver/kernel/order/shadow.h"

#include <catch2/catch.hpp>
#include <random>

#include "tests/support/volume.h"

using namespace tessera;
using namespace tessera::kernel;

namespace {

constexpr std::uint32_t kBlocks = 2, kThreads = 64, kAll = kBlocks * kThreads;

// knows[t][u]: how many actions of u thread t knows.
class VectorClocks {
 public:
  VectorClocks() : knows_(kAll, std::vector<std::uint32_t>(kAll, 0)) {}
  std::uint32_t act(std::uint32_t t) { return knows_[t][t]++; }
  [[nodiscard]] bool before(std::uint32_t t, std::uint32_t index, std::uint32_t now) const {
    return t == now || index < knows_[now][t];
  }
  using Row = std::vector<std::uint32_t>;
  [[nodiscard]] static Row nothing() { return Row(kAll, 0); }
  static void join(Row& into, const Row& from) {
    for (std::size_t k = 0; k < kAll; ++k) into[k] = std::max(into[k], from[k]);
  }
  Row& row(std::uint32_t t) { return knows_[t]; }
  void meet(const std::vector<std::uint32_t>& threads) {
    Row all = nothing();
    for (const std::uint32_t t : threads) join(all, knows_[t]);
    for (const std::uint32_t t : threads) knows_[t] = all;
  }

 private:
  std::vector<Row> knows_;
};

struct Seen {
  std::uint32_t thread = 0, index = 0;
  i64 address = 0;
  int width = 0;
  bool write = false, strong = false;
};

// One random execution until its first race. `passing`: whether threads may pass order to each other one by one.
void execute(std::uint64_t seed, bool passing) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  VectorClocks clocks;
  Order order(kBlocks, kThreads, passing);
  Events events;
  Shadow shadow(64);
  std::vector<Seen> seen;
  std::array<Handover, 3> handovers;
  std::array<VectorClocks::Row, 3> rows{VectorClocks::nothing(), VectorClocks::nothing(), VectorClocks::nothing()};
  const std::uint32_t readers = 2 + pick(9);  // of ten accesses
  for (int action = 0; action < 400; ++action) {
    const std::uint32_t what = pick(20);
    const std::uint32_t t = pick(4) == 0 ? pick(kAll) : pick(4) * 16 + pick(2);
    if (what < 12) {
      const int width = 1 << pick(4);
      const i64 address = static_cast<i64>(pick(16 / static_cast<std::uint32_t>(width))) * width;
      const bool write = pick(10) >= readers, strong = pick(8) == 0;
      bool expected = false;
      for (const Seen& s : seen)
        expected = expected || (s.address < address + width && address < s.address + s.width && (s.write || write) &&
                                !(s.strong && strong) && !clocks.before(s.thread, s.index, t));
      seen.push_back({t, clocks.act(t), address, width, write, strong});
      const std::uint32_t first = t / 32 * 32;
      const std::uint32_t event = events.add({first, order.now(t), action, Domain::Thread, strong, write});
      const auto found =
          shadow.note(order, events, address, width, {event, static_cast<std::uint8_t>(t - first)}, t, write);
      INFO("seed " << seed << " action " << action);
      REQUIRE(found.has_value() == expected);
      if (expected) return;
    } else if (what < 14) {
      std::vector<std::uint32_t> threads;
      const std::uint32_t block = pick(kBlocks);
      for (std::uint32_t k = 0; k < kThreads; ++k) threads.push_back(block * kThreads + k);
      clocks.meet(threads);
      order.meet(threads, true);
    } else if (what < 17) {
      const std::uint32_t first = pick(kAll / 32) * 32;
      const std::uint32_t mask = pick(2) == 0 || !passing ? ~0u : static_cast<std::uint32_t>(random()) | 1u;
      std::vector<std::uint32_t> threads;
      for (std::uint32_t l = 0; l < 32; ++l)
        if ((mask >> l & 1) != 0) threads.push_back(first + l);
      clocks.meet(threads);
      order.meetWarp(first, mask);
    } else if (passing && what < 19) {
      const std::uint32_t h = pick(3);
      if (pick(2) == 0) {
        VectorClocks::join(rows[h], clocks.row(t));
        order.release(t, handovers[h]);
      } else {
        VectorClocks::join(clocks.row(t), rows[h]);
        order.acquire(t, handovers[h]);
      }
    } else if (passing) {
      std::vector<std::uint32_t> threads;
      const std::uint32_t block = pick(kBlocks);
      for (std::uint32_t k = 0; k < kThreads; ++k)
        if (pick(2) == 0) threads.push_back(block * kThreads + k);
      clocks.meet(threads);
      order.meet(threads, false);
    }
  }
}

}  // namespace

TEST_CASE("a race is found iff two accesses of the list are unordered") {
  const std::int64_t rounds = test::volume(3'000, 300'000);
  for (std::int64_t seed = 0; seed < rounds; ++seed) execute(static_cast<std::uint64_t>(seed), seed % 2 == 1);
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
