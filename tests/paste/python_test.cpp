// Pasted Python: what is asked for and refused, parameters, views of arrays, einops, damage.
#include <catch2/catch.hpp>
#include <random>

#include "core/paste/dialects.h"
#include "core/paste/python/einops.h"
#include "core/paste/python/strided.h"
#include "tests/paste/python_cases.h"

namespace tessera::paste {
namespace {

TEST_CASE("paste python: shapes with strides in a session") {
  const auto last = [](std::string_view text) {
    const Result<Reading> reading = read(text);
    return reading && !reading->statements.empty() && reading->questions.empty() ? reading->statements.back().text
                                                                                 : std::string("not read");
  };
  CHECK(last(">>> a.shape, a.strides, a.dtype\n((2, 3), (8, 16), dtype('float64'))") == "(2, 3):(1, 2)");
  CHECK(last(">>> x.stride()\n(1, 8, 2)\n>>> x.shape\ntorch.Size([2, 3, 4])") == "x = (2, 3, 4):(1, 8, 2)");
  CHECK(last("q torch.Size([4, 8]) (1, 4)\nk torch.Size([4, 8]) (8, 1)") == "(4, 8):(8, 1)");
  CHECK(last("torch.Size([4, 8]) torch.Size([2])") == "(2,):(1,)");
}

// What is no map of sums, quotients and remainders is a block of index code.
TEST_CASE("paste python: functions of TileLang with conditions") {
  const Result<Reading> reading =
      read("L = T.Layout([M, 8], lambda i, j: i * 8 + j if i < N else 0)", {{{"M", "16"}, {"N", "4"}}, {}, {}, {}});
  REQUIRE(reading);
  CHECK(reading->statements.back().text ==
        "L = python { lambda i, j: i * 8 + j if i < N else 0 } over (i = 16, j = 8) with (N = 4)");
}

std::vector<std::string> asked(std::string_view text, const Given& given = {}) {
  const Result<Reading> reading = read(text, given);
  std::vector<std::string> out;
  if (reading)
    for (const Question& q : reading->questions) out.push_back(q.name);
  return out;
}

TEST_CASE("paste python: what is not defined is asked for, once and by its text") {
  using List = std::vector<std::string>;
  CHECK(asked("cute.make_layout((BM, self.n), stride=(BM, cfg.tiles[0] // 2))") ==
        List{"BM", "self.n", "cfg.tiles[0]"});
  CHECK(asked("n = f(3)\ncute.make_layout((n, n))") == List{"n"});
  CHECK(asked("m = n // 2\ncute.make_layout((m, n))") == List{"n"});
  // What no layout uses is not asked for.
  CHECK(asked("tid, _, _ = cute.arch.thread_idx()\nk = tid * 4\nL = cute.make_layout(8)").empty());
  CHECK(asked("L = cute.make_layout(8)\ntAgA = thr.partition_S(gA)\nnames.append(tAgA)").empty());
  CHECK(asked("if const_expr(wide):\n    L = cute.make_layout(8)") == List{"wide"});
  CHECK(asked("gl.BlockedLayout([1, V], [8, 4], [W, 1], [1, 0])") == List{"V", "W"});
  CHECK(asked("np.lib.stride_tricks.as_strided(x, (4, 3), (8, 4))") == List{"the type of an element of x"});
  CHECK(asked("shape=(4, 8) strides=(32, 4)") == List{"the unit of the strides"});
  CHECK(asked("a.view(2, -1).t()") == List{"a"});
}

TEST_CASE("paste python: refusals say why") {
  const auto message = [](std::string_view text) {
    const Result<Reading> reading = read(text);
    return reading ? std::string("read") : reading.error().message;
  };
  CHECK(message("gl.AutoLayout()").find("the compiler chooses") != std::string::npos);
  CHECK(message("gl.BlockedLayout([1, 1], [8, 4])").find("has no warps_per_cta") != std::string::npos);
  CHECK(message("torch.empty(4, 6).t().view(24)").find("without a copy") != std::string::npos);
  CHECK(message("cute.make_ordered_layout((4, 8), stride=(1, 4))").find("no argument order") != std::string::npos);
  CHECK(message("T.Layout([4, 4], lambda i: i)").find("2 extents") != std::string::npos);
  CHECK(message("torch.empty(2, 3).permute(0, 0)").find("occurs twice") != std::string::npos);
}

TEST_CASE("paste python: a parameter has the value of the text's call") {
  const Result<Reading> reading = read(R"(
class Kernel:
    def __call__(self, n=8):
        tile = cute.make_layout((n, 4))
        self.run(tile, 2, more=n).launch()
    def run(self, layout, k, more):
        twice = cute.logical_product(layout, cute.make_layout(k))
        last = cute.make_layout((more, k))
)");
  REQUIRE(reading);
  CHECK(reading->questions.empty());
  CHECK(reading->statements.back().text == "last = make_layout((8, 2))");
  CHECK(asked("def f(a, b): return cute.make_layout((a, b))\nf(*x)") == std::vector<std::string>{"a", "b"});
}

// A layout that cannot be read is never replaced by an earlier one.
TEST_CASE("paste python: the last layout is the text's last") {
  const Result<Reading> reading = read("a = torch.empty(4, 6)\nb = a.permute(0, 0)");
  CHECK_FALSE(reading);
  const Result<Reading> earlier = read("a = torch.empty(4, 6).permute(0, 0)\nb = torch.empty(2, 2)");
  REQUIRE(earlier);
  CHECK(earlier->notes.size() == 1);
}

// ---- views, against the elements themselves ----

std::vector<i64> offsetsOf(const python::Strided& a) {
  std::vector<i64> out{a.offset};
  for (std::size_t d = 0; d < a.rank(); ++d) {
    std::vector<i64> next;
    for (const i64 base : out)
      for (i64 k = 0; k < a.shape[d]; ++k) next.push_back(base + k * a.stride[d]);
    out = std::move(next);
  }
  return out;  // row-major
}

TEST_CASE("paste python: a view keeps the order of elements, or is refused") {
  std::mt19937 random(3);
  int views = 0;
  for (int n = 0; n < 3000; ++n) {
    std::vector<i64> shape;
    for (std::size_t k = 0; k < 1 + random() % 3; ++k) shape.push_back(1 + static_cast<i64>(random() % 6));
    python::Strided a = *python::contiguous(shape);
    if (a.rank() > 1 && random() % 2 == 0) a = *python::swapped(a, 0, -1);
    if (random() % 2 == 0)
      a = *python::sliced(a, random() % a.rank(), std::nullopt, std::nullopt, random() % 2 ? 2 : -1);
    const std::vector<i64> elements = offsetsOf(a);
    const i64 size = static_cast<i64>(elements.size());
    for (i64 rows = 1; rows <= size; ++rows) {
      if (size % rows != 0) continue;
      const auto view = python::viewed(a, {rows, -1});
      REQUIRE(view);
      if (!*view) continue;
      ++views;
      CHECK(offsetsOf(**view) == elements);
    }
  }
  CHECK(views > 3000);
}

TEST_CASE("paste python: a view is refused only if no strides do it") {
  // (2, 3) in column order as 6 elements: 0 2 4 1 3 5 is no progression.
  const python::Strided a{{2, 3}, {1, 2}, 0};
  CHECK_FALSE(*python::viewed(a, {6}));
  CHECK(**python::viewed(a, {2, 3, 1}) == python::Strided{{2, 3, 1}, {1, 2, 2}, 0});
  const python::Strided b{{4, 2, 3}, {6, 3, 1}, 0};
  CHECK(**python::viewed(b, {24}) == python::Strided{{24}, {1}, 0});
}

TEST_CASE("paste python: einops") {
  const python::Strided x = *python::contiguous({2, 12, 5});
  const auto split = python::rearranged(x, "b (h d) s -> b h s d", {{"h", 3}});
  REQUIRE(split);
  CHECK(split->strided == python::Strided{{2, 3, 5, 4}, {60, 20, 1, 5}, 0});
  CHECK_FALSE(split->copies);
  CHECK(python::rearranged(x, "b h s -> b (s h)", {})->copies);
  CHECK_FALSE(python::rearranged(x, "b (h d) s -> b h s", {{"h", 3}}));
  CHECK_FALSE(python::rearranged(x, "b (h d) s -> b h s d", {{"h", 5}}));
  CHECK_FALSE(python::rearranged(x, "b (h d) s", {}));
}

TEST_CASE("paste python: damaged texts are read or refused") {
  std::mt19937 random(11);
  for (const auto& [dialect, cases] : {std::pair{&kCutePython, &cuteCases()},
                                       {&kGluon, &gluonCases()},
                                       {&kArrays, &arrayCases()},
                                       {&kTvm, &tvmCases()}})
    for (const PythonCase& c : *cases)
      for (int n = 0; n < 25; ++n) {
        std::string text = c.text;
        for (int edit = 0; edit < 3; ++edit) {
          const std::size_t at = random() % (text.size() + 1);
          if (random() % 2 == 0)
            text.insert(at, 1, "()[],:='\"-*/%9\n@x."[random() % 18]);
          else if (at < text.size())
            text.erase(at, 1 + random() % 5);
          if (text.empty()) text = "(";
        }
        (void)dialect->recognizes(text);
        const Result<Reading> reading = dialect->read(text, Given{c.lets, c.over, {}, {}});
        if (!reading) CHECK_FALSE(reading.error().message.empty());
      }
}

TEST_CASE("paste python: limits") {
  const std::string deep = std::string(3000, '(') + "4" + std::string(3000, ')');
  CHECK_FALSE(read("cute.make_layout(" + deep + ")"));
  std::string doubled = "cute.make_layout(2)";
  for (int k = 0; k < 60; ++k) doubled = "cute.complement(" + doubled + ")";
  CHECK_FALSE(read(doubled));
  std::string grown = "a = (1, 2)\n";
  for (int k = 0; k < 60; ++k) grown += "a = a + a\n";
  (void)read(grown + "cute.make_layout(a)");
  (void)read("torch.empty(9223372036854775807, 9223372036854775807).permute(1, 0)");
  (void)read("torch.empty(4)[::-9223372036854775808]");
  (void)read("T.Layout([9223372036854775807], lambda i: i * 9223372036854775807)");
  (void)read("(-9223372036854775808, 4) (4, 1)");
}

}  // namespace
}  // namespace tessera::paste
