#include "core/sass/latency.h"

#include <array>

namespace tessera::sass {

namespace {

struct VariableRow {
  std::string_view unit;
  Queue queue;
};
constexpr std::array<VariableRow, 31> kVariable = {{
    {"LDS", Queue::Shared},   {"LDSM", Queue::Shared}, {"SHFL", Queue::Shared},  {"MUFU", Queue::Special},
    {"I2F", Queue::Special},  {"F2I", Queue::Special}, {"F2F", Queue::Special},  {"FRND", Queue::Special},
    {"POPC", Queue::Special}, {"FLO", Queue::Special}, {"BREV", Queue::Special}, {"LDC", Queue::Constant},
    {"LD", Queue::None},      {"LDG", Queue::None},    {"LDL", Queue::None},     {"ATOM", Queue::None},
    {"ATOMG", Queue::None},   {"ATOMS", Queue::None},  {"TEX", Queue::None},     {"TLD", Queue::None},
    {"TLD4", Queue::None},    {"SULD", Queue::None},   {"S2R", Queue::System},   {"S2UR", Queue::System},
    {"FCHK", Queue::None},    {"SYNCS", Queue::None},  {"MATCH", Queue::None},   {"REDUX", Queue::None},
    {"LDTM", Queue::None},    {"B2R", Queue::None},    {"QSPC", Queue::None},
}};

// Operations of the 32-bit pipes whose results are read after four cycles at least.
constexpr std::array<std::string_view, 22> kArithmetic = {
    "FADD", "FMUL", "FFMA",  "FMNMX", "FSEL",  "IADD3", "IMAD",  "LOP3", "LEA",   "SHF",   "SEL",
    "PRMT", "MOV",  "IMNMX", "VIADD", "HADD2", "HMUL2", "HFMA2", "F2FP", "ISETP", "FSETP", "PLOP3"};
constexpr std::array<std::string_view, 9> kUniform = {"UIADD3", "UIMAD",  "ULEA",   "ULOP3", "USEL",
                                                      "USHF",   "UISETP", "UPLOP3", "UPRMT"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view word) {
  for (const std::string_view one : list)
    if (one == word) return true;
  return false;
}

bool isWide(const Instruction& i) { return i.unit() == "IMAD" && (i.has("WIDE") || i.has("HI")); }

}  // namespace

Latency latencyOf(const Instruction& producer) {
  Latency out;
  const std::string_view unit = producer.unit();
  for (const VariableRow& row : kVariable)
    if (row.unit == unit) out = {true, row.queue};
  const bool signals = producer.control().writeBarrier != kNoBarrier;
  if (signals) out.variable = true;
  // ptxas reads P0 of ATOM P0, RZ, [R2], R4 after a few cycles without a barrier; how many it needs is not known.
  const auto& operands = producer.operands;
  if (unit == "ATOM" && !signals && operands.size() > 1 && operands[1] == "RZ") out.variable = false;
  return out;
}

bool cyclesKnown(std::string_view architecture) {
  return architecture.starts_with("sm_80") || architecture.starts_with("sm_90");
}

int leastCycles(const Instruction& producer, Register r, const Instruction& reader) {
  const std::string_view unit = producer.unit(), by = reader.unit();
  if (producer.operation.starts_with("HMMA.16816.F32") && isGeneral(r)) return 24;
  if (by == "CALL" || by == "RET" || by.ends_with("GMMA") || by == "VOTEU" || by == "VOTE") return 0;
  if (contains(kArithmetic, unit)) {
    if (r >= kFirstUniform) return 0;
    if (isPredicate(r)) {
      if (guardRegister(reader.guard) == r) return 13;
      return 4;
    }
    // The halves of a wide product are written, and its third operand is read, later or earlier than others.
    if (isWide(reader)) return 2;
    return isWide(producer) ? 3 : 4;
  }
  if (contains(kUniform, unit)) return guardRegister(reader.guard) == r ? 0 : 4;
  if (unit == "UMOV" || unit == "ULDC") return 2;
  return 0;
}

}  // namespace tessera::sass
