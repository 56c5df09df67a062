// Clocks against the graph that they abbreviate: events, with an edge wherever one is ordered before another.
#include "solver/emulate/memory/clocks.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using namespace tessera;
using namespace tessera::graphene;

namespace {

// Reachability by depth-first search over all events so far.
class Graph {
 public:
  std::size_t event(const std::vector<std::size_t>& before) {
    before_.push_back(before);
    return before_.size() - 1;
  }
  [[nodiscard]] bool reaches(std::size_t from, std::size_t to) const {
    std::vector<char> seen(before_.size(), 0);
    std::vector<std::size_t> open{to};
    while (!open.empty()) {
      const std::size_t e = open.back();
      open.pop_back();
      if (e == from) return true;
      for (const std::size_t b : before_[e])
        if (seen[b]++ == 0) open.push_back(b);
    }
    return false;
  }

 private:
  std::vector<std::vector<std::size_t>> before_;
};

struct Deed {
  std::size_t thread = 0, event = 0;
  std::uint32_t clock = 0;
};

// Threads that access, arrive, wait, fence and meet at random; order and the other proxy's order as two graphs.
struct World {
  static constexpr std::size_t kThreads = 5, kBarriers = 3;
  std::mt19937 random;
  Clocks clocks;
  Graph order;
  std::vector<std::size_t> last = std::vector<std::size_t>(kThreads), lastAsync = last;  // events
  std::vector<Clocks::Knowledge> barriers;
  std::vector<std::vector<std::size_t>> arrived = std::vector<std::vector<std::size_t>>(kBarriers),
                                        arrivedAsync = arrived;
  std::vector<Deed> accesses;
  Graph async;

  explicit World(unsigned seed) : random(seed) {
    clocks.begin(kThreads, kBarriers);
    barriers.assign(kBarriers, clocks.nothing());
    for (std::size_t t = 0; t < kThreads; ++t) {
      last[t] = order.event({});
      lastAsync[t] = async.event({});
    }
  }

  void access(std::size_t t) {
    last[t] = order.event({last[t]});
    // In the other proxy an access is before nothing until its thread has passed a fence: its event is beside the
    // chain.
    const std::size_t alone = async.event({});
    accesses.push_back({t, last[t], clocks.now(t)});
    beside.push_back(alone);
  }
  void arrive(std::size_t t, std::size_t b) {
    clocks.release(t, barriers[b]);
    arrived[b].push_back(last[t]);
    arrivedAsync[b].push_back(lastAsync[t]);
  }
  void wait(std::size_t t, std::size_t b) {
    clocks.acquire(t, barriers[b]);
    std::vector<std::size_t> before = arrived[b], beforeAsync = arrivedAsync[b];
    before.push_back(last[t]);
    beforeAsync.push_back(lastAsync[t]);
    last[t] = order.event(before);
    lastAsync[t] = async.event(beforeAsync);
  }
  // All that the thread knows is seen through the other proxy from here on.
  void fence(std::size_t t) {
    std::vector<std::size_t> before{lastAsync[t]};
    for (std::size_t a = 0; a < accesses.size(); ++a)
      if (order.reaches(accesses[a].event, last[t])) before.push_back(beside[a]);
    clocks.fence(t);
    last[t] = order.event({last[t]});
    lastAsync[t] = async.event(before);
  }
  void meet(const std::vector<std::size_t>& threads) {
    clocks.meet(threads);
    std::vector<std::size_t> before, beforeAsync;
    for (const std::size_t t : threads) {
      before.push_back(last[t]);
      beforeAsync.push_back(lastAsync[t]);
    }
    const std::size_t all = order.event(before), allAsync = async.event(beforeAsync);
    for (const std::size_t t : threads) {
      last[t] = all;
      lastAsync[t] = allAsync;
    }
  }
  std::vector<std::size_t> beside;  // by access: its event in the other proxy
};

}  // namespace

TEST_CASE("a thread knows an access when a path of the graph leads from it to what the thread does now") {
  std::size_t known = 0, unknown = 0, seen = 0, unseen = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    World world(seed);
    for (int step = 0; step < 40; ++step) {
      const std::size_t t = world.random() % World::kThreads;
      const std::size_t b = world.random() % World::kBarriers;
      const auto what = world.random() % 12;
      if (what < 5)
        world.access(t);
      else if (what < 7)
        world.arrive(t, b);
      else if (what < 9)
        world.wait(t, b);
      else if (what < 11)
        world.fence(t);
      else
        world.meet(b == 0 ? std::vector<std::size_t>{0, 1, 2, 3, 4} : std::vector<std::size_t>{t, (t + 1) % 5});
    }
    for (std::size_t a = 0; a < world.accesses.size(); ++a)
      for (std::size_t t = 0; t < World::kThreads; ++t) {
        const Deed& deed = world.accesses[a];
        const bool ordered = world.order.reaches(deed.event, world.last[t]);
        const bool visible = world.async.reaches(world.beside[a], world.lastAsync[t]);
        REQUIRE(world.clocks.knows(t, deed.thread, deed.clock) == ordered);
        REQUIRE(world.clocks.knowsAsync(t, deed.thread, deed.clock) == visible);
        ++(ordered ? known : unknown);
        ++(visible ? seen : unseen);
      }
  }
  CHECK(known > 1000);
  CHECK(unknown > 1000);
  CHECK(seen > 1000);
  CHECK(unseen > 1000);
}

TEST_CASE("a barrier's copies are agents of their own: who has waited knows those of the phases that have ended") {
  Clocks clocks;
  clocks.begin(2, 1);
  Clocks::Knowledge over = clocks.nothing();
  CHECK(clocks.agentOf(0) == 2);
  CHECK_FALSE(clocks.knows(0, clocks.agentOf(0), 0));
  over.known[clocks.agentOf(0)] = 1;  // phase 0 has ended
  clocks.acquire(0, over);
  CHECK(clocks.knows(0, clocks.agentOf(0), 0));
  CHECK_FALSE(clocks.knows(0, clocks.agentOf(0), 1));
  CHECK_FALSE(clocks.knows(1, clocks.agentOf(0), 0));
  CHECK_FALSE(clocks.active() == false);
  clocks.end();
  CHECK_FALSE(clocks.active());
}
