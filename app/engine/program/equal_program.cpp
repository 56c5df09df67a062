#include "app/engine/program/equal_program.h"

#include <chrono>

#include "app/engine/program/check_program.h"
#include "solver/graphene/equal/equal.h"

namespace tessera {

Result<Verdict> equalVerdict(const EqualRequest& request, double budgetSeconds, const std::atomic<bool>* cancel) {
  const auto begin = std::chrono::steady_clock::now();
  graphene::EqualQuestion question{request.first, request.second,       request.reference,
                                   request.sizes, request.secondSizes,  request.small,
                                   request.where, request.architecture, request.within};
  if (!request.ranges.empty()) {
    TESSERA_TRY(question.ranges, graphene::inputRanges(request.ranges));
  }
  graphene::CheckOptions options;
  options.budgetSeconds = budgetSeconds;
  options.cancel = cancel;
  TESSERA_TRY(const graphene::EqualVerdict found, graphene::equalPrograms(question, options));
  Verdict out;
  out.claim = request.text;
  out.method = found.method;
  out.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (found.standing == graphene::Standing::Refuted) {
    out.truth = Truth::Refuted;
    Counterexample why;
    why.text = found.reason;
    why.witnesses.push_back({"%" + found.output, found.coordinate});
    out.counterexample = std::move(why);
  } else {
    out.truth = found.standing == graphene::Standing::Proved ? Truth::Proved : Truth::Unknown;
    out.detail = found.reason;
  }
  if (request.negated) negate(out, "they compute the same");
  return out;
}

}  // namespace tessera
