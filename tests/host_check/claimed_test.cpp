// What check proves also runs: generated programs, with and without a mistake. For each program that check passes, the
// emitted text on the CPU gives the emulator's result in any order of the threads, `measure` calls it right, and both
// match the specification, which plain loops compute here. A program without a mistake is never refuted.
//
//     elements    y[i] = f(x[i], z[i]), in registers, masked, or through shared memory with and without cp.async
//     every size  the same with a symbolic size N: what is proved for every N is run at four of them
//     rowSums     y[r] = the sum of a row
//     products    C += A * B by cp.async, ldmatrix and mma.sync (random_product.cpp)
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "core/graphene/reader/sized.h"
#include "random_programs.h"
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
  std::vector<i64> sizes = {};                                          // of N, where it is symbolic
  std::function<Elements(const Elements& x, const Elements& z)> means;  // of %y
};

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed), seed_(seed) {}

  Claimed make() {
    const int kind = below(9);
    return kind < 3 ? rowSums() : kind < 5 ? everySize() : elements();
  }
  Claimed product() {
    const Case made = randomProduct(seed_);
    std::string text = made.text;
    mistake_ = below(3) != 0 ? 0 : -1;
    if (mistake_ == 0) wrong_ = mistaken(text);
    return {{fmt::format("claimed {}", made.name), std::move(text), made.sizes}, !wrong_, false, {}, {}};
  }

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
    return {{fmt::format("claimed {}", seed_), std::move(text)}, !wrong_, whole, {}, std::move(means)};
  }

  // One mistake in a product; false: its text has no place for the one that was drawn.
  bool mistaken(std::string& text) {
    struct Change {
      const char *from, *to;
    };
    static const Change all[] = {
        {"    sync\n", ""},
        {"    wait ", "    wait 1"},
        {"Move<trans>", "Move"},
        {"%f = %acc[m, 2*p + h]", "%f = %acc[m, 2*p]"},
        {"%f <- Move(%c3)", "%f <- Init<0>()"},
        {"*@wm + m, k]", "*@wm + m, 0]"},
        {"%c3 = %c2[8*i + @g, @q]", "%c3 = %c2[@g, @q]"},
        {"%row = %Ar[0,@ar,@ac]", "%row = %Ar[0,@ar,0]"},
        {"    commit\n    for (k", "    for (k"},
        {"Sw<3,3,3> o", "Sw<2,3,3> o"},
    };
    const Change& change = all[below(static_cast<int>(std::size(all)))];
    const std::size_t at = text.find(change.from);
    if (at == std::string::npos) return false;
    text.replace(at, std::string_view(change.from).size(), change.to);
    return true;
  }

  // y[i] = f(x[i], z[i]) for every N: the last block is masked, or the size is a multiple of a tile.
  Claimed everySize() {
    mistake_ = below(2) == 0 ? below(5) : -1;
    const int threads = pick({32, 64}), each = 1 + below(2);
    const bool masked = below(2) == 0;
    const std::string type = pick({"fp32", "fp16"}), operation = pick({"+", "*", "max"});
    const int tile = threads * each;
    const std::string size = masked ? "N" : fmt::format("{}*N", tile);
    const std::string index = fmt::format("{}*@b + {}*j + @t", tile, threads);
    std::string text = fmt::format(
        "%x:[{0}:1].{1}.GL  %z:[{0}:1].{1}.GL  %y:[{0}:1].{1}.GL\n#b:[{2}:1].block  #t:[{3}:1].thread\n"
        "%y <- Spec<claimed><<<#b,#t>>>(%x,%z) means {{ %y[i] = {4} }} {{\n@b = #b.indices()  @t = #t.indices()\n",
        size, type, masked ? fmt::format("ceildiv(N,{})", tile) : "N", threads,
        operation == "max" ? "max(%x[i], %z[i])" : fmt::format("%x[i] {} %z[i]", operation));
    text += fmt::format("for (j = 0; j < {}; j += 1) {{\n", either(std::to_string(each), std::to_string(each + 1)));
    text += fmt::format("%u:[].{0}.RF  %w:[].{0}.RF  %v:[].{0}.RF\n", type);
    text += fmt::format("%e = %x[{}]  %g = %z[{}]  %o = %y[{}]\n", index, either(index, "@t"), index);
    if (masked) text += fmt::format("if ({} < {}) {{\n", index, either("N", "N - 1"));
    text += "%u <- Move(%e)\n%w <- Move(%g)\n";
    text += fmt::format("%v <- BinaryPointwise<{}>(%u,%w)\n", either(operation, operation == "max" ? "+" : "max"));
    text += "%o <- Move(%v)\n";
    if (masked) text += "}\n";
    const char kind = operation[0];
    Claimed out = done(text + "}\n}\n", [kind](const Elements& x, const Elements& z) {
      Elements y;
      for (std::size_t i = 0; i < x.size(); ++i)
        y.push_back(kind == '+' ? x[i] + z[i] : kind == '*' ? x[i] * z[i] : std::max(x[i], z[i]));
      return y;
    });
    out.sizes = masked ? std::vector<i64>{1, tile - 1, tile, 2 * tile + 3} : std::vector<i64>{1, 2, 3, 5};
    return out;
  }

  // y[i] = f(x[i], z[i]): a block of T threads does J stretches of T elements; the last ones are masked, or the values
  // go through shared memory, turned round.
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
    // An integer through another type and back: right where the type holds every value of it.
    const std::string detour = in == "s8"    ? pick({"", "fp16", "bf16", "fp32"})
                               : in == "s32" ? pick({"", "", "", "fp32", "fp16"})
                                             : pick({"", "", "", "", "s32", "s8"});
    if (!detour.empty() && in != "s8") wrong_ = true;
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
    if (!detour.empty()) text += fmt::format("%d:[].{}.RF\n%d <- Move(%v)\n%v <- Move(%d)\n", detour);
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

// What the text and the emulator make of each, and what the specification says of it.
struct Passed {
  Case one;
  bool whole = false;
  std::function<Elements(const TensorValues& inputs)> means;
  std::string output = "y";
};

void run(const std::vector<Passed>& passed) {
  std::vector<Case> cases;
  for (const Passed& made : passed) cases.push_back(made.one);
  if (cases.empty()) return;
  const Beside all(cases);
  REQUIRE(all.wrong() == "");  // codegen accepts each
  for (const Passed& made : passed) {
    const TensorValues inputs = randomInputs(made.one, 11);
    INFO(made.one.text << all.source(made.one.name).text);
    const Both both = all.run(made.one.name, inputs);
    REQUIRE(both.wrong == "");
    CHECK(both.findings.empty());
    CHECK(difference(both.host, both.emulated) == "");
    for (const unsigned order : {1U, 2U})
      CHECK(difference(both.host, all.run(made.one.name, inputs, order).host) == "");
    CHECK(difference({{"", made.means(both.inputs)}}, {{"", both.host.at(made.output)}}, made.whole ? 0 : 0.02) == "");
  }
}

// A symbolic size as a number.
graphene::Program sized(const Claimed& made, i64 n) {
  auto program = readSized(made.one.text, {{"N", n}});
  REQUIRE(program.ok());
  return *std::move(program);
}

// C += A * B, of what was there before; each tensor by its coordinates, the last one fastest.
Elements productOf(const TensorValues& inputs, i64 rows, i64 columns) {
  const Elements &a = inputs.at("A"), &b = inputs.at("B");
  Elements c = inputs.at("C");
  const i64 depth = static_cast<i64>(a.size()) / rows;
  for (i64 m = 0; m < rows; ++m)
    for (i64 n = 0; n < columns; ++n)
      for (i64 k = 0; k < depth; ++k)
        c[static_cast<std::size_t>(m * columns + n)] +=
            a[static_cast<std::size_t>(m * depth + k)] * b[static_cast<std::size_t>(k * columns + n)];
  return c;
}

}  // namespace

TEST_CASE("what check proves also runs: generated programs and their texts") {
  if (!hasCompiler()) return;
  int proved = 0, refutations = 0, unread = 0, asynchronous = 0, everySize = 0, detours = 0;
  unsigned seed = 1;
  for (i64 left = test::volume(48, 1'920); left > 0; left -= 48) {
    std::vector<Passed> passed;
    for (int k = 0; k < 48; ++k, ++seed) {
      const Claimed made = Maker(seed).make();
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
      detours += made.one.text.find("%d:") != std::string::npos ? 1 : 0;
      const auto means = [f = made.means](const TensorValues& in) { return f(in.at("x"), in.at("z")); };
      if (made.sizes.empty()) {
        CHECK(test::measured(*program, seed, "sm_90") == "");
        passed.push_back({made.one, made.whole, means});
        continue;
      }
      ++everySize;
      for (const i64 n : made.sizes) {
        INFO("N = " << n);
        const graphene::Program one = sized(made, n);
        CHECK_FALSE(refuted(checkProgram(one)));
        CHECK(test::measured(one, seed, "sm_90") == "");
        passed.push_back({{fmt::format("{} of {}", made.one.name, n), made.one.text, {{"N", n}}}, made.whole, means});
      }
    }
    run(passed);
  }
  INFO(proved << " proved (" << asynchronous << " with cp.async, " << everySize << " for every size, " << detours
              << " through another type), " << refutations << " refuted, " << unread << " not read");
  CHECK(proved > 15);
  CHECK(refutations > 8);
  CHECK(asynchronous > 1);
  CHECK(everySize > 1);
  CHECK(detours > 0);
}

TEST_CASE("what check proves also runs: generated matrix products and their texts") {
  if (!hasCompiler()) return;
  int proved = 0, refutations = 0;
  unsigned seed = 1;
  for (i64 left = test::volume(12, 240); left > 0; left -= 12) {
    std::vector<Passed> passed;
    for (int k = 0; k < 12; ++k, ++seed) {
      const Claimed made = Maker(seed).product();
      auto program = readSized(made.one.text, made.one.sizes);
      INFO(made.one.text);
      if (!program && made.one.text.find("N") == std::string::npos) program = readProgram(made.one.text);
      REQUIRE((program || !made.right));
      if (!program) continue;
      const CheckResult result = checkProgram(*program);
      if (const Finding* f = result.firstFinding()) UNSCOPED_INFO(label(f->obligation) << " " << print(*f));
      CHECK_FALSE((made.right && refuted(result)));
      refutations += refuted(result) ? 1 : 0;
      if (!result.holds()) continue;
      ++proved;
      CHECK(test::measured(*program, seed, "sm_80") == "");
      const Tensor& c = program->specs.empty() ? Tensor() : std::get<Spec>(program->specs.front().what).outputs.front();
      const i64 rows = c.extents[0].value(), columns = c.extents[1].value();
      passed.push_back({made.one, false, [=](const TensorValues& in) { return productOf(in, rows, columns); }, "C"});
    }
    run(passed);
  }
  INFO(proved << " proved, " << refutations << " refuted");
  CHECK(proved > 2);
  CHECK(refutations > 2);
}
