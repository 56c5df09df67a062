#include "app/engine/background.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

using namespace tessera;

namespace {

// Waits for something that happens within milliseconds.
template <class F>
bool soon(const F& f) {
  for (int k = 0; k < 4000 && !f(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return f();
}

}  // namespace

TEST_CASE("a step runs after each wake, and none before the first") {
  std::atomic<int> steps = 0;
  Background b([&]() -> Background::Next {
    ++steps;
    return std::nullopt;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(steps == 0);
  for (int k = 1; k <= 50; ++k) {
    b.wake();
    REQUIRE(soon([&] { return steps >= k; }));
  }
  CHECK(steps == 50);
}

TEST_CASE("a wake during a step leads to another step") {
  std::atomic<int> steps = 0;
  std::atomic<bool> inside = false, go = false;
  Background b([&]() -> Background::Next {
    ++steps;
    inside = true;
    while (!go) std::this_thread::yield();
    return std::nullopt;
  });
  b.wake();
  REQUIRE(soon([&] { return inside.load(); }));
  b.wake();
  b.wake();
  go = true;
  REQUIRE(soon([&] { return steps == 2; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(steps == 2);
}

TEST_CASE("a step is repeated at the time it asked for, and earlier by a wake") {
  std::atomic<int> steps = 0;
  Background b([&]() -> Background::Next {
    const int n = ++steps;
    if (n < 5) return Background::now() + std::chrono::milliseconds(1);
    return Background::now() + std::chrono::hours(1);
  });
  b.wake();
  REQUIRE(soon([&] { return steps == 5; }));
  b.wake();
  REQUIRE(soon([&] { return steps == 6; }));
}

TEST_CASE("no step runs after stop, and none twice at once") {
  std::atomic<int> inside = 0, most = 0, steps = 0;
  Background b([&]() -> Background::Next {
    most = std::max(most.load(), ++inside);
    ++steps;
    std::this_thread::yield();
    --inside;
    return Background::now();
  });
  std::thread other([&] {
    for (int k = 0; k < 1000; ++k) b.wake();
  });
  for (int k = 0; k < 1000; ++k) b.wake();
  other.join();
  REQUIRE(soon([&] { return steps > 10; }));
  b.stop();
  const int then = steps;
  b.wake();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(steps == then);
  CHECK(most == 1);
}
