#include "app/engine/program/program_pictures.h"

#include "app/engine/program/check_program.h"
#include "core/worksheet/value.h"
#include "render/draw/views.h"

namespace tessera {
namespace {

graphene::Checked::State stateOf(graphene::Standing standing) {
  using State = graphene::Checked::State;
  switch (standing) {
    case graphene::Standing::Proved:
      return State::Proved;
    case graphene::Standing::Refuted:
      return State::Refuted;
    case graphene::Standing::NotStated:
      return State::NotStated;
    case graphene::Standing::Unknown:
      break;
  }
  return State::Unknown;
}

}  // namespace

graphene::Marks marksOf(const graphene::CheckResult& result) {
  graphene::Marks marks;
  for (const graphene::SpecVerdict& spec : result.specs) {
    graphene::SpecMarks one;
    one.span = spec.span;
    for (const graphene::ObligationVerdict& o : spec.obligations)
      one.obligations[static_cast<std::size_t>(o.obligation)] = {stateOf(o.standing), o.method, o.reason, o.finding};
    marks.specs.push_back(std::move(one));
  }
  marks.summary = countsOf(result);
  return marks;
}

bool wantsCheck(const Value& value, std::string_view view) {
  return std::holds_alternative<graphene::Listing>(value) && view == "checklist";
}

bool wantsPredictions(const Value& value, std::string_view view) {
  return std::holds_alternative<graphene::Listing>(value) && view == "predictions";
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
