#include <fmt/format.h>

#include "solver/kernel/code/decoder.h"

namespace tessera::kernel {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

// [to], [from], size, [mbarrier] ...: the addresses in order; the other operands are values. A tensor map has its
// coordinates in its brackets: [map, {c0, c1}].
void Decoder::bulk(Step& s, const ptx::Instruction& i) {
  for (const Operand& operand : i.operands) {
    if (operand.kind != Operand::Kind::Address) {
      const bool value = operand.kind == Operand::Kind::Integer || operand.kind == Operand::Kind::Float;
      sources(s, operand, value && i.opcode.type() != Type::None ? i.opcode.type() : Type::U64);
      continue;
    }
    Step at;
    memory(at, operand, Space::Generic);
    if (at.kind == Step::Kind::Unsupported) return fail(s, at.message);
    // A variable of shared memory is named without its window; a tensor map has a generic address.
    if (at.space == Space::Param) at.offset += static_cast<i64>(kParamWindow);
    if (at.space == Space::Local) at.offset += static_cast<i64>(kLocalWindow);
    s.addresses.emplace_back(at.ins.at(0), at.offset);
    for (std::size_t k = 1; k < operand.parts.size(); ++k) {
      const std::size_t first = s.ins.size();
      sources(s, operand.parts[k], Type::S32);
      for (std::size_t c = first; c < s.ins.size(); ++c) s.coordinates.push_back(c);
    }
  }
}

// Copies, mbarriers, products of warpgroups, clusters. The parts of an opcode that decide more are read from `source`
// when the step is executed (solver/kernel/machine/async).
bool Decoder::asyncStep(Step& s, const ptx::Instruction& i) {
  const ptx::Opcode& o = i.opcode;
  const std::string_view base = o.base();
  if (base == "cp" && o.has("async") && !o.has("bulk")) {
    if (o.has("commit_group")) {
      s.kind = Step::Kind::CopyCommit;
    } else if (o.has("wait_group") || o.has("wait_all")) {
      s.kind = Step::Kind::CopyWait;
      s.offset = o.has("wait_group") && !i.operands.empty() ? static_cast<i64>(i.operands[0].bits) : 0;
      s.isSigned = o.has("wait_all");
    } else if (o.has("mbarrier")) {
      s.kind = Step::Kind::CopyArrive;
      if (i.operands.empty()) return fail(s, "cp.async.mbarrier.arrive needs an address"), true;
      memory(s, i.operands[0], Space::Shared);
      s.isSigned = o.has("noinc");
    } else {
      // [to], [from], size {, bytes read or predicate} {, policy}
      s.kind = Step::Kind::Copy;
      if (i.operands.size() < 3) return fail(s, "cp.async needs two addresses and a size"), true;
      memory(s, i.operands[0], Space::Shared);
      const i64 offset = s.offset;
      const int address = s.address;
      s.offset = 0;
      memory(s, i.operands[1], Space::Global);
      s.target = static_cast<int>(s.offset);  // the offset of the source
      s.offset = offset;
      s.address = address;
      s.space = Space::Shared;
      s.width = static_cast<int>(i.operands[2].bits);
      for (std::size_t k = 3; k < i.operands.size(); ++k) {
        const bool policy = o.has("L2::cache_hint") && k + 1 == i.operands.size();
        if (!policy) sources(s, i.operands[k], Type::U32);
      }
    }
    return true;
  }
  if (base == "mbarrier") {
    s.kind = Step::Kind::Mbarrier;
    std::size_t next = 0;
    const bool init = o.has("init") || o.has("inval") || o.has("complete_tx") || o.has("expect_tx");
    const bool noResult = init && !o.has("arrive") && !o.has("arrive_drop");
    if (o.has("pending_count")) {
      s.kind = Step::Kind::Mbarrier;
      results(s, i.operands[0]);
      for (std::size_t k = 1; k < i.operands.size(); ++k) sources(s, i.operands[k], Type::U64);
      return true;
    }
    // The state is optional for arrivals: mbarrier.arrive.b64 _, [addr] or without it.
    if (!noResult && !i.operands.empty() && i.operands[0].kind != Operand::Kind::Address)
      results(s, i.operands[next++]);
    if (next >= i.operands.size()) return fail(s, fmt::format("{} needs an address", o.text)), true;
    memory(s, i.operands[next++], Space::Shared);
    for (; next < i.operands.size(); ++next) sources(s, i.operands[next], Type::U64);
    return true;
  }
  if (base == "cp" || base == "cp.reduce" || base == "st" || base == "red") {  // bulk copies, st.async, red.async
    if (o.has("commit_group")) {
      s.kind = Step::Kind::BulkCommit;
    } else if (o.has("wait_group") || o.has("wait_group.read")) {
      s.kind = Step::Kind::BulkWait;
      s.offset = i.operands.empty() ? 0 : static_cast<i64>(i.operands[0].bits);
    } else {
      s.kind = Step::Kind::Bulk;
      bulk(s, i);
    }
    return true;
  }
  if (base == "wgmma") {
    s.kind = o.has("mma_async") ? Step::Kind::Products : Step::Kind::ProductsControl;
    if (s.kind == Step::Kind::ProductsControl) {
      s.offset = i.operands.empty() ? 0 : static_cast<i64>(i.operands[0].bits);
      return true;
    }
    results(s, i.operands[0]);
    for (std::size_t k = 1; k < i.operands.size(); ++k)
      sources(s, i.operands[k], i.operands[k].kind == Operand::Kind::Integer ? Type::S32 : Type::B64);
    return true;
  }
  if (base == "fence" && o.has("tensormap::generic")) {  // a fence of maps that the kernel changes
    s.kind = Step::Kind::Fence;
    return true;
  }
  if (base == "fence" || base == "mapa" || base == "getctarank" || (base == "barrier" && o.has("cluster"))) {
    s.kind = Step::Kind::Cluster;
    if (base == "mapa" || base == "getctarank") results(s, i.operands[0]);
    for (std::size_t k = base == "mapa" || base == "getctarank" ? 1 : 0; k < i.operands.size(); ++k)
      sources(s, i.operands[k], Type::U64);
    return true;
  }
  if (base == "createpolicy") {
    s.kind = Step::Kind::Pack;  // any value: policies only affect caches
    s.type = Type::B64;
    results(s, i.operands[0]);
    s.ins.push_back(constant(0));
    return true;
  }
  if (base == "tcgen05") {
    tensor(s, i);
    return true;
  }
  return false;
}

}  // namespace tessera::kernel
