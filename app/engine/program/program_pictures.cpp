#include "app/engine/program/program_pictures.h"

#include "app/engine/program/check_program.h"
#include "core/worksheet/value.h"
#include "render/draw/views.h"

namespace tessera {

graphene::Marks marksOf(const graphene::CheckResult& result) {
  using State = graphene::Checked::State;
  constexpr State kStates[] = {State::Proved, State::Refuted, State::Unknown, State::NotStated};  // by Standing
  graphene::Marks marks;
  for (const graphene::SpecVerdict& spec : result.specs) {
    graphene::SpecMarks one;
    one.span = spec.span;
    for (const graphene::ObligationVerdict& o : spec.obligations)
      one.obligations[static_cast<std::size_t>(o.obligation)] = {kStates[static_cast<std::size_t>(o.standing)],
                                                                 o.method, o.reason, o.finding};
    marks.specs.push_back(std::move(one));
  }
  marks.summary = countsOf(result);
  return marks;
}

std::optional<Result<Figure>> drawProgram(const Outcome& outcome, std::string_view view, const DrawOptions& options) {
  const auto* shown = outcome.show ? std::get_if<graphene::Listing>(outcome.show->value.get()) : nullptr;
  const graphene::Listing* listing = shown != nullptr          ? shown
                                     : outcome.program.listing ? &*outcome.program.listing
                                                               : nullptr;
  if (listing == nullptr || outcome.diag) return std::nullopt;
  const graphene::Marks marks = outcome.program.checked ? marksOf(*outcome.program.checked) : graphene::Marks{};
  if (view == "checklist" || (view.empty() && shown == nullptr))
    return graphene::drawChecklist(*listing, marks, options);
  if (view == "predictions" && outcome.program.predictions)
    return drawPredictions(*outcome.program.predictions, options);
  if (view == "tree" || view.empty()) return graphene::drawTree(*listing, marks, options);
  return std::nullopt;
}

}  // namespace tessera
