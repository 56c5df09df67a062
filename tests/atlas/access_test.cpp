// The access of every row: each lane is in one phase, no phase is wider than the banks, and the bytes match the
// operands.
#include "core/atlas/access.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <set>

#include "core/atlas/atlas.h"
#include "flat_layout.h"

using namespace tessera;

namespace {

struct Found {
  AtlasRow row;
  AtlasOperand operand;
  AtlasAccess access;
};

std::vector<Found> everyAccess() {
  std::vector<Found> out;
  for (const AtlasRow& row : atlas())
    for (const AtlasOperand& operand : row.operands)
      if (operand.access) out.push_back({row, operand, *operand.access});
  return out;
}

// Bytes of the operand that all its threads hold together, each bit once.
i64 operandBytes(const AtlasOperand& operand) {
  const atlas_test::FlatLayout layout = atlas_test::flatLayout(operand.layout);
  std::set<i64> bits;
  for (i64 t = 0; t < layout.thread.size(); ++t)
    for (i64 v = 0; v < layout.value.size(); ++v) bits.insert(layout(t, v));
  return static_cast<i64>(bits.size()) / 8;
}

std::string text(const std::string& instruction) {
  const AtlasRow row = *findInstruction(instruction);
  std::string out;
  for (const AtlasOperand& o : row.operands)
    if (o.access) out += (out.empty() ? "" : " | ") + o.name + ": " + print(*o.access);
  return out;
}

}  // namespace

TEST_CASE("the worked accesses of the essay") {
  CHECK(text("ldmatrix.x4") == "src: shared read, 16 bytes a lane, 4 matrices, 4 phases of 8 lanes");
  CHECK(text("stmatrix.x1.trans") == "dst: shared write, 16 bytes a lane, 1 matrix transposed, 1 phase of 8 lanes");
  CHECK(text("ldmatrix.m16n16.x1.trans.b8") ==
        "src: shared read, 16 bytes a lane, 1 matrix transposed, 2 phases of 8 lanes");
  CHECK(text("ld.shared.v2") == "src: shared read, 8 bytes a lane, 2 phases of 16 lanes");
  CHECK(text("st.shared.u8") == "dst: shared write, 1 byte a lane, 1 phase of 32 lanes");
  CHECK(text("ld.global.v8") == "src: global read, 32 bytes a lane, the warp at once");
  CHECK(text("cp.async.ca.8") ==
        "src: global read, 8 bytes a lane, the warp at once | dst: shared write, 8 bytes a lane, 2 phases of 16 lanes");
  CHECK(text("mma.m16n8k16.f16").empty());
  CHECK(text("wgmma.m64n64k16.f16").empty());
  const LanePhases four = accessOf(*findInstruction("ldmatrix.x4"))->phases;
  CHECK(print(four) == "(4,8):(8,1)");
  CHECK(four.lane(2, 3) == 19);
  CHECK(print(accessOf(*findInstruction("ldmatrix.x1"))->phases) == "(1,8):(0,1)");
  CHECK(print(*accessOf(*findInstruction("ld.shared.v4"))->merged) == "(2,16):(16,1)");
  CHECK(!accessOf(*findInstruction("st.shared.v4"))->merged);
}

TEST_CASE("which rows have an access: all whose lanes address shared or global memory") {
  for (const AtlasRow& row : atlas()) {
    const bool addressed = row.family == AtlasFamily::Ldmatrix || row.family == AtlasFamily::Stmatrix ||
                           row.family == AtlasFamily::LoadStore;
    for (const AtlasOperand& o : row.operands) {
      INFO(row.name << " " << o.name);
      const bool memory = o.space == OperandSpace::Shared || o.space == OperandSpace::Global;
      CHECK(o.access.has_value() == (addressed && memory));
      if (!o.access) continue;
      CHECK((o.access->space == MemorySpace::Shared) == (o.space == OperandSpace::Shared));
      CHECK((o.access->direction == AccessDirection::Read) == (o.name == "src"));
      CHECK(!o.access->source.empty());
    }
  }
  CHECK(everyAccess().size() == 12 + 5 + 6 /*matrices: b16, b8, packed*/ + 20 + 2 /*ld, st*/ + 2 * 4 /*cp.async*/);
}

TEST_CASE("no lane is in two phases, and a phase is what the banks deliver at once") {
  for (const Found& f : everyAccess()) {
    INFO(f.row.name << " " << f.operand.name);
    for (const auto& phases : {std::optional(f.access.phases), f.access.merged}) {
      if (!phases) continue;
      const atlas_test::FlatLayout layout = atlas_test::flatLayout(print(*phases));
      std::set<i64> lanes;
      for (int p = 0; p < phases->count; ++p)
        for (int i = 0; i < phases->lanes; ++i) {
          CHECK(phases->lane(p, i) == layout(p, i));
          CHECK(phases->lane(p, i) >= 0);
          CHECK(phases->lane(p, i) < 32);
          CHECK(lanes.insert(phases->lane(p, i)).second);
        }
      CHECK(static_cast<int>(lanes.size()) == phases->active());
    }
    CHECK(f.access.phases.active() == (f.access.matrices > 0 ? f.access.matrices * f.access.matrixRows : 32));
    if (f.access.space == MemorySpace::Shared) {
      CHECK(f.access.phases.lanes * f.access.width <= 128);
      // Not more phases than the bytes ask for.
      CHECK(f.access.phases.count == (f.access.phases.active() * f.access.width + 127) / 128);
    }
    if (f.access.merged) CHECK(f.access.merged->active() == f.access.phases.active());
  }
}

TEST_CASE("the bytes of the access are the bytes of the row's operands") {
  for (const Found& f : everyAccess()) {
    const i64 moved = i64{f.access.phases.active()} * f.access.width;
    for (const AtlasOperand& o : f.row.operands) {
      INFO(f.row.name << " " << o.name << " " << o.layout);
      // Copies by one lane have a row of one thread; all others are a warp's.
      const i64 warps = f.row.threadId == "1:0" ? 32 : 1;
      if (o.element == "b1") CHECK(operandBytes(o) * warps == moved);
    }
  }
}

TEST_CASE("a matrix's lanes hold the addresses of all rows of the tile, each once") {
  for (const Found& f : everyAccess()) {
    if (f.access.matrices == 0) continue;
    INFO(f.row.name);
    const atlas_test::FlatLayout layout = atlas_test::flatLayout(f.operand.layout);
    std::set<i64> rows;
    for (int lane = 0; lane < f.access.phases.active(); ++lane) {
      CHECK(layout(lane, 0) % 128 == 0);
      CHECK(rows.insert(layout(lane, 0) / 128).second);
    }
    CHECK(static_cast<i64>(rows.size()) == columnsOf(f.operand));
  }
}

TEST_CASE("every way to write a load or store of a width finds the row of that width") {
  struct Type {
    const char* name;
    int bytes;
  };
  const Type types[] = {{"u8", 1},  {"s8", 1},  {"b8", 1},  {"u16", 2}, {"s16", 2}, {"b16", 2}, {"u32", 4},  {"s32", 4},
                        {"b32", 4}, {"f32", 4}, {"u64", 8}, {"s64", 8}, {"b64", 8}, {"f64", 8}, {"b128", 16}};
  int found = 0;
  for (const char* verb : {"ld.shared", "st.shared", "ld.global", "st.global"})
    for (const Type& type : types)
      for (int vector : {1, 2, 4, 8}) {
        const int bytes = vector * type.bytes;
        const bool global = std::string_view(verb).ends_with("global");
        const bool legal = vector == 1 || (vector < 8 && bytes <= 16) ||  // PTX: at most 16 bytes, 32 on sm_100
                           (global && bytes == 32 && type.bytes >= 4 && type.bytes <= 8);
        if (!legal) continue;
        const std::string name =
            fmt::format("{}.{}{}", verb, vector == 1 ? "" : fmt::format("v{}.", vector), type.name);
        INFO(name);
        const auto row = findInstruction(name);
        REQUIRE(row.ok());
        REQUIRE(accessOf(*row) != nullptr);
        CHECK(accessOf(*row)->width == bytes);
        CHECK((accessOf(*row)->direction == AccessDirection::Read) == std::string_view(verb).starts_with("ld"));
        ++found;
      }
  CHECK(found > 100);
}

TEST_CASE("cp.async and ldmatrix as they are pasted") {
  const auto nameOf = [](const std::string& typed) {
    const auto row = findInstruction(typed);
    return row ? row->name : "none";
  };
  CHECK(nameOf("cp.async.ca.shared.global.16") == "cp.async.ca.16");
  CHECK(nameOf("cp.async.ca.shared::cta.global.L2::128B.4") == "cp.async.ca.4");
  CHECK(nameOf("cp.async.cg.shared.global [dst], [src], 16") == "cp.async.cg.16");
  CHECK(nameOf("cp.async") == "cp.async.cg.16");
  CHECK(nameOf("cp.async8") == "cp.async.ca.8");
  CHECK(nameOf("cp.async.cg.8") == "none");  // PTX: .cg copies 16 bytes
  CHECK(nameOf("cp.async.bulk.tensor.2d.load") == "cp.async.bulk.tensor.2d.load");
  CHECK(nameOf("ldmatrix.trans.x4") == "ldmatrix.x4.trans");
  CHECK(nameOf("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16") == "ldmatrix.x2.trans");
  CHECK(nameOf("ldmatrix.trans.x") == "none");
}

TEST_CASE("a width that no instruction has is refused") {
  for (int width = -1; width < 70; ++width)
    for (MemorySpace space : {MemorySpace::Shared, MemorySpace::Global})
      for (AccessDirection direction : {AccessDirection::Read, AccessDirection::Write}) {
        const std::set<int> known = {1, 2, 4, 8, 16, space == MemorySpace::Global ? 32 : 16};
        CHECK(vectorAccess(direction, space, width).ok() == known.contains(width));
      }
  CHECK(vectorAccess(AccessDirection::Read, MemorySpace::Shared, 32).error().message ==
        "no shared-memory access is 32 bytes wide per lane");
}
