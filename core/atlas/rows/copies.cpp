// Per-thread copies (ld, st, cp.async, universal copies) and TMA. A per-thread copy has one thread and `bits` values;
// the kernel chooses how lanes spread over a tile (core/atlas/tiled.h, core/analysis/access/access.h). TMA is issued by
// one thread; the tensor map's box and swizzle determine the placement (core/atlas/tma.h).
#include <fmt/format.h>

#include "core/atlas/rows/rows.h"

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
  AtlasRow row = rowOf(c.name, AtlasFamily::LoadStore, c.arch, c.ptx, fmt::format("{} bytes", c.bits / 8), "1:0");
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
// A bare vector suffix counts 32-bit words.
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
  const bool global = std::string_view(cache) == "cg";  // cached in L2 only: 16 bytes; plain cp.async means this one
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

// ldmatrix, stmatrix, movmatrix rows. Layouts count the bits of the matrices, row after row: 128 bits per row, 1024 per
// matrix; lane L supplies the address of row L%8 of matrix L/8.
// "D" is the register side in elements: tile (8 rows per matrix, stacked) x 8 columns.

std::string rowAddresses(int n) {
  if (n == 4) return "(32,128):(128,1)";
  return fmt::format("(({},{}),128):((128,0),1)", 8 * n, 4 / n);
}

std::string registersBits(int n, bool trans) {
  if (!trans) return n == 1 ? "(32,32):(32,1)" : fmt::format("(32,(32,{})):(32,(1,1024))", n);
  return n == 1 ? "((4,8),(16,2)):((256,16),(1,128))" : fmt::format("((4,8),(16,2,{})):((256,16),(1,128,1024))", n);
}

// The same fragment over 8n x 8 elements, column-major.
std::string registersElements(int n, bool trans) {
  const int rows = 8 * n;
  std::string lanes = trans ? fmt::format("(2,{})", rows) : fmt::format("({},1)", 2 * rows);
  std::string pair = trans ? "1" : std::to_string(rows);
  if (n == 1) return fmt::format("((4,8),2):({},{})", lanes, pair);
  return fmt::format("((4,8),(2,{})):({},({},8))", n, lanes, pair);
}

AccessDirection directionOf(bool load) { return load ? AccessDirection::Read : AccessDirection::Write; }

AtlasOperand inShared(bool load, const std::string& rows, const std::string& layout, bool once,
                      const AtlasAccess& access) {
  const Coverage coverage = once ? Coverage::Once : Coverage::Broadcast;
  return {load ? "src" : "dst", "b1", "128", rows, layout, OperandSpace::Shared, coverage, access};
}

void appendB16(std::vector<AtlasRow>& rows, bool load, int n, bool trans) {
  const char* verb = load ? "ldmatrix" : "stmatrix";
  AtlasRow row = rowOf(fmt::format("{}.x{}{}", verb, n, trans ? ".trans" : ""),
                       load ? AtlasFamily::Ldmatrix : AtlasFamily::Stmatrix, load ? "sm_75" : "sm_90",
                       fmt::format("{}.sync.aligned.m8n8.x{}{}.shared.b16", verb, n, trans ? ".trans" : ""),
                       fmt::format("8x8 b16 x{}", n), "32:1");
  const std::string matrixRows = std::to_string(8 * n);
  const AtlasOperand shared =
      inShared(load, matrixRows, rowAddresses(n), n == 4, matrixAccess(directionOf(load), n, 8, trans ? 16 : 0, trans));
  AtlasOperand registers{load ? "dst" : "src", "b1", "128", matrixRows, registersBits(n, trans)};
  AtlasOperand elements{"D", "b16", matrixRows, "8", registersElements(n, trans)};
  row.operands = {load ? shared : registers, load ? registers : shared, referenceOf(registers), elements};
  const char* generation = load ? "SM75" : "SM90";
  const char* op = load ? "LDSM" : "STSM";
  row.aliases = {
      trans ? fmt::format("{}_U16x{}_{}_T", generation, 2 * n, op) : fmt::format("{}_U32x{}_{}_N", generation, n, op),
      fmt::format("{}.m8n8.x{}{}.b16", verb, n, trans ? ".trans" : "")};
  row.source = fmt::format("PTX ISA, {}", verb);
  row.note = "In shared memory each row is 16 bytes, aligned to 16; unused lanes' addresses are ignored.";
  rows.push_back(std::move(row));
}

// The 8-bit forms transpose 16 x 16 (ldmatrix) or 16 x 8 (stmatrix) bytes.
void appendB8(std::vector<AtlasRow>& rows, bool load, int n) {
  const char* verb = load ? "ldmatrix" : "stmatrix";
  const char* shape = load ? "m16n16" : "m16n8";
  AtlasRow row =
      rowOf(fmt::format("{}.{}.x{}.trans.b8", verb, shape, n), load ? AtlasFamily::Ldmatrix : AtlasFamily::Stmatrix,
            "sm_100a sm_101a sm_103a sm_110a sm_120a sm_121a",
            fmt::format("{}.sync.aligned.{}.x{}.trans.shared.b8", verb, shape, n),
            fmt::format("{} b8 x{}", load ? "16x16" : "16x8", n), "32:1");
  const int registers = load ? 2 * n : n;  // of 32 bits
  std::string fragment = registers == 1 ? "((4,8),(8,2,2)):((256,8),(1,128,64))"
                                        : fmt::format("((4,8),(8,2,2,{})):((256,8),(1,128,64,1024))", registers);
  std::string addresses = rowAddresses(n);
  if (load) addresses = n == 1 ? "((2,2,4,2),128):((128,1024,256,0),1)" : "((2,2,4,2),128):((128,1024,256,2048),1)";
  const std::string matrixRows = std::to_string(8 * registers);

  const AtlasOperand shared = inShared(load, matrixRows, addresses, load ? n == 2 : n == 4,
                                       matrixAccess(directionOf(load), n, load ? 16 : 8, 8, /*trans=*/true));
  AtlasOperand regs{load ? "dst" : "src", "b1", "128", matrixRows, fragment};
  row.operands = {load ? shared : regs, load ? regs : shared, referenceOf(regs)};
  row.aliases = {fmt::format("SM100_U8x{}_{}_T", 4 * registers, load ? "LDSM" : "STSM"),
                 fmt::format("{}.x{}.trans.b8", verb, n)};
  row.source = fmt::format("PTX ISA, {} with .b8; copy_traits_sm100 for the thread-value form", verb);
  rows.push_back(std::move(row));
}

// Packed 4- and 6-bit sources, widened to bytes in registers: the maps of the b16 forms. The access includes the
// padding of a row: sixteen values in 16 bytes, as if each were a byte.
void appendPacked(std::vector<AtlasRow>& rows, int n, bool six) {
  const char* format = six ? "b6x16_p32" : "b4x16_p64";
  AtlasRow row = rowOf(fmt::format("ldmatrix.m8n16.x{}.b8x16.{}", n, format), AtlasFamily::Ldmatrix,
                       "sm_100a sm_101a sm_103a sm_110a sm_120a sm_121a",
                       fmt::format("ldmatrix.sync.aligned.m8n16.x{}.shared.b8x16.{}", n, format),
                       fmt::format("8x16 b8 x{}", n), "32:1");
  const std::string matrixRows = std::to_string(8 * n);
  AtlasOperand registers{"dst", "b1", "128", matrixRows, registersBits(n, false)};
  row.operands = {inShared(true, matrixRows, rowAddresses(n), n == 4,
                           matrixAccess(AccessDirection::Read, n, 8, 8, /*trans=*/false)),
                  registers, referenceOf(registers)};
  row.aliases = {fmt::format("SM100_SU{}_DU8x16_x{}_LDSM_N", six ? 6 : 4, n)};
  row.source = "PTX ISA, ldmatrix with .dst_fmt and .src_fmt; copy_traits_sm100 for the thread-value form";
  row.note =
      fmt::format("A row of 16 bytes holds 16 {}-bit values and padding; registers hold a byte for each.", six ? 6 : 4);
  rows.push_back(std::move(row));
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
    rows.push_back(copyRow({fmt::format("copy.{}", bytes * 8), "sm_20", "mov", bytes * 8, R, R,
                            std::vector<std::string>(1, fmt::format("UniversalCopy<uint{}_t>", bytes * 8)),
                            "CuTe, UniversalCopy: a C++ assignment"}));
  std::vector<std::string> vectorizing = {"DefaultCopy"};
  for (const int bits : {128, 8, 16, 32, 64})
    vectorizing.push_back(fmt::format("AutoVectorizingCopyWithAssumedAlignment<{}>", bits));
  rows.push_back(copyRow({"AutoVectorizingCopy", "sm_20", "ld, st", 128, R, R, std::move(vectorizing),
                          "CuTe, AutoVectorizingCopyWithAssumedAlignment<128>"}));
  for (int bytes : {4, 8, 16}) appendCpAsync(rows, "ca", bytes);
  appendCpAsync(rows, "cg", 16);
  for (const char* mode : {"idx", "up", "down", "bfly"}) {
    AtlasRow row = rowOf(fmt::format("shfl.sync.{}", mode), AtlasFamily::LoadStore, "sm_30",
                         fmt::format("shfl.sync.{}.b32", mode), "32 lanes x 32 bits", "32:1");
    row.operands = {{"src", "b1", "32", "32", "(32,32):(32,1)"}};
    row.aliases = {fmt::format("shfl.{}", mode)};
    row.source = "PTX ISA, shfl.sync";
    row.note = "Lane l reads the register of lane shuffleSource(mode, l, b, c).";
    rows.push_back(std::move(row));
  }
  for (int rank = 1; rank <= 5; ++rank)
    for (bool load : {true, false}) {
      AtlasRow tma = rowOf(
          fmt::format("cp.async.bulk.tensor.{}d.{}", rank, load ? "load" : "store"), AtlasFamily::Tma, "sm_90",
          load ? fmt::format("cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", rank)
               : fmt::format("cp.async.bulk.tensor.{}d.global.shared::cta.tile.bulk_group", rank),
          "a box of up to 256 elements a dimension", "1:0");
      tma.aliases = {fmt::format("SM90_TMA_{}_{}D", load ? "LOAD" : "STORE", rank)};
      if (rank == 1) tma.aliases.push_back(load ? "SM90_TMA_LOAD" : "SM90_TMA_STORE");
      if (load) tma.aliases.push_back(fmt::format("SM90_TMA_LOAD_MULTICAST_{}D", rank));  // the same box for more CTAs
      if (load && rank == 1) tma.aliases.push_back("SM90_TMA_LOAD_MULTICAST");
      tma.source = "PTX ISA, cp.async.bulk.tensor; CUDA driver API, cuTensorMapEncodeTiled";
      tma.note = "One thread issues it; the tensor map gives the box, its legality rules are in core/atlas/tma.h.";
      rows.push_back(std::move(tma));
    }
}

void appendMatrixCopies(std::vector<AtlasRow>& rows) {
  for (bool load : {true, false}) {
    for (bool trans : {false, true})
      for (int n : {1, 2, 4}) appendB16(rows, load, n, trans);
    for (int n : {1, 2, 4})
      if (!load || n < 4) appendB8(rows, load, n);
  }
  for (bool six : {false, true})
    for (int n : {1, 2, 4}) appendPacked(rows, n, six);
  AtlasRow move = rowOf("movmatrix.trans", AtlasFamily::Movmatrix, "sm_75", "movmatrix.sync.aligned.m8n8.trans.b16",
                        "8x8 b16", "32:1");
  move.operands = {{"src", "b1", "128", "8", "(32,32):(32,1)"},
                   {"dst", "b1", "128", "8", "(32,32):(32,1)"},
                   {"ref", "b1", "128", "8", "(32,32):(32,1)"},
                   {"A", "b16", "8", "8", registersElements(1, false)},
                   {"D", "b16", "8", "8", registersElements(1, true)}};
  move.aliases = {"SM75_U32x1_MOVM_T", "movmatrix"};
  move.source = "PTX ISA, movmatrix";
  move.note = "CuTe's traits give both sides as registers in order; A and D place them in the matrix.";
  rows.push_back(std::move(move));
}

}  // namespace tessera::atlas_rows
