#include <fmt/format.h>

#include "solver/kernel/code/decoder.h"

namespace tessera::kernel {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

// tcgen05: operands in brackets are addresses, of tensor memory or of an mbarrier, in order; the others are values or
// results. The parts of an opcode that decide more are read when the step is executed (machine/tensor_unit.h).
//
//     tcgen05.ld ... {r}, [t], 8          outs r; addresses t; ins 8
//     tcgen05.mma ... [d], [a], b, i, p   addresses d, a; ins b, i, p
void Decoder::tensor(Step& s, const ptx::Instruction& i) {
  const ptx::Opcode& o = i.opcode;
  s.kind = Step::Kind::Tensor;
  struct Row {
    std::string_view part;
    std::size_t operands, values;  // at least
  };
  constexpr Row kRows[] = {{"alloc", 2, 1}, {"dealloc", 2, 2}, {"ld", 2, 0},    {"st", 2, 1},
                           {"mma", 5, 3},   {"cp", 2, 1},      {"commit", 1, 0}};
  Row least{"", 0, 0};
  for (const Row& row : kRows)
    if (o.has(row.part)) least = row;
  if (i.operands.size() < least.operands) return fail(s, fmt::format("{} needs {} operands", o.text, least.operands));
  std::size_t next = 0;
  if (o.has("ld")) results(s, i.operands[next++]);
  for (; next < i.operands.size(); ++next) {
    const Operand& operand = i.operands[next];
    if (operand.kind != Operand::Kind::Address) {
      sources(s, operand, Type::B64);
      continue;
    }
    Step at;
    memory(at, operand, o.has("shared::cta") || o.has("shared::cluster") ? Space::Shared : Space::Generic);
    if (at.kind == Step::Kind::Unsupported) return fail(s, at.message);
    s.space = at.space;
    s.addresses.emplace_back(at.ins.at(0), at.offset);
  }
  const std::size_t brackets = least.operands > 0 && !o.has("dealloc") ? 1 : 0;
  if (s.kind == Step::Kind::Tensor && (s.addresses.size() < brackets || s.ins.size() < least.values))
    fail(s, fmt::format("{} has operands of another form", o.text));
}

}  // namespace tessera::kernel
