// Per-thread copies (ld, st, cp.async, universal copies) and TMA. A per-thread copy has one thread and `bits` values;
// how lanes spread over a tile is the kernel's choice (core/atlas/tiled.h, core/analysis/access.h). TMA is issued by
// one thread; what lands where is the tensor map's box and swizzle (core/atlas/tma.h).
#include <fmt/format.h>

#include "core/atlas/rows.h"

namespace tessera::atlas_rows {
namespace {

struct Copy {
  const char* name;
  const char* arch;
  const char* ptx;
  int bits;
  OperandSpace from, to;
  std::vector<std::string> aliases;
  const char* source;
};

AtlasRow copyRow(const Copy& c) {
  AtlasRow row;
  row.name = c.name;
  row.family = AtlasFamily::LoadStore;
  row.architecture = c.arch;
  row.ptx = c.ptx;
  row.shape = fmt::format("{} bytes", c.bits / 8);
  row.threadId = "1:0";
  const std::string layout = fmt::format("(1,{}):(0,1)", c.bits), bits = std::to_string(c.bits);
  row.operands = {{"src", "b1", bits, "1", layout, c.from},
                  {"dst", "b1", bits, "1", layout, c.to},
                  {"ref", "b1", bits, "1", layout}};
  row.aliases = c.aliases;
  row.source = c.source;
  return row;
}

std::vector<std::string> cpAsyncAliases(const char* cache, int bytes) {
  std::vector<std::string> out;
  for (const char* zero : {"", "_ZFILL"})
    out.push_back(fmt::format("SM80_CP_ASYNC_CACHE{}{}<uint{}_t>", cache, zero, bytes * 8));
  return out;
}

}  // namespace

void appendCopies(std::vector<AtlasRow>& rows) {
  constexpr auto R = OperandSpace::Register, S = OperandSpace::Shared, G = OperandSpace::Global;
  const char* ldst = "PTX ISA, ld and st";
  const char* async = "PTX ISA, cp.async";
  struct Width {
    const char* suffix;
    const char* type;
    int bits;
    const char* arch;
  };
  const Width widths[] = {{"u8", "u8", 8, "sm_20"},
                          {"u16", "u16", 16, "sm_20"},
                          {"v1", "b32", 32, "sm_20"},
                          {"v2", "v2.b32", 64, "sm_20"},
                          {"v4", "v4.b32", 128, "sm_20"}};
  for (const char* space : {"shared", "global"})
    for (bool load : {true, false})
      for (const Width& w : widths) {
        const OperandSpace memory = std::string_view(space) == "shared" ? S : G;
        const std::string name = fmt::format("{}.{}.{}", load ? "ld" : "st", space, w.suffix);
        const std::string ptx = fmt::format("{}.{}.{}", load ? "ld" : "st", space, w.type);
        std::vector<std::string> aliases = {ptx};
        if (w.bits == 32)
          for (const char* t : {"f32", "u32", "s32"})
            aliases.push_back(fmt::format("{}.{}.{}", load ? "ld" : "st", space, t));
        if (w.bits > 32)
          for (const char* t : {"f32", "u32"})
            aliases.push_back(fmt::format("{}.{}.{}.{}", load ? "ld" : "st", space, w.suffix, t));
        if (w.bits == 64)
          for (const char* t : {"b64", "f64", "u64"})
            aliases.push_back(fmt::format("{}.{}.{}", load ? "ld" : "st", space, t));
        if (w.bits == 128)
          for (const char* t : {"v2.f64", "v2.b64", "b128"})
            aliases.push_back(fmt::format("{}.{}.{}", load ? "ld" : "st", space, t));
        rows.push_back(
            copyRow({name.c_str(), w.arch, ptx.c_str(), w.bits, load ? memory : R, load ? R : memory, aliases, ldst}));
      }
  rows.push_back(copyRow(
      {"ld.global.v8", "sm_100a", "ld.global.v8.b32", 256, G, R, {"ld.global.v8.f32", "ld.global.v4.b64"}, ldst}));
  rows.push_back(copyRow(
      {"st.global.v8", "sm_100a", "st.global.v8.b32", 256, R, G, {"st.global.v8.f32", "st.global.v4.b64"}, ldst}));
  for (int bytes : {1, 2, 4, 8, 16}) {
    const std::string name = fmt::format("copy.{}", bytes * 8),
                      type = fmt::format("UniversalCopy<uint{}_t>", bytes * 8);
    rows.push_back(
        copyRow({name.c_str(), "sm_20", "mov", bytes * 8, R, R, {type}, "CuTe, UniversalCopy: a C++ assignment"}));
  }
  rows.push_back(copyRow({"AutoVectorizingCopy",
                          "sm_20",
                          "ld, st",
                          128,
                          R,
                          R,
                          {"AutoVectorizingCopyWithAssumedAlignment<128>"},
                          "CuTe, AutoVectorizingCopyWithAssumedAlignment<128>"}));
  for (int bytes : {4, 8, 16}) {
    const std::string name = fmt::format("cp.async.ca.{}", bytes),
                      ptx = fmt::format("cp.async.ca.shared.global [dst], [src], {}", bytes);
    rows.push_back(
        copyRow({name.c_str(), "sm_80", ptx.c_str(), bytes * 8, G, S, cpAsyncAliases("ALWAYS", bytes), async}));
    if (bytes < 16) rows.back().aliases.push_back(fmt::format("cp.async{}", bytes));
  }
  rows.push_back(copyRow({"cp.async.cg.16", "sm_80", "cp.async.cg.shared.global [dst], [src], 16", 128, G, S,
                          cpAsyncAliases("GLOBAL", 16), async}));
  rows.back().aliases.insert(rows.back().aliases.end(), {"cp.async16", "cp.async.16", "cp.async"});
  for (const char* mode : {"idx", "up", "down", "bfly"}) {
    rows.push_back({fmt::format("shfl.sync.{}", mode),
                    AtlasFamily::LoadStore,
                    "sm_30",
                    fmt::format("shfl.sync.{}.b32", mode),
                    "32 lanes x 32 bits",
                    "32:1",
                    {},
                    {{"src", "b1", "32", "32", "(32,32):(32,1)"}},
                    {fmt::format("shfl.{}", mode)},
                    "PTX ISA, shfl.sync",
                    "Lane l reads the register of lane shuffleSource(mode, l, b, c)."});
  }
  for (int rank = 1; rank <= 5; ++rank)
    for (bool load : {true, false}) {
      AtlasRow tma;
      tma.name = fmt::format("cp.async.bulk.tensor.{}d.{}", rank, load ? "load" : "store");
      tma.family = AtlasFamily::Tma;
      tma.architecture = "sm_90";
      tma.ptx =
          load ? fmt::format("cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", rank)
               : fmt::format("cp.async.bulk.tensor.{}d.global.shared::cta.tile.bulk_group", rank);
      tma.shape = "a box of up to 256 elements a dimension";
      tma.threadId = "1:0";
      tma.aliases = {fmt::format("SM90_TMA_{}_{}D", load ? "LOAD" : "STORE", rank)};
      if (rank == 1) tma.aliases.push_back(load ? "SM90_TMA_LOAD" : "SM90_TMA_STORE");
      tma.source = "PTX ISA, cp.async.bulk.tensor; CUDA driver API, cuTensorMapEncodeTiled";
      tma.note = "One thread issues it; the tensor map gives the box, its legality rules are in core/atlas/tma.h.";
      rows.push_back(std::move(tma));
    }
}

}  // namespace tessera::atlas_rows
