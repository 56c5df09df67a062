// check_program: the answer to `prove NAME` of a Graphene program, and its findings with the line that is wrong.
//
//     line 12: O6 races: block 0, thread 33 reads %s[1,0] while thread 1 writes it
//         %o2 <- Move<<<#b1, #t1>>>(%s2)
//
// Law: the summary is proved only where every obligation of every specification is proved or states nothing; it is refuted
// only where a finding says where. Everything else is unknown.
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
// One verdict for all: what every list of claims shows. A request whose text is "not NAME" asks for the refutation.
[[nodiscard]] Verdict summaryOf(const graphene::CheckResult& result, const CheckRequest& request);

// "block 1, thread 0: %b[0] at 0: ...", nothing said twice: the message alone where it names both sides, and no message where
// `said` has told it already.
[[nodiscard]] std::string findingText(const graphene::Finding& finding, std::string_view said = "");
// "3 specifications: 17 proved, 1 not stated"
[[nodiscard]] std::string countsOf(const graphene::CheckResult& result);
// The first line of text[span], without what stands around it.
[[nodiscard]] std::string excerptOf(std::string_view text, Span span);

}  // namespace tessera
