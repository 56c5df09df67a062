// The emulator: the paper's figures, correct programs against a plain reference, and wrong ones refused for the right
// reason.
#include "support/emulate.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "emulate/programs.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

graphene::Program program(const std::string& text) {
  auto read = readProgram(text);
  INFO((read ? "" : read.error().message + " at " + text.substr(read.error().span.begin, 40)));
  REQUIRE(read.ok());
  return *std::move(read);
}

Run run(const std::string& text, const TensorValues& inputs = {}, const EmulateOptions& options = {}) {
  const graphene::Program p = program(text);
  auto out = emulate(p, inputs, options);
  INFO((out ? ""
            : out.error().message + " | " + out.error().expected + " at " + text.substr(out.error().span.begin, 60)));
  REQUIRE(out.ok());
  return *std::move(out);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

std::vector<double> counting(std::size_t n) {
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<double>(i);
  return out;
}

// Small integers, so that every product and sum is exact.
std::vector<double> small(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> out(n);
  for (double& v : out) v = static_cast<double>(random() % 17) - 8;
  return out;
}

const Finding* find(const Run& r, Obligation o) {
  for (const Finding& f : r.findings)
    if (f.obligation == o) return &f;
  return nullptr;
}

std::string all(const Run& r) {
  std::string out = r.stopped;
  for (const Finding& f : r.findings) out += "\n" + std::string(label(f.obligation)) + " " + print(f);
  return out;
}

}  // namespace

TEST_CASE("figure 1d hands every lane the fragment of the facts") {
  const Run r = run(kLdmatrixMove, {{"1", counting(256)}});
  INFO(all(r));
  CHECK(r.findings.empty());
  const std::vector<double>& f = r.tensors.at("2");
  REQUIRE(f.size() == 32 * 8);
  // S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]: row 8a + b, column 8c + 2d + e.
  for (std::size_t row = 0; row < 16; ++row) {
    for (std::size_t col = 0; col < 16; ++col) {
      const std::size_t reg = row / 8 * 4 + col / 8 * 2 + col % 2, lane = row % 8 * 4 + col % 8 / 2;
      CHECK(f[lane * 8 + reg] == static_cast<double>(row * 16 + col));
    }
  }
  CHECK(r.total.wavefronts == 8);  // rows of 32 bytes: 4 phases, each 2-way
  CHECK(r.total.idealWavefronts == 4);
}

TEST_CASE("a tensor-core tile is the product") {
  const std::vector<double> a = small(64 * 64, 1), b = small(64 * 64, 2), c = small(64 * 64, 3);
  std::vector<double> expected = c;
  for (std::size_t m = 0; m < 64; ++m)
    for (std::size_t n = 0; n < 64; ++n)
      for (std::size_t k = 0; k < 64; ++k) expected[m * 64 + n] += a[m * 64 + k] * b[k * 64 + n];
  for (const u64 seed : {u64{0}, u64{7}, u64{8}}) {
    EmulateOptions options;
    options.seed = seed;
    const Run r = run(kTensorCoreTile, {{"A", a}, {"B", b}, {"C", c}}, options);
    INFO(all(r));
    CHECK(r.findings.empty());
    CHECK(r.tensors.at("C") == expected);
    CHECK(r.total.wavefronts == r.total.idealWavefronts);  // the swizzle does what it is for
    CHECK(r.total.sectors == r.total.idealSectors);
  }
}

TEST_CASE("figure 8 in small is the product, rounded to fp16 at every step") {
  const std::vector<double> a = small(64 * 32, 4), b = small(32 * 64, 5);
  const Run r = run(kSimpleGemm, {{"A", a}, {"B", b}});
  INFO(all(r));
  CHECK(r.findings.empty());
  const NumberFormat half = *numberFormat("fp16");
  for (std::size_t m = 0; m < 64; ++m) {
    for (std::size_t n = 0; n < 64; ++n) {
      double sum = 0;
      for (std::size_t k = 0; k < 32; ++k) sum = rounded(sum + a[m * 32 + k] * b[k * 64 + n], half);
      REQUIRE(r.tensors.at("C")[m * 64 + n] == sum);
    }
  }
}

TEST_CASE("a transpose through shared memory needs its barrier") {
  const std::string good = replaced(kTranspose, "SYNC", "sync"), bad = replaced(kTranspose, "SYNC", "");
  const Run r = run(good, {{"in", counting(1024)}});
  INFO(all(r));
  CHECK(r.findings.empty());
  for (std::size_t y = 0; y < 32; ++y)
    for (std::size_t x = 0; x < 32; ++x) REQUIRE(r.tensors.at("out")[y * 32 + x] == static_cast<double>(y * 32 + x));
  CHECK(r.total.wavefronts == 64);                   // 33 words a row: no conflicts
  for (const u64 seed : {u64{0}, u64{1}, u64{2}}) {  // in any order of the warps
    EmulateOptions options;
    options.seed = seed;
    const Run w4 = run(bad, {{"in", counting(1024)}}, options);
    INFO(all(w4));
    const Finding* race = find(w4, Obligation::Races);
    REQUIRE(race != nullptr);
    CHECK(race->tensor == "%s");
    REQUIRE(race->instances.size() == 2);
    CHECK(race->instances[0].thread != race->instances[1].thread);
  }
}

TEST_CASE("a copy is there after its wait, for others after a barrier behind that") {
  const std::string waits = "  wait 0\n  sync\n";
  const auto with = [&](const std::string& text) { return run(replaced(kTensorCoreTile, waits, text)); };
  CHECK(with(waits).findings.empty());
  const Run noWait = with("  sync\n");
  INFO(all(noWait));
  const Finding* f = find(noWait, Obligation::Races);
  REQUIRE(f != nullptr);
  CHECK(f->message.find("a copy is still writing") != std::string::npos);
  const Run noBarrier = with("  wait 0\n");
  INFO(all(noBarrier));
  CHECK(find(noBarrier, Obligation::Races) != nullptr);
  const Run oneOnItsWay = with("  wait 1\n  sync\n");  // the only group may still be on its way
  CHECK(find(oneOnItsWay, Obligation::Races) != nullptr);
  const Run notCommitted = run(replaced(kTensorCoreTile, "  commit\n", ""));
  CHECK(find(notCommitted, Obligation::Races) != nullptr);
}

TEST_CASE("what is read too early by the thread that copies is not there") {
  const std::string text = R"(
%in:[4].fp32.GL  %out:[4].fp32.GL  #b:[1].block  #t:[1].thread
%out <- Move<<<#b,#t>>>(%in) {
  %s:[4].fp32.SH
  %s <- Move<async>(%in)
  commit
  WAIT
  %out <- Move(%s)
}
)";
  const Run good = run(replaced(text, "WAIT", "wait 0"), {{"in", {1, 2, 3, 4}}});
  INFO(all(good));
  CHECK(good.findings.empty());
  CHECK(good.tensors.at("out") == std::vector<double>{1, 2, 3, 4});
  const Run bad = run(replaced(text, "WAIT", ""));
  CHECK(find(bad, Obligation::Definedness) != nullptr);
}

TEST_CASE("syncwarp orders a warp and nothing else; the threads of a warp are not ordered by lockstep") {
  const std::string text = R"(
%in:[64].fp32.GL  %out:[64].fp32.GL  #b:[1].block  #t:[64].thread
%out <- Move<<<#b,#t>>>(%in) {
  @t = #t.indices()
  %s:[64].fp32.SH
  %from = %in[@t]  %to = %s[@t]
  %to <- Move(%from)
  SYNC
  %q = %s[OTHER]  %o = %out[OTHER]
  %o <- Move(%q)
}
)";
  const std::string neighbour = "@t + 1 - 2*(@t % 2)", far = "63 - @t";
  const auto of = [&](const std::string& sync, const std::string& other) {
    std::string out = replaced(text, "SYNC", sync);
    out = replaced(out, "OTHER", other);
    return run(replaced(out, "OTHER", other));
  };
  CHECK(of("sync", far).findings.empty());
  CHECK(of("syncwarp", neighbour).findings.empty());
  CHECK(find(of("", neighbour), Obligation::Races) != nullptr);
  CHECK(find(of("syncwarp", far), Obligation::Races) != nullptr);
}

TEST_CASE("outputs: never written, written twice, read before; tensors that no specification names") {
  const std::string head = "%in:[8].fp32.GL %out:[8].fp32.GL %other:[8].fp32.GL #b:[1].block #t:[8].thread\n";
  const auto of = [&](const std::string& body) {
    return run(head +
               "%out <- Move<<<#b,#t>>>(%in) {\n@t = #t.indices()\n%i = %in[@t] %o = %out[@t] %x = %other[@t]\n" +
               body + "}\n");
  };
  CHECK(of("%o <- Move(%i)\n").findings.empty());
  const Run missing = of("if (@t < 7) { %o <- Move(%i) }\n");
  REQUIRE(missing.findings.size() == 1);
  CHECK(missing.findings[0].obligation == Obligation::Coverage);
  CHECK(missing.findings[0].coordinate == std::vector<i64>{7});
  CHECK(find(of("%o <- Init<0>()\n%o <- Move(%i)\n"), Obligation::Uniqueness) != nullptr);
  CHECK(find(of("%o <- BinaryPW<+>(%o, %i)\n"), Obligation::Frame) != nullptr);
  CHECK(find(of("%x <- Move(%i)\n%o <- Move(%i)\n"), Obligation::Frame) != nullptr);
  CHECK(find(of("%o <- Move(%x)\n"), Obligation::Frame) != nullptr);
}

TEST_CASE("what cannot be run is said, and what takes too long stops") {
  const auto refused = [](const std::string& text, const EmulateOptions& options = {}) {
    const auto p = readProgram(text);
    REQUIRE(p.ok());
    const auto out = emulate(*p, {}, options);
    REQUIRE_FALSE(out.ok());
    return out.error().message;
  };
  const std::string head = "#b:[1].block #t:[8].thread\n";
  CHECK(refused("%a:[M].fp32.GL " + head + "%a <- Spec<<<#b,#t>>>() { }").find("M is not known") == 0);
  CHECK_FALSE(readProgram("%a:[9].fp99.GL " + head + "%a <- Spec<<<#b,#t>>>() { }").ok());
  CHECK(refused("%a:[9].fp32.GL " + head + "%a <- Spec() { }").find("states its blocks") != std::string::npos);
  CHECK(refused("%a:[900000000000].fp32.GL " + head + "%a <- Spec<<<#b,#t>>>() { }").find("storage") !=
        std::string::npos);
  CHECK(refused("%a:[9].fp32.GL #b:[1].block #t:[4:2].thread\n%a <- Spec<<<#b,#t>>>() { }").find("skips numbers") !=
        std::string::npos);
  EmulateOptions options;
  options.maxSteps = 1000;
  const Run endless = run("%a:[8].fp32.GL " + head +
                              "%a <- Spec<<<#b,#t>>>() { for (i = 0; i < 4000000000000000000; i += 3) { syncwarp } }",
                          {}, options);
  CHECK(endless.stopped == "it takes too many steps");
  const graphene::Program p = program("%a:[8].fp32.GL " + head + "%a <- Spec<<<#b,#t>>>() { }");
  CHECK_FALSE(emulate(p, {{"b", {1}}}).ok());
  CHECK_FALSE(emulate(p, {{"a", {1, 2}}}).ok());
  std::atomic<bool> cancel = true;
  options = {};
  options.cancel = &cancel;
  const Run cancelled = run("%a:[8].fp32.GL " + head +
                                "%a <- Spec<<<#b,#t>>>() { for (i = 0; i < 4000000000000000000; i += 1) { syncwarp } }",
                            {}, options);
  CHECK(cancelled.stopped == "cancelled");
}

// The source of a cp.async is read until its thread has waited; a barrier does not end the copy.
TEST_CASE("what a copy on its way reads is not overwritten before the wait, by its own thread or another") {
  const auto races = [](const std::string& before, const std::string& between, const std::string& behind) {
    const std::string text =
        "%x:[128].fp32.GL %y:[128].fp32.GL #b:[1].block #t:[32].thread\n"
        "%x, %y <- Spec<q><<<#b,#t>>>(%x) { @t = #t.indices() %s:[128].fp32.SH %z:[].fp32.RF %z <- Init<0>()\n"
        "%f = %x.tile([4:1])[@t] %to = %s.tile([4:1])[@t] %o = %y.tile([4:1])[@t] " +
        before + " %to <- Move<async>(%f) commit " + between + " wait 0 " + behind + " %o <- Move(%to) }";
    const auto program = readProgram(text);
    INFO(text << (program ? "" : program.error().message));
    REQUIRE(program.ok());
    const auto run = emulate(*program, {{"x", std::vector<double>(128, 1)}});
    REQUIRE(run.ok());
    return std::count_if(run->findings.begin(), run->findings.end(),
                         [](const Finding& f) { return f.obligation == Obligation::Races; });
  };
  const std::string own = "%w = %f[0] %w <- Move(%z) ", other = "%w = %x.tile([4:1])[31 - @t][0] %w <- Move(%z) ";
  const std::string clock = "%p = %x.tile([4:1])[@t][1] %v:[].fp32.RF %v <- Move(%p) ";  // reading it, too, is no harm
  CHECK(races(own, clock, "") == 0);
  CHECK(races("", own, "") > 0);
  CHECK(races("", "sync " + own + "sync", "") > 0);
  CHECK(races("", "sync " + other + "sync", "") > 0);
  CHECK(races("", "syncwarp " + other, "") > 0);
  CHECK(races("", "", own) == 0);
  CHECK(races("", "", other) > 0);  // the wait is its thread's: others need a barrier after it
  CHECK(races("", "", "syncwarp " + other) == 0);
  CHECK(races("", "", "sync " + other) == 0);
  // A wait that leaves this group pending; the same with an empty group after it.
  CHECK(races("", "wait 1 " + own, "") > 0);
  CHECK(races("", "commit wait 1 " + own, "") == 0);
}

// rounded() with the C library's exponents and powers of two, and a search for the nearest number.
TEST_CASE("numbers are rounded as by the C library") {
  const auto slow = [](double value, const NumberFormat& t) {
    if (value == 0 || !std::isfinite(value)) return value;
    const int exponent = std::max(std::ilogb(value), t.leastExponent) + 1 - t.precision;
    const double steps = std::ldexp(value, -exponent);
    const double nearest = std::ldexp(t.tiesAway ? std::round(steps) : std::nearbyint(steps), exponent);
    const double most = t.largest != 0 ? t.largest : std::ldexp(2 - std::ldexp(1.0, 1 - t.precision), t.mostExponent);
    if (std::fabs(nearest) <= most) return nearest;
    return std::copysign(t.saturates ? most : HUGE_VAL, value);
  };
  std::mt19937_64 random(11);
  for (const char* const name : {"fp32", "tf32", "fp16", "bf16", "e4m3", "e5m2"}) {
    const NumberFormat type = *numberFormat(name);
    INFO(name);
    u64 wrong = 0;
    for (int k = 0; k < 200000; ++k) {
      // Few bits, so that ties and representable numbers are frequent; exponents below and beyond the type's.
      const u64 bits = random() >> (random() % 60);
      const int exponent = type.leastExponent - type.precision - 4 +
                           static_cast<int>(random() % static_cast<u64>(type.mostExponent - type.leastExponent + 40));
      const int top = 63 - std::countl_zero(bits | 1);
      const double value = std::ldexp(static_cast<double>(bits), exponent - top) * (random() % 2 == 0 ? 1 : -1);
      const double a = rounded(value, type), b = slow(value, type);
      wrong += a != b || std::signbit(a) != std::signbit(b);
    }
    CHECK(wrong == 0);
    CHECK(mostOf(type) == slow(type.saturates ? 1e9 : mostOf(type), type));
  }
}
