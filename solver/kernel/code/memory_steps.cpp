#include <fmt/format.h>

#include "solver/kernel/code/decoder.h"

namespace tessera::kernel {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

namespace {

// The state space of an opcode. "shared::cluster" is shared memory; so are the addresses of the own block in it.
Space spaceOf(const ptx::Opcode& o) {
  for (const std::string_view part : o.parts) {
    if (part == "global") return Space::Global;
    if (part == "shared" || part == "shared::cta" || part == "shared::cluster") return Space::Shared;
    if (part == "local") return Space::Local;
    if (part == "const") return Space::Const;
    if (part == "param" || part == "param::entry" || part == "param::func") return Space::Param;
  }
  return Space::Generic;
}

int countOf(const ptx::Opcode& o) { return o.has("v8") ? 8 : o.has("v4") ? 4 : o.has("v2") ? 2 : 1; }

bool isSignedType(Type t) { return t == Type::S8 || t == Type::S16 || t == Type::S32 || t == Type::S64; }

void element(Step& s, const ptx::Opcode& o) {
  s.type = o.type();
  s.width = s.type == Type::Pred ? 1 : ptx::bitsOf(s.type) / 8;
  s.count = countOf(o);
  s.isSigned = isSignedType(s.type);
}

void ordering(Step& s, const ptx::Opcode& o) {
  s.acquires = o.has("acquire") || o.has("acq_rel");
  s.releases = o.has("release") || o.has("acq_rel");
  s.strong = s.acquires || s.releases || o.has("volatile") || o.has("relaxed") || o.has("mmio");
}

bool isFloatType(Type t) {
  return t == Type::F16 || t == Type::BF16 || t == Type::F32 || t == Type::F64 || t == Type::F16x2 || t == Type::BF16x2;
}
std::string atomicName(const ptx::Opcode& o) {
  for (const std::string_view name : {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"})
    if (o.has(name)) return std::string(name);
  return {};
}

}  // namespace

bool Decoder::memoryStep(Step& s, const ptx::Instruction& i) {
  const ptx::Opcode& o = i.opcode;
  const std::string_view base = o.base();
  const std::size_t n = i.operands.size();
  if (base == "ld" || base == "ldu") {
    s.kind = Step::Kind::Load;
    if (n < 2) return fail(s, "ld needs a register and an address"), true;
    element(s, o);
    ordering(s, o);
    results(s, i.operands[0]);
    memory(s, i.operands[1], spaceOf(o));
  } else if (base == "st") {
    if (o.has("async")) return false;
    s.kind = Step::Kind::Store;
    if (n < 2) return fail(s, "st needs an address and a value"), true;
    element(s, o);
    ordering(s, o);
    memory(s, i.operands[0], spaceOf(o));
    sources(s, i.operands[1], s.type);
  } else if (base == "atom" || base == "red") {
    if (o.has("async")) return false;
    s.kind = Step::Kind::Atomic;
    element(s, o);
    ordering(s, o);
    s.strong = true;
    std::size_t next = 0;
    if (base == "atom") {
      if (n < 3) return fail(s, "atom needs a register, an address and a value"), true;
      results(s, i.operands[next++]);
    } else if (n < 2) {
      return fail(s, "red needs an address and a value"), true;
    }
    memory(s, i.operands[next++], spaceOf(o));
    for (; next < n; ++next) sources(s, i.operands[next], s.type);
    s.message = atomicName(o);
    const std::string& name = s.message;
    if (s.width > 8 && name != "exch" && name != "cas")
      return fail(s, fmt::format("{} is not supported", o.text)), true;
    if (name != "inc" && name != "dec" && name != "exch" && name != "cas")
      s.operation = operationFor(
          s, fmt::format("{}.{}{}", name, isFloatType(s.type) && name == "add" ? "rn." : "", ptx::nameOf(s.type)));
  } else if (base == "cvta" || base == "isspacep") {
    s.kind = Step::Kind::Convert;
    s.type = o.type();
    s.space = spaceOf(o);
    s.isSigned = o.has("to");
    for (const std::string_view part : o.parts)
      if (part.starts_with("to.")) s.isSigned = true;
    if (n < 2) return fail(s, fmt::format("{} needs a register and an address", o.text)), true;
    results(s, i.operands[0]);
    if (i.operands[1].kind == Operand::Kind::Symbol) {
      // cvta of a variable: its address, with its offset.
      const Symbol* symbol = find(i.operands[1].name);
      if (symbol == nullptr) return fail(s, fmt::format("{} is not declared", i.operands[1].name)), true;
      if (s.space == Space::Generic) s.space = symbol->space;
    }
    sources(s, i.operands[1], Type::U64);
  } else if (base == "ldmatrix" || base == "stmatrix") {
    s.kind = base == "ldmatrix" ? Step::Kind::MatrixLoad : Step::Kind::MatrixStore;
    s.width = 16;
    if (n < 2) return fail(s, fmt::format("{} needs registers and an address", o.text)), true;
    if (base == "ldmatrix") results(s, i.operands[0]);
    memory(s, i.operands[base == "ldmatrix" ? 1 : 0], Space::Shared);
    if (base == "stmatrix") sources(s, i.operands[1], Type::B32);
    s.count = o.has("x4") ? 4 : o.has("x2") ? 2 : 1;
  } else if (base == "wmma" && (o.has("load") || o.has("store"))) {
    const bool load = o.has("load");
    s.kind = load ? Step::Kind::TileLoad : Step::Kind::TileStore;
    element(s, o);
    s.count = 1;
    if (n < 2) return fail(s, fmt::format("{} needs registers and an address", o.text)), true;
    if (load) results(s, i.operands[0]);
    memory(s, i.operands[load ? 1 : 0], spaceOf(o));
    if (!load) sources(s, i.operands[1], Type::B32);
    // The stride comes last; without one, rows are contiguous.
    if (n > 2)
      sources(s, i.operands[2], Type::U32);
    else
      s.ins.push_back(kNoPlace);
  } else {
    return false;
  }
  return true;
}

}  // namespace tessera::kernel
