// Sizes that tiles do not divide and sizes that threads compare with (solver/emulate/guards), against runs at each size.
#include <catch2/catch.hpp>
#include <random>

#include "sized_programs.h"
#include "tests/support/volume.h"

using namespace tessera;
using namespace tessera::graphene;
using verdicts::changed;
using verdicts::checked;
using verdicts::standing;
using namespace sized_programs;

namespace {

// Its guards: conditions of the copy to shared memory and of the write of the result.
struct Tiled {
  int unit = 1, tile = 32;
  std::string copies = "", writes = "", otherwise = "%to <- Init<0>()";
  bool asynchronous = false, reversed = false;

  [[nodiscard]] std::string at(const std::string& thread) const {
    return fmt::format("{}*@b + 32*j + {}", unit * tile, thread);
  }
  [[nodiscard]] std::string size() const { return unit == 1 ? "M" : fmt::format("{}*M", unit); }
  [[nodiscard]] std::string guard(const std::string& thread) const { return at(thread) + " < " + size(); }
  [[nodiscard]] std::string text() const {
    const int steps = unit * tile / 32;
    const std::string other = reversed ? "(31 - @t)" : "@t";
    return fmt::format(R"(%x:[{0}].fp32.GL  %y:[{0}].fp32.GL
#b:[ceildiv(M,{1})].block  #t:[32:1].thread
%y <- Spec<s><<<#b,#t>>>(%x) means {{ %y[i] = relu(%x[i]) + 1.5 }} {{
  @b = #b.indices()  @t = #t.indices()
  %s:[{2}].fp32.SH  %v:[].fp32.RF  %c:[].fp32.RF
  %c <- Init<1.5>()
  for (j = 0; j < {3}; j += 1) {{
    %to = %s[32*j + @t]
    if ({4}) {{ %from = %x[{5}]  %to <- Move{6}(%from) }} else {{ {7} }}
  }}
  commit
  wait 0
  sync
  for (j = 0; j < {3}; j += 1) {{
    %from = %s[32*j + {8}]
    if ({9}) {{
      %v <- Move(%from)
      %v <- UnaryPointwise<relu>(%v)
      %v <- BinaryPointwise<+>(%v,%c)
      %to = %y[{10}]
      %to <- Move(%v)
    }}
  }}
}}
)",
                       size(), tile, unit * tile, steps, copies.empty() ? guard("@t") : copies, at("@t"),
                       asynchronous ? "<async>" : "", otherwise, other, writes.empty() ? guard(other) : writes,
                       at(other));
  }
};

// One block has a row of C values: the value at i times the sum of the row, by its number of values.
struct Row {
  int most = 96;
  std::string end = "";  // of the loops over j; empty: a number
  std::string reads = "32*j + @t < C", counts = "32*j + @t < C", sums = "k < C", writes = "32*j + @t < C";
  std::string meaning = "%x[i] * (sum(k < C) %x[k] * %x[k]) / [C]";

  [[nodiscard]] std::string text() const {
    return fmt::format(R"(assume C <= {0}
%x:[C].fp32.GL  %y:[C].fp32.GL
#b:[1].block  #t:[32:1].thread
%y <- Spec<s><<<#b,#t>>>(%x) means {{ %y[i] = {1} }} {{
  @b = #b.indices()  @t = #t.indices()
  %s:[{0}].fp32.SH  %v:[{2}].fp32.RF  %n:[].fp32.RF  %l:[].fp32.RF  %one:[].fp32.RF
  %n <- Init<0>()  %l <- Init<0>()  %one <- Init<1>()
  for (j = 0; j < {2}; j += 1) {{
    %vj = %v[j]  %sj = %s[32*j + @t]
    if ({3}) {{ %from = %x[32*j + @t]  %vj <- Move(%from) }} else {{ %vj <- Init<0>() }}
    %sj <- Move(%vj)
  }}
  sync
  for (k = 0; k < {0}; k += 1) {{
    %e:[].fp32.RF  %sk = %s[k]
    if ({4}) {{ %e <- Move(%sk)  %l <- MatMul(%e,%e)  %n <- BinaryPointwise<+>(%n,%one) }}
  }}
  %l <- BinaryPointwise</>(%l,%n)
  for (j = 0; j < {6}; j += 1) {{
    %vj = %v[j]
    if ({5}) {{ %vj <- BinaryPointwise<*>(%vj,%l)  %to = %y[32*j + @t]  %to <- Move(%vj) }}
  }}
}}
)",
                       most, meaning, most / 32, reads, sums, writes, end.empty() ? std::to_string(most / 32) : end);
  }
};

}  // namespace

TEST_CASE("kernels with partial tiles are proved for every size") {
  for (const char* name : {"gemm_partial", "layernorm_rows", "layernorm_unfused"}) {
    const CheckResult r = checked(shipped(name), {.budgetSeconds = 100});
    INFO(name << "\n" << verdicts::told(r));
    CHECK(r.holds());
    CHECK(r.specs[0].obligations.back().reason.find("were run at once") != std::string::npos);
  }
}

TEST_CASE("a partial tile with one mistake is not proved") {
  const std::string gemm = shipped("gemm_partial"), rows = shipped("layernorm_rows");
  const std::string unfused = shipped("layernorm_unfused");
  struct Change {
    const std::string& text;
    const char *from, *to;
    bool refuted = true;
  };
  const Change all[] = {
      {gemm, "128*@bm + 32*i + @r < M &&", "128*@bm + 32*i + @r <= M &&"},
      {gemm, "      } else { %a2 <- Init<0>() }\n", "      }\n"},
      {gemm, "8*i + @g < M && 16*@bn", "8*i + @g + 1 < M && 16*@bn"},
      {gemm, "8*@wn + n < N)", "8*@wn + n <= N)"},
      {gemm, "8*@wn + n < N)", "8*@wn + n < N + 1)"},
      {gemm, "4*st + @c >= 4*ceildiv(K,4) - K", "4*st + @c > 4*ceildiv(K,4) - K"},
      {gemm, "ceildiv(M,128),ceildiv(N,16):1,ceildiv(M,128)", "ceildiv(M,64),ceildiv(N,16):1,ceildiv(M,64)", false},
      {unfused, "j < (C + 31)/32", "j < (C + 30)/32"},
      {unfused, "j < (C + 31)/32", "j < C/32"},
      {unfused, "j < (C + 127)/128", "j < (C + 126)/128"},
      {rows, "assume C <= 512", "assume C <= 513", false},
      {rows, "if (128*j + @t < C) {\n    %h:", "if (128*j + @t <= C) {\n    %h:"},
      {rows, "if (128*j + @t < C) {\n    %h:", "if (128*j + @t + 1 < C) {\n    %h:"},
      {rows, "if (128*j + @t < C) { for", "if (127*j + @t < C) { for"},
      {rows, "if (128*j + @t < C) { for", "if (j < 4) { for"},
      {rows, "    %count <- BinaryPointwise<+>(%count,%eight)\n  } }",
       "  } %count <- BinaryPointwise<+>(%count,%eight)\n  }"},
      {rows, "(%x[i,k] - mean[i])) / [8*C]", "(%x[i,k] - mean[i])) / [8*C + 1]"},
      {rows, "sum(k < 8*C) %x[i,k]", "sum(k < 8*C - 8) %x[i,k]"},
      {rows, "sum(k < 8*C) %x[i,k]", "sum(k < min(8*C,4000)) %x[i,k]", false},
      {rows, "sum(k < 8*C) %x[i,k]", "max(k < 8*C) %x[i,k]", false},
  };
  for (const Change& c : all) {
    const CheckResult r = checked(changed(c.text, c.from, c.to), {.budgetSeconds = 100});
    INFO(c.from << " -> " << c.to << "\n" << verdicts::told(r));
    CHECK_FALSE(r.holds());
    if (c.refuted) CHECK(r.firstFinding() != nullptr);
  }
}

// Found by a user's program: it was proved by its run at M = 1.
TEST_CASE("equations that change with a size are not proved by blocks") {
  const std::string text = R"(%x:[M,32].fp32.GL  %y:[M,32].fp32.GL
#b:[M].block  #t:[32:1].thread
%y <- Spec<s><<<#b,#t>>>(%x) means { %y[i,j] = %x[i,j] * [M] } {
  @b = #b.indices()  @t = #t.indices()  %v:[].fp32.RF  %a = %x[@b,@t]  %o = %y[@b,@t]
  %v <- Move(%a)
  %o <- Move(%v)
}
)";
  CHECK_FALSE(checked(text, kHow).holds());
  CHECK(checked(changed(text, " * [M]", ""), kHow).holds());
  const std::string partial = Tiled{}.text();
  CHECK_FALSE(checked(changed(partial, "+ 1.5 }", "+ [M] }"), kHow).holds());
}

TEST_CASE("a mistake in a condition is refuted at the smallest size that shows it") {
  Row row;
  row.end = "2";
  const CheckResult r = checked(row.text(), kHow);
  INFO(verdicts::told(r));
  CHECK(verdicts::why(r, Obligation::Coverage).find("(with C = 65)") != std::string::npos);
}

// By itself it does not write all of %v at every size.
TEST_CASE("a specification with guards inside is not proved by itself") {
  const std::string text = R"(%x:[M].fp32.GL  %y:[M].fp32.GL
#b:[ceildiv(M,32)].block  #t:[32:1].thread
%y <- Spec<s><<<#b,#t>>>(%x) means { %y[i] = %x[i] } {
  @b = #b.indices()  @t = #t.indices()
  %v:[].fp32.RF
  %v <- Spec<part><<<#b,#t>>>(%x) {
    if (32*@b + @t < M) { %from = %x[32*@b + @t]  %v <- Move(%from) }
  }
  if (32*@b + @t < M) { %to = %y[32*@b + @t]  %to <- Move(%v) }
}
)";
  CHECK_FALSE(checked(text, kHow).holds());
  CHECK_FALSE(holdsAt(text, {{"M", 7}}));
  CHECK(standing(checked(text, kHow), Obligation::Value) == Standing::Proved);
}

// Elements beyond the extents are zeros in a run for all sizes, and a maximum of negative numbers is none of them.
TEST_CASE("a maximum that includes padding is not proved") {
  const std::string text = R"(assume C <= 96
%x:[1,C].fp32.GL  %y:[1].fp32.GL
#b:[1].block  #t:[32:1].thread
%y <- Reduction<max, 1><<<#b,#t>>>(%x) {
  @b = #b.indices()  @t = #t.indices()
  %s:[32].fp32.SH  %m:[].fp32.RF  %e:[].fp32.RF
  %m <- Init<-inf>()
  for (j = 0; j < 3; j += 1) {
    %e <- Init<0>()
    if (32*j + @t < C) { %from = %x[@b,32*j + @t]  %e <- Move(%from) }
    %m <- BinaryPointwise<max>(%m,%e)
  }
  %own = %s[@t]
  %own <- Move(%m)
  sync
  if (@t < 1) {
    %m <- Init<-inf>()
    for (k = 0; k < 32; k += 1) { %sk = %s[k]  %e <- Move(%sk)  %m <- BinaryPointwise<max>(%m,%e) }
    %to = %y[@b]
    %to <- Move(%m)
  }
}
)";
  CHECK_FALSE(checked(text, kHow).holds());
  CHECK(holdsAt(text, {{"C", 96}}));
  CHECK_FALSE(holdsAt(text, {{"C", 7}}));
  const std::string sum = testing::replaced(changed(text, "-inf", "0"), "max", "+");
  CHECK(holdsAt(sum, {{"C", 7}}));
}

TEST_CASE("what is proved for all sizes of a tile at once holds at each") {
  std::mt19937 random(20261201);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int proved = 0, refuted = 0, rightly = 0;
  const auto count = static_cast<int>(test::volume(40, 600));
  for (int n = 0; n < count; ++n) {
    const bool tiled = below(2) == 0;
    std::string text;
    bool right = true;
    // One form of `e < size`, or another condition.
    const auto condition = [&](const std::string& e, const std::string& size) {
      switch (below(10)) {
        case 0:
          return size + " > " + e;
        case 1:
          return e + " + 1 <= " + size;
        case 2:
          return fmt::format("2*({}) < 2*{}", e, size);
        case 3:
          return fmt::format("@t < 32 && {} < {}", e, size);
        case 4: {
          right = false;
          const char* const others[] = {"{0} <= {1}", "{0} + 1 < {1}",      "{0} < {1} && @t < 31", "{0} < {1} - @t/31",
                                        "@t < 32",    "{0} < 2*({1}) - @t", "{0} < {1} + 1",        "{0} > {1}",
                                        "{0} != {1}", "{0} + @t/16 < {1}"};
          return fmt::format(fmt::runtime(others[below(static_cast<int>(std::size(others)))]), e, size);
        }
        default:
          return e + " < " + size;
      }
    };
    std::string name = "C";
    int most = 96;
    if (tiled) {
      Tiled t{1 + below(2), 32 * (1 + below(2))};
      t.asynchronous = below(2) == 0;
      t.reversed = below(2) == 0;
      t.copies = condition(t.at("@t"), t.size());
      t.writes = condition(t.at(t.reversed ? "(31 - @t)" : "@t"), t.size());
      if (below(6) == 0) t.otherwise = "";
      if (below(6) == 0) t.otherwise = "%to <- Init<1>()", right = false;
      text = t.text();
      name = "M";
      most = 3 * t.tile;
    } else {
      Row row{32 * (1 + below(2))};
      most = row.most;
      if (below(3) == 0) row.end = "ceildiv(C,32)";
      if (below(9) == 0) row.end = below(2) == 0 ? "(C + 30)/32" : "C/32", right = false;
      row.reads = condition("32*j + @t", "C");
      row.sums = below(4) == 0 ? condition("k", "C") : "k < C";
      row.writes = condition("32*j + @t", "C");
      const char* const meanings[] = {
          "%x[i] * (sum(k < C) %x[k] * %x[k]) / [C - 1 + 1]", "(sum(k < C) %x[i] * (%x[k] * %x[k])) / [C]",
          "%x[i] * (sum(k < C - 1) %x[k] * %x[k]) / [C]", "%x[i] * (sum(k < C) %x[k] * %x[C - 1 - k]) / [C]",
          "%x[i] * (sum(k < C) %x[k] * %x[k]) / [C + 1]"};
      if (const int other = below(12); other < 5) row.meaning = meanings[other], right = right && other < 2;
      text = row.text();
    }
    const auto read = readProgram(text);
    INFO(text);
    REQUIRE((read.ok() || !right));
    if (!read) continue;
    const CheckResult r = checkProgram(*read, kHow);
    const bool wrong = r.firstFinding() != nullptr;
    INFO(verdicts::told(r));
    bool all = true;
    for (int k = 1; k <= 14; ++k) {
      const int size = k <= 3 ? k : k == 4 ? most : k == 5 ? most - 1 : 1 + below(most);
      const bool holds = holdsAt(text, {{name, size}});
      INFO(name << " = " << size);
      if (r.holds()) CHECK(holds);
      all = all && holds;
    }
    proved += r.holds() ? 1 : 0;
    refuted += wrong ? 1 : 0;
    rightly += right ? 1 : 0;
    if (right) CHECK(r.holds());
  }
  INFO(proved << " proved, " << refuted << " refuted, " << rightly << " right of " << count);
  CHECK(rightly > count / 4);
  CHECK(refuted > count / 8);
}
