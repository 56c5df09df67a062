// Damaged PTX: no text crashes the reader, recurses deeply or takes unbounded memory; what is read prints and reads
// again.
#include <catch2/catch.hpp>
#include <random>

#include "core/base/work_budget.h"
#include "core/ptx/read.h"
#include "text.h"

using namespace tessera;

namespace {

void check(const std::string& text) {
  const auto module = ptx::read(text);
  if (!module.ok()) {
    CHECK_FALSE(module.error().message.empty());
    CHECK(module.error().span.begin <= text.size());
    return;
  }
  const std::string printed = ptx::print(*module);
  const auto again = ptx::read(printed);
  INFO(printed);
  INFO((again.ok() ? "" : again.error().message));
  REQUIRE(again.ok());
  REQUIRE((*again == *module));
}

const std::string kFunction = ".version 8.0 .target sm_80 .address_size 64 .entry f() { .reg .b32 %r<4>; mov.b32 %r0, ";

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int k = 0; k < times; ++k) out += text;
  return out;
}

}  // namespace

TEST_CASE("truncated and damaged texts are read or refused") {
  const std::string& text = ptx::test::everySyntax();
  std::mt19937 random(28);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = text;
    switch (round % 4) {
      case 0:
        damaged.resize(below(text.size()));
        break;
      case 1:
        for (int k = 0; k < 3; ++k) damaged[below(text.size())] = static_cast<char>(random());
        break;
      case 2:
        for (int k = 0; k < 2; ++k) damaged.erase(below(damaged.size()), 1 + below(8));
        break;
      default: {  // a piece of the text elsewhere
        const std::string piece = text.substr(below(text.size()), 1 + below(12));
        damaged.insert(below(damaged.size()), piece);
        break;
      }
    }
    INFO("round " << round);
    check(damaged);
  }
}

TEST_CASE("a text of twice the length costs at most twice the work") {
  const auto workOf = [](const std::string& text) {
    const Work before = workSpent();
    (void)ptx::read(text);
    return workSpent() - before;
  };
  const std::string head = kFunction + "1;\n", line = "add.s32 %r1, %r2, {a, [b+4], 3};\n", values = "1, 0x2, 3, ";
  const std::string list = ".version 8.0 .global .b8 x[9999999] = {", section = ".version 8.0 .section x { .b8 ";
  const std::string open = kFunction + "1;\n.pragma ";
  for (const auto& [front, piece] : {std::pair{head, line}, {list, values}, {section, values}, {open, values}}) {
    const Work once = workOf(front + repeated(piece, 2000)), twice = workOf(front + repeated(piece, 4000));
    CHECK(once > 2000);
    CHECK(twice <= 2 * once + 100);
  }
}

TEST_CASE("deep nesting is refused, long lists are not") {
  constexpr int kDeep = 100'000;
  const std::string end = "; }";
  for (const char* piece : {"(", "{", "[", "-", "!", "~", "1?", "1?1:", "1+", "(1+", "0xFF(", "(.s64)", "generic("})
    CHECK_FALSE(ptx::read(kFunction + repeated(piece, kDeep) + end).ok());
  CHECK(ptx::read(kFunction + repeated("1+", kDeep) + "1" + end).ok());
  CHECK_FALSE(ptx::read(kFunction + "1; " + repeated("{", kDeep)).ok());
  CHECK_FALSE(ptx::read(".version 8.0 .global .b8 x = " + repeated("{", kDeep)).ok());
  CHECK_FALSE(ptx::read(".version 8.0 .section x " + repeated("{", kDeep)).ok());
  CHECK_FALSE(ptx::read(".version 8.0 .global .b8 x" + repeated("[2]", kDeep) + ";").ok());
  CHECK_FALSE(ptx::read(".version 8.0 .entry f() { .reg .b32 " + repeated("%r<1048576>,", kDeep) + "x; }").ok());
  CHECK_FALSE(ptx::read(".version 8.0 .global .b8 x[1000000000][1000000] = {{1}, {2}};").ok());
}
