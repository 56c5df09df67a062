#include "app/engine/graphene_marks.h"

#include "app/engine/check_program.h"

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
  graphene::Marks out;
  for (const graphene::SpecVerdict& spec : result.specs) {
    graphene::SpecMarks& marks = out.specs.emplace_back();
    marks.span = spec.span;
    for (const graphene::ObligationVerdict& o : spec.obligations)
      marks.obligations[static_cast<std::size_t>(o.obligation)] = {stateOf(o.standing), o.method, o.reason, o.finding};
  }
  out.summary = countsOf(result);
  return out;
}

}  // namespace tessera
