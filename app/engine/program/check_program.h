// check_program: answers `prove NAME` for a Graphene program, and locates its findings in the text.
//
//     line 12: O6 races: block 0, thread 33 reads %s[1,0] while thread 1 writes it
//         %o2 <- Move<<<#b1, #t1>>>(%s2)
//
// Law: the summary is proved only if every obligation of every specification is proved or not stated, and refuted only
// if a finding names a place. Everything else is unknown.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "core/worksheet/requests.h"
#include "solver/graphene/check.h"

namespace tessera {

[[nodiscard]] std::shared_ptr<const graphene::CheckResult> checkedProgram(const CheckRequest& request,
                                                                          double budgetSeconds,
                                                                          const std::atomic<bool>* cancel);
// One verdict for the whole program, for lists of claims. If the request's text is "not NAME", the claim is the
// refutation.
[[nodiscard]] Verdict summaryOf(const graphene::CheckResult& result, const CheckRequest& request);

// Turns the verdict on a claim into that on its negation: a refutation is a witness. `held`: what refutes it otherwise.
void negate(Verdict& verdict, const char* held);

// "block 1, thread 0: %b[0] at 0: ...", without repetition: the message alone if it names both sides, and no message if
// `said` already contains it.
[[nodiscard]] std::string findingText(const graphene::Finding& finding, std::string_view said = "");
// "3 specifications: 17 proved, 1 not stated"
[[nodiscard]] std::string countsOf(const graphene::CheckResult& result);
// The first line of text[span], without its surroundings.
[[nodiscard]] std::string excerptOf(std::string_view text, Span span);

}  // namespace tessera
