// ldmatrix, stmatrix, movmatrix rows. Layouts count the bits of the matrices, row after row: 128 bits per row, 1024 per
// matrix; lane L supplies the address of row L%8 of matrix L/8.
// "D" is the register side in elements: tile (8 rows per matrix, stacked) x 8 columns.
#include <fmt/format.h>

#include "core/atlas/rows.h"

namespace tessera::atlas_rows {
namespace {

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

void appendB16(std::vector<AtlasRow>& rows, bool load, int n, bool trans) {
  AtlasRow row;
  const char* verb = load ? "ldmatrix" : "stmatrix";
  row.name = fmt::format("{}.x{}{}", verb, n, trans ? ".trans" : "");
  row.family = load ? AtlasFamily::Ldmatrix : AtlasFamily::Stmatrix;
  row.architecture = load ? "sm_75" : "sm_90";
  row.ptx = fmt::format("{}.sync.aligned.m8n8.x{}{}.shared.b16", verb, n, trans ? ".trans" : "");
  row.shape = fmt::format("8x8 b16 x{}", n);
  row.threadId = "32:1";
  const std::string matrixRows = std::to_string(8 * n);
  AtlasOperand shared{load ? "src" : "dst",
                      "b1",
                      "128",
                      matrixRows,
                      rowAddresses(n),
                      OperandSpace::Shared,
                      n == 4 ? Coverage::Once : Coverage::Broadcast,
                      matrixAccess(directionOf(load), n, 8, trans ? 16 : 0, trans)};
  AtlasOperand registers{load ? "dst" : "src", "b1", "128", matrixRows, registersBits(n, trans)};
  AtlasOperand reference = registers;
  reference.name = "ref";
  AtlasOperand elements{"D", "b16", matrixRows, "8", registersElements(n, trans)};
  row.operands = {load ? shared : registers, load ? registers : shared, reference, elements};
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
  AtlasRow row;
  const char* verb = load ? "ldmatrix" : "stmatrix";
  const char* shape = load ? "m16n16" : "m16n8";
  row.name = fmt::format("{}.{}.x{}.trans.b8", verb, shape, n);
  row.family = load ? AtlasFamily::Ldmatrix : AtlasFamily::Stmatrix;
  row.architecture = "sm_100a sm_101a sm_103a sm_110a sm_120a sm_121a";
  row.ptx = fmt::format("{}.sync.aligned.{}.x{}.trans.shared.b8", verb, shape, n);
  row.shape = fmt::format("{} b8 x{}", load ? "16x16" : "16x8", n);
  row.threadId = "32:1";
  const int registers = load ? 2 * n : n;  // of 32 bits
  std::string fragment = registers == 1 ? "((4,8),(8,2,2)):((256,8),(1,128,64))"
                                        : fmt::format("((4,8),(8,2,2,{})):((256,8),(1,128,64,1024))", registers);
  std::string addresses = rowAddresses(n);
  if (load) addresses = n == 1 ? "((2,2,4,2),128):((128,1024,256,0),1)" : "((2,2,4,2),128):((128,1024,256,2048),1)";
  const std::string matrixRows = std::to_string(8 * registers);
  const bool once = load ? n == 2 : n == 4;
  AtlasOperand shared{load ? "src" : "dst",
                      "b1",
                      "128",
                      matrixRows,
                      addresses,
                      OperandSpace::Shared,
                      once ? Coverage::Once : Coverage::Broadcast,
                      matrixAccess(directionOf(load), n, load ? 16 : 8, 8, /*trans=*/true)};
  AtlasOperand regs{load ? "dst" : "src", "b1", "128", matrixRows, fragment};
  AtlasOperand reference = regs;
  reference.name = "ref";
  row.operands = {load ? shared : regs, load ? regs : shared, reference};
  row.aliases = {fmt::format("SM100_U8x{}_{}_T", 4 * registers, load ? "LDSM" : "STSM"),
                 fmt::format("{}.x{}.trans.b8", verb, n)};
  row.source = fmt::format("PTX ISA, {} with .b8; copy_traits_sm100 for the thread-value form", verb);
  rows.push_back(std::move(row));
}

// Packed 4- and 6-bit sources, widened to bytes in registers: the maps of the b16 forms. The access includes the
// padding of a row: sixteen values in 16 bytes, as if each were a byte.
void appendPacked(std::vector<AtlasRow>& rows, int n, bool six) {
  AtlasRow row;
  const char* format = six ? "b6x16_p32" : "b4x16_p64";
  row.name = fmt::format("ldmatrix.m8n16.x{}.b8x16.{}", n, format);
  row.family = AtlasFamily::Ldmatrix;
  row.architecture = "sm_100a sm_101a sm_103a sm_110a sm_120a sm_121a";
  row.ptx = fmt::format("ldmatrix.sync.aligned.m8n16.x{}.shared.b8x16.{}", n, format);
  row.shape = fmt::format("8x16 b8 x{}", n);
  row.threadId = "32:1";
  const std::string matrixRows = std::to_string(8 * n);
  AtlasOperand registers{"dst", "b1", "128", matrixRows, registersBits(n, false)};
  AtlasOperand reference = registers;
  reference.name = "ref";
  row.operands = {
      {"src", "b1", "128", matrixRows, rowAddresses(n), OperandSpace::Shared,
       n == 4 ? Coverage::Once : Coverage::Broadcast, matrixAccess(AccessDirection::Read, n, 8, 8, /*trans=*/false)},
      registers,
      reference};
  row.aliases = {fmt::format("SM100_SU{}_DU8x16_x{}_LDSM_N", six ? 6 : 4, n)};
  row.source = "PTX ISA, ldmatrix with .dst_fmt and .src_fmt; copy_traits_sm100 for the thread-value form";
  row.note =
      fmt::format("A row of 16 bytes holds 16 {}-bit values and padding; registers hold a byte for each.", six ? 6 : 4);
  rows.push_back(std::move(row));
}

}  // namespace

void appendMatrixCopies(std::vector<AtlasRow>& rows) {
  for (bool load : {true, false}) {
    for (bool trans : {false, true})
      for (int n : {1, 2, 4}) appendB16(rows, load, n, trans);
    for (int n : {1, 2, 4})
      if (!load || n < 4) appendB8(rows, load, n);
  }
  for (bool six : {false, true})
    for (int n : {1, 2, 4}) appendPacked(rows, n, six);
  AtlasRow move;
  move.name = "movmatrix.trans";
  move.family = AtlasFamily::Movmatrix;
  move.architecture = "sm_75";
  move.ptx = "movmatrix.sync.aligned.m8n8.trans.b16";
  move.shape = "8x8 b16";
  move.threadId = "32:1";
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
