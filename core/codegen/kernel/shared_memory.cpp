// Shared memory of a kernel: arrays that it declares up to 48 KiB; beyond that one stretch that the launch gives, and
// pointers into it.
//
//     __shared__ __align__(16) half sA[12288];
//     half* const sA = reinterpret_cast<half*>(tessera::dynamic_shared());
//     half* const sB = reinterpret_cast<half*>(tessera::dynamic_shared() + 40960);
#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/kernel/kernel_writer.h"
#include "core/codegen/kernel/multiprocessor.h"
#include "core/expr/simplify.h"

namespace tessera::codegen {

using namespace graphene;

namespace {

constexpr i64 kGranule = 128;  // of dynamic shared memory: what TMA and swizzles want

i64 bytesOf(i64 places, const ScalarType& type, i64 granule) {
  return (places * type.bits / 8 + granule - 1) / granule * granule;
}

}  // namespace

// Of the arrays that a body declares, and those below it.
i64 KernelWriter::sharedOf(const Body& statements) const {
  i64 bytes = 0;
  for (const Statement& s : statements) {
    if (const auto* t = std::get_if<Temporary>(&s.what)) {
      const auto type = scalarType(t->tensor.element);
      if (t->tensor.threads || t->tensor.memory != Memory::Shared || !type) continue;
      const Expr places = simplified(placesOf(t->tensor), facts_->box());
      if (places.isConstant()) bytes += bytesOf(places.value(), *type, 16);
    } else if (const auto* spec = std::get_if<Spec>(&s.what)) {
      bytes += sharedOf(spec->body);
    } else if (const auto* loop = std::get_if<Loop>(&s.what)) {
      bytes += sharedOf(loop->body);
    } else if (const auto* branch = std::get_if<Branch>(&s.what)) {
      bytes += sharedOf(branch->then) + sharedOf(branch->otherwise);
    }
  }
  return bytes;
}

void KernelWriter::chooseShared(const Spec& spec) {
  dynamic_ = sharedOf(outside_) + sharedOf(spec.body) > kMostStaticShared;
}

// The definition of an array in shared memory. An operand's is counted when it is used.
std::string KernelWriter::sharedText(const Root& root, const std::string& word) {
  const i64 places = root.places.value();
  if (!dynamic_ || root.operand) {
    if (!root.operand) shared_ += bytesOf(places, root.type, 16);
    return fmt::format("__shared__ __align__({}) {} {}[{}];", alignmentOf(root), root.type.text, word, places);
  }
  fixed("dynamic_shared");
  const i64 alignment = std::max(kGranule, alignmentOf(root));
  dynamicBytes_ = (dynamicBytes_ + alignment - 1) / alignment * alignment;
  const std::string from = dynamicBytes_ == 0 ? "" : fmt::format(" + {}", dynamicBytes_);
  dynamicBytes_ += bytesOf(places, root.type, kGranule);
  return fmt::format("{}* const {} = reinterpret_cast<{}*>(tessera::dynamic_shared(){});", root.type.text, word,
                     root.type.text, from);
}

void KernelWriter::countShared(const Root& root) { shared_ += bytesOf(root.places.value(), root.type, 16); }

Result<void> KernelWriter::enoughShared(Span span) {
  const auto m = multiprocessorOf(options_.architecture);
  const i64 most = m ? m->sharedOfBlock : kMostStaticShared, all = shared_ + dynamicBytes_;
  lacksShared_ = shared_ > kMostStaticShared || all > most;
  if (shared_ > kMostStaticShared)
    return Diag{fmt::format("the operands of this kernel take {} bytes of shared memory", shared_),
                fmt::format("at most {}: what a kernel may declare", kMostStaticShared), "smaller tiles", span};
  if (all <= most) return {};
  return Diag{fmt::format("this kernel needs {} bytes of shared memory", all),
              fmt::format("at most {}: what a block of {} may have", most, options_.architecture),
              "smaller tiles or fewer stages", span};
}

}  // namespace tessera::codegen
