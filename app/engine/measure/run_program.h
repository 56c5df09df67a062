// run_program: answers a run statement: compiles, runs, checks and times the program and its comparisons, or returns an
// earlier result.
//
//     run gemm with M=8 compare cublas
//         requested (the Run button, tessera eval)    measured now, on this machine's device
//         requested, no device                        the emulator's result and the compiler's figures, with the reason
//         not requested, kept                         the earlier measurement, dated; stale if the program changed
//         not requested, not kept                     the emulator alone, for at most kUnaskedSteps steps
//
// Without RunSettings::results every run counts as requested.
//
// Laws: a Diag is about the program or a device that failed, or is "cancelled"; never about a missing device or
// library, which are rows that say why they have no time. Blocks: call it from a job's thread.
#pragma once

#include <string>
#include <vector>

#include "app/engine/answers.h"
#include "app/engine/measure/run_results.h"

namespace tessera {

inline constexpr i64 kUnaskedSteps = 40'000;  // warp steps: about two seconds

struct RanProgram {
  measure::ComparisonTable table;
  bool asked = true;                // the run was requested
  bool kept = false;                // an earlier result
  bool stale = false;               // the program has changed since
  std::string view;                 // requested by the statement
  std::vector<std::string> chosen;  // sizes chosen by default
  // The kernel's row, or null.
  [[nodiscard]] const measure::ComparisonRow* kernel() const;
  // It ran, and the result is right.
  [[nodiscard]] bool right() const;
  // It ran, and the result is wrong.
  [[nodiscard]] bool wrong() const;
};

[[nodiscard]] Result<RanProgram> ranProgram(const RunRequest& request, const RunSettings& settings,
                                            const JobContext& context);

// "2026-11-22T10:00:00Z"
[[nodiscard]] std::string utcNow();
// One line: "gemm on NVIDIA H100, driver 12.4, 2026-11-22T10:00:00Z: right, 41.2 us".
[[nodiscard]] std::string summaryOf(const RanProgram& ran);

}  // namespace tessera
