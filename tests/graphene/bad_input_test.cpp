// Bad input, one item of issue 14 each: the message, its place, and the legal alternative.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>

#include "core/base/work_budget.h"
#include "core/graphene/obligation.h"
#include "core/graphene/program.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

struct Refusal {
  Diag diag;
  std::string piece;
};

const std::string kHead =
    "%A:[64,64].fp16.GL %v:[1023].fp16.GL %s:[64,64].fp16.SH %d:[8].fp16.RF #b:[4].block #t:[32].thread\n";

Refusal refused(const std::string& body) {
  const std::string text = kHead + "%s <- Spec<<<#b,#t>>>(%A) {\n" + body + "\n}";
  const auto read = readProgram(text);
  INFO(text);
  REQUIRE_FALSE(read.ok());
  const Diag& d = read.error();
  CHECK_FALSE(d.message.empty());
  CHECK_FALSE(d.expected.empty());
  REQUIRE(d.span.end <= text.size());
  return {d, text.substr(d.span.begin, d.span.end - d.span.begin)};
}

std::vector<Diag> notes(const std::string& body) {
  const std::string text = kHead + "%s <- Spec<<<#b,#t>>>(%A) {\n" + body + "\n}";
  const auto read = readProgram(text);
  INFO(text);
  INFO((read ? "" : read.error().message));
  REQUIRE(read.ok());
  return notesOf(*read);
}

}  // namespace

TEST_CASE("rank mismatches") {
  CHECK(refused("%x = %A.tile(8)").diag.message == "1 tile sizes for 2 dimensions");
  CHECK(refused("%x = %A.tile(8)").piece == ".tile(8)");
  CHECK(refused("%x = %A[3]").diag.message.find("1 coordinate for 2 dimensions") != std::string::npos);
  CHECK(refused("%x = %A[3]").piece == "[3]");
  CHECK(refused("%x = %A[1,2][0]").diag.message == "cannot index a scalar");
  CHECK(refused("%x = %A[_,0]").diag.message == "_ is not a coordinate");
  CHECK(refused("%x = %A[3,_]").diag.hint.find(".tile(_") != std::string::npos);
  CHECK(refused("(@a, @b, @c) = #t.indices()").diag.message.find("names for the 1 dimensions") != std::string::npos);
}

TEST_CASE("size mismatches") {
  CHECK(refused("%x : [32,2].[32,32].fp16.GL = %A.tile(32,32)").diag.message.find("operations give") !=
        std::string::npos);
  CHECK(refused("%x = %A.reshape(0,[32,32])").diag.message.find("must preserve the size (4096)") != std::string::npos);
  CHECK(refused("%x = %A[64,0]").diag.expected == "0 to 63");
  CHECK(refused("%x : [64,64].fp32.GL = %A").diag.message.find(".fp32") != std::string::npos);
}

TEST_CASE("unknown names, with the nearest that there is") {
  CHECK(refused("%x = %AA.tile(8,8)").diag.hint == "did you mean %A?");
  CHECK(refused("%x = %AA.tile(8,8)").piece == "%AA");
  CHECK(refused("%x = %A[@i, 0]").diag.message == "there is no index @i here");
  CHECK(refused("%x = %A[@i, 0]").piece == "@i");
  CHECK(refused("@id = #t.indices() %x = %A[@ie, 0]").diag.hint == "did you mean @id?");
  CHECK(refused("%d <- Muve<<<#b,#t>>>(%A)").diag.hint == "did you mean Move?");
  CHECK(refused("%d <- Move<<<#b,#w>>>(%A)").diag.message == "there is no tensor #w here");
}

TEST_CASE("recursion: a tensor or a specification cannot be made of itself") {
  CHECK(refused("%x = %x.tile(8)").diag.message == "there is no tensor %x here");
  CHECK(refused("%x, %x <- x<<<#b,#t>>>(%A)").diag.message == "there is no tensor %x here");
  CHECK(refused("%s <- s<<<#b,#t>>>(%A)").diag.message == "there is no specification 's'");
  CHECK(refused("for (k = k; k < 4; k += 1) { }").diag.message == "there is no index k here");
}

TEST_CASE("thread tensors that are no mixed radix") {
  const std::string text =
      "#w:[3,4:2,3].thread %a:[4].fp16.SH #b:[1].block\n%a <- Init<0><<<#b,#w>>>() {\n"
      "(@i,@j) = #w.indices() }";
  const auto read = readProgram(text);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().message.find("stride 3 is not a multiple of") != std::string::npos);
  CHECK(read.error().expected == "modes that are the digits of a mixed radix");
  CHECK(text.substr(read.error().span.begin, read.error().span.end - read.error().span.begin) ==
        "(@i,@j) = #w.indices()");
}

TEST_CASE("a tile that does not divide, read without a condition, is pointed at") {
  const std::string tiles = "@i = #t.indices() %o = %v.tile(128) %p = %o[7] %q = %p.tile(4)[@i] ";
  const auto open = notes(tiles + "%d <- Init<0><<<#b,#t>>>() %x = %q[3] %x <- Init<0><<<#b,#t>>>()");
  REQUIRE(open.size() == 1);
  CHECK(open[0].message == "%x reaches coordinate 1023 of dimension 0, which has 1023");
  CHECK(open[0].expected.find("if (") != std::string::npos);
  CHECK(notes(tiles + "%x = %q[3] if (896 + @i*4 + 3 < 1023) { %x <- Init<0><<<#b,#t>>>() }").empty());
  CHECK(notes("@i = #t.indices() %x = %A.tile(2,64)[@i,0] %x <- Init<0><<<#b,#t>>>()").empty());
  CHECK(notes("for (k = 0; k < 64; k += 32) { %x = %A[k+31, 0] %x <- Init<0><<<#b,#t>>>() }").empty());
  CHECK(notes("for (k = 0; k < 64; k += 32) { %x = %A[k+32, 0] %x <- Init<0><<<#b,#t>>>() }").size() == 1);
}

TEST_CASE("a barrier that some threads skip is pointed at") {
  CHECK(notes("@i = #t.indices() if (@i < 16) { sync }").size() == 1);
  CHECK(notes("@i = #t.indices() if (@i < 16) { } else { syncwarp }").size() == 1);
  // A condition with one value in a warp excludes none of its threads, but others of the block.
  const auto ofTwo = [](const std::string& body) {
    const auto read = readProgram(
        "%A:[8].fp16.GL #b:[1].block #t:[64].thread\n%A <- Spec<<<#b,#t>>>(%A) {\n#w:[2:32].[32:1].thread = "
        "#t.tile([32:1]) @w, @l = #w.indices() if (@w < 1) { " +
        body + " } }");
    INFO((read ? "" : read.error().message));
    REQUIRE(read.ok());
    return notesOf(*read).size();
  };
  CHECK(ofTwo("syncwarp") == 0);
  CHECK(ofTwo("sync") == 1);
  CHECK(ofTwo("if (@l < 4) { syncwarp }") == 1);
  CHECK(notes("@i = #t.indices() for (k = 0; k < @i; k += 1) { sync }").size() == 1);
  CHECK(notes("@i = #b.indices() if (@i < 2) { sync }").empty());
  CHECK(notes("for (k = 0; k < 4; k += 1) { if (k < 2) { sync } }").empty());
}

TEST_CASE("partial tiles of sizes that are symbols are read, and guarded by their own condition") {
  const std::string text =
      "%C:[M,N].fp32.GL #grid:[8,8].block #t:[32].thread\n%C <- Init<0><<<#grid,#t>>>() {\n"
      "(@m,@n) = #grid.indices() %T = %C.tile(128,128) %c = %T[@m,@n] %c <- Init<0><<<#grid,#t>>>() }";
  REQUIRE(readProgram(text).ok());
  CHECK(print(*readProgram(text)).find("[ceildiv(M,128),ceildiv(N,128):") != std::string::npos);
  CHECK(notesOf(*readProgram(text)).empty());  // M is unknown: the proof reports it
}

TEST_CASE("barriers, loops and conditions outside of every specification are refused, with their place") {
  const std::string kernel =
      "%x:[64].fp32.GL %y:[64].fp32.GL #b:[1].block #t:[64].thread\n"
      "%y <- Move<<<#b,#t>>>(%x) { @t = #t.indices() %o = %y[@t] %i = %x[@t] %o <- Move(%i) }\n";
  for (const std::string what :
       {"sync", "syncwarp", "commit", "wait 0", "wgmma.fence", "wgmma.commit", "wgmma.wait 0", "fence.async",
        "for (i = 0; i < 2; i += 1) { sync }", "if (M < 3) { wgmma.fence }", "if (M < 3) { } else { syncwarp }"}) {
    for (const std::string& text :
         {std::string(what), what + "\n" + kernel, kernel + what, "if (1 < 2) { " + what + " }"}) {
      INFO(text);
      const auto read = readProgram(text);
      REQUIRE_FALSE(read.ok());
      CHECK(read.error().message.find("outside of a specification") != std::string::npos);
      CHECK(text.substr(read.error().span.begin, read.error().span.end - read.error().span.begin) == what);
    }
  }
  CHECK(readProgram(kernel + "@i = #t.indices() %z = %x.tile(8) if (1 < 2) { %w = %z[0] } else { sync }").ok());
}

// Each construct n, 2n and 4n times: counted work grows with the text, and what is refused is refused at once.
TEST_CASE("the work of reading a program grows with its text") {
  const std::string head = "%x:[128].fp32.GL %y:[128].fp32.GL #b:[1].block #t:[128].thread\n";
  const auto in = [&](const std::string& body) {
    return head + "%y <- Move<<<#b,#t>>>(%x) { @t = #t.indices() " + body + " %o = %y[@t] %i = %x[@t] %o <- Move(%i) }";
  };
  const auto times = [](int n, const std::string& one) {
    std::string out;
    for (int k = 0; k < n; ++k) out += one;
    return out;
  };
  const auto spent = [](const std::string& text) {
    const WorkBudget limit({});
    (void)readProgram(text);
    return limit.used();
  };
  using Build = std::function<std::string(int)>;
  const std::vector<Build> constructs = {
      [&](int n) { return in("%z = %x" + times(n, ".tile([1])")); },
      [&](int n) { return in("%z = %x" + times(n, ".tile([1])[0]")); },
      [&](int n) { return in("%z = %x" + times(n, ".reshape(0,[2,64])")); },
      [&](int n) { return in("%z = %x[1" + times(n, "*1") + "]"); },
      [&](int n) { return in("%z = %x.tile(" + times(n, "(") + "1" + times(n, ")") + ")"); },
      [&](int n) { return in(times(n, "if (@t < 4) { ") + "sync" + times(n, " }")); },
      [&](int n) { return in(times(n, "if (@t < 4) { } else ") + "{ }"); },
      [&](int n) { return in(times(n, "sync ")); },
      [&](int n) { return "%z:[128" + times(n, ",1") + "].fp32.GL " + head; },
      [&](int n) { return "%z:[128]" + times(n, ".[1]") + ".fp32.GL " + head; },
      // A value twice in each call's argument: written out, 2^n of them.
      [&](int n) {
        std::string out = head;
        n = std::min(n / 100, 20);
        for (int k = 0; k < n; ++k)
          out += fmt::format("def f{}<K>: %o <- Move(%i) {{ %o <- f{}<K*K + K>(%i) }}\n", k, k + 1);
        return out + fmt::format("def f{}<K>: %o <- Move(%i) {{ %q = %i[K] %o <- Move(%q) }}\n", n) +
               "%y <- Move<<<#b,#t>>>(%x) { @t = #t.indices() %o = %y[@t] %o <- f0<@t>(%x) }";
      }};
  for (std::size_t k = 0; k < constructs.size(); ++k) {
    INFO(k);
    const auto one = spent(constructs[k](500)), four = spent(constructs[k](2000));
    CHECK(four < 6 * one + 3000);
  }
  const auto tiles = readProgram(constructs[0](12000));
  REQUIRE_FALSE(tiles.ok());
  CHECK(tiles.error().message == "the tiles nest more than 32 levels deep");
  CHECK(readProgram(constructs[3](40000)).error().message == "this expression is too long");
  CHECK(readProgram(constructs[10](2000)).error().message == "this expression is too long");
  // And it ends with the patience of the caller.
  const WorkBudget limit({.steps = 100});
  CHECK_THROWS_AS(readProgram(constructs[7](20000)), OutOfBudget);
}

TEST_CASE("a budget that ends anywhere in a program with calls leaves nothing behind") {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/assets/graphene/attention_unfused.graphene");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(text.find("<-") != std::string::npos);
  int ended = 0;
  for (Work steps = 50;; steps += steps / 16) {
    try {
      const WorkBudget limit({.steps = steps});
      const bool read = readProgram(text).ok();  // outside of CHECK, which would keep the exception
      CHECK(read);
      break;
    } catch (const OutOfBudget&) {
      ++ended;
    }
  }
  CHECK(ended > 50);
}
