#include "core/codegen/address/rounds.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::codegen {

Result<void> Rounds::stages(const Turn& turn, i64 count, const std::string& guard, const Body& body) {
  const Rotation& r = *turn.rotation;
  text_.keepScopes(out_.depth());
  out_.line("#pragma unroll");
  const Writer::Name stage = out_.name("stage", out_.depth());
  const std::string word = out_.use(stage);
  out_.open(fmt::format("for (int {} = 0; {} < {}; ++{}) {{", word, word, count, word));
  text_.show(r.stage, stage, out_.depth());
  out_.line(
      fmt::format("// {} = {}", variables_[r.variable].name, text_.text(variables_.small(Expr::param(r.variable)))));
  if (!guard.empty()) out_.line(fmt::format(fmt::runtime(guard), word));
  bases_.enter(turn);
  TESSERA_CHECKED(body());
  stepPointers(r, /*ofStage=*/true);
  bases_.leave();
  out_.close();
  out_.release(stage);
  return {};
}

void Rounds::stepPointers(const Rotation& r, bool ofStage) {
  for (const Rotation::Pointer& p : r.pointers) {
    const Expr step = ofStage ? p.stageStep : Expr::constant(p.step);
    if (step.isConstant(0)) continue;
    // Else the compiler folds steps of stages into one, and moves every pointer at the loop's head.
    out_.calls("kept_global");
    const std::string by = text_.text(step);
    const std::vector<Writer::Name> uses = out_.takeUses();
    for (i64 k = 0; k < std::max<i64>(p.count, 1); ++k) {
      out_.use(uses);
      const std::string& own = out_.use(p.name);
      const std::string pointer = p.count == 0 ? own : fmt::format("{}[{}]", own, k);
      out_.line(fmt::format("{} = tessera::kept_global({} + {});", pointer, pointer, by));
    }
  }
}

// Iterations that are no whole round: the pointers have stepped over the whole ones.
Result<void> Rounds::leftOver(const Turn& turn, const Body& body) {
  const Rotation& r = *turn.rotation;
  const std::string guard = r.trips ? fmt::format("if ({} > 0) {{", text_.text(*r.trips)) : "{";
  const std::string rounds = text_.text(r.rounds);
  out_.open(guard);
  const Writer::Name round = out_.name("round", out_.depth());
  text_.show(r.round, round, out_.depth());
  const std::string word = out_.use(round);
  out_.define(round, fmt::format("const int {} = {};", word, rounds));
  TESSERA_CHECKED(stages(turn, r.stages - 1, fmt::format("if ({{}} >= {}) break;", text_.text(*r.left)), body));
  out_.close();
  out_.release(round);
  return {};
}

Result<void> Rounds::write(Rotation& r, bool convergent, const Body& body) {
  constexpr i64 kFew = 8;
  const Turn turn{&r, out_.depth(), convergent};
  // Few rounds would be unrolled, which makes nothing shorter: all that depends on the stage is a number already.
  if (r.rounds.isConstant() && r.rounds.value() <= kFew) out_.line("#pragma unroll 1");
  const Writer::Name round = out_.name("round", turn.depth);
  const std::string word = out_.use(round);
  out_.open(fmt::format("for (int {} = 0; {} < {}; ++{}) {{", word, word, text_.text(r.rounds), word));
  text_.show(r.round, round, out_.depth());
  const i64 skipped = r.skipped.value_or(0);
  if (skipped != 0) (void)out_.use(round);
  TESSERA_CHECKED(stages(turn, r.stages,
                         skipped == 0 ? "" : fmt::format("if ({} == 0 && {{}} < {}) continue;", word, skipped), body));
  stepPointers(r, /*ofStage=*/false);
  out_.close();
  out_.release(round);
  if (r.left) TESSERA_CHECKED(leftOver(turn, body));
  text_.keepScopes(out_.depth());
  return {};
}

}  // namespace tessera::codegen
