// Proofs for every size by induction (solver/graphene/sizes/every_size.h), against runs at many sizes.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "core/graphene/reader/sized.h"
#include "core/graphene/with_sizes.h"
#include "sized_programs.h"
#include "tests/support/volume.h"

using namespace tessera;
using namespace tessera::graphene;
using verdicts::changed;
using verdicts::checked;
using verdicts::standing;
using namespace sized_programs;

TEST_CASE("a ring of stages is proved for every size") {
  const Ring rings[] = {{},
                        {.stages = 2},
                        {.stages = 4, .rows = 2},
                        {.epilogue = "relu", .bias = true},
                        {.stages = 2, .threads = 64, .synchronous = true}};
  for (const Ring& ring : rings) {
    const std::string text = ring.text();
    const CheckResult r = checked(text, kHow);
    INFO(text << verdicts::told(r));
    CHECK(r.holds());
    CHECK(r.specs[0].obligations.back().method == "induction");
    CHECK(r.specs[0].obligations.back().reason.find("for every ") == 0);
  }
}

TEST_CASE("a mistake is refuted at the smallest size that shows it") {
  const std::string right = Ring{}.text();
  struct Row {
    const char *from, *to;
    Obligation obligation;
    const char* at;
  };
  const Row rows[] = {
      {"    sync\n", "", Obligation::Races, "K = 1"},
      {"    wait 1\n", "    wait 2\n", Obligation::Definedness, "K = 1"},
      {"if (kt + 2 < K)", "if (kt + 2 <= K)", Obligation::Bounds, "K = 2"},
      {"if (kt + 2 < K)", "if (kt + 3 < K)", Obligation::Definedness, "K = 3"},
      {"(kt + 2)%3,@t]", "(kt + 1)%3,@t]", Obligation::Races, "K = 3"},
      {"* %w[32*k + t]", "* %w[32*K - 32 - 32*k + t]", Obligation::Value, "K = 2"},
      {"sum(k < K)", "sum(k < min(K,9))", Obligation::Value, ""},
  };
  for (const Row& row : rows) {
    const std::string text = changed(right, row.from, row.to);
    const auto read = readProgram(text);
    INFO(text << (read ? "" : read.error().message));
    REQUIRE(read.ok());
    const CheckResult r = checkProgram(*read, kHow);
    INFO(row.from << " -> " << row.to << "\n" << verdicts::told(r));
    if (std::string(row.at).empty()) {
      CHECK(standing(r, row.obligation) != Standing::Proved);
      continue;
    }
    CHECK(standing(r, row.obligation) == Standing::Refuted);
    CHECK(verdicts::why(r, row.obligation).find(row.at) != std::string::npos);
  }
}

TEST_CASE("kernels of the gallery are proved for every size") {
  for (const char* name : {"gemm", "mlp", "mlp_unfused", "lstm_unfused", "attention_unfused"}) {
    const CheckResult r = checked(shipped(name), {.budgetSeconds = 100});
    INFO(name << "\n" << verdicts::told(r));
    CHECK(r.holds());
    CHECK(r.specs[0].obligations.back().method == "induction");
  }
}

// The second half of %w is added to each row of %x.
TEST_CASE("a part of a tensor may be read if it stays") {
  const std::string text =
      "%x:[M,32].fp32.GL  %w:[2,32].fp32.GL  %y:[M,32].fp32.GL\n"
      "#b:[M].block  #t:[32:1].thread\n"
      "%w1 = %w.tile([1:1],_)[1,0]\n"
      "%y <- Spec<add><<<#b,#t>>>(%x,%w1) means {\n"
      "  %y[i,j] = %x[i,j] + (sum(k < 32) %w1[0,k])\n"
      "} {\n"
      "  @b = #b.indices()  @t = #t.indices()  %a:[].fp32.RF  %c:[].fp32.RF\n"
      "  %from = %x[@b,@t]  %to = %y[@b,@t]\n"
      "  %a <- Move(%from)\n"
      "  for (k = 0; k < 32; k += 1) { %wk = %w1[0,k]  %c <- Move(%wk)  %a <- BinaryPointwise<+>(%a,%c) }\n"
      "  %to <- Move(%a)\n"
      "}\n";
  const CheckResult r = checked(text, kHow);
  INFO(verdicts::told(r));
  CHECK(r.holds());
  CHECK(standing(checked(changed(text, "%w1[0,k])", "%w1[0,31])"), kHow), Obligation::Value) == Standing::Refuted);
  // A part that each block reads at another place.
  const std::string moved = changed(changed(text, "%w:[2,32]", "%w:[2*M,32]"), "[1,0]\n", "[M,0]\n");
  CHECK_FALSE(checked(changed(moved, "%wk = %w1[0,k]", "%wk = %w1[0,(k + @b)%32]"), kHow).holds());
}

TEST_CASE("an online softmax is proved for every size") {
  const std::string text = online();
  const CheckResult r = checked(text, kHow);
  INFO(verdicts::told(r));
  CHECK(r.holds());
  CHECK(r.specs[0].obligations.back().reason.find("for every ") == 0);
}

TEST_CASE("mistakes in an online softmax are not proved for every size") {
  struct Row {
    const char *from, *to;
    Standing value;
  };
  const Row rows[] = {
      {"    %l <- BinaryPointwise<*>(%l,%m)\n", "", Standing::Refuted},
      {"    %o <- BinaryPointwise<*>(%o,%m)\n", "    if (k < 3) { %o <- BinaryPointwise<*>(%o,%m) }\n",
       Standing::Refuted},
      {"    %o <- BinaryPointwise<*>(%o,%m)\n", "    if (k < 70) { %o <- BinaryPointwise<*>(%o,%m) }\n",
       Standing::Unknown},
      {"    %l <- BinaryPointwise<+>(%l,%e)\n", "    if (k < 70) { %l <- BinaryPointwise<+>(%l,%e) }\n",
       Standing::Unknown},
      {"    %e <- UnaryPointwise<exp>(%e)\n",
       "    %e <- UnaryPointwise<exp>(%e)\n    %e <- BinaryPointwise<*>(%e,%e)\n", Standing::Refuted},
      {"max(k < K)", "max(k < min(K,70))", Standing::Unknown},  // the same value by another law
      {"(sum(k < K) p[r,t,k] *", "(sum(k < min(K,70)) p[r,t,k] *", Standing::Unknown},
      {"p[r,t,k] * %v", "p[r,t,K - 1 - k] * %v", Standing::Refuted},
  };
  for (const Row& row : rows) {
    const CheckResult r = checked(changed(online(), row.from, row.to), kHow);
    INFO(row.from << " -> " << row.to << "\n" << verdicts::told(r));
    CHECK(standing(r, Obligation::Value) == row.value);
  }
}

TEST_CASE("fused attention is proved for every size") {
  const CheckResult r = checked(shipped("attention_heads"), {.budgetSeconds = 100});
  INFO(verdicts::told(r));
  CHECK(r.holds());
}

TEST_CASE("an LSTM cell is proved for every size") {
  const CheckResult r = checked(shipped("lstm"), {.budgetSeconds = 100});
  INFO(verdicts::told(r));
  CHECK(r.holds());
}

TEST_CASE("a gallery kernel with one mistake is refuted without sizes") {
  const std::string gemm = shipped("gemm"), mlp = shipped("mlp");
  struct Row {
    const std::string& text;
    const char *from, *to, *at;
  };
  const Row rows[] = {
      {gemm, "wait (stages - 2)", "wait (stages - 1)", "K = 1"},
      {gemm, "if (kt + stages - 1 < K)", "if (kt + stages - 2 < K)", "K = 2"},
      {gemm, "%B1 = %Bt[kt + stages - 1,bn]", "%B1 = %Bt[kt + stages - 2,bn]", "K = 3"},
      {mlp, "relu((sum", "((sum", "L = 1"},
  };
  for (const Row& row : rows) {
    const CheckResult r = checked(changed(row.text, row.from, row.to), {.budgetSeconds = 100});
    const Finding* finding = r.firstFinding();
    INFO(row.from << " -> " << row.to << "\n" << verdicts::told(r));
    REQUIRE(finding != nullptr);
    CHECK(finding->message.find(row.at) != std::string::npos);
  }
}

// Each is right at the least sizes, some at all that are run.
TEST_CASE("a mistake in a gallery kernel that larger sizes show is not proved") {
  const std::string attention = shipped("attention_unfused"), lstm = shipped("lstm_unfused");
  struct Row {
    const std::string& text;
    const char *from, *to;
  };
  const Row rows[] = {
      {attention, "%Q.tile([1:1],[128:1],[1:1],[64:1])[@b,@m", "%Q.tile([1:1],[128:1],[1:1],[64:1])[@b,@n"},
      {attention, "[@b,@h,@m,@n]", "[@b,@h,@n,@m]"},
      {attention, "[@b,@n,@h,0]", "[@b,@n - @n/40,@h,0]"},
      {attention, "    if (kt + 1 < 2*T) {", "    if (kt + 1 < 2*T && kt < 90) {"},
      {attention, "[@b, @h, 4*@r + @warp, 32*j + @l].reshape(0,[2])  %to",
       "[@b, @h, 4*@r + @warp, 32*(j - j/80) + @l].reshape(0,[2])  %to"},
      {attention, "      %m, %s <- softmax_take(%m,%s,%v,%one)\n",
       "      if (j < 80) { %m, %s <- softmax_take(%m,%s,%v,%one) }\n"},
      {attention, "    %to <- Move(%y)\n", "    %to <- Move(%y)\n    %s <- BinaryPointwise<*>(%s,%one)\n"},
      {attention, "sum(k < 128*T)", "sum(k < 128*min(T,40))"},
      {lstm, "16*U*gate", "16*gate"},
      {lstm, "16*U*gate + 16*@bu", "16*U*gate + 16*(@bu - @bu/40)"},
      {lstm, "sum(k < 32*U)", "sum(k < 32*min(U,40))"},
  };
  for (const Row& row : rows) {
    const CheckResult r = checked(changed(row.text, row.from, row.to), {.budgetSeconds = 100});
    INFO(row.from << " -> " << row.to);
    CHECK_FALSE(r.holds());
  }
}

// What shows only at sizes beyond those that are run must not be proved.
TEST_CASE("a mistake far out is not proved") {
  const std::string right = Ring{}.text();
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"    wait 1\n", "    if (kt < 40) { wait 1 }\n"},
           {"if (kt + 2 < K)", "if (kt + 2 < K && kt < 40)"},
           {"    sync\n", "    if (kt < 40) { sync }\n"},
           {"(kt + 2)%3,@t]  %s", "(kt + 2 + kt/40)%3,@t]  %s"},
           {"%g = %w[32*(kt + 2) + @t]", "%g = %w[32*(kt + 2 - kt/40) + @t]"},
           {"%acc:[1].fp32.RF\n  %acc <- Init<0>()\n  for (st",
            "%acc:[1].fp32.RF\n  %acc <- Init<0>()\n  if (K == 40) { %acc <- Init<1>() }\n  for (st"},
           {"= id(s[r,t])", "= where(t + 40 == K, %bias[t], s[r,t])"},
           {"%to = %y[1*@b + r,@t]", "%to = %y[1*@b + r - @b/40,@t]"},
           {"kt = 0; kt < K;", "kt = 0; kt < K - @b/40;"},
           {"%acc:[1].fp32.RF", "%acc:[41 - K].fp32.RF"},
       }) {
    const std::string text = changed(right, from, to);
    const auto read = readProgram(text);
    INFO(text << (read ? "" : read.error().message));
    REQUIRE(read.ok());
    CHECK_FALSE(checkProgram(*read, kHow).holds());
  }
}

// The number of steps is a constant in each run, and max(steps - 40, 0) is 0 in each that is small.
TEST_CASE("a number that changes with each step is not proved") {
  std::string text = changed(Ring{}.text(), "%acc <- Init<0>()",
                             "%acc <- Init<0>()  %n:[].fp32.RF  %one:[].fp32.RF  %most:[].fp32.RF  %none:[].fp32.RF\n"
                             "  %n <- Init<0>()  %one <- Init<1>()  %most <- Init<40>()  %none <- Init<0>()");
  text = changed(text, "    sync\n", "    sync\n    %n <- BinaryPointwise<+>(%n,%one)\n");
  text = changed(text, "    %to <- Move(%e)",
                 "    %n <- BinaryPointwise<->(%n,%most)  %n <- BinaryPointwise<max>(%n,%none)\n"
                 "    %e <- BinaryPointwise<+>(%e,%n)\n    %to <- Move(%e)");
  const CheckResult r = checked(text, kHow);
  INFO(text << verdicts::told(r));
  CHECK(standing(r, Obligation::Value) == Standing::Unknown);
  CHECK(holdsAt(text, {{"R", 1}, {"K", 9}}));
  CHECK_FALSE(holdsAt(text, {{"R", 1}, {"K", 45}}));
}

// Inner specifications are run once for each value of the loops that they read, also if only their equations do.
TEST_CASE("an inner specification is run at each step that its equations name") {
  const std::string text = R"(%x:[M,4].fp32.GL  %y:[M,4].fp32.GL
#b:[M].block  #t:[1:1].thread
%y <- Spec<f><<<#b,#t>>>(%x) means { %y[i,k] = %x[i,k] * 0 } {
  @b = #b.indices()
  for (k = 0; k < 4; k += 1) {
    %u = %x[@b,k]  %v = %y[@b,k]  %r:[].fp32.RF  %q:[].fp32.RF
    %r <- Move(%u)
    %q <- Spec<scale><<<#b,#t>>>(%r) means { %q = %r * 0 } {
      %z:[].fp32.RF  %z <- Init<0>()
      %q <- BinaryPointwise<*>(%r,%z)
    }
    %v <- Move(%q)
  }
}
)";
  CHECK(checked(text, kHow).holds());
  for (const char* equation : {"%q = %r * [k] }", "%q = where(k < 3, %r * 0, %r) }"})
    CHECK(checked(changed(text, "%q = %r * 0 }", equation), kHow).firstFinding() != nullptr);
}

TEST_CASE("random programs proved for every size hold at 30 sizes each") {
  std::mt19937 random(20261130);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int proved = 0, refuted = 0, unknown = 0;
  const auto count = static_cast<int>(test::volume(20, 200));
  for (int n = 0; n < count; ++n) {
    Ring ring{2 + below(3), 1 + below(2), 32, below(2) == 0 ? "id" : "relu", below(2) == 0, false};
    ring.synchronous = ring.stages == 2 && below(3) == 0;
    std::string text = ring.text();
    const std::pair<std::string, std::string> changes[] = {
        {"    sync\n", ""},
        {fmt::format("    wait {}\n", ring.stages - 2), fmt::format("    wait {}\n", ring.stages - 1)},
        {fmt::format("kt%{}", ring.stages), fmt::format("(kt + 1)%{}", ring.stages)},
        {fmt::format("if (kt + {} < K)", ring.stages - 1), fmt::format("if (kt + {} < K)", ring.stages)},
        {fmt::format("if (kt + {} < K)", ring.stages - 1), "if (kt + 1 < K)"},
        {"%o <- MatMul(%u,%v)", "%o <- BinaryPointwise<*>(%u,%v)"},
        {"    if (st < K) {", "    if (st < K - 1) {"},
        {"%acc <- Init<0>()", "%acc <- Init<1>()"},
        {"sum(k < K)", "sum(k < 2*K)"},
        {"%w[32*k + t]\n", "%w[32*k + t/2*2]\n"},
    };
    const int change = below(20);  // half of the programs are right
    if (change < static_cast<int>(std::size(changes)))
      text = testing::replaced(text, changes[change].first, changes[change].second);
    // An index that changes at sizes, steps or blocks far beyond those that are run.
    const char* const far[] = {" + K/41", " - K/41", " + kt/41", " + @b/41", " + min(kt,40)/40", " + (K - kt)/45"};
    const bool isFar = below(3) == 0;
    if (isFar) {
      std::vector<std::size_t> ends;
      for (std::size_t at = text.find("} {"); (at = text.find("@t]", at)) != std::string::npos; ++at)
        ends.push_back(at + 2);
      text.insert(ends[static_cast<std::size_t>(below(static_cast<int>(ends.size())))],
                  far[below(static_cast<int>(std::size(far)))]);
    }
    const auto read = readProgram(text);
    if (!read) continue;
    const CheckResult r = checkProgram(*read, kHow);
    const bool wrong = r.firstFinding() != nullptr;
    proved += r.holds() ? 1 : 0;
    refuted += wrong ? 1 : 0;
    unknown += !r.holds() && !wrong ? 1 : 0;
    INFO(text << verdicts::told(r));
    bool all = true;
    for (int k = 1; k <= 30; ++k) {
      const Sizes sizes{{"R", k == 30 ? 43 : 1 + below(3)}, {"K", k < 20 ? k : 20 + below(40)}};
      const bool holds = holdsAt(text, sizes);
      if (r.holds()) CHECK(holds);
      all = all && holds;
      if (!holds && wrong) break;
    }
    if (wrong) CHECK_FALSE(all);
    if (!isFar && change >= static_cast<int>(std::size(changes))) CHECK(r.holds());
  }
  INFO(proved << " proved, " << refuted << " refuted, " << unknown << " unknown");
  CHECK(proved > count / 6);
  CHECK(refuted > count / 5);
}

TEST_CASE("numbers for sizes in the tree are numbers in the text") {
  for (const std::string& text : {Ring{}.text(), Ring{.stages = 2, .rows = 2, .epilogue = "relu"}.text(),
                                  shipped("gemm_symbolic"), shipped("layernorm_rows")}) {
    const auto program = readProgram(text);
    REQUIRE(program.ok());
    Sizes sizes;
    for (const Variable& v : program->variables)
      if (v.kind == Variable::Kind::Size) sizes[v.name] = 2;
    const auto sized = readSized(text, sizes);
    REQUIRE(sized.ok());
    const CheckResult a = checkProgram(withSizes(*program, sizes), kHow), b = checkProgram(*sized, kHow);
    REQUIRE(a.specs.size() == b.specs.size());
    for (std::size_t s = 0; s < a.specs.size(); ++s)
      for (std::size_t o = 0; o < a.specs[s].obligations.size(); ++o) {
        INFO(a.specs[s].spec);
        CHECK(a.specs[s].obligations[o].standing == b.specs[s].obligations[o].standing);
      }
  }
}
