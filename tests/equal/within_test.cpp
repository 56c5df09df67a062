// Bounds on the rounding errors of programs: no run leaves them, they are of use, and what they decide is right.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "solver/graphene/equal/by_bounds.h"
#include "solver/graphene/equal/equal.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

namespace fs = std::filesystem;

std::string shippedText(const std::string& name) {
  std::ifstream in(fs::path(TESSERA_SOURCE_DIR) / "assets/graphene" / (name + ".graphene"));
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}
Listing listing(const std::string& name, const std::string& text) {
  auto read = readListing(name, text);
  INFO(name << ": " << (read ? "" : read.error().message));
  REQUIRE(read.ok());
  return *std::move(read);
}
Listing gallery(const std::string& name) { return listing(name, shippedText(name)); }

EqualQuestion question(const std::string& first, const std::string& second, const std::string& reference,
                       const Sizes& sizes, const std::string& where) {
  EqualQuestion q{gallery(first)};
  if (!second.empty()) q.second = gallery(second);
  q.reference = reference;
  q.sizes = sizes;
  q.where = where;
  return q;
}
EqualVerdict answered(EqualQuestion q, double within, const std::string& ranges = "") {
  q.within = within;
  if (!ranges.empty()) {
    auto read = inputRanges(ranges);
    REQUIRE(read.ok());
    q.ranges = *std::move(read);
  }
  const auto v = equalPrograms(q, {.budgetSeconds = 60});
  INFO((v ? v->reason : v.error().message));
  REQUIRE(v.ok());
  return *v;
}
std::string refusal(EqualQuestion q, double within, const std::string& ranges) {
  q.within = within;
  auto read = inputRanges(ranges);
  REQUIRE(read.ok());
  q.ranges = *std::move(read);
  const auto v = equalPrograms(q, {.budgetSeconds = 60});
  REQUIRE(!v.ok());
  return v.error().message;
}

// y = f(x) by threads: `body` computes %o from %v, both of the type.
std::string scalar(const std::string& type, const std::string& body) {
  return fmt::format(R"(
%x:[64].{0}.GL  %y:[64].{0}.GL
#b:[1].block  #t:[64].thread
%y <- Spec<f><<<#b,#t>>>(%x) {{
  @t = #t.indices()
  %xe = %x[@t]  %ye = %y[@t]
  %v:[].{0}.RF  %o:[].{0}.RF
  %v <- Move(%xe)
  {1}
  %ye <- Move(%o)
}}
)",
                     type, body);
}
// The sums of rows of n, one by one in a register of the type.
std::string rowSums(const std::string& type, int n) {
  return fmt::format(R"(
%x:[32,{1}].{0}.GL  %y:[32].{0}.GL
#b:[1].block  #t:[32].thread
%y <- Spec<rows><<<#b,#t>>>(%x) means {{
  %y[i] = sum(k < {1}) %x[i,k]
}} {{
  @t = #t.indices()
  %v:[].{0}.RF  %s:[].{0}.RF
  %s <- Init<0>()
  for (k = 0; k < {1}; k += 1) {{
    %xe = %x[@t,k]
    %v <- Move(%xe)
    %s <- BinaryPointwise<+>(%s,%v)
  }}
  %ye = %y[@t]
  %ye <- Move(%s)
}}
)",
                     type, n);
}

struct GalleryRow {
  std::string first, second, reference;
  Sizes sizes;
  std::string where, ranges;
  double useful = 0;  // the bound is below this
};
const std::string kGates = "Wx = W[:32*X].reshape(32*X, 128*U); Wh = W[32*X:].reshape(32*U, 128*U)";
const std::string kNormal =
    "d = x - x.mean(1, keepdims=True); y = d / np.sqrt((d*d).mean(1, keepdims=True) + 1e-5) * gamma + beta";
const std::vector<GalleryRow>& galleryRows() {
  static const std::vector<GalleryRow> kRows = {
      {"mlp_layer", "", "Y = relu(A @ B + bias)", {}, "", "", 0.1},
      {"mlp_layer", "", "Y = relu(A @ B + bias)", {}, "", "|A| <= 4, 0 <= B <= 0.5, |bias| <= 10", 1},
      {"gemm_warps_64", "", "C = C + A @ B", {}, "", "", 0.1},
      {"mlp", "mlp_unfused", "", {{"M", 1}, {"L", 4}}, "bias = bias.reshape(128*L)", "|inputs| <= 0.1", 50},
      {"layernorm", "", kNormal, {}, "", "", 0.1},
      {"layernorm_rows", "layernorm_unfused", "", {{"R", 2}, {"C", 6}}, "", "", 1},
      {"layernorm_rows", "", kNormal, {{"R", 2}, {"C", 6}}, "", "", 0.1},
      {"lstm", "lstm_unfused", "", {{"M", 1}, {"X", 1}, {"U", 1}}, kGates, "", 0.1},
      {"attention", "", "O = softmax(Q @ K.T / 8) @ V", {}, "", "", 0.01},
      {"online_softmax",
       "",
       "e = np.exp(x - x.max(1, keepdims=True)); y = e / e.sum(1, keepdims=True)",
       {},
       "",
       "",
       1e-4},
      {"row_reduction", "", "out = in.sum(1)", {}, "", "", 1},
      {"epilogue", "epilogue", "", {}, "", "", 10},
  };
  return kRows;
}

// Inputs in their ranges: random ones, and many at the ends.
double placed(const Interval& range, int pattern, u64 bits) {
  const double u = static_cast<double>(bits >> 11) * 0x1p-53;
  const double place = pattern == 0 ? u : pattern == 1 ? std::round(u) : pattern == 2 ? 1 - u / 8 : 1;
  return range.lo + (range.hi - range.lo) * place;
}

// No run in the types leaves the bounds, and the bounds are of use.
void boundsHold(bool large) {
  for (const GalleryRow& row : galleryRows()) {
    if ((row.first == "mlp" || row.first == "lstm") != large) continue;
    EqualQuestion q = question(row.first, row.second, row.reference, row.sizes, row.where);
    if (!row.ranges.empty()) q.ranges = *inputRanges(row.ranges);
    const auto sides = sidesAt(q, {q.sizes, q.sizes});
    INFO(row.first << " " << row.second << row.reference << (sides ? "" : sides.error().message));
    REQUIRE(sides.ok());
    const OutputBounds bounds = boundsOf(*sides);
    INFO(bounds.reason << bounds.text);
    CHECK(bounds.reason.empty());
    CHECK(bounds.most < row.useful);
    double largest = 0;
    for (int pattern = 0; pattern < 4; ++pattern) {
      const auto initial = [&](const Port& p, i64 e) -> double {
        if (!p.input) return NAN;
        const i64 shared = p.alias.empty() ? e : p.alias[static_cast<std::size_t>(e)];
        const u64 bits = splitMix(splitMix(static_cast<u64>(pattern * 77 + p.name[0])) + static_cast<u64>(shared));
        const Interval range = inputInterval(*sides, p.name, p.type);
        const double x = placed(range, pattern, bits);
        if (p.type.precision == 0) return std::round(x);
        const double near = rounded(x, p.type);
        return near > range.hi || near < range.lo ? rounded(x * (1 - 0x1p-6), p.type) : near;
      };
      Numbers numbers;
      const auto typed = sides->first->run<Numbers>(numbers, sides->first->plan(), initial);
      const auto exact = sides->first->run<Numbers>(numbers, sides->first->exact(), initial);
      for (const std::string& name : sides->ports.outputs) {
        const std::vector<double>&a = typed.values.find(name)->second, &b = exact.values.find(name)->second;
        for (std::size_t e = 0; e < a.size(); ++e) largest = std::fmax(largest, std::fabs(a[e] - b[e]));
      }
    }
    INFO("largest error " << largest);
    CHECK(largest <= bounds.most);
    CHECK(largest > 0);
    CHECK(bounds.most < 3e4 * largest);
  }
}

}  // namespace

TEST_CASE("no run in the types leaves the bounds of programs of the gallery, and they are of use") {
  boundsHold(false);
}

TEST_CASE("bounds of the larger programs of the gallery hold in runs") { boundsHold(true); }

TEST_CASE("the verdict follows the stated error: refuted below what runs show, proved from the bound on") {
  for (const GalleryRow& row : galleryRows()) {
    // Two programs that compute in the same order leave no difference in runs; and lstm and mlp take seconds.
    if (!row.second.empty() || row.first == "attention") continue;
    const EqualQuestion q = question(row.first, row.second, row.reference, row.sizes, row.where);
    const EqualVerdict wide = answered(q, 1e6, row.ranges);
    INFO(row.first << ": " << wide.reason);
    CHECK(wide.standing == Standing::Proved);
    CHECK(wide.method == "bounds");
    REQUIRE(wide.bound > 0);
    CHECK(answered(q, wide.bound, row.ranges).standing == Standing::Proved);
    const EqualVerdict below = answered(q, wide.bound * 0.999, row.ranges);
    CHECK(below.standing != Standing::Proved);
    if (below.standing == Standing::Unknown) CHECK(below.reason.find("the bound exceeds ") == 0);
    const EqualVerdict none = answered(q, 0, row.ranges);
    INFO(none.reason);
    CHECK(none.standing == Standing::Refuted);
    CHECK(none.first != none.second);
    CHECK(none.reason.find("in their types they are") != std::string::npos);
  }
}

TEST_CASE("sums in halves: a run that accumulates its error refutes what a bound would have to forget") {
  EqualQuestion q{listing("rows", rowSums("fp16", 128))};
  q.reference = "y = x.sum(1)";
  const EqualVerdict v = answered(q, 1000);
  INFO(v.reason);
  CHECK(v.standing == Standing::Proved);
  // 128 additions of numbers up to 1; the sum of the first k is rounded by 2^-11 of up to k: about 4.
  CHECK(v.bound > 2);
  CHECK(v.bound < 6);
  // Numbers near the upper end: every sum is rounded. One conversion at the end would explain 2^-11 of 128.
  CHECK(answered(q, 128 * 0x1p-11).standing == Standing::Refuted);
  // In fp32 the same is proved within 1e-3.
  EqualQuestion wide{listing("rows", rowSums("fp32", 128))};
  wide.reference = q.reference;
  CHECK(answered(wide, 1e-3).standing == Standing::Proved);
}

TEST_CASE("values beyond a type, and those that may not be numbers, are unknown with the reason") {
  const auto asked = [](const std::string& type, const std::string& body, const std::string& reference, double within,
                        const std::string& ranges) {
    EqualQuestion q{listing("f", scalar(type, body))};
    q.reference = reference;
    return answered(q, within, ranges);
  };
  const std::string square = "%o <- BinaryPointwise<*>(%v,%v)";
  CHECK(asked("fp16", square, "y = x * x", 1, "").standing == Standing::Proved);
  const EqualVerdict large = asked("fp16", square, "y = x * x", 1e9, "|x| <= 300");
  INFO(large.reason);
  CHECK(large.standing == Standing::Refuted);  // 90000 is infinity in fp16
  CHECK(large.reason.find("infinity in f") != std::string::npos);
  const EqualVerdict perhaps = asked("fp16", square, "y = x * x", 100, "|x| <= 255.9");
  INFO(perhaps.reason);
  CHECK(perhaps.standing == Standing::Proved);  // up to 65485, and 32 are half a step
  const EqualVerdict zero = asked("fp32", "%o <- UnaryPointwise<log>(%v)", "y = np.log(x)", 1, "");
  INFO(zero.reason);
  CHECK(zero.standing == Standing::Unknown);
  CHECK(zero.reason.find("the argument of log may be 0 or negative: it is in [-1, 1]") != std::string::npos);
  CHECK(asked("fp32", "%o <- UnaryPointwise<log>(%v)", "y = np.log(x)", 1e-5, "0.5 <= x <= 2").standing ==
        Standing::Proved);
  // Both are not a number: nothing to compare, and nothing to prove.
  const EqualVerdict nan = asked("fp32", "%o <- BinaryPointwise<->(%v,%v)\n  %o <- BinaryPointwise</>(%o,%o)",
                                 "y = (x - x) / (x - x)", 1, "");
  INFO(nan.reason);
  CHECK(nan.standing == Standing::Unknown);
}

TEST_CASE("programs that differ over the real numbers have no bound, however close they are") {
  EqualQuestion q{listing("f", scalar("fp32", "%o <- UnaryPointwise<tanh>(%v)"))};
  q.reference = "y = x";
  const EqualVerdict v = answered(q, 10);
  INFO(v.reason);
  CHECK(v.standing == Standing::Unknown);
  CHECK(v.reason.find("they differ over the real numbers") == 0);
  CHECK(answered(q, 0.1).standing == Standing::Refuted);
}

TEST_CASE("a program and itself are no distance apart; without sizes there is no bound for every size") {
  EqualQuestion self{gallery("mlp_layer"), gallery("mlp_layer")};
  CHECK(answered(self, 0).standing == Standing::Proved);
  EqualQuestion open = question("layernorm_rows", "layernorm_unfused", "", {{"R", 1}}, "");
  const EqualVerdict v = answered(open, 1);
  INFO(v.reason);
  CHECK(v.standing == Standing::Unknown);
  CHECK(v.reason.find("but not for every C: a bound is for the sizes that were run") != std::string::npos);
  EqualQuestion budget = question("mlp", "mlp_unfused", "", {{"M", 1}, {"L", 4}}, "bias = bias.reshape(128*L)");
  budget.within = 1;
  const auto stopped = equalPrograms(budget, {.budgetSeconds = 0.05});
  REQUIRE(stopped.ok());
  CHECK(stopped->standing == Standing::Unknown);
  CHECK(!stopped->reason.empty());
}

TEST_CASE("inputs that `where` only moves keep their ranges; computed ones are unknown") {
  EqualQuestion q{listing("f", scalar("fp32", "%o <- BinaryPointwise<+>(%v,%v)")),
                  listing("g", scalar("fp32", "%o <- BinaryPointwise<+>(%v,%v)"))};
  q.where = "x = x[::-1][::-1]";
  const EqualVerdict moved = answered(q, 1e-6);
  INFO(moved.reason);
  CHECK(moved.standing == Standing::Proved);
  EqualQuestion scaled{listing("f", scalar("fp32", "%o <- BinaryPointwise<+>(%v,%v)")),
                       listing("g", scalar("fp32", "%o <- Move(%v)"))};
  scaled.where = "x = 2 * x";
  const EqualVerdict computed = answered(scaled, 1e-6);
  INFO(computed.reason);
  CHECK(computed.standing == Standing::Unknown);
  CHECK(computed.reason.find("`where` computes %x") != std::string::npos);
}

TEST_CASE("ranges are read and printed, and refused with a reason") {
  for (const std::string text :
       {"|X| <= 4", "0 <= W <= 0.5", "|X| <= 4, -1 <= W <= 0.5, |inputs| <= 2", "|x| <= 1e-3"}) {
    const auto read = inputRanges(text);
    REQUIRE(read.ok());
    const auto again = inputRanges(print(*read));
    REQUIRE(again.ok());
    CHECK(*again == *read);
  }
  CHECK(print(*inputRanges(" |X|<=4 ,0<=W<=5e-1 ")) == "|X| <= 4, 0 <= W <= 0.5");
  const std::pair<std::string, std::string> wrong[] = {
      {"", "the least number, or |X|, is missing here"},
      {"|X|", "`<=` is missing after |X|"},
      {"|X| < 4", "`<=` is missing after |X|"},
      {"|X <= 4", "`|` is missing after the name, |X| <= 4"},
      {"|X| <= -1", "the range is empty"},
      {"2 <= X <= 1", "the range is empty"},
      {"|X| <= 1, |X| <= 2", "the range of X is given twice"},
      {"|X| <= inf", "the largest magnitude is missing here"},
      {"|X| <= 1e999", "the largest magnitude is missing here"},
      {"|X| <= 4 |Y| <= 2", "`|` follows the ranges"},
      {"X <= 4", "the least number, or |X|, is missing here"},
      {"|X| <= 4,", "the least number, or |X|, is missing here"},
  };
  for (const auto& [text, message] : wrong) {
    const auto read = inputRanges(text);
    INFO(text);
    REQUIRE(!read.ok());
    CHECK(read.error().message == message);
  }
  EqualQuestion q{gallery("mlp_layer")};
  q.reference = "Y = relu(A @ B + bias)";
  CHECK(refusal(q, 1, "|Z| <= 1") == "%Z is no input of mlp_layer");
  CHECK(refusal(q, 1, "|Y| <= 1") == "%Y is no input of mlp_layer");
  CHECK(refusal(q, -1, "|A| <= 1").find("at least 0") != std::string::npos);
  q.ranges = *inputRanges("|A| <= 1");
  const auto alone = equalPrograms(q);
  REQUIRE(!alone.ok());
  CHECK(alone.error().message == "ranges of inputs are for a bound on the error");
}
