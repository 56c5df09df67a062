#include "core/codegen/operand/shared_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/kernel/multiprocessor.h"

namespace tessera::codegen {

using namespace graphene;

namespace {

constexpr i64 kGranule = 128;  // of dynamic shared memory: what TMA and swizzles want

i64 bytesOf(i64 places, const ScalarType& type, i64 granule) {
  return (places * type.bits / 8 + granule - 1) / granule * granule;
}

// Of the arrays that a body declares, and those below it.
i64 sharedOf(const Body& statements, const Variables& variables) {
  i64 bytes = 0;
  for (const Statement& s : statements) {
    if (const auto* t = std::get_if<Temporary>(&s.what)) {
      const auto type = scalarType(t->tensor.element);
      if (t->tensor.threads || t->tensor.memory != Memory::Shared || !type) continue;
      const Expr places = variables.simple(placesOf(t->tensor));
      if (places.isConstant()) bytes += bytesOf(places.value(), *type, 16);
    } else if (const auto* spec = std::get_if<Spec>(&s.what)) {
      bytes += sharedOf(spec->body, variables);
    } else if (const auto* loop = std::get_if<Loop>(&s.what)) {
      bytes += sharedOf(loop->body, variables);
    } else if (const auto* branch = std::get_if<Branch>(&s.what)) {
      bytes += sharedOf(branch->then, variables) + sharedOf(branch->otherwise, variables);
    }
  }
  return bytes;
}

// Bytes. The swizzle of a descriptor, and of TMA, is of the address: where it repeats is where the storage begins.
i64 alignmentOf(const Root& root) {
  if (!root.matrix) return 16;
  return root.tensor.swizzle.isIdentity() ? 128 : 1024;
}

}  // namespace

void SharedMemory::choose(const Body& outside, const Body& body, const Variables& variables) {
  dynamic_ = sharedOf(outside, variables) + sharedOf(body, variables) > kMostStaticShared;
}

std::string SharedMemory::declared(const Root& root, const std::string& word, Writer& out) {
  const i64 places = root.places.value();
  if (!dynamic_ || root.operand) {
    if (!root.operand) declared_ += bytesOf(places, root.type, 16);
    return fmt::format("__shared__ __align__({}) {} {}[{}];", alignmentOf(root), root.type.text, word, places);
  }
  out.calls("dynamic_shared");
  const i64 alignment = std::max(kGranule, alignmentOf(root));
  dynamicBytes_ = (dynamicBytes_ + alignment - 1) / alignment * alignment;
  const std::string from = dynamicBytes_ == 0 ? "" : fmt::format(" + {}", dynamicBytes_);
  dynamicBytes_ += bytesOf(places, root.type, kGranule);
  return fmt::format("{}* const {} = reinterpret_cast<{}*>(tessera::dynamic_shared(){});", root.type.text, word,
                     root.type.text, from);
}

void SharedMemory::count(const Root& operand) { declared_ += bytesOf(operand.places.value(), operand.type, 16); }

Result<void> SharedMemory::enough(const std::string& architecture, Span span) const {
  const auto m = multiprocessorOf(architecture);
  const i64 most = m ? m->sharedOfBlock : kMostStaticShared;
  if (declared_ > kMostStaticShared)
    return Diag{fmt::format("the operands of this kernel take {} bytes of shared memory", declared_),
                fmt::format("at most {}: what a kernel may declare", kMostStaticShared), "smaller tiles", span};
  if (bytes() <= most) return {};
  return Diag{fmt::format("this kernel needs {} bytes of shared memory", bytes()),
              fmt::format("at most {}: what a block of {} may have", most, architecture),
              "smaller tiles or fewer stages", span};
}

}  // namespace tessera::codegen
