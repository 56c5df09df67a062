// Atoms: every row of the paper's table 2 and the extensions, their effects against PTX's formulas, and every refusal.
#include "core/graphene/atoms/atom.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "core/atlas/scalar_operation.h"
#include "core/graphene/slots/slots.h"
#include "tests/graphene/leaves.h"

using namespace tessera;
using namespace tessera::graphene;
using test::leafOf;

namespace {

Atom atom(const std::string& declarations, const std::string& leaf, std::string_view architecture = "sm_80") {
  const Spec spec = leafOf(declarations, leaf);
  const auto found = matchAtom(spec, architecture);
  INFO(declarations << "\n" << leaf << (found ? "" : "\n" + found.error().message + " | " + found.error().expected));
  REQUIRE(found.ok());
  return *found;
}
std::string refusal(const std::string& declarations, const std::string& leaf, std::string_view architecture = "sm_80") {
  const auto found = matchAtom(leafOf(declarations, leaf), architecture);
  REQUIRE_FALSE(found.ok());
  CHECK(!found.error().expected.empty());
  return found.error().message;
}
std::string nameOr(const std::string& declarations, const std::string& leaf, std::string_view architecture = "sm_80") {
  const auto found = matchAtom(leafOf(declarations, leaf), architecture);
  return found ? found->name : "refused: " + found.error().message;
}

using Terms = std::vector<std::vector<AtomTerm>>;
Terms same(int n) {
  Terms out;
  for (int s = 0; s < n; ++s) out.push_back({{s, s}});
  return out;
}

const std::string kWarp = "#b:[1].block #w:[32].thread ";
const std::string kOne = "#b:[1].block #w:[1].thread ";

}  // namespace

TEST_CASE("table 2 of the paper, row by row") {
  struct Row {
    std::string declarations, leaf, name, ptx;
  };
  const Row rows[] = {
      {"%i:[].fp32.GL %o:[].fp32.RF", "%o <- Move<<<#b,#w>>>(%i)", "ld.global.u32", "ld.global.u32 "},
      {"%i:[8].fp16.GL %o:[8].fp16.RF", "%o <- Move<<<#b,#w>>>(%i)", "ld.global.v4", "ld.global.v4.u32 "},
      {"%i:[4].fp32.RF %o:[4].fp32.SH", "%o <- Move<<<#b,#w>>>(%i)", "st.shared.v4", "st.shared.v4.u32 "},
      {"%i:[].fp16.RF %j:[].fp16.RF %o:[].fp16.RF", "%o <- BinaryPW<*><<<#b,#w>>>(%i,%j)", "hmul", "__hmul"},
      {"%i:[2].fp16.RF %j:[2].fp16.RF %o:[2].fp16.RF", "%o <- BinaryPW<+><<<#b,#w>>>(%i,%j)", "hadd2", "__hadd2"},
      {"%i:[].fp16.RF %j:[].fp16.RF %o:[].fp16.RF", "%o <- MatMul<<<#b,#w>>>(%i,%j)", "hfma", "__hfma"},
      {"%i:[2].fp16.RF %j:[2].fp16.RF %o:[2].fp16.RF", "%o <- MatMul<<<#b,#w>>>(%i,%j)", "hfma2", "__hfma2"},
      {"%i:[].fp32.RF %j:[].fp32.RF %o:[].fp32.RF", "%o <- MatMul<<<#b,#w>>>(%i,%j)", "fma.f32", "fma.rn.f32"},
  };
  for (const Row& row : rows) {
    const Atom a = atom(kOne + row.declarations, row.leaf);
    CHECK(a.name == row.name);
    CHECK(a.ptx.starts_with(row.ptx));
    CHECK(a.lanes == 1);
    CHECK_FALSE(a.collective);
    CHECK(a.terms == same(a.slots[0]));
    // [].thread and no configuration are one thread, too.
    CHECK(nameOr("#b:[1].block #w:[].thread " + row.declarations, row.leaf) == row.name);
  }
  const Atom matrix =
      atom(kWarp + "%i:[1,8].fp16.SH %o:[2,4].fp16.RF", "%f = %o.tile([1,2]) %f <- Move<<<#b,#w>>>(%i)");
  CHECK(matrix.ptx.starts_with("ldmatrix.sync.aligned.m8n8.x4.shared.b16"));
  const Atom volta = atom("#b:[1].block #t:[32].thread %i:[4,1].fp16.RF %j:[1,4].fp16.RF %o:[2,4].fp32.RF",
                          "#q = #t.tile([(4,2):(1,16)]) #w = #q[0] %o <- MatMul<<<#b,#w>>>(%i,%j)");
  CHECK(volta.ptx == "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32");
  CHECK(volta.lanes == 8);
  CHECK(volta.together == 32);
  CHECK(nameOr("#b:[1].block #t:[32].thread %i:[1,4].fp16.RF %j:[4,1].fp16.RF %o:[2,4].fp32.RF",
               "#q = #t.tile([(4,2):(1,16)]) #w = #q[3] %o <- MatMul<<<#b,#w>>>(%i,%j)") == volta.name);
  const Atom ampere = atom(kWarp + "%i:[2,2].[1,2].fp16.RF %j:[2,1].[2,1].fp16.RF %o:[2,1].[1,2].fp32.RF",
                           "%o <- MatMul<<<#b,#w>>>(%i,%j)");
  CHECK(ampere.ptx == "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
}

TEST_CASE("the leaf of figure 1d is ldmatrix.x4, that of figure 8 hfma on global memory") {
  const Atom one = *matchAtom(test::firstLeaf(test::kFigure1d));
  CHECK(one.name == "ldmatrix.x4");
  CHECK(one.lanes == 32);
  CHECK(one.collective);
  CHECK(one.slots == std::vector<int>{8, 8});
  CHECK(one.alignment == std::vector<Alignment>{{0, 2}, {1, 8}});
  REQUIRE(one.access);
  CHECK(one.accessOperand == 1);
  CHECK(one.access->matrices == 4);
  const Atom eight = *matchAtom(test::firstLeaf(test::kFigure8));
  CHECK(eight.name == "hfma");
  REQUIRE(eight.accesses.size() == 4);  // a, b and c are read, c is written
  CHECK(eight.accesses[3].operand == 0);
  CHECK(eight.accesses[3].access.direction == AccessDirection::Write);
  CHECK(eight.accesses[0].access.width == 2);
}

TEST_CASE("loads and stores of every width, from and to both memories") {
  const std::map<int, std::string> widths = {{1, "u8"}, {2, "u16"}, {4, "u32"}, {8, "v2"}, {16, "v4"}};
  for (const auto& [bytes, suffix] : widths) {
    for (const auto& [type, size] :
         std::map<std::string, int>{{"u8", 1}, {"fp16", 2}, {"bf16", 2}, {"fp32", 4}, {"i32", 4}, {"fp64", 8}}) {
      if (bytes % size != 0) continue;
      const std::string shape = ":[" + std::to_string(bytes / size) + "]." + type;
      const std::string move = "%o <- Move<<<#b,#w>>>(%i)";
      INFO(shape);
      for (const auto& [memory, space] : std::map<std::string, std::string>{{"GL", "global"}, {"SH", "shared"}}) {
        const std::string load = kOne + "%i" + shape + "." + memory + " %o" + shape + ".RF";
        const std::string store = kOne + "%o" + shape + "." + memory + " %i" + shape + ".RF";
        CHECK(nameOr(load, move) == "ld." + space + "." + suffix);
        CHECK(nameOr(store, move) == "st." + space + "." + suffix);
        const Atom a = atom(load, move);
        REQUIRE(a.access);
        CHECK(a.access->width == bytes);
        CHECK(a.access->direction == AccessDirection::Read);
        CHECK(atom(store, move).access->direction == AccessDirection::Write);
      }
      const Atom through = atom(kOne + "%i" + shape + ".GL %o" + shape + ".SH", move);
      CHECK(through.name == "ld.global." + suffix + " + st.shared." + suffix);
      CHECK(through.accesses.size() == 2);
      CHECK(through.accessOperand == 0);
      CHECK_FALSE(through.async);
    }
  }
  CHECK(nameOr(kOne + "%i:[8].fp32.GL %o:[8].fp32.RF", "%o <- Move<<<#b,#w>>>(%i)", "sm_100a") == "ld.global.v8");
  CHECK(nameOr(kOne + "%i:[2,4].fp16.GL %o:[1,8].fp16.RF", "%o <- Move<<<#b,#w>>>(%i)") == "ld.global.v4");
}

TEST_CASE("cp.async: 4, 8 and 16 bytes") {
  const auto copy = [&](const std::string& n, const std::string& attribute) {
    return nameOr(kOne + "%i:[" + n + "].fp16.GL %o:[" + n + "].fp16.SH",
                  "%o <- Move<" + attribute + "><<<#b,#w>>>(%i)");
  };
  CHECK(copy("8", "async") == "cp.async.cg.16");
  CHECK(copy("8", "async.ca") == "cp.async.ca.16");
  CHECK(copy("4", "async") == "cp.async.ca.8");
  CHECK(copy("2", "async") == "cp.async.ca.4");
  CHECK(copy("1", "async").starts_with("refused"));
  CHECK(
      nameOr(kOne + "%i:[8].fp16.GL %o:[8].fp16.SH", "%o <- Move<async><<<#b,#w>>>(%i)", "sm_75").find("needs sm_80") !=
      std::string::npos);
  const Atom a = atom(kOne + "%i:[8].fp16.GL %o:[8].fp16.SH", "%o <- Move<async><<<#b,#w>>>(%i)");
  CHECK(a.async);
  CHECK(a.accesses.size() == 2);
  CHECK(a.alignment == std::vector<Alignment>{{0, 8}, {1, 8}});
}

TEST_CASE("ldmatrix and stmatrix are PTX's formula") {
  for (const int count : {1, 2, 4})
    for (const bool trans : {false, true})
      for (const bool store : {false, true}) {
        const std::string outer = count == 4 ? "[2,2]" : count == 2 ? "[2,1]" : "[1,1]";
        const std::string fragment = ":" + outer + ".[1,2].fp16.RF", row = ":[1,8].fp16.SH";
        const std::string d = kWarp + "%i" + (store ? fragment : row) + " %o" + (store ? row : fragment);
        const std::string leaf = std::string("%o <- Move") + (trans ? "<trans>" : "") + "<<<#b,#w>>>(%i)";
        const Atom a = atom(d, leaf, store ? "sm_90" : "sm_80");
        INFO(a.name);
        CHECK(a.name ==
              std::string(store ? "stmatrix.x" : "ldmatrix.x") + std::to_string(count) + (trans ? ".trans" : ""));
        // Register 2j+v of lane l is M_j[l/4][2*(l%4)+v], transposed M_j[2*(l%4)+v][l/4]; row r of M_j is lane 8j+r's.
        std::vector<int> source(static_cast<std::size_t>(64 * count));
        for (int lane = 0; lane < 32; ++lane)
          for (int j = 0; j < count; ++j)
            for (int v = 0; v < 2; ++v) {
              const int r = trans ? 2 * (lane % 4) + v : lane / 4, c = trans ? lane / 4 : 2 * (lane % 4) + v;
              source[static_cast<std::size_t>(lane * 2 * count + 2 * j + v)] = (8 * j + r) * 8 + c;
            }
        Terms expected(store ? 256 : source.size());
        for (std::size_t slot = 0; slot < source.size(); ++slot) {
          if (store)
            expected[static_cast<std::size_t>(source[slot])] = {{static_cast<int>(slot), 0}};
          else
            expected[slot] = {{source[slot], 0}};
        }
        CHECK(a.terms == expected);
      }
  CHECK(refusal(kWarp + "%o:[1,8].fp16.SH %i:[2,2].[1,2].fp16.RF", "%o <- Move<<<#b,#w>>>(%i)")
            .find("stmatrix.x4 needs sm_90, but the target is sm_80") != std::string::npos);
}

namespace {

// Owner of an element as PTX ISA draws it: lane and register.
struct Owner {
  int lane = 0, reg = 0;
};
// Fragments of m16n8: registers of w values; g = lane / 4, q = lane % 4.
Owner ownerA(int m, int row, int k, int w) {
  const int high = row / 8, quad = k / w % 4, block = k / (4 * w);
  return {4 * (row % 8) + quad, k % w + w * (m == 16 ? high : 0) + w * (m / 8) * block};
}
Owner ownerB(int k, int n, int w) { return {4 * n + k / w % 4, k % w + w * (k / (4 * w))}; }

void checkProduct(const Atom& a, int m, int k, int w) {
  const int perA = m * k / 32, perB = 8 * k / 32, perC = m * 8 / 32;
  REQUIRE(a.slots == std::vector<int>{perC, perA, perB});
  REQUIRE(a.terms.size() == static_cast<std::size_t>(32 * perC));
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < perC; ++i) {
      const int row = lane / 4 + 8 * (i >> 1), column = 2 * (lane % 4) + (i & 1);
      const auto& terms = a.terms[static_cast<std::size_t>(lane * perC + i)];
      REQUIRE(terms.size() == static_cast<std::size_t>(k));
      for (int kk = 0; kk < k; ++kk) {
        const Owner x = ownerA(m, row, kk, w), y = ownerB(kk, column, w);
        REQUIRE(terms[static_cast<std::size_t>(kk)] == AtomTerm{x.lane * perA + x.reg, y.lane * perB + y.reg});
      }
    }
}

}  // namespace

TEST_CASE("dense products of a warp are PTX's formulas, every shape and type") {
  struct Shape {
    int m, k, w;
    const char *a, *b, *c, *architecture;
  };
  const Shape shapes[] = {
      {16, 8, 2, "fp16", "fp16", "fp32", "sm_75"},  {16, 8, 2, "fp16", "fp16", "fp16", "sm_75"},
      {16, 16, 2, "fp16", "fp16", "fp32", "sm_80"}, {16, 16, 2, "fp16", "fp16", "fp16", "sm_80"},
      {16, 8, 2, "bf16", "bf16", "fp32", "sm_80"},  {16, 16, 2, "bf16", "bf16", "fp32", "sm_80"},
      {16, 4, 1, "tf32", "tf32", "fp32", "sm_80"},  {16, 8, 1, "tf32", "tf32", "fp32", "sm_80"},
      {8, 4, 1, "fp64", "fp64", "fp64", "sm_80"},   {16, 4, 1, "fp64", "fp64", "fp64", "sm_90"},
      {16, 8, 1, "fp64", "fp64", "fp64", "sm_90"},  {16, 16, 1, "fp64", "fp64", "fp64", "sm_90"},
      {8, 16, 4, "s8", "s8", "i32", "sm_75"},       {8, 16, 4, "u8", "s8", "i32", "sm_75"},
      {16, 16, 4, "s8", "s8", "i32", "sm_80"},      {16, 32, 4, "s8", "s8", "i32", "sm_80"},
      {16, 32, 4, "s8", "u8", "i32", "sm_80"},      {16, 32, 4, "u8", "u8", "i32", "sm_80"},
      {8, 32, 8, "s4", "s4", "i32", "sm_75"},       {16, 32, 8, "s4", "u4", "i32", "sm_80"},
      {16, 64, 8, "u4", "u4", "i32", "sm_80"},      {8, 128, 32, "b1", "b1", "i32", "sm_80"},
      {16, 256, 32, "b1", "b1", "i32", "sm_80"},    {16, 32, 4, "e4m3", "e4m3", "fp32", "sm_89"},
      {16, 32, 4, "e4m3", "e5m2", "fp16", "sm_89"}, {16, 16, 4, "e5m2", "e5m2", "fp32", "sm_89"},
  };
  for (const Shape& s : shapes) {
    const auto text = [](int n) { return std::to_string(n); };
    const int ra = s.m * s.k / 32 / s.w, rb = 8 * s.k / 32 / s.w;
    const std::string a = ":[" + text(s.m / 8) + "," + text(ra * 8 / s.m) + "].[1," + text(s.w) + "]." + s.a + ".RF";
    const std::string b = ":[" + text(rb) + ",1].[" + text(s.w) + ",1]." + s.b + ".RF";
    const std::string c = ":[" + text(s.m / 8) + ",1].[1,2]." + s.c + ".RF";
    const Atom found = atom(kWarp + "%a" + a + " %b" + b + " %c" + c, "%c <- MatMul<<<#b,#w>>>(%a,%b)", s.architecture);
    INFO(found.name);
    CHECK(found.name.find("m" + text(s.m) + "n8k" + text(s.k)) != std::string::npos);
    CHECK(found.architecture == s.architecture);
    CHECK(found.function == AtomFunction::MultiplyAdd);
    CHECK(found.collective);
    checkProduct(found, s.m, s.k, s.w);
  }
}

TEST_CASE("m8n8k4 is a product of a quad pair: lanes l and 16+l") {
  for (const std::string& type : {std::string("fp32"), std::string("fp16")})
    for (const std::string attribute : {"", "<row.col>", "<col.row>", "<row.row>", "<col.col>"}) {
      const Atom a = atom("#b:[1].block #t:[32].thread %i:[1,4].fp16.RF %j:[4,1].fp16.RF %o:[2,4]." + type + ".RF",
                          "#q = #t.tile([(4,2):(1,16)]) #w = #q[2] %o <- MatMul" + attribute + "<<<#b,#w>>>(%i,%j)");
      const bool rowA = attribute.find("<col") == std::string::npos, colB = attribute.find("row>") == std::string::npos;
      for (int lane = 0; lane < 8; ++lane)  // of the quad pair: 0-3, then 16-19
        for (int i = 0; i < 8; ++i) {
          const int high = lane / 4, l = lane % 4;
          int m = l + 4 * high, n = i;
          if (type == "fp32") {
            m = (l & 1) + (i & 2) + 4 * high;
            n = (i & 4) + (l & 2) + (i & 1);
          }
          const auto& terms = a.terms[static_cast<std::size_t>(lane * 8 + i)];
          REQUIRE(terms.size() == 4);
          for (int k = 0; k < 4; ++k) {
            // Row major (of A; B's columns): the lane has the row and register k is k. Else the lane has k.
            const int la = rowA ? m % 4 + 4 * (m / 4) : k + 4 * (m / 4), ia = rowA ? k : m % 4;
            const int lb = colB ? n % 4 + 4 * (n / 4) : k + 4 * (n / 4), ib = colB ? k : n % 4;
            CHECK(terms[static_cast<std::size_t>(k)] == AtomTerm{la * 4 + ia, lb * 4 + ib});
          }
        }
    }
}

TEST_CASE("W1b: figure 1's registers are not A's of m16n8k16; both orders of facts section 6 are") {
  const Atom load = *matchAtom(test::firstLeaf(test::kFigure1d));
  const Atom product = atom(kWarp + "%i:[2,2].[1,2].fp16.RF %j:[2,1].[2,1].fp16.RF %o:[2,1].[1,2].fp32.RF",
                            "%o <- MatMul<<<#b,#w>>>(%i,%j)");
  // Element (row, column) of the 16x16 tile of slot s of lane l after figure 1's load: the groups are row-major.
  const auto loaded = [&](int lane, int slot) {
    const int from = load.terms[static_cast<std::size_t>(lane * 8 + slot)][0].a, holder = from / 8;
    return std::pair{holder / 16 * 8 + holder % 8, holder / 8 % 2 * 8 + from % 8};
  };
  // Element that slot s of lane l of A multiplies: of output (row, 0) the k-th term.
  const auto wanted = [&](int lane, int slot) {
    for (int l = 0; l < 32; ++l)
      for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 16; ++k)
          if (product.terms[static_cast<std::size_t>(l * 4 + i)][static_cast<std::size_t>(k)].a == lane * 8 + slot)
            return std::pair{l / 4 + 8 * (i >> 1), k};
    return std::pair{-1, -1};
  };
  CHECK(loaded(0, 2) == std::pair{0, 8});
  CHECK(wanted(0, 2) == std::pair{8, 0});
  const int swapped[] = {0, 1, 4, 5,
                         2, 3, 6, 7};  // %dst strides [2,2:2,4].[1,2]: slot s of the load is register swapped[s]
  for (int lane = 0; lane < 32; ++lane)
    for (int slot = 0; slot < 8; ++slot) CHECK(loaded(lane, slot) == wanted(lane, swapped[slot]));
  // Either fix is still the same instruction.
  CHECK(nameOr(kWarp + "%i:[1,8].fp16.SH %o:[2,2:2,4].[1,2:0,1].fp16.RF", "%o <- Move<<<#b,#w>>>(%i)") ==
        "ldmatrix.x4");
  CHECK(nameOr(kWarp + "%i:[1,8].fp16.SH %o:[2,4].fp16.RF",
               "%f = %o.tile([1,2]) %g = %f.reshape(0,[2,2:1,2]) %g <- Move<<<#b,#w>>>(%i)") == "ldmatrix.x4");
}

TEST_CASE("shuffles: the lane that each lane reads") {
  const auto check = [&](const std::string& attribute, auto&& source) {
    const Atom a = atom(kWarp + "%i:[].fp32.RF %o:[].fp32.RF", "%o <- Shfl<" + attribute + "><<<#b,#w>>>(%i)");
    for (int l = 0; l < 32; ++l) CHECK(a.terms[static_cast<std::size_t>(l)] == std::vector<AtomTerm>{{source(l), 0}});
  };
  for (const int n : {0, 1, 2, 4, 8, 16, 31}) {
    check("bfly " + std::to_string(n), [&](int l) { return l ^ n; });
    check("up " + std::to_string(n), [&](int l) { return l >= n ? l - n : l; });
    check("down " + std::to_string(n), [&](int l) { return l + n < 32 ? l + n : l; });
    check("idx " + std::to_string(n), [&](int) { return n; });
  }
  CHECK(nameOr(kWarp + "%i:[2].fp16.RF %o:[2].fp16.RF", "%o <- Shfl<bfly 1><<<#b,#w>>>(%i)") == "shfl.bfly");
  for (const std::string bad : {"bfly", "bfly32", "bfly -1", "spin 1", "bfly 1x"})
    CHECK(refusal(kWarp + "%i:[].fp32.RF %o:[].fp32.RF", "%o <- Shfl<" + bad + "><<<#b,#w>>>(%i)") != "");
  CHECK(
      refusal(kOne + "%i:[].fp32.RF %o:[].fp32.RF", "%o <- Shfl<bfly 1><<<#b,#w>>>(%i)").find("32 threads in a row") !=
      std::string::npos);
}

TEST_CASE("values of one thread: operations, constants, conversions") {
  const auto binary = [&](const std::string& op, const std::string& type) {
    const std::string t = ":" + type;
    return nameOr(kOne + "%i" + t + ".RF %j" + t + ".SH %o" + t + ".GL",
                  "%o <- BinaryPointwise<" + op + "><<<#b,#w>>>(%i,%j)");
  };
  const auto unary = [&](const std::string& op, const std::string& type) {
    const std::string t = ":" + type + ".RF ";
    return nameOr(kOne + "%i" + t + "%o" + t, "%o <- UnaryPointwise<" + op + "><<<#b,#w>>>(%i)");
  };
  CHECK(binary("+", "[].fp16") == "hadd");
  CHECK(binary("max", "[2].fp16") == "hmax2");
  CHECK(binary("/", "[].fp32") == "div.f32");
  CHECK(binary("min", "[].i32") == "min.s32");
  CHECK(binary("+", "[4].fp32").find("add.f32 wants []") != std::string::npos);
  CHECK(binary("%", "[].fp32").find("'%' is not an operation on two values") != std::string::npos);
  for (const std::string op : {"exp", "log", "relu", "neg", "rcp", "sqrt", "rsqrt", "tanh", "sigmoid", "id"}) {
    CHECK(scalarOperation(op, 1) != nullptr);
    CHECK(scalarOperation(op, 2) == nullptr);
    for (const std::string type : {"[].fp16", "[2].fp16", "[].bf16", "[].fp32", "[].fp64"})
      CHECK(unary(op, type).find("refused") == std::string::npos);
  }
  CHECK(unary("exp2", "[].fp32") == "exp2.f32");
  CHECK(unary("exp2", "[].fp16").find("refused") != std::string::npos);
  CHECK(unary("cos", "[].fp32").find("'cos' is not an operation on one value") != std::string::npos);
  const Atom init = atom(kOne + "%o:[4,4].fp32.RF", "%o <- Init<-1.5><<<#b,#w>>>()");
  CHECK(init.function == AtomFunction::Constant);
  CHECK(init.operation == "-1.5");
  CHECK(init.terms == Terms(16));
  CHECK(nameOr(kOne + "%o:[4].fp32.SH", "%o <- Init<0><<<#b,#w>>>()") == "st.shared.v4");
  CHECK(nameOr(kOne + "%o:[].fp32.RF", "%o <- Init<-inf><<<#b,#w>>>()") == "mov");
  CHECK(nameOr(kOne + "%o:[].fp32.RF", "%o <- Init<x><<<#b,#w>>>()").starts_with("refused"));
  CHECK(nameOr(kOne + "%i:[].fp32.RF %o:[].fp16.RF", "%o <- Move<<<#b,#w>>>(%i)") == "cvt.rn.f16.f32");
  CHECK(nameOr(kOne + "%i:[2].fp32.RF %o:[2].fp16.RF", "%o <- Move<<<#b,#w>>>(%i)") == "cvt.rn.f16x2.f32");
  // PTX ISA, cvt: .tf32 is made of .f32 alone (.rna since sm_80); a value of it is one of .f32.
  CHECK(nameOr(kOne + "%i:[].fp32.RF %o:[].tf32.RF", "%o <- Move<<<#b,#w>>>(%i)") == "cvt.rna.tf32.f32");
  CHECK(nameOr(kOne + "%i:[].fp32.RF %o:[].tf32.RF", "%o <- Move<<<#b,#w>>>(%i)", "sm_75").starts_with("refused"));
  for (const char* from : {"fp64", "fp16", "bf16", "i32", "u8"})
    CHECK(nameOr(kOne + "%i:[]." + from + ".RF %o:[].tf32.RF", "%o <- Move<<<#b,#w>>>(%i)").starts_with("refused"));
  CHECK(nameOr(kOne + "%i:[4].tf32.RF %o:[4].fp32.RF", "%o <- Move<<<#b,#w>>>(%i)") == "mov");
  CHECK(nameOr(kOne + "%i:[].tf32.RF %o:[].fp16.RF", "%o <- Move<<<#b,#w>>>(%i)") == "cvt.rn.f16.f32");
  CHECK(nameOr(kOne + "%i:[].fp16.SH %o:[].fp32.RF", "%o <- Move<<<#b,#w>>>(%i)") == "cvt.rn.f32.f16");
  CHECK(nameOr(kOne + "%i:[2,4].fp32.RF %o:[2,4].fp32.RF", "%o <- Move<<<#b,#w>>>(%i)") == "mov");
  CHECK(nameOr(kOne + "%o:[8].fp32.SH", "%o <- Allocate<<<#b,#w>>>()") == "allocate");
  CHECK(nameOr(kOne + "%i:[4].s8.RF %j:[4].s8.RF %o:[].i32.RF", "%o <- MatMul<<<#b,#w>>>(%i,%j)") == "dp4a.s32");
  const Atom dot = atom(kOne + "%i:[4].s8.RF %j:[4].s8.RF %o:[].i32.RF", "%o <- MatMul<<<#b,#w>>>(%i,%j)");
  CHECK(dot.terms == Terms{{{0, 0}, {1, 1}, {2, 2}, {3, 3}}});
  // PTX ISA, dp2a: two values of 16 bits by two bytes, of the lower half of a register.
  const Atom two = atom(kOne + "%i:[2].i16.RF %j:[2].s8.RF %o:[].i32.RF", "%o <- MatMul<<<#b,#w>>>(%i,%j)");
  CHECK(two.name == "dp2a.lo.s32");
  CHECK(two.ptx == "dp2a.lo.s32.s32");
  CHECK(two.terms == Terms{{{0, 0}, {1, 1}}});
  CHECK(nameOr(kOne + "%i:[2].i16.RF %j:[2].i16.RF %o:[].i32.RF", "%o <- MatMul<<<#b,#w>>>(%i,%j)") != "dp2a.lo.s32");
}

TEST_CASE("no instruction: the nearest one and what differs") {
  const std::string move = "%o <- Move<<<#b,#w>>>(%i)", f = " %o:[2,2].[1,2].fp16.RF";
  const auto has = [](const std::string& text, const std::string& part) {
    INFO(text << " | " << part);
    CHECK(text.find(part) != std::string::npos);
  };
  has(refusal(kWarp + "%i:[1,8:0,16].fp16.SH" + f, move), "ldmatrix.x4 wants 8 contiguous fp16; %i has stride 16");
  has(refusal(kWarp + "%i:[1,8].fp16.GL" + f, move), "ldmatrix.x4 wants %i in shared memory");
  has(refusal(kWarp + "%i:[1,4].fp16.SH" + f, move), "ldmatrix.x4 wants [1,8] of %i");
  has(refusal(kWarp + "%i:[1,8].fp16.SH %o:[2,4].fp16.RF", move), "ldmatrix.x4 wants [2,2].[1,2] of %o");
  has(refusal("#b:[1].block #w:[16].thread %i:[1,8].fp16.SH" + f, move), "32 threads in a row");
  has(refusal("#b:[1].block #w:[32:2].thread %i:[1,8].fp16.SH" + f, move), "32 threads in a row");
  has(refusal("#b:[1].block #t:[64].thread %i:[1,8].fp16.SH" + f, "#u = #t.tile([32:2]) #w = #u[1] " + move),
      "32 threads in a row");
  has(refusal(kWarp + "%i:[1,8].fp16.SH %o:[2,2:1,2].[1,2:0,4].fp16.RF", move), "2 contiguous fp16; %o has stride 4");
  has(refusal(kOne + "%i:[8:2].fp16.GL %o:[8].fp16.RF", move), "ld.global.v4 wants 8 contiguous fp16; %i has stride 2");
  has(refusal(kOne + "%i:[16].fp16.SH %o:[16].fp16.RF", move), "ld.shared.v4 wants [8]");
  has(refusal(kOne + "%i:[16].fp16.GL %o:[16].fp16.RF", move), "ld.global.v8 needs sm_100a, but the target is sm_80");
  has(refusal(kWarp + "%i:[8].fp16.GL %o:[8].fp16.RF", move), "ld.global.v4 must be executed by one thread");
  has(refusal(kOne + "%i:[8].fp16.GL %o:[4].fp16.RF", move), "wants");
  has(refusal(kOne + "%i:[16].fp16.SH %o:[8].fp16.RF", "%j = %i.tile([8:2]) %k = %j[1] %o <- Move<<<#b,#w>>>(%k)"),
      "stride 2");
  has(refusal(kOne + "%i:[M].fp16.SH %o:[8].fp16.RF", move), "no fixed number of elements");
  has(refusal(kWarp + "%i:[2,2].[1,2].fp16.RF %j:[2,1].[2,1].bf16.RF %o:[2,1].[1,2].fp32.RF",
              "%o <- MatMul<<<#b,#w>>>(%i,%j)"),
      "m16n8k16");
  has(refusal(kWarp + "%i:[2,2].[1,2].fp16.RF %j:[2,1].[2,1].fp16.RF %o:[2,1].[1,2].fp32.RF",
              "%o <- MatMul<<<#b,#w>>>(%i,%j)", "sm_75"),
      "needs sm_80, but the target is sm_75");
  has(refusal(kOne + "%i:[2,4].fp32.RF %o:[2].fp32.RF", "%o <- Reduction<+,1><<<#b,#w>>>(%i)"),
      "no instruction implements a Reduction");
  has(refusal(kOne + "%i:[2,4].fp32.RF %o:[2].fp32.RF", "%o <- Spec<<<#b,#w>>>(%i)"),
      "no instruction implements a Spec");
}

TEST_CASE("warps of a larger block, wherever they begin; never across two") {
  const std::string rest = " %i:[1,8].fp16.SH %o:[2,2].[1,2].fp16.RF ";
  const auto in = [&](const std::string& threads, const std::string& defines) {
    return nameOr("#b:[1].block " + threads + rest, defines + " %o <- Move<<<#b,#w>>>(%i)");
  };
  CHECK(in("#t:[128].thread", "#u = #t.tile([32:1]) @x, @l = #u.indices() #w = #u[@x]") == "ldmatrix.x4");
  CHECK(in("#t:[128].thread", "#u = #t.tile([32:1]) #w = #u[3]") == "ldmatrix.x4");
  CHECK(in("#w:[2,2,8].thread", "") == "ldmatrix.x4");
  CHECK(in("#w:[8,4:1,8].thread", "") == "ldmatrix.x4");
  CHECK(in("#t:[4,16].thread", "#u = #t.tile([2:1],[16:1]) #w = #u[1,0]") == "ldmatrix.x4");
  CHECK(in("#t:[8,16].thread", "#u = #t.tile([2:2],[16:1]) #w = #u[1,0]").starts_with("refused"));
}

TEST_CASE("swizzles keep vectors of 2^M elements") {
  const auto row = [&](const std::string& swizzle) {
    return nameOr(kOne + "%o:[8].fp16.RF %i:" + swizzle + " o [64,64:64,1].fp16.SH",
                  "%j = %i.tile([1:1],[8:1]) %k = %j[3,2] %o <- Move<<<#b,#w>>>(%k)");
  };
  CHECK(row("Sw<3,3,3>") == "ld.shared.v4");
  CHECK(row("Sw<2,4,3>") == "ld.shared.v4");
  CHECK(row("Sw<3,2,3>").find("wants 8 contiguous fp16; Sw<3,2,3> of %k keeps 4 together") != std::string::npos);
}

TEST_CASE("an offset that is a number is held to the alignment") {
  const std::string d = kOne + "%o:[4].fp32.RF %i:[64].fp32.SH";
  CHECK(nameOr(d, "%j = %i.tile([4:1]) %k = %j[3] %o <- Move<<<#b,#w>>>(%k)") == "ld.shared.v4");
  CHECK(nameOr(kOne + "%o:[4].fp32.RF %i:[9,7:7,1].fp32.SH",
               "%j = %i.tile([1:1],[4:1]) %k = %j[1,0] %o <- Move<<<#b,#w>>>(%k)")
            .find("ld.shared.v4 wants 4 contiguous fp32, aligned; %k begins at 7") != std::string::npos);
}

TEST_CASE("slots are the elements in logical order: addresses and coordinates against a slow enumeration") {
  for (const std::string text :
       {"%t:[].fp16.SH", "%t:[7].fp16.SH", "%t:[2,3].fp16.SH", "%t:[4,(2,4):2,(1,8)].fp16.SH",
        "%t:[(2,2),(2,4):(1,4),(2,8)].fp16.SH", "%t:[2,2:4,2].[1,2:0,1].fp16.SH",
        "%t:[4,8:1,4].fp32.GL.tile([2:2],[(2,2):(1,4)])", "%t:[16,16].fp16.SH.tile([8:1],[8:1]).reshape(0,[2,2:1,2])",
        "%t:[6,4,5].fp16.SH.tile([2:3],_,[5:1])"}) {
    const Tensor t = *parseTensor(text);
    INFO(text);
    const FlatSlots slots = flatSlots(t);
    const std::vector<i64>& addresses = slots.addresses;
    REQUIRE(addresses.size() == slots.count);
    for (std::size_t slot = 0; slot < addresses.size(); ++slot) {
      // The digits of the slot, last dimension fastest; inside a dimension the first mode.
      i64 rest = static_cast<i64>(slot), address = 0;
      std::vector<i64> coordinate(t.extents.size(), 0);
      for (std::size_t l = t.levels.size(); l-- > 0;)
        for (std::size_t d = t.levels[l].dims.size(); d-- > 0;) {
          i64 size = 1;
          for (const Mode& m : t.levels[l].dims[d]) size *= m.size.value();
          i64 number = rest % size;
          rest /= size;
          for (const Mode& m : t.levels[l].dims[d]) {
            const i64 digit = number % m.size.value();
            number /= m.size.value();
            address += digit * m.stride.value();
            coordinate[static_cast<std::size_t>(m.dim)] += digit * m.step.value();
          }
        }
      CHECK(addresses[slot] == address);
      CHECK(std::ranges::equal(slots.coordinate(slot), coordinate));
    }
  }
}
