// A loop through stages as rounds of copies of its body (rotation.h).
#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/kernel/kernel_writer.h"

namespace tessera::codegen {

using namespace graphene;

// The copies of the body, each under `guard`, a format of the stage's name; `outside`: the scope of the loop's
// statement.
Result<void> KernelWriter::stages(const Loop& loop, Rotation& r, int outside, i64 count, const std::string& guard) {
  hoisted_.resize(static_cast<std::size_t>(out_.depth()) + 1);
  out_.line("#pragma unroll");
  const Writer::Name stage = out_.name("stage", out_.depth());
  const std::string word = out_.use(stage);
  out_.open(fmt::format("for (int {} = 0; {} < {}; ++{}) {{", word, word, count, word));
  named_[static_cast<std::size_t>(r.stage)] = stage;
  depthOf_[static_cast<std::size_t>(r.stage)] = out_.depth();
  out_.line(fmt::format("// {} = {}", program_.variables[static_cast<std::size_t>(r.variable)].name,
                        text(small(Expr::param(r.variable)))));
  if (!guard.empty()) out_.line(fmt::format(fmt::runtime(guard), word));
  turning_.push_back(&r);
  turningDepth_.push_back(outside);
  convergent_.push_back(branches_ == 0);
  TESSERA_CHECKED(scoped(loop.body));
  stepPointers(r, /*ofStage=*/true);
  turning_.pop_back();
  turningDepth_.pop_back();
  convergent_.pop_back();
  out_.close();
  out_.release(stage);
  return {};
}

void KernelWriter::stepPointers(const Rotation& r, bool ofStage) {
  for (const Rotation::Pointer& p : r.pointers) {
    const Expr step = ofStage ? p.stageStep : Expr::constant(p.step);
    if (step.isConstant(0)) continue;
    fixed(
        "kept_global");  // else the compiler folds steps of stages into one, and moves every pointer at the loop's head
    const std::string by = text(step);
    const std::vector<Writer::Name> uses = out_.takeUses();
    for (i64 k = 0; k < std::max<i64>(p.count, 1); ++k) {
      for (const Writer::Name n : uses) (void)out_.use(n);
      const std::string& own = out_.use(p.name);
      const std::string pointer = p.count == 0 ? own : fmt::format("{}[{}]", own, k);
      out_.line(fmt::format("{} = tessera::kept_global({} + {});", pointer, pointer, by));
    }
  }
}

// Iterations that are no whole round: the pointers have stepped over the whole ones.
Result<void> KernelWriter::leftOver(const Loop& loop, Rotation& r, int outside) {
  const std::string guard = r.trips ? fmt::format("if ({} > 0) {{", text(*r.trips)) : "{";
  const std::string rounds = text(r.rounds);
  out_.open(guard);
  const Writer::Name round = out_.name("round", out_.depth());
  named_[static_cast<std::size_t>(r.round)] = round;
  depthOf_[static_cast<std::size_t>(r.round)] = out_.depth();
  const std::string word = out_.use(round);
  out_.define(round, fmt::format("const int {} = {};", word, rounds));
  TESSERA_CHECKED(stages(loop, r, outside, r.stages - 1, fmt::format("if ({{}} >= {}) break;", text(*r.left))));
  out_.close();
  out_.release(round);
  return {};
}

Result<void> KernelWriter::rotated(const Loop& loop, Rotation& r) {
  constexpr i64 kFew = 8;
  const int outside = out_.depth();
  // Few rounds would be unrolled, which makes nothing shorter: all that depends on the stage is a number already.
  if (r.rounds.isConstant() && r.rounds.value() <= kFew) out_.line("#pragma unroll 1");
  const Writer::Name round = out_.name("round", outside);
  const std::string word = out_.use(round);
  out_.open(fmt::format("for (int {} = 0; {} < {}; ++{}) {{", word, word, text(r.rounds), word));
  named_[static_cast<std::size_t>(r.round)] = round;
  depthOf_[static_cast<std::size_t>(r.round)] = out_.depth();
  const i64 skipped = r.skipped.value_or(0);
  if (skipped != 0) (void)out_.use(round);
  TESSERA_CHECKED(stages(loop, r, outside, r.stages,
                         skipped == 0 ? "" : fmt::format("if ({} == 0 && {{}} < {}) continue;", word, skipped)));
  stepPointers(r, /*ofStage=*/false);
  out_.close();
  out_.release(round);
  if (r.left) TESSERA_CHECKED(leftOver(loop, r, outside));
  hoisted_.resize(static_cast<std::size_t>(out_.depth()) + 1);
  return {};
}

}  // namespace tessera::codegen
