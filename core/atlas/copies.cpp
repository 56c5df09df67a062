// Per-thread copies (ld, st, cp.async, universal copies) and TMA. A per-thread copy has one thread and `bits` values;
// the kernel chooses how lanes spread over a tile (core/atlas/tiled.h, core/analysis/access/access.h). TMA is issued by
// one thread; the tensor map's box and swizzle determine the placement (core/atlas/tma.h).
#include <fmt/format.h>

#include "core/atlas/rows.h"

namespace tessera::atlas_rows {
namespace {

struct Copy {
  std::string name;
  const char* arch;
  std::string ptx;
  int bits;
  OperandSpace from, to;
  std::vector<std::string> aliases;
  const char* source;
};

// The lane addresses of the operand; nullopt for registers.
std::optional<AtlasAccess> accessTo(OperandSpace space, AccessDirection direction, int bits) {
  if (space != OperandSpace::Shared && space != OperandSpace::Global) return std::nullopt;
  return *vectorAccess(direction, space == OperandSpace::Shared ? MemorySpace::Shared : MemorySpace::Global, bits / 8);
}

AtlasRow copyRow(const Copy& c) {
  AtlasRow row;
  row.name = c.name;
  row.family = AtlasFamily::LoadStore;
  row.architecture = c.arch;
  row.ptx = c.ptx;
  row.shape = fmt::format("{} bytes", c.bits / 8);
  row.threadId = "1:0";
  const std::string layout = fmt::format("(1,{}):(0,1)", c.bits), bits = std::to_string(c.bits);
  row.operands = {
      {"src", "b1", bits, "1", layout, c.from, Coverage::Once, accessTo(c.from, AccessDirection::Read, c.bits)},
      {"dst", "b1", bits, "1", layout, c.to, Coverage::Once, accessTo(c.to, AccessDirection::Write, c.bits)},
      {"ref", "b1", bits, "1", layout}};
  row.aliases = c.aliases;
  row.source = c.source;
  return row;
}

// Suffixes of ld.shared. and st.global.: the row's own, PTX's type, and the others that move as many bits per lane.
// Vector suffixes alone count 32-bit words.
struct Width {
  const char* suffix;
  const char* type;
  int bits;
  std::vector<const char*> also;
};
const std::vector<Width>& widths() {
  static const std::vector<Width> all = {
      {"u8", "u8", 8, {"s8", "b8"}},
      {"u16", "u16", 16, {"s16", "b16", "f16", "v2.u8", "v2.s8", "v2.b8"}},
      {"v1", "b32", 32, {"f32", "u32", "s32", "v2.b16", "v2.f16", "v2.u16", "v2.s16", "v4.u8", "v4.s8", "v4.b8"}},
      {"v2",
       "v2.b32",
       64,
       {"v2.f32", "v2.u32", "v2.s32", "b64", "f64", "u64", "s64", "v4.b16", "v4.f16", "v4.u16", "v4.s16"}},
      {"v4", "v4.b32", 128, {"v4.f32", "v4.u32", "v4.s32", "v2.f64", "v2.b64", "v2.u64", "v2.s64", "b128"}},
      // Global memory of sm_100 only.
      {"v8", "v8.b32", 256, {"v8.f32", "v8.u32", "v8.s32", "v4.b64", "v4.f64", "v4.u64", "v4.s64"}}};
  return all;
}

void appendLoadStore(std::vector<AtlasRow>& rows, bool shared, bool load, const Width& width) {
  const std::string verb = fmt::format("{}.{}.", load ? "ld" : "st", shared ? "shared" : "global");
  const OperandSpace memory = shared ? OperandSpace::Shared : OperandSpace::Global;
  std::vector<std::string> aliases = {verb + width.type};
  for (const char* type : width.also) aliases.push_back(verb + type);
  if (width.bits == 256) aliases.push_back(fmt::format("SM100_{}_256bit_CACHE_NOALLOCATION", load ? "LOAD" : "STORE"));
  rows.push_back(copyRow({verb + width.suffix, width.bits > 128 ? "sm_100a" : "sm_20", verb + width.type, width.bits,
                          load ? memory : OperandSpace::Register, load ? OperandSpace::Register : memory, aliases,
                          "PTX ISA, ld and st"}));
}

void appendCpAsync(std::vector<AtlasRow>& rows, const char* cache, int bytes) {
  const bool global = std::string_view(cache) == "cg";  // cached in L2 only: 16 bytes, and what plain cp.async means
  std::vector<std::string> aliases;
  for (const char* zero : {"", "_ZFILL"})
    aliases.push_back(fmt::format("SM80_CP_ASYNC_CACHE{}{}<uint{}_t>", global ? "GLOBAL" : "ALWAYS", zero, bytes * 8));
  if (global || bytes < 16)
    for (const char* dot : {"", "."}) aliases.push_back(fmt::format("cp.async{}{}", dot, bytes));
  aliases.push_back(fmt::format("cp.async.{}{}", cache, bytes));
  if (bytes == 16) aliases.push_back(fmt::format("cp.async.{}", cache));
  if (global) aliases.push_back("cp.async");
  rows.push_back(copyRow({fmt::format("cp.async.{}.{}", cache, bytes), "sm_80",
                          fmt::format("cp.async.{}.shared.global [dst], [src], {}", cache, bytes), bytes * 8,
                          OperandSpace::Global, OperandSpace::Shared, aliases, "PTX ISA, cp.async"}));
  for (AtlasOperand& operand : rows.back().operands)
    if (operand.access)
      operand.access->source = operand.access->space == MemorySpace::Shared
                                   ? "PTX ISA, cp.async; phases as of a store of that width"
                                   : "PTX ISA, cp.async; sectors of the whole warp";
}

}  // namespace

void appendCopies(std::vector<AtlasRow>& rows) {
  constexpr auto R = OperandSpace::Register;
  for (bool shared : {true, false})
    for (bool load : {true, false})
      for (const Width& width : widths())
        if (width.bits <= 128) appendLoadStore(rows, shared, load, width);
  for (bool load : {true, false}) appendLoadStore(rows, /*shared=*/false, load, widths().back());
  for (int bytes : {1, 2, 4, 8, 16})
    rows.push_back(copyRow({fmt::format("copy.{}", bytes * 8),
                            "sm_20",
                            "mov",
                            bytes * 8,
                            R,
                            R,
                            {fmt::format("UniversalCopy<uint{}_t>", bytes * 8)},
                            "CuTe, UniversalCopy: a C++ assignment"}));
  rows.push_back(copyRow({"AutoVectorizingCopy",
                          "sm_20",
                          "ld, st",
                          128,
                          R,
                          R,
                          {"AutoVectorizingCopyWithAssumedAlignment<128>"},
                          "CuTe, AutoVectorizingCopyWithAssumedAlignment<128>"}));
  for (int bytes : {4, 8, 16}) appendCpAsync(rows, "ca", bytes);
  appendCpAsync(rows, "cg", 16);
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
      if (load) tma.aliases.push_back(fmt::format("SM90_TMA_LOAD_MULTICAST_{}D", rank));  // the same box for more CTAs
      if (load && rank == 1) tma.aliases.push_back("SM90_TMA_LOAD_MULTICAST");
      tma.source = "PTX ISA, cp.async.bulk.tensor; CUDA driver API, cuTensorMapEncodeTiled";
      tma.note = "One thread issues it; the tensor map gives the box, its legality rules are in core/atlas/tma.h.";
      rows.push_back(std::move(tma));
    }
}

}  // namespace tessera::atlas_rows
