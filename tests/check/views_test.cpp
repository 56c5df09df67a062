// Operands that are views: tile, index and reshape between a tensor and the specification that uses it. First named
// programs that were once judged wrongly, then random ones, for which the emulator and plain loops give the truth. No
// verdict may contradict them.
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "programs.h"
#include "solver/graphene/check.h"
#include "solver/graphene/running/translation.h"
#include "solver/prove/prove.h"
#include "support/emulate.h"

using namespace tessera;
using namespace tessera::graphene;
using programs::replaced;

namespace {

graphene::Program read(const std::string& text) {
  auto program = readProgram(text);
  INFO(text << (program ? "" : program.error().message));
  REQUIRE(program.ok());
  return *std::move(program);
}

ObligationVerdict said(const CheckResult& r, Obligation o, std::size_t spec = 0) {
  for (const ObligationVerdict& v : r.specs.at(spec).obligations)
    if (v.obligation == o) return v;
  return {};
}

// Whether an obligation holds, by every method: none may say the opposite, and Any says this. (O3 without running is by
// names alone.)
void holds(const std::string& text, Obligation o, bool wanted, std::size_t spec = 0) {
  const graphene::Program program = read(text);
  const Standing opposite = wanted ? Standing::Refuted : Standing::Proved;
  for (const CheckMethod method : {CheckMethod::Running, CheckMethod::Z3, CheckMethod::Any}) {
    const ObligationVerdict v = said(checkProgram(program, {.budgetSeconds = 5000, .method = method}), o, spec);
    INFO(text << "\n" << label(o) << " " << graphene::name(v.standing) << " by " << v.method << ": " << v.reason);
    if (o != Obligation::Frame || method != CheckMethod::Z3) CHECK(v.standing != opposite);
    if (method == CheckMethod::Any) CHECK(v.standing == (wanted ? Standing::Proved : Standing::Refuted));
  }
}

// VIEWS, then a kernel of two blocks with 8x16 threads that copies 16x16 elements of %r, READ of them, to %y.
std::string square(const std::string& views, const std::string& from) {
  return "%x:[16,16:16,1].fp32.GL  %y:[16,16:16,1].fp32.GL\n#b:[2:1].block  #w:[8,16:16,1].thread\n" + views +
         "\n%y <- Move<<<#b,#w>>>(%r) {\n  @b = #b.indices()  (@i,@j) = #w.indices()\n  %v:[].fp32.RF\n  %s = %r" +
         from + "  %d = %y.tile([8:1],_)[@b,0][@i,@j]\n  %v <- Move(%s)\n  %d <- Move(%v)\n}\n";
}

}  // namespace

TEST_CASE("equations over a view of lower rank: every block writes its part") {
  const std::string text = R"(%bias:[2,128:128,1].fp32.GL  %x:[256:1].fp32.GL  %y:[256:1].fp32.GL
#b:[2:1].block  #w:[128:1].thread
%r = %bias.tile([1:1],_)[1,0].reshape(0,[128])
%y <- Spec<f><<<#b,#w>>>(%x,%r) means { %y[i] = %x[i] + %r[i%128] } {
  @b = #b.indices()  @l = #w.indices()
  %v:[].fp32.RF  %u:[].fp32.RF
  %xs = %x.tile([128:1])[@b][@l]  %ys = %y.tile([128:1])[@b][@l]  %cs = %r[@l]
  %v <- Move(%xs)
  %u <- Move(%cs)
  %v <- BinaryPointwise<+>(%v,%u)
  %ys <- Move(%v)
})";
  holds(text, Obligation::Coverage, true);
  holds(text, Obligation::Value, true);
  const std::string inside =
      replaced(replaced(replaced(text, "(%x,%r)", "(%x,%bias)"), "%r[i%128]", "%bias[1,i - i/128*128]"),
               "%r = %bias.tile([1:1],_)[1,0].reshape(0,[128])\n", "");
  const std::string row = "  %v:[].fp32.RF",
                    part = "  %r = %bias.tile([1:1],_)[ROW,0].reshape(0,[128])\n  %v:[].fp32.RF";
  const std::string right = replaced(replaced(inside, row, part), "ROW", "1");
  holds(right, Obligation::Coverage, true);
  holds(right, Obligation::Value, true);
  const std::string wrong = replaced(replaced(inside, row, part), "ROW", "@b");  // right in block 1 only
  holds(wrong, Obligation::Coverage, true);
  holds(wrong, Obligation::Value, false);
}

TEST_CASE("a copy of a transposed view is no copy of the tensor") {
  const std::string turned = "%r = %x.reshape(0,[16,16:1,16])";
  holds(square(turned, ".tile([8:1],_)[@b,0][@i,@j]"), Obligation::Value, true);
  holds(square(turned, ".tile(_,[8:1])[0,@b][@j,@i]"), Obligation::Value, false);
  // Block 0 is right, and the blocks go on along the wrong dimension.
  const std::string along = R"(%x:[16,16:16,1].fp32.GL  %y:[16,8:8,1].fp32.GL
#b:[2:1].block  #w:[8,8:8,1].thread
%r = %x.reshape(0,[16,16:1,16])
%h = %r.tile([16:1],[8:1])[0,0]
%y <- Spec<t><<<#b,#w>>>(%h) means { %y[i,j] = %h[i,j] } {
  @b = #b.indices()  (@i,@j) = #w.indices()
  %v:[].fp32.RF
  %s = %r.tile([8:1],[8:1])[BLOCK][@i,@j]  %d = %y.tile([8:1],[8:1])[@b,0][@i,@j]
  %v <- Move(%s)
  %d <- Move(%v)
})";
  const std::string own = replaced(along, "%s = %r", "%s = %h"),
                    move = replaced(own, "Spec<t><<<#b,#w>>>(%h) means { %y[i,j] = %h[i,j] }", "Move<<<#b,#w>>>(%h)");
  for (const std::string& text : {own, move}) {
    holds(replaced(text, "BLOCK", "@b,0"), Obligation::Coverage, true);
    holds(replaced(text, "BLOCK", "@b,0"), Obligation::Value, true);
    holds(replaced(text, "BLOCK", "0,@b"), Obligation::Coverage, true);
    holds(replaced(text, "BLOCK", "0,@b"), Obligation::Value, false);
  }
}

TEST_CASE(
    "an output that is a part of a tensor is covered when its own elements are, and nothing is written beside it") {
  const std::string text = R"(%x:[16:1].fp32.GL  %y:[2,16:16,1].fp32.GL
#b:[2:1].block  #w:[8:1].thread
%r = %y.tile([1:1],_)[ROW,0].reshape(0,[16])
%r <- Move<<<#b,#w>>>(%x) {
  @b = #b.indices()  @l = #w.indices()
  %v:[].fp32.RF
  %s = %x.tile([8:1])[@b][@l]  %d = %r.tile([8:1])[@b][@l]
  %v <- Move(%s)
  %d <- Move(%v)
})";
  for (const std::string row : {"0", "1"}) {
    const std::string here = replaced(text, "ROW", row);
    const std::string stated =
        replaced(here, "%r <- Move<<<#b,#w>>>(%x)", "%r <- Spec<t><<<#b,#w>>>(%x) means { %r[i] = %x[i] }");
    for (const std::string& one : {here, stated}) {
      holds(one, Obligation::Coverage, true);
      holds(one, Obligation::Value, true);
      holds(one, Obligation::Frame, true);
      holds(replaced(one, "%r.tile([8:1])[@b][@l]", "%r.tile([8:1])[0][@l]"), Obligation::Coverage, false);
    }
  }
  // %r[16 + l] of row 0 is row 1: inside of %y, and not inside of %r.
  holds(replaced(replaced(text, "ROW", "0"), "%r.tile([8:1])[@b]", "%r.tile([8:1])[@b + 1]"), Obligation::Frame, false);
}

TEST_CASE("indices before a kernel: each block has its own operands") {
  const std::string text = R"(%x:[16:1].fp32.GL  %y:[16:1].fp32.GL
#b:[2:1].block  #w:[8:1].thread
@b = #b.indices()
%r = %y.tile([8:1])[@b]  %s = %x.tile([8:1])[@b]
%r <- Move<<<#b,#w>>>(%s) {
  @l = #w.indices()
  %v:[].fp32.RF
  %f = %s[@l]  %g = %r[@l]
  %v <- Move(%f)
  %g <- Move(%v)
})";
  holds(text, Obligation::Coverage, true);
  holds(text, Obligation::Value, true);
  const std::string wrong = replaced(text, "%f = %s[@l]", "%f = %x[@l]");  // block 1 takes block 0's
  holds(wrong, Obligation::Value, false);
}

TEST_CASE("a specification inside of a kernel holds in every block, or is not proved") {
  const std::string text = R"(%x:[16:1].fp32.GL  %y:[16:1].fp32.GL
#b:[2:1].block  #w:[8:1].thread
%y <- Spec<all><<<#b,#w>>>(%x) {
  @b = #b.indices()
  %r = %y.tile([8:1])[@b]  %s = %x.tile([8:1])[@b]
  %r <- Spec<part><<<#b,#w>>>(%s) means { %r[i] = %s[i] * [FACTOR] } {
    @l = #w.indices()
    %v:[].fp32.RF
    %f = %s[@l]  %g = %r[@l]
    %v <- Move(%f)
    %g <- Move(%v)
  }
})";
  holds(replaced(text, "FACTOR", "1"), Obligation::Value, true, 1);
  holds(replaced(text, "FACTOR", "1 + @b"), Obligation::Value, false, 1);
  holds(replaced(replaced(text, "FACTOR", "1"), "%f = %s[@l]", "%f = %x[@l]"), Obligation::Value, false, 1);
}

TEST_CASE("a shift of a tensor as its views see it") {
  const auto shifted = [](const std::string& operations, const std::vector<i64>& by) {
    const auto whole = parseTensor("%x:[8,16:16,1].fp32.GL"), view = parseTensor("%x:[8,16:16,1].fp32.GL" + operations);
    REQUIRE((whole.ok() && view.ok()));
    return viewShift(*view, *whole, by);
  };
  using Shift = std::vector<i64>;
  CHECK(shifted("", {2, 4}) == Shift{2, 4});
  CHECK(shifted(".reshape(0,[16,8:1,16])", {2, 4}) == Shift{4, 2});
  CHECK(shifted(".reshape(0,[8,4,4])", {2, 4}) == Shift{2, 1, 0});
  CHECK(shifted(".reshape(0,[8,4,4])", {2, 2}) == std::nullopt);
  CHECK(shifted(".tile([4:1],[4:1])", {4, 3}) == Shift{4, 3});
  CHECK(shifted(".tile([4:2],[4:1])", {0, 3}) == Shift{0, 3});
  CHECK(shifted(".tile([4:2],[4:1])", {2, 0}) == std::nullopt);
  CHECK(shifted(".tile([4:1],_)[0,0]", {4, 0}) == std::nullopt);
  CHECK(shifted(".tile([4:1],_)[0,0]", {0, 0}) == Shift{0, 0});
}

namespace {

// A view followed by plain loops: which element of its tensor each of its elements is.
struct View {
  int rows = 0, columns = 0;
  std::vector<int> element;  // row-major
  std::string text;          // the operations
  int tensorRows = 0;

  [[nodiscard]] int at(int r, int c) const { return element[static_cast<std::size_t>(r * columns + c)]; }
  template <class F>
  [[nodiscard]] View made(int r, int c, const std::string& more, F&& from) const {
    View out{r, c, {}, text + more, tensorRows};
    for (int i = 0; i < r; ++i)
      for (int j = 0; j < c; ++j) out.element.push_back(from(i, j));
    return out;
  }
};

std::string num(int v) { return std::to_string(v); }

// One random operation that keeps 32 elements or more.
View changed(const View& v, std::mt19937& g) {
  const int all = v.rows * v.columns;
  switch (g() % 5) {
    case 0: {  // another row-major shape
      const int r = 1 << (g() % 5), c = all / r;
      return v.made(r, c, ".reshape(0,[" + num(r) + "," + num(c) + "])",
                    [&](int i, int j) { return v.element[static_cast<std::size_t>(i * c + j)]; });
    }
    case 1:  // the transposed one
      return v.made(v.columns, v.rows,
                    ".reshape(0,[" + num(v.columns) + "," + num(v.rows) + ":1," + num(v.columns) + "])",
                    [&](int i, int j) { return v.at(j, i); });
    case 2: {  // the upper or the lower half
      if (v.rows < 2 || all < 64) return v;
      const int h = v.rows / 2, k = static_cast<int>(g() % 2);
      return v.made(h, v.columns, ".tile([" + num(h) + ":1],_)[" + num(k) + ",0]",
                    [&](int i, int j) { return v.at(k * h + i, j); });
    }
    case 3: {  // even or odd columns
      if (v.columns < 2 || all < 64) return v;
      const int h = v.columns / 2, k = static_cast<int>(g() % 2);
      return v.made(v.rows, h, ".tile(_,[" + num(h) + ":2])[0," + num(k) + "]",
                    [&](int i, int j) { return v.at(i, 2 * j + k); });
    }
    default:
      return v;
  }
}

View start(int r, int c) {
  const View none{r, c, {}, "", r};
  return none.made(r, c, "", [&](int i, int j) { return i * c + j; });
}

// 32 elements of a tensor of 64.
View randomView(std::mt19937& g) {
  for (;;) {
    const int r = 1 << (1 + g() % 4);
    View v = start(r, 64 / r);
    for (int k = 0; k < 4; ++k) v = changed(v, g);
    if (v.rows * v.columns == 32) return v;
  }
}

struct Sample {
  View from, to;
  int blocks = 2;
  bool readAlong = true, writeAlong = true;  // blocks go along the first dimension; else along the second
  bool stated = false, turned = false;       // %o[i,j] = %r[j,i]
  bool before = false;                       // the parts of the blocks are made before the kernel
  bool first = false;                        // every block reads what block 0 does

  [[nodiscard]] std::string part(const View& v, bool along, const std::string& block) const {
    const int h = (along ? v.rows : v.columns) / blocks;
    return along ? ".tile([" + num(h) + ":1],_)[" + block + ",0]" : ".tile(_,[" + num(h) + ":1])[0," + block + "]";
  }
  [[nodiscard]] bool divides() const {
    return (readAlong ? from.rows : from.columns) % blocks == 0 && (writeAlong ? to.rows : to.columns) % blocks == 0;
  }
  [[nodiscard]] std::string text() const {
    const int each = 32 / blocks;
    const std::string block = "@b = #b.indices()\n";
    const std::string parts =
        " %rp = %r" + part(from, readAlong, first ? "0" : "@b") + "  %op = %o" + part(to, writeAlong, "@b") + "\n";
    const std::string in = before ? "%rp" : "%r", out = before ? "%op" : "%o";
    const std::string name = stated ? "Spec<f>" : "Move";
    const std::string means = stated ? " means { " + out + "[i,j] = " + in + (turned ? "[j,i]" : "[i,j]") + " }" : "";
    return "%x:[" + num(from.tensorRows) + "," + num(64 / from.tensorRows) + "].fp32.GL %y:[" + num(to.tensorRows) +
           "," + num(64 / to.tensorRows) + "].fp32.GL #b:[" + num(blocks) + "].block #w:[4].thread\n%r = %x" +
           from.text + (from.text.empty() ? ".reshape(0,[" + num(from.rows) + "," + num(from.columns) + "])" : "") +
           "\n%o = %y" + to.text +
           (to.text.empty() ? ".reshape(0,[" + num(to.rows) + "," + num(to.columns) + "])" : "") + "\n" +
           (before ? block + parts : "") + out + " <- " + name + "<<<#b,#w>>>(" + in + ")" + means +
           " {\n @l = #w.indices()\n" + (before ? "" : block + parts) + " %v:[].fp32.RF\n for (k = 0; k < " +
           num(each / 4) + "; k += 1) {\n  %s = %rp.reshape(0,[" + num(each) + "])[4*k + @l]  %d = %op.reshape(0,[" +
           num(each) + "])[4*k + @l]\n  %v <- Move(%s)\n  %d <- Move(%v)\n }\n}\n";
  }
};

Sample random(std::mt19937& g) {
  for (;;) {
    Sample s;
    s.from = randomView(g);
    s.to = randomView(g);
    s.blocks = 1 << (g() % 3);
    s.readAlong = g() % 2 == 0;
    s.writeAlong = g() % 3 == 0 ? g() % 2 == 0 : s.readAlong;
    s.stated = g() % 2 == 0;
    s.before = g() % 4 == 0;
    s.first = g() % 8 == 0;
    if (s.stated && (s.from.rows != s.to.rows || s.from.columns != s.to.columns)) {
      // The equation needs the same coordinates, or turned ones.
      const bool turned = s.from.rows == s.to.columns && !s.before;
      if (!turned) s.from.text += ".reshape(0,[" + num(s.to.rows) + "," + num(s.to.columns) + "])";
      if (!turned) s.from.rows = s.to.rows, s.from.columns = s.to.columns;
      s.turned = turned;
    }
    if (s.divides()) return s;
  }
}

// Of the whole kernel: is every element of the output written, and is each what the specification says?
struct Done {
  bool covered = true, value = true;
};

// The part of block b, as flat elements of the tensor.
std::vector<int> partOf(const View& v, bool along, int b, int blocks) {
  const int r = along ? v.rows / blocks : v.rows, c = along ? v.columns : v.columns / blocks;
  std::vector<int> out;
  for (int i = 0; i < r; ++i)
    for (int j = 0; j < c; ++j) out.push_back(along ? v.at(b * r + i, j) : v.at(i, b * c + j));
  return out;
}

Done truthOf(const Sample& s, const std::vector<double>& y, const std::vector<double>& before) {
  Done out;
  const auto check = [&](int to, int from) {
    const double got = y[static_cast<std::size_t>(to)];
    const bool written = got != before[static_cast<std::size_t>(to)];
    out.covered = out.covered && written;
    out.value = out.value && (!written || got == from + 1);
  };
  if (s.before) {
    for (int b = 0; b < s.blocks; ++b) {
      const std::vector<int> in = partOf(s.from, s.readAlong, s.first ? 0 : b, s.blocks),
                             to = partOf(s.to, s.writeAlong, b, s.blocks);
      for (std::size_t e = 0; e < to.size(); ++e) check(to[e], in[e]);
    }
    return out;
  }
  for (int i = 0; i < s.to.rows; ++i)
    for (int j = 0; j < s.to.columns; ++j)
      check(s.to.at(i, j), s.stated ? (s.turned ? s.from.at(j, i) : s.from.at(i, j))
                                    : s.from.element[static_cast<std::size_t>(i * s.to.columns + j)]);
  return out;
}

}  // namespace

TEST_CASE("random views of random ranks: no verdict contradicts what the program does") {
  std::mt19937 g(20231);
  int decided = 0, refuted = 0, unknown = 0, refused = 0;
  for (int n = 0; n < 150; ++n) {
    const Sample s = random(g);
    const std::string text = s.text();
    const auto p = readProgram(text);
    INFO("seed 20231, sample " << n << "\n" << text);
    if (!p) {
      ++refused;
      continue;
    }
    std::vector<double> x, y(64, -1);
    for (int e = 0; e < 64; ++e) x.push_back(e + 1);
    const auto run = emulate(*p, {{"x", x}, {"y", y}});
    REQUIRE(run.ok());
    const Done truth = truthOf(s, run->tensors.at("y"), y);
    for (const CheckMethod method : {CheckMethod::Running, CheckMethod::Any}) {
      const CheckResult r = checkProgram(*p, {.budgetSeconds = 5000, .method = method});
      for (const auto& [o, wanted] : {std::pair(Obligation::Coverage, truth.covered),
                                      {Obligation::Value, truth.value},
                                      {Obligation::Frame, true},
                                      {Obligation::Bounds, true}}) {
        const ObligationVerdict v = said(r, o);
        INFO(label(o) << " " << graphene::name(v.standing) << " (" << v.method << "): " << v.reason);
        if (v.standing == Standing::Unknown) ++unknown;
        if (v.standing != Standing::Proved && v.standing != Standing::Refuted) continue;
        CHECK((v.standing == Standing::Proved) == wanted);
        ++decided;
        refuted += v.standing == Standing::Refuted ? 1 : 0;
      }
    }
  }
  INFO(decided << " decided, " << refuted << " refuted, " << unknown << " unknown, " << refused << " refused");
  CHECK(decided > 600);
  CHECK(refuted > 60);
  CHECK(unknown < 20);
  CHECK(refused < 40);
}
