// Symbolic sizes of programs that Z3 does not decide: a mistake shows at some small number, which the verdict names.
// Correct programs are not refuted at any number.
#include <catch2/catch.hpp>
#include <string>

#include "core/graphene/reader/sized.h"
#include "verdicts.h"

using namespace tessera;
using namespace tessera::graphene;
using verdicts::changed;
using verdicts::checked;
using verdicts::standing;

namespace {

const std::string kScale = R"(%x:[N].fp32.GL  %y:[N].fp32.GL  %a:[].fp32.GL
#b:[ceildiv(N,256)].block  #t:[256].thread
%y <- Spec<scale><<<#b,#t>>>(%x,%a) means { %y[i] = %y[i] + %a[]*%x[i] } {
  @b = #b.indices()  @t = #t.indices()
  if (256*@b + @t < N) {
    %e = %x.tile(256)[@b][@t]  %o = %y.tile(256)[@b][@t]
    %o <- MatMul(%a,%e)
  }
}
)";

const std::string kCopy = R"(%x:[M,N].fp32.GL  %y:[M,N].fp32.GL
#b:[ceildiv(M,8),ceildiv(N,32)].block  #t:[8,32].thread
%y <- Move<<<#b,#t>>>(%x) {
  (@m,@n) = #b.indices()  (@r,@c) = #t.indices()
  if (8*@m + @r < M && 32*@n + @c < N) {
    %e = %x.tile(8,32)[@m,@n][@r,@c]  %o = %y.tile(8,32)[@m,@n][@r,@c]
    %o <- Move(%e)
  }
}
)";

const CheckOptions kHow = {.budgetSeconds = 60};

}  // namespace

TEST_CASE("what is right for all sizes is proved") {
  CHECK(verdicts::told(checked(kCopy, kHow)).empty());
  CHECK(verdicts::told(checked(kScale, kHow)).empty());
}

TEST_CASE("what is wrong for some size is refuted, and the size is named") {
  const CheckResult less = checked(changed(kScale, "ceildiv(N,256)", "N/256"), kHow);
  CHECK(standing(less, Obligation::Coverage) == Standing::Refuted);
  CHECK(verdicts::why(less, Obligation::Coverage) ==
        "%y[256] is never written; 44 of 300 elements are missing (with N = 300)");

  const CheckResult row = checked(changed(kCopy, "@r < M", "@r < M - 1"), kHow);
  CHECK(standing(row, Obligation::Coverage) == Standing::Refuted);
  CHECK(verdicts::why(row, Obligation::Coverage).find("(with M = 1, N = 1)") != std::string::npos);

  // Right while there is one column.
  const CheckResult crossed = checked(changed(kCopy, "@n][@r,@c]  %o", "@n][@r,0]  %o"), kHow);
  CHECK(standing(crossed, Obligation::Value) == Standing::Refuted);
}

namespace {

// y[i,j] of M x N, computed by the thread of its element from %u = %x[i,j] and %w = %z[j,i] into %v.
std::string elements(const std::string& equation, const std::string& body) {
  return "%x:[M,N].fp32.GL  %z:[N,M].fp32.GL  %y:[M,N].fp32.GL\n#b:[M].block  #t:[32].thread\n"
         "%y <- Spec<f><<<#b,#t>>>(%x,%z) means {\n" +
         equation +
         "\n} {\n  @b = #b.indices()  @t = #t.indices()\n"
         "  for (c = 0; c < ceildiv(N,32); c += 1) {\n    if (32*c + @t < N) {\n"
         "      %e = %x[@b,32*c + @t]  %g = %z[32*c + @t,@b]  %o = %y[@b,32*c + @t]\n"
         "      %u:[].fp32.RF  %w:[].fp32.RF  %v:[].fp32.RF\n      %u <- Move(%e)  %w <- Move(%g)\n      " +
         body + "\n      %o <- Move(%v)\n    }\n  }\n}\n";
}

}  // namespace

TEST_CASE("equations of single elements are decided for every size") {
  struct Row {
    const char *equation, *body;
    Standing standing;
  };
  const Row rows[] = {
      {"%y[i,j] = %x[i,j] + %z[j,i]", "%v <- BinaryPointwise<+>(%u,%w)", Standing::Proved},
      {"%y[i,j] = %z[j,i] + %x[i,j]", "%v <- BinaryPointwise<+>(%u,%w)", Standing::Proved},
      {"%y[i,j] = %z[j,i] - %x[i,j]", "%v <- BinaryPointwise<->(%u,%w)", Standing::Refuted},
      {"%y[i,j] = %x[i,j] + %x[i,j]", "%v <- BinaryPointwise<+>(%u,%u)", Standing::Proved},
      {"%y[i,j] = 2 * %x[i,j]", "%v <- BinaryPointwise<+>(%u,%u)", Standing::Proved},
      {"%y[i,j] = 3 * %x[i,j]", "%v <- BinaryPointwise<+>(%u,%u)", Standing::Refuted},
      {"t[i,j] = exp(%z[j,i])\n%y[i,j] = t[i,j] * %x[i,j]",
       "%w <- UnaryPointwise<exp>(%w)  %v <- BinaryPointwise<*>(%u,%w)", Standing::Unknown},  // %w is written twice
      {"t[j,i] = exp(%z[j,i])\n%y[i,j] = t[j,i] * %x[i,j]",
       "%h:[].fp32.RF  %h <- UnaryPointwise<exp>(%w)  %v <- BinaryPointwise<*>(%u,%h)", Standing::Proved},
      {"t[j,i] = exp(%x[i,j])\n%y[i,j] = t[j,i] * %x[i,j]",
       "%h:[].fp32.RF  %h <- UnaryPointwise<exp>(%w)  %v <- BinaryPointwise<*>(%u,%h)", Standing::Refuted},
      {"%y[i,j] = relu(%x[i,j])", "%h:[].fp32.RF  %h <- Init<0>()  %v <- BinaryPointwise<max>(%u,%h)",
       Standing::Proved},
      {"%y[i,j] = 0.5", "%v <- Init<0.5>()", Standing::Proved},
      {"%y[i,j] = 0.5", "%v <- Init<0.25>()", Standing::Refuted},
      {"%y[i,j] = sum(k < 1) %x[i,j]", "%v <- Move(%u)", Standing::Unknown},
      {"%y[i,j] = where(i < j, %x[i,j], %x[i,j])", "%v <- Move(%u)", Standing::Unknown},
  };
  for (const Row& row : rows) {
    const std::string text = elements(row.equation, row.body);
    const CheckResult r = checked(text, kHow);
    INFO(text << verdicts::told(r) << verdicts::why(r, Obligation::Value));
    CHECK(standing(r, Obligation::Value) == row.standing);
    // What is said of every size is said of one by running.
    const auto one = readSized(text, {{"M", 3}, {"N", 40}});
    REQUIRE(one.ok());
    CheckOptions running = kHow;
    running.method = CheckMethod::Running;
    const CheckResult ran = checkProgram(*one, running);
    if (row.standing != Standing::Unknown) CHECK(standing(ran, Obligation::Value) == row.standing);
  }
}
