// Accesses by engines against the formulas of the PTX ISA, restated here. The matrix descriptor is decoded from its 64
// bits like the hardware does, and the tile's own addresses come from its layout.
#include "core/analysis/access/engine_over.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "app/show/show.h"
#include "core/base/arith.h"
#include "core/layout/layout.h"
#include "core/worksheet/worksheet.h"
#include "render/draw/links.h"
#include "render/figure/linked.h"
#include "render/ink/ink.h"
#include "tests/support/value_of.h"

using namespace tessera;

namespace {

const EngineOver& engineIn(const Value& value) {
  REQUIRE(is<EngineOver>(value));
  return *as<EngineOver>(value);
}

std::optional<Diag> refused(const std::string& text) {
  Scope scope;
  const Evaluated e = evaluate(splitStatements("L = " + text)[0], scope);
  return e.diag;
}

// (row, column) -> element offset, by the layout alone.
struct Offsets {
  explicit Offsets(const std::string& layout) : value(valueOf(layout)), arrow(*arrowOf(value)) {}
  [[nodiscard]] i64 operator()(i64 row, i64 column) const {
    return arrow.map.at(digitsAt(arrow, std::vector{row, column}))[0];
  }
  Value value;
  Arrow arrow;
};

i64 factNumber(const EngineBlock& block, const std::string& name) {
  for (const auto& [fact, value] : block.facts)
    if (fact == name) return std::stoll(value, nullptr, 0);
  FAIL("no fact " << name);
  return 0;
}
u64 descriptorOf(const EngineBlock& block) {
  for (const auto& [fact, value] : block.facts)
    if (fact == "descriptor") return std::stoull(value, nullptr, 16);
  FAIL("no descriptor");
  return 0;
}

// PTX ISA, "Swizzling modes": 16-byte chunks trade places by the number of their line of 128 bytes.
i64 swizzled(i64 byte, i64 swizzle) {
  const i64 line = byte / 128;
  if (swizzle == 128) return byte ^ (line % 8) * 16;
  if (swizzle == 64) return byte ^ (line % 4) * 16;
  if (swizzle == 32) return byte ^ (line % 2) * 16;
  return byte;
}

// PTX ISA, "Strides": leading and stride dimension byte offset, in matrices of 128-bit units. `mn` and `k` count
// elements.
i64 ptxByte(bool kMajor, i64 swizzle, i64 start, i64 lbo, i64 sbo, i64 mn, i64 k, i64 bytes) {
  const i64 t = 16 / bytes;  // elements of a unit
  if (kMajor) {
    // Stride: from the first 8 rows to the next 8. Leading, without swizzle: from the first unit column to the second.
    const i64 in = k % t * bytes;
    if (swizzle == 0) return start + mn % 8 * 16 + mn / 8 * sbo + k / t * lbo + in;
    return swizzled(start + mn % 8 * swizzle + mn / 8 * sbo + k / t * 16, swizzle) + in;
  }
  // MN-major. Interleave: leading from the first 8 columns to the next 8, stride from the first unit row to the next.
  // Swizzled: leading from the first swizzle/16 unit rows to the next, stride from the first 8 columns to the next 8.
  const i64 unit = mn / t, in = mn % t * bytes;
  if (swizzle == 0) return start + unit * sbo + k % 8 * 16 + k / 8 * lbo + in;
  const i64 wide = swizzle / 16;
  return swizzled(start + unit % wide * 16 + unit / wide * lbo + k % 8 * swizzle + k / 8 * sbo, swizzle) + in;
}

struct Operand {
  const char* name;
  const char* type;
  i64 bytes, mn, k;
  bool blackwell;
};

// Every element of every position, from the descriptor's bits alone.
void checkDescriptors(const EngineOver& over, const Operand& op, const Offsets& offset) {
  std::map<std::pair<i64, i64>, int> times;
  bool right = true;
  for (const EngineBlock& block : over.blocks) {
    const u64 word = descriptorOf(block);
    const i64 start = static_cast<i64>(word & 0x3fff) * 16, lbo = static_cast<i64>(word >> 16 & 0x3fff) * 16,
              sbo = static_cast<i64>(word >> 32 & 0x3fff) * 16;
    const int type = static_cast<int>(op.blackwell ? word >> 61 : word >> 62);
    const std::map<int, i64> modes = op.blackwell ? std::map<int, i64>{{0, 0}, {2, 128}, {4, 64}, {6, 32}}
                                                  : std::map<int, i64>{{0, 0}, {1, 128}, {2, 64}, {3, 32}};
    REQUIRE(modes.count(type) == 1);
    const bool kMajor = over.form.starts_with("K-major");
    REQUIRE(static_cast<i64>(block.places.size()) == op.mn * op.k);
    for (const EnginePlace& p : block.places) {
      const i64 mn = p.at.row - block.corner.row, k = p.at.column - block.corner.column;
      const i64 byte = ptxByte(kMajor, modes.at(type), start, lbo, sbo, mn, k, op.bytes);
      right = right && byte == offset(p.at.row, p.at.column) * op.bytes && byte == p.byte;
      // Core matrices are eight rows of 16 bytes: in one of them, before the swizzle, nothing else.
      right = right && p.inGroup == (kMajor ? mn % 8 : k % 8);
      ++times[{p.at.row, p.at.column}];
    }
  }
  for (const auto& [at, n] : times) right = right && n == 1;
  CHECK(right);
  CHECK(static_cast<i64>(times.size()) == over.tile.rows() * over.tile.columns());
}

constexpr Operand kWgmmaA{"wgmma.m64n64k16.f32.f16.f16.ss.A", "f16", 2, 64, 16, false};
constexpr Operand kOperands[] = {kWgmmaA,
                                 {"wgmma.m64n32k16.f32.bf16.bf16.ss.B", "bf16", 2, 32, 16, false},
                                 {"wgmma.m64n64k32.s32.s8.s8.ss.A", "s8", 1, 64, 32, false},
                                 {"wgmma.m64n64k8.f32.tf32.tf32.ss.B", "tf32", 4, 64, 8, false},
                                 {"tcgen05.mma.cta_group::1.kind::f16.m128n64k16.ss.A", "f16", 2, 128, 16, true},
                                 {"tcgen05.mma.cta_group::2.kind::f16.m256n64k16.ss.B", "f16", 2, 32, 16, true},
                                 {"tcgen05.mma.cta_group::1.kind::f8f6f4.m128n64k32.ss.A", "e4m3", 1, 128, 32, true}};

}  // namespace

TEST_CASE("every canonical layout: the descriptor's bits say where PTX finds each element of the tile") {
  int checked = 0;
  for (const Operand& op : kOperands) {
    for (const char* major : {"K", "MN"}) {
      for (const char* swizzle : {"INTER", "SW32", "SW64", "SW128"}) {
        const bool only16 = !op.blackwell && op.bytes != 2;
        const std::string layout =
            fmt::format("tile_to_shape(smem_atom({}_{}, {}), (128,128))", major, swizzle, op.type);
        INFO(op.name << " over " << layout);
        const std::string text = fmt::format("{} over {}, {}", op.name, layout, op.type);
        const bool narrow = major[0] == 'M' && swizzle == std::string("SW128") && op.mn * op.bytes < 128;
        const bool narrow64 = major[0] == 'M' && swizzle == std::string("SW64") && op.mn * op.bytes < 64;
        if ((only16 && major[0] == 'M') || narrow || narrow64) {
          const auto diag = refused(text);
          REQUIRE(diag.has_value());
          CHECK_FALSE(diag->expected.empty());
          continue;
        }
        const Value value = valueOf(text);
        checkDescriptors(engineIn(value), op, Offsets(layout));
        ++checked;
      }
    }
  }
  CHECK(checked > 40);
}

TEST_CASE("own layouts: core matrices in any order, elements swizzled by hand") {
  for (const char* layout : {"((8,8),(8,8)):((8,64),(1,512))", "((8,8),(8,8)):((8,512),(1,64))",
                             "Sw<3,3,3> o (64,64):(64,1)", "Sw<2,3,3> o (64,32):(32,1)", "Sw<1,3,3> o (64,16):(16,1)",
                             "Sw<3,3,3> o (64,64):(1,64)", "((8,8),(8,2)):((8,128),(1,64))"}) {
    INFO(layout);
    const Value value = valueOf(fmt::format("{} over {}, f16", kWgmmaA.name, layout));
    checkDescriptors(engineIn(value), kWgmmaA, Offsets(layout));
  }
}

TEST_CASE("random tiles: drawn exactly when some descriptor says them") {
  std::mt19937 random(20261122);
  const auto pick = [&](i64 n) { return static_cast<i64>(random() % static_cast<unsigned>(n)); };
  int drawn = 0, turned = 0;
  for (int n = 0; n < 240; ++n) {
    // Digits of a (64,16) tile of f16, laid down in a random order with now and then a gap, under a random swizzle.
    std::vector<i64> extents = {8, 8, 8, 2};  // row digits, column digits
    std::vector<std::size_t> order = {0, 1, 2, 3};
    const bool along = pick(2) == 0;
    order = along ? std::vector<std::size_t>{2, 3, 0, 1} : std::vector<std::size_t>{0, 1, 2, 3};
    if (pick(2) == 0) std::swap(order[1], order[2]);
    if (pick(3) == 0) std::swap(order[2], order[3]);
    std::vector<i64> strides(4);
    i64 next = 1;
    for (const std::size_t d : order) {
      strides[d] = next;
      next *= extents[d];
      if (next > 1 && pick(4) == 0) next *= 2;
    }
    const i64 bits = pick(4);
    const std::string layout =
        fmt::format("{}((8,8),(8,2)):(({},{}),({},{}))", bits == 0 ? "" : fmt::format("Sw<{},3,3> o ", bits),
                    strides[0], strides[1], strides[2], strides[3]);
    const Offsets offset(layout);
    bool some = false;
    for (const bool kMajor : {true, false})
      for (const i64 swizzle : {0, 32, 64, 128}) {
        const i64 start = offset(0, 0) * 2;
        // Each number is in the address of one element alone, and is looked for among all that fit the field.
        const auto find = [&](i64 mn, i64 k, bool leading) -> i64 {
          for (i64 x = 0; x < 16384 * 16; x += 16)
            if (ptxByte(kMajor, swizzle, start, leading ? x : 0, leading ? 0 : x, mn, k, 2) == offset(mn, k) * 2)
              return x;
          return -1;
        };
        const i64 wide = swizzle / 2;
        const i64 lbo = kMajor         ? (swizzle == 0 ? find(0, 8, true) : 16)
                        : swizzle == 0 ? find(0, 8, true)
                        : wide < 64    ? find(wide, 0, true)
                                       : 0;
        const i64 sbo = kMajor ? find(8, 0, false) : swizzle == 0 ? find(8, 0, false) : find(0, 8, false);
        bool all = lbo >= 0 && sbo >= 0;
        for (i64 mn = 0; mn < 64 && all; ++mn)
          for (i64 k = 0; k < 16 && all; ++k)
            all = ptxByte(kMajor, swizzle, start, lbo, sbo, mn, k, 2) == offset(mn, k) * 2;
        some = some || all;
      }
    const std::string text = fmt::format("{} over {}, f16", kWgmmaA.name, layout);
    const auto diag = refused(text);
    INFO(text << (diag ? ": " + diag->message : ""));
    CHECK(diag.has_value() != some);
    if (diag) {
      ++turned;
      CHECK_FALSE(diag->hint.empty());
    } else {
      ++drawn;
      const Value value = valueOf(text);
      checkDescriptors(engineIn(value), kWgmmaA, offset);
    }
  }
  CHECK(drawn > 10);
  CHECK(turned > 50);
}

TEST_CASE("what is refused says what the form wants, and the hint is accepted") {
  for (const auto& [operand, layout, type] :
       {std::tuple{"wgmma.m64n64k16.f32.f16.f16.ss.A", "(64,64):(64,1)", "f16"},
        {"wgmma.m64n64k16.f32.f16.f16.ss.A", "(64,16):(16,1)", "f16"},
        {"wgmma.m64n64k16.f32.f16.f16.ss.A", "(64,64):(72,1)", "f16"},
        {"wgmma.m64n64k16.f32.f16.f16.ss.B", "(64,64):(1,64)", "f16"},
        {"wgmma.m64n64k8.f32.tf32.tf32.ss.B", "(64,64):(1,64)", "tf32"},
        {"wgmma.m64n64k8.f32.tf32.tf32.ss.B", "tile_to_shape(smem_atom(MN_SW128, tf32), (64,64))", "tf32"},
        {"tcgen05.mma.cta_group::1.kind::f16.m128n64k16.ss.A", "(128,32):(32,1)", "f16"}}) {
    const auto diag = refused(fmt::format("{} over {}, {}", operand, layout, type));
    INFO(operand << " over " << layout);
    REQUIRE(diag.has_value());
    CHECK(diag->expected.find("-major") != std::string::npos);
    const std::string example = "for example ";
    REQUIRE(diag->hint.starts_with(example));
    const Value value = valueOf(fmt::format("{} over {}, {}", operand, diag->hint.substr(example.size()), type));
    CHECK(engineIn(value).blocks.size() > 0);
  }
  CHECK(refused("wgmma.m64n64k16.f32.f16.f16.ss.A over (48,48):(48,1), f16")->message.find("48x48") !=
        std::string::npos);
  CHECK(refused("wgmma.m64n64k16.f32.f16.f16.ss.A over (64,64):(64,1), f32").has_value());
  CHECK(refused("tma.load over (64,64):(72,1), f16")->message.find("without gaps") != std::string::npos);
  CHECK(refused("tma.load over (64,3):(3,1), f16").has_value());
  CHECK(refused("tcgen05.ld.32x32b.x8 over (64,64):(64,1), f32").has_value());
  CHECK(refused("tcgen05.ld.32x32b.x64 over (128,32):(65536,1), f32").has_value());
}

TEST_CASE("boxes: each element where the box's line and the mode's swizzle put it") {
  struct Case {
    const char* layout;
    const char* type;
    i64 bytes;
    const char* mode;
    std::size_t boxes;
  };
  for (const Case& c :
       {Case{"(64,64):(64,1)", "f16", 2, "NONE", 1}, Case{"Sw<3,3,3> o (64,64):(64,1)", "f16", 2, "128B", 1},
        Case{"Sw<2,3,3> o (64,32):(32,1)", "f16", 2, "64B", 1}, Case{"Sw<1,3,3> o (64,16):(16,1)", "f16", 2, "32B", 1},
        Case{"Sw<3,2,3> o (16,32):(32,1)", "f32", 4, "128B", 1},
        Case{"Sw<2,3,2> o (16,32):(32,1)", "f32", 4, "128B_ATOM_32B", 1},
        Case{"tile_to_shape(smem_atom(K_SW128, f16), (64,128))", "f16", 2, "128B", 2},
        Case{"tile_to_shape(smem_atom(MN_SW128, f16), (128,32))", "f16", 2, "128B", 8},
        Case{"(512,16):(16,1)", "e4m3", 1, "NONE", 2}, Case{"(32,64):(1,32)", "f32", 4, "NONE", 1}}) {
    INFO(c.layout);
    const Value value = valueOf(fmt::format("tma.load over {}, {}", c.layout, c.type));
    const EngineOver& over = engineIn(value);
    const Offsets offset(c.layout);
    CHECK(over.form.find(std::string("swizzle ") + c.mode) != std::string::npos);
    CHECK(over.blocks.size() == c.boxes);
    std::set<std::pair<i64, i64>> seen;
    for (const EngineBlock& block : over.blocks) {
      const bool turned = over.form.find("columns are its lines") != std::string::npos;
      const i64 wide = turned ? block.end.row - block.corner.row : block.end.column - block.corner.column;
      const i64 shared = factNumber(block, "shared address");
      bool right = true;
      for (const EnginePlace& p : block.places) {
        const i64 r = p.at.row - block.corner.row, k = p.at.column - block.corner.column;
        const i64 linear = shared + ((turned ? k : r) * wide + (turned ? r : k)) * c.bytes;
        const std::string mode = c.mode;
        const i64 line = linear / 128;
        const i64 byte = mode == "128B_ATOM_32B" ? linear ^ (line % 4) * 32
                                                 : swizzled(linear, mode == "NONE" ? 0 : std::stoll(mode));
        right = right && byte == offset(p.at.row, p.at.column) * c.bytes && byte == p.byte;
        seen.emplace(p.at.row, p.at.column);
      }
      CHECK(right);
    }
    CHECK(static_cast<i64>(seen.size()) == over.tile.rows() * over.tile.columns());
  }
}

TEST_CASE("rows of tensor memory: the thread and the register of PTX's figures") {
  struct Case {
    const char* shape;
    i64 n, rows, columns;  // lanes and 32-bit columns of x1
  };
  for (const Case& c :
       {Case{"32x32b", 8, 32, 1}, Case{"32x32b", 1, 32, 1}, Case{"16x64b", 2, 16, 2}, Case{"16x128b", 4, 16, 4},
        Case{"16x256b", 1, 16, 8}, Case{"16x256b", 4, 16, 8}, Case{"16x32bx2", 4, 16, 2}}) {
    for (const char* verb : {"ld", "st"}) {
      const std::string text = fmt::format("tcgen05.{}.{}.x{} over tmem_layout(f32, 128, 64), f32", verb, c.shape, c.n);
      INFO(text);
      const Value value = valueOf(text);
      const EngineOver& over = engineIn(value);
      CHECK(static_cast<i64>(over.blocks.size()) == 128 / c.rows * (64 / (c.columns * c.n)));
      std::set<std::pair<i64, i64>> seen;
      bool right = true;
      for (const EngineBlock& block : over.blocks) {
        const i64 firstLane = block.corner.row, firstColumn = block.corner.column;
        CHECK(factNumber(block, "address") == (firstLane << 16 | firstColumn));
        for (const EnginePlace& p : block.places) {
          const i64 t = p.group, r = p.inGroup;
          i64 row = t, column = r;  // 32x32b: thread t has lane t
          const std::string shape = c.shape;
          if (shape == "16x64b") row = t / 4 + 8 * (t % 2), column = t / 2 % 2 + 2 * r;
          if (shape == "16x128b") row = t / 4 + 8 * (r % 2), column = t % 4 + 4 * (r / 2);
          if (shape == "16x256b") row = t / 4 + 8 * (r / 2 % 2), column = r % 2 + 2 * (t % 4) + 8 * (r / 4);
          if (shape == "16x32bx2") row = t % 16, column = r + c.n * (t / 16);
          right = right && p.at == TileCoord{firstLane + row, firstColumn + column};
          right = right && p.lane == p.at.row && p.byte == 4 * p.at.column;
          seen.emplace(p.at.row, p.at.column);
        }
      }
      CHECK(right);
      CHECK(seen.size() == 128 * 64);
    }
  }
}

TEST_CASE("the picture stands for what the places say, and lights the tile's other pictures") {
  for (const char* text :
       {"wgmma.m64n64k16.f32.f16.f16.ss.A over Sw<3,3,3> o (64,64):(64,1), f16",
        "wgmma.m64n64k16.f32.f16.f16.ss.B over tile_to_shape(smem_atom(MN_SW64, f16), (64,64)), f16",
        "tma.load over Sw<3,3,3> o (64,64):(64,1), f16", "tma.store over (64,64):(1,64), f16",
        "tcgen05.ld.16x256b.x2 over (64,64):(65536,1), f32", "tcgen05.ld.32x32b.x8 over (64,64):(131072,1), f16"}) {
    INFO(text);
    const Value value = valueOf(text);
    const EngineOver& over = engineIn(value);
    DrawOptions options;
    const EngineBlock& block = over.blocks.back();
    options.arguments = {fmt::format("{},{}", block.corner.row, block.corner.column)};
    const auto figure = draw(value, "", options);
    REQUIRE(figure.ok());
    const auto grid = draw(valueOf(over.tile.text()), "grid", {});
    REQUIRE(grid.ok());
    for (const Grid& g : figure->grids) {
      if (g.name == "tile") continue;
      std::map<i64, std::pair<i64, i64>> at;  // point -> cell
      bool right = true;
      for (i64 r = 0; r < g.rows; ++r)
        for (i64 c = 0; c < g.cols; ++c)
          for (const Point& p : pointsOf(g.cells->cell(r, c))) {
            const auto found = g.cells->find(p, 100'000);
            right = right && std::find(found.begin(), found.end(), std::pair(r, c)) != found.end();
            if (!isThread(p)) right = right && at.emplace(p.index, std::pair(r, c)).second;
          }
      CHECK(right);
      CHECK(at.size() == block.places.size());
    }
    const Grid& memory = figure->grids.back();
    const EnginePlace& p = block.places[block.places.size() / 3];
    const Point point{pointDomain({over.tile.rows(), over.tile.columns()}), p.at.row + over.tile.rows() * p.at.column};
    const Linked linked({{point}, &*grid, ""}, {&*grid, &*figure});
    const auto lit = linked.in(*figure, memory);
    REQUIRE(lit == std::vector<Point>{point});
    const auto cell = memory.cells->find(point, 4);
    REQUIRE(cell.size() == 1);
    if (memory.name == "shared memory") {
      CHECK(std::stoll(memory.cells->rowHeader(cell[0].first)) == p.byte / 128 * 128);
      CHECK(cell[0].second == p.byte % 128 / 16);
    } else {
      CHECK(std::stoll(memory.cells->rowHeader(cell[0].first)) == p.lane);
    }
    CHECK(figure->table.size() == block.places.size() + 1);
    for (const char* ending : {"svg", "txt", "csv", "json", "tex"}) CHECK(ink(*figure, ending, {}).ok());
    options.arguments = {"5,5"};
    CHECK_FALSE(draw(value, "", options).ok());
  }
}
