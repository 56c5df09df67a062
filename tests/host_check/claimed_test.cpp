// What check proves also runs: programs from a small grammar, right ones and ones with a mistake. Of each that check passes the
// emitter makes a text, the text run on the CPU gives what the emulator does, in any order of the threads, and both give what the
// specification says, computed here by plain loops. Of a right one nothing is refuted.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "ready.h"
#include "solver/graphene/check.h"
#include "support/measured.h"
#include "support/volume.h"

using namespace tessera;
using namespace tessera::graphene;
using namespace tessera::host_check;

namespace {

using Elements = std::vector<double>;

struct Claimed {
  Case one;
  bool right = true;                                                    // no mistake was made
  bool whole = false;                                                   // of integers: exact
  std::function<Elements(const Elements& x, const Elements& z)> means;  // of %y
};

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed), seed_(seed) {}

  Claimed make() { return below(3) == 0 ? rowSums() : elements(); }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  template <class T>
  T pick(std::initializer_list<T> all) {
    return *(all.begin() + below(static_cast<int>(all.size())));
  }
  // At most one mistake in a program, in one of four places at random.
  std::string either(const std::string& right, const std::string& wrong) {
    if (mistake_-- != 0) return right;
    wrong_ = true;
    return wrong;
  }
  Claimed done(std::string text, std::function<Elements(const Elements&, const Elements&)> means) const {
    const bool whole = text.find("%x:") != std::string::npos && text.find(".s32.GL") != std::string::npos;  // of %y
    return {{fmt::format("claimed {}", seed_), std::move(text)}, !wrong_, whole, std::move(means)};
  }

  // y[i] = f(x[i], z[i]): a block of T threads does J stretches of T elements; the last ones are masked, or the values go through
  // shared memory, turned round.
  Claimed elements() {
    mistake_ = below(2) == 0 ? below(9) : -1;
    const int threads = pick({32, 64, 96}), blocks = 1 + below(3), stretches = 1 + below(3);
    const bool staged = below(3) != 0;
    const int n = blocks * threads * stretches - (staged ? 0 : below(threads)), last = threads - 1;
    const std::string in = pick({"fp32", "fp16", "bf16", "s32", "s8"});
    const std::string out = in == "s8" ? "s32" : in == "s32" || below(2) == 0 ? in : "fp32";
    const bool async = (in == "fp32" || in == "s32") && below(3) != 0;  // cp.async moves 4 bytes or more
    struct Kind {
      const char *means, *body;
      double (*value)(double, double);
      i64 (*whole)(i64, i64) = nullptr;  // of integers, before it wraps
    };
    static const Kind kinds[] = {
        {"%x[i] + %z[i]", "BinaryPointwise<+>(%u,%w)", [](double a, double b) { return a + b; },
         [](i64 a, i64 b) { return a + b; }},
        {"%x[i] - %z[i]", "BinaryPointwise<->(%u,%w)", [](double a, double b) { return a - b; },
         [](i64 a, i64 b) { return a - b; }},
        {"%x[i] * %z[i]", "BinaryPointwise<*>(%u,%w)", [](double a, double b) { return a * b; },
         [](i64 a, i64 b) { return a * b; }},
        {"max(%x[i], %z[i])", "BinaryPointwise<max>(%u,%w)", [](double a, double b) { return std::max(a, b); },
         [](i64 a, i64 b) { return std::max(a, b); }},
        {"relu(%x[i] - %z[i])", nullptr, [](double a, double b) { return std::max(a - b, 0.0); }},
        {"%x[i]", "Move(%u)", [](double a, double) { return a; }, [](i64 a, i64) { return a; }},
    };
    // relu of a difference that wraps is another number than relu of the difference: not of integers.
    const Kind& kind = kinds[in == "s8" ? 5 : in == "s32" ? pick({0, 1, 2, 3, 5}) : below(6)];
    const std::string at = fmt::format("({}*@b + j)*{} + ", stretches, threads);
    const std::string to = staged ? fmt::format("{} - @t", last) : "@t";
    std::string text = fmt::format(
        "%x:[{0}:1].{1}.GL  %z:[{0}:1].{1}.GL  %y:[{0}:1].{2}.GL\n#b:[{3}].block  #t:[{4}:1].thread\n"
        "%y <- Spec<claimed><<<#b,#t>>>(%x,%z) means {{ %y[i] = {5} }} {{\n@b = #b.indices()  @t = #t.indices()\n",
        n, in, out, blocks, threads, kind.means);
    if (staged) text += fmt::format("%s:[{0}:1].{1}.SH  %r:[{0}:1].{1}.SH\n", threads, in);
    text += fmt::format("for (j = 0; j < {}; j += 1) {{\n",
                        either(std::to_string(stretches), std::to_string(stretches + 1)));
    text += fmt::format("%u:[].{0}.RF  %w:[].{1}.RF  %v:[].{1}.RF  %k:[].{2}.RF\n",
                        either(in, in == "fp32" ? pick({"fp16", "s32"}) : "s8"), in, out);
    text +=
        fmt::format("%e = %x[{}]  %g = %z[{}]  %o = %y[{}]\n", at + either("@t", "(@t + 1) % 32"), at + "@t", at + to);
    const bool masked = n != blocks * threads * stretches;
    if (masked) text += fmt::format("if ({}@t < {}) {{\n", at, either(std::to_string(n), std::to_string(n - 1)));
    if (staged) {
      text += either("sync\n", "") + "%p = %s[@t]  %q = %r[@t]\n" +
              (async ? "%p <- Move<async>(%e)\n%q <- Move<async>(%g)\ncommit\n" + either("wait 0\n", "wait 1\n")
                     : "%p <- Move(%e)\n%q <- Move(%g)\n") +
              either("sync\n", "syncwarp\n");
      text += fmt::format("%a = %s[{0} - @t]  %c = %r[{1}]\n%u <- Move(%a)\n%w <- Move(%c)\n", last,
                          either(fmt::format("{} - @t", last), "@t"));
    } else {
      text += "%u <- Move(%e)\n%w <- Move(%g)\n";
    }
    if (kind.body != nullptr) {
      const std::string body = kind.body;
      text +=
          "%v <- " + either(body, body[0] == 'M' ? "UnaryPointwise<neg>(%u)" : "BinaryPointwise<min>(%u,%w)") + "\n";
    } else {
      text += "%v <- BinaryPointwise<->(%u,%w)\n" + either("%v <- UnaryPointwise<relu>(%v)\n", "");
    }
    text += "%k <- Move(%v)\n%o <- Move(%k)\n";
    if (masked) text += "}\n";
    return done(text + "}\n}\n", [kind, count = static_cast<std::size_t>(n), in](const Elements& x, const Elements& z) {
      Elements y;
      for (std::size_t i = 0; i < count; ++i)
        y.push_back(in[0] == 's' ? static_cast<std::int32_t>(kind.whole(static_cast<i64>(x[i]), static_cast<i64>(z[i])))
                                 : kind.value(x[i], z[i]));
      return y;
    });
  }

  // y[r] = the sum of row r of x: a thread a row, or two halves of it one after the other.
  Claimed rowSums() {
    mistake_ = below(2) == 0 ? below(5) : -1;
    const int threads = pick({32, 64}), blocks = 1 + below(2), columns = pick({4, 9, 16, 40}), step = 1 + below(2);
    const int rows = threads * blocks;
    const std::string in = pick({"fp32", "fp16"}), sum = "fp32";
    std::string text = fmt::format(
        "%x:[{0},{1}:{1},1].{2}.GL  %z:[1:1].fp32.GL  %y:[{0}:1].fp32.GL\n#b:[{3}].block  #t:[{4}:1].thread\n"
        "%y <- Reduction<+,1><<<#b,#t>>>(%x) {{\n@b = #b.indices()  @t = #t.indices()\n",
        rows, columns, in, blocks, threads);
    const int whole = columns / step * step;
    text += fmt::format("%h:[].{}.RF  %g:[].{}.RF  %v:[].{}.RF\n%v <- Init<{}>()\n", in, sum, sum, either("0", "1"));
    text += fmt::format("for (c = 0; c < {}; c += {}) {{\n",
                        either(std::to_string(whole), std::to_string(whole - step)), step);
    for (int k = 0; k < step; ++k)
      text += fmt::format(
          "%e{0} = %x[{1}*@b + @t, c + {2}]\n%h <- Move(%e{0})\n%g <- Move(%h)\n%v <- BinaryPointwise<+>(%v,%g)\n", k,
          threads, either(std::to_string(k), "0"));
    text += "}\n";
    if (whole < columns)
      text += fmt::format("%l = %x[{}*@b + @t, {}]\n%h <- Move(%l)\n%g <- Move(%h)\n%v <- BinaryPointwise<+>(%v,%g)\n",
                          threads, whole);
    text += fmt::format("%o = %y[{}*@b + @t]\n%o <- Move(%v)\n}}\n",
                        either(std::to_string(threads), std::to_string(threads - 1)));
    return done(text, [rows, columns](const Elements& x, const Elements&) {
      Elements y;
      for (int r = 0; r < rows; ++r) {
        double total = 0;
        for (int c = 0; c < columns; ++c) total += x[static_cast<std::size_t>(r * columns + c)];
        y.push_back(total);
      }
      return y;
    });
  }

  std::mt19937 random_;
  unsigned seed_;
  int mistake_ = -1;  // as many right words before the wrong one
  bool wrong_ = false;
};

bool refuted(const CheckResult& result) { return result.firstFinding() != nullptr; }

}  // namespace

TEST_CASE("what check proves also runs: generated programs and their texts") {
  if (!hasCompiler()) return;
  int proved = 0, refutations = 0, unread = 0, asynchronous = 0;
  unsigned seed = 1;
  for (i64 left = test::volume(48, 3'840); left > 0; left -= 48) {
    std::vector<Claimed> passed;
    for (int k = 0; k < 48; ++k, ++seed) {
      Claimed made = Maker(seed).make();
      const auto program = readProgram(made.one.text);
      INFO(made.one.text << (program ? ""
                                     : program.error().message + " at " +
                                           made.one.text.substr(program.error().span.begin, 60)));
      if (!program) {
        REQUIRE_FALSE(made.right);
        ++unread;
        continue;
      }
      const CheckResult result = checkProgram(*program);
      if (const Finding* f = result.firstFinding()) UNSCOPED_INFO(label(f->obligation) << " " << print(*f));
      CHECK_FALSE((made.right && refuted(result)));
      refutations += refuted(result) ? 1 : 0;
      if (!result.holds()) continue;
      ++proved;
      asynchronous += made.one.text.find("async") != std::string::npos ? 1 : 0;
      CHECK(test::measured(*program, seed, "sm_90") == "");
      passed.push_back(std::move(made));
    }
    std::vector<Case> cases;
    for (const Claimed& made : passed) cases.push_back(made.one);
    const Beside all(cases);
    REQUIRE(all.wrong() == "");  // codegen accepts each
    for (const Claimed& made : passed) {
      const TensorValues inputs = randomInputs(made.one, 11);
      INFO(made.one.text << all.source(made.one.name).text);
      const Both both = all.run(made.one.name, inputs);
      REQUIRE(both.wrong == "");
      CHECK(both.findings.empty());
      CHECK(difference(both.host, both.emulated) == "");
      for (const unsigned order : {1U, 2U})
        CHECK(difference(both.host, all.run(made.one.name, inputs, order).host) == "");
      const Elements should = made.means(both.inputs.at("x"), both.inputs.at("z"));
      CHECK(difference({{"y", should}}, {{"y", both.host.at("y")}}, made.whole ? 0 : 0.02) == "");
    }
  }
  INFO(proved << " proved (" << asynchronous << " with cp.async), " << refutations << " refuted, " << unread
              << " not read");
  CHECK(proved > 15);
  CHECK(refutations > 8);
  CHECK(asynchronous > 1);
}
