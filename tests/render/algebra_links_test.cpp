// Every algebra operation links its inputs and its result, and every view lights a point. The test iterates over the
// tables of functions and of views; entries that light nothing must be in a list with the reason. The links are
// compared with the post-condition of the operation, by plain evaluation of addresses.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "app/show/show.h"
#include "core/base/arith.h"
#include "core/hlo/notation.h"
#include "core/layout/layout.h"
#include "core/worksheet/functions/functions.h"
#include "core/worksheet/worksheet.h"
#include "render/draw/links.h"
#include "render/figure/linked.h"
#include "tests/support/value_of.h"

using namespace tessera;

namespace {

struct Drawn {
  Operation operation;
  Value result;
  Figure figure;
};

std::optional<Drawn> operationOf(const std::string& text) {
  Scope scope;
  const Evaluated done = evaluate(splitStatements("R = " + text)[0], scope);
  INFO(text << (done.diag ? ": " + done.diag->message : ""));
  CHECK(done.value.has_value());
  if (!done.value || !done.operation) return std::nullopt;
  DrawOptions options;
  options.name = "R";
  auto figure = drawOperation(*done.operation, &*done.value, nullptr, options);
  REQUIRE(figure.ok());
  return Drawn{*done.operation, *done.value, *std::move(figure)};
}

// Index -> address of a value's layout.
struct Side {
  explicit Side(const Value& value) {
    const auto arrow = arrowOf(value);
    REQUIRE(arrow.ok());
    extents = extentsOf(arrow->from);
    domain = pointDomain(extents);
    i64 size = 1;
    for (const i64 e : extents) size *= e;
    for (i64 i = 0; i < size; ++i)
      offsets.push_back(arrow->map.at(digitsAt(*arrow, delinearize(i, extents, LinearOrder::Colex)))[0]);
  }
  std::vector<i64> extents, offsets;
  u64 domain = 0;
};

bool names(const std::string& part, const std::string& grid) { return grid == part || grid.starts_with(part + " "); }

// What index `i` of the result lights in the input of that name.
std::vector<i64> litFrom(const Drawn& d, const std::string& from, u64 domain, i64 i, const std::string& to) {
  std::set<i64> out;
  std::string origin;
  for (const Grid& g : d.figure.grids)
    if (names(from, g.name) && !g.cells->find({domain, i}, 1).empty()) origin = g.name;
  const Linked linked({{{domain, i}}, &d.figure, origin}, {&d.figure});
  for (const Grid& g : d.figure.grids)
    if (names(to, g.name))
      for (const Point& p : linked.in(d.figure, g)) out.insert(p.index);
  return {out.begin(), out.end()};
}

}  // namespace

TEST_CASE("a slice lights what its post-condition says: L(c with x in place of the wildcards)") {
  for (const char* text :
       {"slice((0,_,1), (2,3,4):(1,2,6))", "slice((1,_,_), (2,3,4):(1,2,6))",
        "slice((_,3), ((2,2),(2,4)):((1,8),(2,16)))", "slice(((1,_),_), ((2,2),(2,4)):((1,8),(2,16)))",
        "slice((_,5), Sw<3,3,3> o (16,64):(64,1))"}) {
    INFO(text);
    const auto d = operationOf(text);
    REQUIRE(d);
    const Side whole(d->operation.inputs[1]), result(d->result);
    // R(x) is L of what x lights, less L at the corner; a slice of a swizzled layout keeps the corner inside.
    const auto corner = litFrom(*d, "R", result.domain, 0, "B");
    REQUIRE(corner.size() == 1);
    const i64 base = whole.offsets[static_cast<std::size_t>(corner[0])] - result.offsets[0];
    for (std::size_t x = 0; x < result.offsets.size(); ++x) {
      const auto there = litFrom(*d, "R", result.domain, static_cast<i64>(x), "B");
      REQUIRE(there.size() == 1);
      REQUIRE(whole.offsets[static_cast<std::size_t>(there[0])] == result.offsets[x] + base);
      REQUIRE(litFrom(*d, "B", whole.domain, there[0], "R") == std::vector<i64>{static_cast<i64>(x)});
    }
  }
  // By hand: (0,_,1) of (2,3,4) is index 0 + 2*x + 6*1.
  const auto d = operationOf("slice((0,_,1), (2,3,4):(1,2,6))");
  for (i64 x = 0; x < 3; ++x) CHECK(litFrom(*d, "R", Side(d->result).domain, x, "B") == std::vector<i64>{2 * x + 6});
}

TEST_CASE("a dice lights every element that has its coordinates") {
  const auto d = operationOf("dice((0,_,1), (2,3,4):(1,2,6))");
  REQUIRE(d);
  const Side result(d->result);
  for (i64 a = 0; a < 2; ++a)
    for (i64 b = 0; b < 4; ++b) {
      std::vector<i64> wanted;
      for (i64 x = 0; x < 3; ++x) wanted.push_back(a + 2 * x + 6 * b);
      CHECK(litFrom(*d, "R", result.domain, a + 2 * b, "B") == wanted);
    }
}

TEST_CASE("tile_to_shape lights the element of the block that it repeats, and the block all its copies") {
  for (const char* text : {"tile_to_shape((2,4):(4,1), (6,8))", "tile_to_shape(Sw<1,0,2> o (2,4):(4,1), (4,8))",
                           "tile_to_shape((4,2):(1,4), (8,8), (1,0))"}) {
    INFO(text);
    const auto d = operationOf(text);
    REQUIRE(d);
    const Side block(d->operation.inputs[0]), result(d->result);
    const i64 size = static_cast<i64>(block.offsets.size());
    for (std::size_t i = 0; i < result.offsets.size(); ++i) {
      const auto there = litFrom(*d, "R", result.domain, static_cast<i64>(i), "A");
      REQUIRE(there.size() == 1);
      // Copies lie whole multiples of the block apart.
      REQUIRE(floorMod(result.offsets[i] - block.offsets[static_cast<std::size_t>(there[0])], size) == 0);
      REQUIRE(litFrom(*d, "A", block.domain, there[0], "R").size() == result.offsets.size() / block.offsets.size());
    }
  }
}

TEST_CASE("recast lights the elements that share bits, both ways") {
  struct Case {
    const char* text;
    i64 oldBits, newBits;
  };
  for (const Case& c : {Case{"upcast((4,8):(8,1), 4)", 1, 4},
                        {"downcast((8,4):(1,8), 4)", 4, 1},
                        {"recast((4,8):(8,1), 16, 32)", 16, 32},
                        {"recast_layout((4,8):(8,1), 32, 8)", 32, 8},
                        {"upcast<2>((8,4):(1,8))", 1, 2},
                        {"upcast(Sw<1,1,2> o (4,8):(8,1), 2)", 1, 2},
                        {"recast((16,4):(1,16), 6, 4)", 6, 4}}) {
    INFO(c.text);
    const auto d = operationOf(c.text);
    REQUIRE(d);
    const Side old(d->operation.inputs[0]), result(d->result);
    for (std::size_t i = 0; i < result.offsets.size(); ++i) {
      std::vector<i64> wanted;
      for (std::size_t k = 0; k < old.offsets.size(); ++k) {
        const i64 from = old.offsets[k] * c.oldBits, begin = result.offsets[i] * c.newBits;
        if (from < begin + c.newBits && begin < from + c.oldBits) wanted.push_back(static_cast<i64>(k));
      }
      REQUIRE(litFrom(*d, "R", result.domain, static_cast<i64>(i), "A") == wanted);
    }
  }
}

TEST_CASE("an inverse lights the coordinates that it gives") {
  // Offset -> (dim0, dim1) is drawn as (dim0, dim1) -> offset: the same element, at the same address.
  const auto d = operationOf("invert((4,8):(8,1))");
  REQUIRE(d);
  const Side from(d->operation.inputs[0]), result(d->result);
  for (std::size_t i = 0; i < result.offsets.size(); ++i) {
    const auto there = litFrom(*d, "R", result.domain, static_cast<i64>(i), "A");
    REQUIRE(there.size() == 1);
    CHECK(from.offsets[static_cast<std::size_t>(there[0])] == result.offsets[i]);
  }
  const auto c = operationOf("invert_and_compose((4,8):(8,1), (4,8):(1,4))");  // A(C(x)) = B(x)
  REQUIRE(c);
  for (i64 x = 0; x < 32; ++x)
    CHECK(litFrom(*c, "R", pointDomain({4, 8}), x, "B") == std::vector<i64>{x % 4 * 8 + x / 4});
}

TEST_CASE("the tile at a coordinate lights its own elements of the whole") {
  for (const char* text : {"GetTileLayout(MakeLayout<half, RowMajor>(32, 48), (8,16), (1,2))",
                           "MakeLayoutTile(MakeLayout<half, RowMajor>(32, 48), (16,16))"}) {
    INFO(text);
    const auto d = operationOf(text);
    REQUIRE(d);
    const Side whole(d->operation.inputs[0]), result(d->result);
    const i64 first = litFrom(*d, "R", result.domain, 0, "A").at(0);
    CHECK(first == (std::string(text).starts_with("Get") ? 8 + 32 * 32 : 0));
    for (std::size_t i = 0; i < result.offsets.size(); ++i) {
      const auto there = litFrom(*d, "R", result.domain, static_cast<i64>(i), "A");
      REQUIRE(there.size() == 1);
      REQUIRE(whole.offsets[static_cast<std::size_t>(there[0])] - whole.offsets[static_cast<std::size_t>(first)] ==
              result.offsets[i] - result.offsets[0]);
    }
  }
}

TEST_CASE("every algebra function lights its inputs from its result, or says why not") {
  const std::map<std::string, std::string> samples = {
      {"coalesce", "coalesce((2,4):(1,2))"},
      {"composition", "composition((4,8):(8,1), (8,4):(4,1))"},
      {"complement", "complement((2,2):(1,4), 16)"},
      {"right_inverse", "right_inverse((4,8):(8,1))"},
      {"left_inverse", "left_inverse((4,8):(8,1))"},
      {"logical_divide", "logical_divide((16,8):(8,1), <4:1, 2:1>)"},
      {"zipped_divide", "zipped_divide((16,8):(8,1), (4,2))"},
      {"tiled_divide", "tiled_divide((16,8):(8,1), (4,2))"},
      {"flat_divide", "flat_divide((16,8):(8,1), (4,2))"},
      {"logical_product", "logical_product((2,4):(4,1), 6:1)"},
      {"zipped_product", "zipped_product((2,4):(4,1), (3,2):(1,3))"},
      {"tiled_product", "tiled_product((2,4):(4,1), (3,2):(1,3))"},
      {"flat_product", "flat_product((2,4):(4,1), (3,2):(1,3))"},
      {"blocked_product", "blocked_product((2,4):(4,1), (3,2):(1,3))"},
      {"raked_product", "raked_product((2,4):(4,1), (3,2):(1,3))"},
      {"tile_to_shape", "tile_to_shape((2,4):(4,1), (4,8))"},
      {"filter", "filter((4,2,3):(1,0,4))"},
      {"filter_zeros", "filter_zeros((4,2,3):(1,0,4))"},
      {"nullspace", "nullspace((4,2,3):(1,0,4))"},
      {"flatten", "flatten(((2,4),3):((1,2),8))"},
      {"group", "group((4,5,6):(1,4,20), 0, 2)"},
      {"group_modes", "group_modes<0,2>((4,5,6):(1,4,20))"},
      {"select", "select((4,5,6):(1,4,20), 0, 2)"},
      {"take", "take((4,5,6):(1,4,20), 0, 2)"},
      {"append", "append((4,5):(1,4), 3:20)"},
      {"prepend", "prepend((4,5):(1,4), 3:20)"},
      {"slice", "slice((0,_,1), (2,3,4):(1,2,6))"},
      {"dice", "dice((0,_,1), (2,3,4):(1,2,6))"},
      {"upcast", "upcast((4,8):(8,1), 4)"},
      {"downcast", "downcast((8,4):(1,8), 4)"},
      {"recast", "recast((4,8):(8,1), 16, 32)"},
      {"recast_layout", "recast_layout((4,8):(8,1), 16, 32)"},
      {"as_position_independent_swizzle_layout", "as_position_independent_swizzle_layout(smem_atom(K_SW64, f16))"},
      {"max_common_layout", "max_common_layout((4,8):(1,4), (4,8):(1,8))"},
      {"MakeLayoutTile", "MakeLayoutTile(MakeLayout<half, RowMajor>(32, 48), (16,16))"},
      {"GetTileLayout", "GetTileLayout(MakeLayout<half, RowMajor>(32, 48), (16,16), (1,1))"},
      {"canonicalize", "canonicalize(S[(2,4):(4,1)])"},
      {"permute", "permute(S[(8,16):(16,1)], (8,16), (1,0))"},
      {"pack", "pack(S[(8,16):(16,1)], 2)"},
      {"unpack", "unpack(S[64:1], 2)"},
      {"invert", "invert((4,8):(8,1))"},
      {"pseudoinvert", "pseudoinvert((4,8):(8,1))"},
      {"invert_and_compose", "invert_and_compose((4,8):(8,1), (4,8):(1,4))"},
      {"compose", "compose((4,8):(8,1), (8,4):(4,1))"},
  };
  // What has no points to link, and why.
  const std::map<std::string, std::string> none = {
      {"tile", "Axe's result has the iters of both for a shape: its points are no coordinates of A or B"},
      {"direct_sum", "as tile"},
      {"tile_outer_of", "as tile"},
      {"tile_inner_of", "as tile"},
      {"direct_sum_right_of", "as tile"},
      {"direct_sum_left_of", "as tile"},
  };
  int lit = 0;
  for (const auto table : functionTables()) {
    for (const Function& f : table) {
      if (!f.algebra) continue;
      const std::string name(f.name);
      INFO(name);
      if (none.count(name) == 1) continue;
      const auto sample = samples.find(name);
      REQUIRE(sample != samples.end());  // a new function: give it a sample, and a row of kKinships
      const auto d = operationOf(sample->second);
      REQUIRE(d);
      int links = 0;
      for (const Grid& g : d->figure.grids) {
        if (!names("R", g.name)) continue;
        for (i64 r = 0; r < g.rows; ++r)
          for (i64 c = 0; c < g.cols; ++c) {
            const Linked linked({pointsOf(g.cells->cell(r, c)), &d->figure, g.name}, {&d->figure});
            for (const Grid& other : d->figure.grids)
              if (!names("R", other.name)) links += linked.in(d->figure, other).empty() ? 0 : 1;
          }
      }
      CHECK(links > 0);
      ++lit;
    }
  }
  CHECK(lit > 35);
}

namespace {

// Each thread moves one element.
const char* const kCopy =
    "graphene copy { %a:[32].fp32.GL %b:[1].fp32.RF #g:[1].block #t:[32].thread %b <- Move<<<#g,#t>>>(%a) {"
    " @i = #t.indices() %x = %a[@i] #one = #t.scalar() %y = %b[0] %y <- Move<<<#g,#one>>>(%x) } }";

Value sampleOf(const std::string& text) {
  if (text.starts_with("hlo")) {
    auto listing = hlo::readBlock(text);
    REQUIRE(listing.ok());
    auto part = hlo::findPart(*listing, "r");
    REQUIRE(part.has_value());
    return Value(Layout(*std::move(part)));
  }
  if (!text.starts_with("graphene")) return valueOf(text);
  const std::size_t open = text.find('{');
  auto listing = graphene::readListing("copy", text.substr(open + 1, text.rfind('}') - open - 1));
  INFO((listing ? "" : listing.error().message));
  REQUIRE(listing.ok());
  return Value(*std::move(listing));
}

struct ViewSample {
  const char* view;
  const char* value;
  std::vector<std::string> words = {};
  const char* why = "";  // nothing lights in its cells, because
};

const std::vector<ViewSample>& viewSamples() {
  static const std::vector<ViewSample> all = {
      {"grid", "(4,8):(8,1)"},
      {"memory", "(4,8):(8,1)"},
      {"flow", "(4,8):(8,1)", {}, "a point is followed: the window draws it anew for the one that is pointed at"},
      {"f2", "Sw<1,0,3> o (4,8):(8,1)"},
      {"table", "(4,8):(8,1)"},
      {"tensor", "f32[10,20]{1,0:T(8,128)}"},
      {"physical", "f32[10,20]{1,0:T(8,128)}"},
      {"tiles", "f32[10,20]{1,0:T(8,128)}"},
      {"address", "f32[10,20]{1,0:T(8,128)}", {}, "as flow"},
      {"mesh", "S[(2,32,128):(1@gpuid,128,1)] + R[2:2@gpuid] over (64,128)"},
      {"threads", "((4,8),(2,2)):((32,1),(16,8))"},
      {"forward", "S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] over (8,16)", {}, "as flow"},
      {"backward", "S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] over (8,16)", {}, "as flow"},
      {"instruction", "atlas(mma.m16n8k16.f16)"},
      {"access", "ldmatrix.x4 over (64,64):(64,1), fp16"},
      {"access", "tma.load over (64,64):(64,1), f16"},
      {"banks", "(64,64):(64,1)", {"f16"}},
      {"levels", "%A:[2,2:1,16].[2,4:2,4].fp32.GL"},
      {"levels", "#warp:[4:8].[8:1].thread"},
      {"levels", "zipped_divide((8,16):(16,1), (4,8))"},
      {"verdict", "", {}, "its own points are lit from the start (lit, litPoints)"},
      {"steps", "", {}, "a derivation is text"},
      {"search", "", {}, "banks of all answers: words of an access, of layouts that are no lines of the sheet"},
      {"chain", "chain((16,16):(16,1), cp.async16, (16,16):(16,1), ldmatrix.x4, mma.m16n8k16.f16, A)"},
      {"tiled", "make_tiled_mma(mma.m16n8k16.f16, (2,2,1))"},
      {"source", "", {}, "a line is a statement: a click opens its access"},
      {"owned", "make_tiled_mma(mma.m16n8k16.f16, (2,2,1))", {"37"}},
      {"owned", "((4,8),(2,2)):((32,1),(16,8))", {"5"}},
      {"owned", "S[(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)] over (16,8)", {"5"}},
      {"holds", "%d:[2,4].fp16.RF holds [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]"},
      {"tree", "", {}, "its boxes are specifications: a click goes to the text"},
      {"spec", kCopy},
      {"player", kCopy},
      {"checklist", "", {}, "a sign is an obligation; a cross lights its finding (graphene_views_test.cpp)"},
      {"predictions", "", {}, "a line is an access, of all threads and at all times"},
      {"dataflow", "", {}, "a box is an instruction"},
      {"reads",
       "hlo m { ENTRY e { x = f32[4,8] parameter(0) y = f32[8] parameter(1) b = f32[4,8] broadcast(y), dimensions={1}\n"
       "ROOT r = f32[4,8] add(x, b) } }"},
      {"waste", "", {}, "a bar is a kernel: a click opens its page"},
      {"kernel", "", {}, "its lines are texts; the tile is chosen by sliders"},
      {"value", "", {}, "a text"},
  };
  return all;
}

}  // namespace

TEST_CASE("every view lights the points that it shows, or says why not") {
  for (const ViewInfo& info : views()) {
    const std::string view(info.name);
    INFO(view);
    int samples = 0;
    for (const ViewSample& sample : viewSamples()) {
      if (sample.view != view) continue;
      ++samples;  // a new view: give it a sample
      if (sample.why[0] != '\0') continue;
      INFO(sample.value);
      DrawOptions options;
      options.arguments = sample.words;
      const auto figure = draw(sampleOf(sample.value), view, options);
      REQUIRE(figure.ok());
      for (const Grid& g : figure->grids) {
        if (g.rows * g.cols > 40'000) continue;
        int standing = 0, cells = 0;
        for (i64 r = 0; r < g.rows; ++r)
          for (i64 c = 0; c < g.cols; ++c) {
            const Cell cell = g.cells->cell(r, c);
            ++cells;
            if (pointsOf(cell).empty()) continue;
            ++standing;
            const Linked linked({pointsOf(cell), &*figure, g.name}, {&*figure});
            bool itself = false;
            for (const Point& p : linked.in(*figure, g)) {
              const auto at = g.cells->find(p, 100'000);
              itself = itself || std::find(at.begin(), at.end(), std::pair(r, c)) != at.end();
            }
            CHECK(itself);
          }
        INFO("grid " << g.name);
        CHECK(standing > 0);
        CHECK(cells >= standing);
      }
    }
    CHECK(samples > 0);
  }
}

TEST_CASE("the bit matrix and the table light the point that another picture of the layout points at") {
  for (const char* text : {"(4,8):(8,1)", "Sw<1,0,3> o (4,8):(8,1)", "((2,4),(2,2)):((1,8),(2,4))", "8:1"}) {
    INFO(text);
    const Side side(valueOf(text));
    const auto f2 = draw(valueOf(text), "f2", {}), table = draw(valueOf(text), "table", {});
    REQUIRE(f2.ok());
    REQUIRE(table.ok());
    const Grid &matrix = f2->grids[0], &numbers = table->grids[0];
    for (std::size_t i = 0; i < side.offsets.size(); ++i) {
      const Point point{side.domain, static_cast<i64>(i)};
      const Linked linked({{point}, nullptr, ""}, {&*f2, &*table});
      i64 address = side.offsets[0];  // what the lit ones xor
      if (!linked.in(*f2, matrix).empty())
        for (const auto& [r, c] : matrix.cells->find(point, 1000)) address ^= i64{1} << (matrix.rows - 1 - r);
      REQUIRE(address == side.offsets[i]);
      REQUIRE(linked.in(*table, numbers) == std::vector<Point>{point});
      const auto at = numbers.cells->find(point, 10);
      REQUIRE(at.size() == 1);
      REQUIRE(numbers.cells->cell(at[0].first, at[0].second).label == std::to_string(side.offsets[i]));
    }
    // Each number of the text lies in the middle of its cell.
    for (const Mark& m : table->marks) {
      if (m.text.find('|') == std::string::npos) continue;
      const double middle = m.rect.y + m.rect.h / 2;
      const i64 row = static_cast<i64>((middle - numbers.y) / numbers.cellHeight);
      for (i64 c = 0; c < numbers.cols; ++c) {
        const std::string label = numbers.cells->cell(row, c).label;
        const double left = numbers.x + static_cast<double>(c) * numbers.cellWidth;
        const auto from = static_cast<std::size_t>(left / (0.6 * m.size)),
                   chars = static_cast<std::size_t>(numbers.cellWidth / (0.6 * m.size));
        INFO(m.text << " / " << label);
        CHECK(m.text.substr(from, chars + 1).find(label) != std::string::npos);
      }
    }
  }
}
