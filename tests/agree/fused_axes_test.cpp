// Hardware axes that combine others into one number: tx = lane + 32 * warp, tid_in_wg = lane + 32 * wid_in_wg and warp
// = wid_in_wg + 4 * wgid. Layouts of 256 threads, spelled over each choice of axes, are equal if they put every element
// on the same thread, and refuted if one of them puts two elements elsewhere.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/support/ask.h"
#include "tests/support/volume.h"

using namespace tessera;

namespace {

// A piece of the thread number: `extent` threads, `stride` apart in their level (0: lanes, 1: warps of a warpgroup, 2:
// warpgroups).
struct Piece {
  i64 extent, stride;
  int level;
};

constexpr i64 kOfThread[] = {1, 32, 128};  // what one step of a level is in tx

struct Spelling {
  const char* axes[3];  // by level
  i64 step[3];          // what one step of a level is on its axis
};
constexpr Spelling kSpellings[] = {
    {{"laneid", "wid_in_wg", "wgid"}, {1, 1, 1}},
    {{"laneid", "warpid", "warpid"}, {1, 1, 4}},
    {{"tid_in_wg", "tid_in_wg", "wgid"}, {1, 32, 1}},
    {{"tx", "tx", "tx"}, {1, 32, 128}},
};

std::string spelled(const std::vector<Piece>& pieces, const Spelling& s) {
  std::vector<std::string> extents, strides;
  for (const Piece& p : pieces) {
    extents.push_back(fmt::format("{}", p.extent));
    strides.push_back(fmt::format("{}@{}", p.stride * s.step[p.level], s.axes[p.level]));
  }
  return fmt::format("S[({}):({})] over (256)", fmt::join(extents, ","), fmt::join(strides, ","));
}

std::vector<i64> threadsOf(const std::vector<Piece>& pieces) {
  std::vector<i64> out = {0};
  for (const Piece& p : pieces) {  // the last piece is the fastest
    std::vector<i64> next;
    for (const i64 t : out)
      for (i64 k = 0; k < p.extent; ++k) next.push_back(t + k * p.stride * kOfThread[p.level]);
    out = std::move(next);
  }
  return out;
}

std::vector<Piece> random(std::mt19937& engine) {
  std::vector<Piece> out;
  for (int level = 0; level < 3; ++level) {
    const i64 size = level == 0 ? 32 : level == 1 ? 4 : 2;
    for (i64 stride = 1; stride < size;) {
      const i64 room = size / stride;
      i64 extent = 2;
      while (extent < room && engine() % 2 == 0) extent *= 2;
      out.push_back({extent, stride, level});
      stride *= extent;
    }
  }
  std::shuffle(out.begin(), out.end(), engine);
  return out;
}

}  // namespace

TEST_CASE("axes that count others in one number name the same threads") {
  std::mt19937 engine(20261125);
  int same = 0, apart = 0;
  for (i64 n = test::volume(40, 4'000); n > 0; --n) {
    const std::vector<Piece> pieces = random(engine);
    std::vector<Piece> other = pieces;
    if (engine() % 2 == 0) {  // two pieces of one level change places
      const std::size_t a = engine() % other.size(), b = engine() % other.size();
      if (other[a].extent == other[b].extent) std::swap(other[a], other[b]);
    }
    const bool equal = threadsOf(pieces) == threadsOf(other);
    const Spelling &x = kSpellings[engine() % 4], &y = kSpellings[engine() % 4];
    const std::string a = spelled(pieces, x), b = spelled(other, y);
    for (const std::string& statement :
         {fmt::format("equal({}, {})", a, b), fmt::format("equal(to_linear({}), {})", a, b),
          fmt::format("equal(to_linear({}), to_linear({}))", a, b)}) {
      const Answer answer = ask(statement);
      INFO(statement << ": " << answer.text);
      REQUIRE(answer.truth == (equal ? Truth::Proved : Truth::Refuted));
    }
    ++(equal ? same : apart);
  }
  CHECK(same > 10);
  CHECK(apart > 2);
}

TEST_CASE("an axis beside one that counts it, or one that no warp divides, is not split") {
  // 48 threads are no whole number of warps; they are compared by the names that they have.
  CHECK(ask("equal(S[48:1@tx], S[48:1@tx])").truth == Truth::Proved);
  CHECK(ask("equal(S[(2,32):(32@tx,1@lane)], S[(2,32):(1@warp,1@lane)])").truth != Truth::Proved);
  CHECK(ask("equal(S[16:1@tx], S[16:1@lane])").truth == Truth::Proved);
  CHECK(ask("equal(S[16:2@tx], S[16:2@lane])").truth == Truth::Proved);
  CHECK(ask("equal(S[16:4@tx], S[16:4@lane])").truth == Truth::Refuted);
}
