// Proofs for every size by way of kernels that have the given one as a special case: split_tensors.h, separate_sizes.h,
// own_inputs.h (solver/graphene/sizes), and by iterations that are like blocks (growth.h). Against runs.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "core/expr/walk.h"
#include "core/graphene/with_sizes.h"
#include "sized_programs.h"
#include "solver/graphene/sizes/kernel_alone.h"
#include "solver/graphene/sizes/own_inputs.h"
#include "solver/graphene/sizes/separate_sizes.h"
#include "solver/graphene/sizes/split_tensors.h"
#include "tests/support/volume.h"

using namespace tessera;
using namespace tessera::graphene;
using verdicts::changed;
using verdicts::checked;
using verdicts::standing;
using namespace sized_programs;

namespace {

// Two loops end at the size of the grid; the second writes a column in each step.
const std::string kRows = R"(%x:[32*T,T].fp32.GL  %y:[32*T,T].fp32.GL
#b:[T].block  #t:[32:1].thread
%y <- Spec<scale><<<#b,#t>>>(%x) means {
  s[i] = sum(k < T) %x[i,k]
  %y[i,j] = %x[i,j] * s[i]
} {
  @b = #b.indices()  @t = #t.indices()  %s:[].fp32.RF  %s <- Init<0>()  %one:[].fp32.RF  %one <- Init<1>()
  for (j = 0; j < T; j += 1) {
    %a:[].fp32.RF  %from = %x[32*@b + @t,j]
    %a <- Move(%from)
    %s <- BinaryPointwise<+>(%s,%a)
  }
  for (j = 0; j < T; j += 1) {
    %a:[].fp32.RF  %from = %x[32*@b + @t,j]  %to = %y[32*@b + @t,j]
    %a <- Move(%from)
    %a <- BinaryPointwise<*>(%a,%s)
    %to <- Move(%a)
  }
}
)";

// The same for the softmax of a row: a pass that carries a maximum and a sum, and one that writes.
const std::string kSoftmax = R"(%x:[32*T,T].fp32.GL  %y:[32*T,T].fp32.GL
#b:[T].block  #t:[32:1].thread
%y <- Spec<softmax><<<#b,#t>>>(%x) means {
  m[i] = max(k < T) %x[i,k]
  p[i,j] = exp(%x[i,j] - m[i])
  %y[i,j] = p[i,j] / (sum(k < T) p[i,k])
} {
  @b = #b.indices()  @t = #t.indices()  %m:[].fp32.RF  %s:[].fp32.RF  %one:[].fp32.RF
  %m <- Init<-inf>()  %s <- Init<0>()  %one <- Init<1>()
  for (j = 0; j < T; j += 1) {
    %a:[].fp32.RF  %from = %x[32*@b + @t,j]
    %a <- Move(%from)
    %m, %s <- softmax_take(%m,%s,%a,%one)
  }
  for (j = 0; j < T; j += 1) {
    %a:[].fp32.RF  %from = %x[32*@b + @t,j]  %to = %y[32*@b + @t,j]
    %a <- Move(%from)
    %a <- BinaryPointwise<->(%a,%m)  %a <- UnaryPointwise<exp>(%a)  %a <- BinaryPointwise</>(%a,%s)
    %to <- Move(%a)
  }
}
)";

// Two digits of the grid have the size.
const std::string kOuter = R"(%x:[32*T].fp32.GL  %y:[T].fp32.GL  %z:[T,32*T].fp32.GL
#b:[T,T].block  #t:[32:1].thread
%z <- Spec<outer><<<#b,#t>>>(%x,%y) means {
  %z[i,j] = %y[i] * %x[j]
} {
  (@m,@n) = #b.indices()  @t = #t.indices()  %a:[].fp32.RF  %c:[].fp32.RF
  %from = %x[32*@n + @t]  %by = %y[@m]  %to = %z[@m,32*@n + @t]
  %a <- Move(%from)  %c <- Move(%by)
  %a <- BinaryPointwise<*>(%a,%c)
  %to <- Move(%a)
}
)";

// Three parts of a row, each of which grows.
const std::string kParts = R"(%z:[M,96*U].fp32.GL  %y:[M,32*U].fp32.GL
#b:[M,U].block  #t:[32:1].thread
%y <- Spec<parts><<<#b,#t>>>(%z) means {
  g[k,i,u] = %z[i,32*U*k + u]
  %y[i,u] = g[0,i,u] * g[1,i,u] + g[2,i,u]
} {
  (@m,@u) = #b.indices()  @t = #t.indices()  %a:[3].fp32.RF
  %to = %y[@m,32*@u + @t]
  for (k = 0; k < 3; k += 1) {
    %from = %z[@m,32*U*k + 32*@u + @t]  %ak = %a[k]
    %ak <- Move(%from)
  }
  %a0 = %a[0]  %a1 = %a[1]  %a2 = %a[2]
  %a0 <- BinaryPointwise<*>(%a0,%a1)
  %a0 <- BinaryPointwise<+>(%a0,%a2)
  %to <- Move(%a0)
}
)";

// Of those that the text has.
Sizes sizesIn(const std::string& text, i64 size, i64 rows = 1) {
  return text.find("[M,") == std::string::npos ? Sizes{{"T", size}} : Sizes{{"U", size}, {"M", rows}};
}

Standing valueOf(const std::string& text) {
  const auto read = readProgram(text);
  INFO(text << (read ? "" : read.error().message));
  REQUIRE(read.ok());
  return standing(checkProgram(*read, kHow), Obligation::Value);
}

}  // namespace

TEST_CASE("an index is its parts by the coefficient of a size") {
  // Digits 0 to 2, params 0 (the size) to 2.
  const Expr s = Expr::param(0), g = Expr::digit(0), u = Expr::digit(1), p = Expr::param(1);
  const Expr right[] = {s * 32 * g + u, (s * g * 16 + p * 16 + u) * 2, s * 64 + g, u, s * p * 32 + s * g * 96 + p + 7};
  for (const Expr& e : right) {
    const auto split = splitIndex(e, 0, 32);
    REQUIRE(split.has_value());
    for (i64 n = 0; n < 64; ++n) {
      const std::vector<i64> digits{n % 4, n / 4 % 4, 0}, params{1 + n / 16, n % 7, n % 5};
      CHECK(evaluate(split->quotient, digits, params) * 32 * params[0] + evaluate(split->rest, digits, params) ==
            evaluate(e, digits, params));
    }
    CHECK_FALSE(mentionsParam(split->quotient, 0));
    CHECK_FALSE(mentionsParam(split->rest, 0));
  }
  CHECK_FALSE(splitIndex(s * 16 * g, 0, 32).has_value());
  CHECK_FALSE(splitIndex(s * s * 32, 0, 32).has_value());
  CHECK_FALSE(splitIndex(floorDiv(s * 64, 3), 0, 32).has_value());
}

// A specification has the same function at numbers for the sizes, for every name of the new ones.
TEST_CASE("a kernel is its other forms with equal sizes") {
  for (const std::string& text : {kRows, kSoftmax, kOuter, kParts}) {
    const auto program = readProgram(text);
    REQUIRE(program.ok());
    const Sites sites = sitesOf(*program, "sm_80");
    std::vector<Program> forms;
    if (auto split = withSplitTensors(sites, 0)) forms.push_back(*std::move(split));
    for (std::size_t v = 0; v < program->variables.size(); ++v) {
      if (program->variables[v].kind != Variable::Kind::Size) continue;
      Program apart = kernelAlone(sites, 0);
      if (auto own = withOwnInputs(sitesOf(apart, "sm_80"), static_cast<int>(v), "sm_80")) apart = *std::move(own);
      if (auto separate = withSeparateSizes(sitesOf(apart, "sm_80"), static_cast<int>(v)))
        forms.push_back(*std::move(separate));
    }
    INFO(text);
    REQUIRE(forms.size() == 1);
    const Program& form = forms.front();
    for (i64 n = 1; n < 4; ++n) {
      Sizes sizes;
      for (const Variable& v : form.variables)
        if (v.kind == Variable::Kind::Size) sizes[v.name] = n;
      CheckOptions running = kHow;
      running.method = CheckMethod::Running;
      CHECK(checkProgram(withSizes(form, sizes), running).holds());
    }
  }
}

TEST_CASE("kernels are proved for every size by their other forms") {
  for (const std::string& text : {kRows, kSoftmax, kOuter, kParts}) {
    const CheckResult r = checked(text, kHow);
    INFO(text << verdicts::told(r));
    CHECK(r.holds());
    CHECK(r.specs[0].obligations.back().method == "induction");
    for (i64 n : {1, 2, 3, 5, 9}) CHECK(holdsAt(text, sizesIn(text, n, 2)));
  }
}

// Each is right at size 1, so that only the laws can tell.
TEST_CASE("a mistake beyond the first size is not proved by another form") {
  struct Row {
    const std::string& text;
    const char *from, *to;
    i64 wrongAt;
  };
  const Row rows[] = {
      {kOuter, "%z[@m,32*@n + @t]", "%z[@n,32*@m + @t]", 2},
      {kOuter, "%y[@m]", "%y[@n]", 2},
      {kOuter, "%x[32*@n + @t]", "%x[32*@m + @t]", 2},
      {kOuter, "%y[i]", "%y[j/32]", 2},
      {kOuter, "%y[i]", "%y[i - i/9]", 10},
      {kOuter, "%x[j]", "%x[j%320]", 11},
      {kRows, "sum(k < T)", "sum(k < 1)", 2},
      {kRows, "sum(k < T)", "sum(k < min(T,9))", 10},
      {kRows, "%y[i,j] = %x[i,j]", "%y[i,j] = %x[i,0]", 2},
      {kRows, "%y[i,j] = %x[i,j]", "%y[i,j] = %x[i,j - j/9]", 10},
      {kRows, "%y[i,j] = %x[i,j] *", "%y[i,j] = [j/9 + 1] * %x[i,j] *", 10},
      {kRows, "%y[i,j] = %x[i,j] *", "%y[i,j] = [T] * %x[i,j] *", 2},
      {kRows, "%x[i,k]", "%x[i,k%9]", 10},
      {kRows, "%x[i,k]", "%x[i%288,k]", 10},
      {kRows, "j]\n    %a <- Move(%from)\n    %s", "0]\n    %a <- Move(%from)\n    %s", 2},
      {kRows, "j]  %to", "0]  %to", 2},
      {kRows, "j]  %to", "j - j/9]  %to", 10},
      {kRows, "    %to <- Move(%a)\n", "    %to <- Move(%a)\n    %s <- BinaryPointwise<+>(%s,%one)\n", 2},
      {kRows, "    %to <- Move(%a)\n", "    if (j < 9) { %to <- Move(%a) }\n", 10},
      {kRows, "    %to <- Move(%a)\n", "    if (j == 9) { %a <- Init<0>() }\n    %to <- Move(%a)\n", 10},
      {kRows, "    %s <- BinaryPointwise<+>(%s,%a)\n", "    if (j < 9) { %s <- BinaryPointwise<+>(%s,%a) }\n", 10},
      {kRows, "  %s <- Init<0>()", "  %s <- Init<0>()  if (T == 9) { %s <- Init<1>() }", 9},
      {kSoftmax, "sum(k < T)", "sum(k < 1)", 2},
      {kSoftmax, "sum(k < T)", "sum(k < min(T,9))", 10},
      {kSoftmax, "(sum(k < T) p[i,k])", "(sum(k < T) p[i,k%9])", 10},
      {kSoftmax, "(sum(k < T) p[i,k])", "(sum(k < T) p[i,k] * [k/9 + 1])", 10},
      {kSoftmax, "    %m, %s <- softmax", "    if (j == 9) { %s <- Init<0>() }\n    %m, %s <- softmax", 10},
      {kSoftmax, "    %to <- Move", "    if (j >= 9) { %a <- BinaryPointwise<*>(%a,%s) }\n    %to <- Move", 10},
      {kSoftmax, "j]  %to", "T - 1 - j]  %to", 2},
      {kSoftmax, "  for (j = 0; j < T; j += 1) {\n    %a:[].fp32.RF  %from = %x[32*@b + @t,j]\n",
       "  for (j = 0; j < T - T/9; j += 1) {\n    %a:[].fp32.RF  %from = %x[32*@b + @t,j]\n", 9},
      {kParts, "32*U*k + u", "32*k + u", 2},
      {kParts, "32*U*k + 32*@u", "32*k + 32*@u", 2},
      {kParts, "32*U*k + u", "32*U*k + u%288", 10},
      {kParts, "32*U*k + 32*@u", "32*U*k + 32*(@u - @u/9)", 10},
      {kParts, "g[2,i,u]", "g[2,i,u%32]", 2},
      {kParts, "g[2,i,u]", "where(u < 288, g[2,i,u], 0)", 10},
  };
  for (const Row& row : rows) {
    const std::string text = changed(row.text, row.from, row.to);
    INFO(row.from << " -> " << row.to);
    CHECK(valueOf(text) != Standing::Proved);
    CHECK(holdsAt(text, sizesIn(text, 1)));
    CHECK_FALSE(holdsAt(text, sizesIn(text, row.wrongAt)));
  }
}

// The other form is not in its extents, though the kernel is right.
TEST_CASE("an index that leaves its part is not proved by splitting") {
  const std::string text =
      changed(changed(kParts, "%z[i,32*U*k + u]", "%z[i,32*U*k + u + 1]"), "32*@u + @t]  %ak", "32*@u + @t + 1]  %ak");
  const std::string longer = changed(text, "%z:[M,96*U]", "%z:[M,128*U]");
  CHECK(holdsAt(longer, {{"U", 1}, {"M", 1}}));
  CHECK(holdsAt(longer, {{"U", 3}, {"M", 2}}));
  CHECK_FALSE(checked(longer, kHow).holds());
}

TEST_CASE("iterations that see each other are not blocks") {
  // What an iteration leaves in registers, in shared memory, and in an output.
  const std::string kept =
      changed(kRows, "  for (j = 0; j < T; j += 1) {\n    %a:[].fp32.RF  %from = %x[32*@b + @t,j]  %to",
              "  %a:[].fp32.RF\n  for (j = 0; j < T; j += 1) {\n    %from = %x[32*@b + @t,j]  %to");
  const std::string shared = changed(changed(kRows, "j]  %to", "j]  %c = %m[@t]  %to"), "    %a <- BinaryPointwise<*>",
                                     "    %c <- Move(%a)  %a <- Move(%c)\n    %a <- BinaryPointwise<*>");
  const std::string inShared = changed(shared, "  %s <- Init<0>()", "  %m:[32].fp32.SH  %s <- Init<0>()");
  const std::string read = changed(kRows, "    %to <- Move(%a)\n", "    %to <- Move(%a)\n    %a <- Move(%to)\n");
  for (const std::string& text : {kept, inShared, read}) {
    INFO(text);
    CHECK(holdsAt(text, sizesIn(text, 3)));
    CHECK(valueOf(text) == Standing::Unknown);
  }
}

// It is about all steps, so that its equations may name the size. Its own value would need an invariant.
TEST_CASE("a specification around the loop that grows does not keep the kernel from a proof") {
  const std::string text =
      "%x:[32*R,K].fp32.GL  %y:[32*R].fp32.GL\n"
      "#b:[R].block  #t:[32:1].thread\n"
      "%y <- Spec<sums><<<#b,#t>>>(%x) means { %y[i] = sum(k < K) %x[i,k] } {\n"
      "  @b = #b.indices()  @t = #t.indices()  %s:[].fp32.RF\n"
      "  %row = %x.tile([1:1],_)[32*@b + @t,0]  %to = %y[32*@b + @t]\n"
      "  %s <- Init<0>()\n"
      "  %s <- Spec<add>(%s,%row) means { %s = %s + sum(k < K) %row[0,k] } {\n"
      "    for (k = 0; k < K; k += 1) {\n"
      "      %a:[].fp32.RF  %e = %row[0,k]\n"
      "      %a <- Move(%e)\n      %s <- BinaryPointwise<+>(%s,%a)\n    }\n  }\n"
      "  %to <- Move(%s)\n}\n";
  const auto inner = [](const CheckResult& r) {
    const auto at = std::ranges::find_if(r.specs, [](const SpecVerdict& s) { return s.depth == 1 && !s.leaf; });
    REQUIRE(at != r.specs.end());
    return standing(r, Obligation::Value, static_cast<std::size_t>(at - r.specs.begin()));
  };
  const CheckResult r = checked(text, kHow);
  INFO(verdicts::told(r));
  CHECK(standing(r, Obligation::Value) == Standing::Proved);
  CHECK(inner(r) == Standing::Unknown);
  // What the kernel needs is not changed by what the inner one says; but that must not be proved.
  for (const char* to : {"%s + sum(k < min(K,9))", "%s + [K/9] + sum(k < K)", "%s + [@b/9] + sum(k < K)"})
    CHECK(inner(checked(changed(text, "%s + sum(k < K)", to), kHow)) != Standing::Proved);
}

// Both were proved for every M.
TEST_CASE("equations that change with a size without a loop are not proved") {
  const std::string one =
      "%x:[32*M,M].fp32.GL  %y:[32*M].fp32.GL\n"
      "#b:[M].block  #t:[32:1].thread\n"
      "%y <- Spec<first><<<#b,#t>>>(%x) means { %y[i] = sum(k < M) %x[i,k] } {\n"
      "  @b = #b.indices()  @t = #t.indices()  %a:[].fp32.RF\n"
      "  %from = %x[32*@b + @t,0]  %to = %y[32*@b + @t]\n"
      "  %a <- Move(%from)\n  %to <- Move(%a)\n}\n";
  CHECK(valueOf(one) != Standing::Proved);
  CHECK(valueOf(changed(one, "sum(k < M) %x[i,k]", "%x[i,M - 1]")) != Standing::Proved);
  CHECK(valueOf(changed(one, "sum(k < M) %x[i,k]", "where(M < 9, %x[i,0], 0)")) != Standing::Proved);
  CHECK(valueOf(changed(one, "sum(k < M) %x[i,k]", "%x[i,0]")) == Standing::Proved);
  // A size that only an input has.
  const std::string wide = changed(changed(one, "%x:[32*M,M]", "%x:[32*M,N]"), "sum(k < M)", "sum(k < N)");
  CHECK(valueOf(wide) != Standing::Proved);
  const std::string inner =
      "%x:[32*M].fp32.GL  %y:[32*M].fp32.GL\n"
      "#b:[M].block  #t:[32:1].thread\n"
      "%y <- Spec<copy><<<#b,#t>>>(%x) means { %y[i] = %x[i] } {\n"
      "  @b = #b.indices()  @t = #t.indices()  %a:[].fp32.RF  %c:[].fp32.RF\n"
      "  %from = %x[32*@b + @t]  %to = %y[32*@b + @t]\n"
      "  %a <- Move(%from)\n"
      "  %c <- Spec<zero>(%a) means { %c = [@b] * %a } { %c <- Init<0>() }\n"
      "  %to <- Move(%a)\n}\n";
  CHECK_FALSE(checked(inner, kHow).holds());
  CHECK(checked(changed(inner, "[@b]", "0"), kHow).holds());
}

TEST_CASE("random kernels proved by another form hold at every size that is run") {
  std::mt19937 random(20261201);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string bases[] = {kRows, kSoftmax, kOuter, kParts};
  int proved = 0, wrong = 0;
  const auto count = static_cast<int>(test::volume(24, 400));
  for (int n = 0; n < count; ++n) {
    std::string text = bases[below(std::size(bases))];
    const bool parts = text == kParts;
    // Before the end of one or two indices.
    const std::string more[] = {parts ? " + U/5" : " + T/5",
                                parts ? " - U/5" : " - T/5",
                                " + 0",
                                "%160",
                                "%7",
                                "/4*4",
                                parts ? "*U/U" : "*T/T",
                                " + 1 - 1"};
    for (std::size_t change = 1 + below(2); change-- > 0;) {
      std::vector<std::size_t> ends;
      for (std::size_t at = text.find("means"); (at = text.find(']', at)) != std::string::npos; ++at)
        if (text[at - 1] != '[' && text[at - 1] != '3') ends.push_back(at);
      text.insert(ends[below(ends.size())], more[below(std::size(more))]);
    }
    const auto read = readProgram(text);
    if (!read) continue;
    const bool holds = checkProgram(*read, kHow).holds();
    bool all = true;
    for (const i64 size : {1, 2, 3, 4, 5, 6, 7, 8, 10, 11}) {
      if (!holds && !all) break;
      const Sizes sizes = sizesIn(text, size, 2);
      all = all && readSized(text, sizes).ok() && holdsAt(text, sizes);
    }
    INFO(text);
    if (holds) CHECK(all);
    proved += holds ? 1 : 0;
    wrong += all ? 0 : 1;
  }
  INFO(proved << " proved, " << wrong << " wrong of " << count);
  CHECK(proved > 0);
  CHECK(wrong > count / 4);
}
