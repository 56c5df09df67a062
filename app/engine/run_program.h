// run_program: what a run statement answers: the program compiled, run, checked and timed, beside what it is compared with; or what an
// earlier run found.
//
//     run gemm with M=8 compare cublas     asked for (the Run button, tessera eval): measured now, on the device of this machine
//                                          asked for, no device: the emulator's result and the compiler's figures; the table says why
//                                          not asked for, kept: what was measured, with its date; stale when the program has changed
//                                          not asked for, nothing kept: the emulator alone, for at most kUnaskedSteps steps
//
// Without RunSettings::results every run is asked for.
//
// Laws: a Diag is about the program, a device that failed, or says "cancelled"; never about a device or a library that is not there:
// those are rows that say why they have no time. Blocks until it is done: for a job's thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/engine/answers.h"
#include "app/engine/run_results.h"

namespace tessera {

inline constexpr i64 kUnaskedSteps = 40'000;  // of warps: about two seconds

struct RanProgram {
  measure::ComparisonTable table;
  bool asked = true;                // it ran because somebody wanted it to
  bool kept = false;                // it ran earlier
  bool stale = false;               // the program has changed since
  std::string view;                 // that the statement asks for
  std::vector<std::string> chosen;  // sizes that nobody gave
  // The kernel's row; null: there is none.
  [[nodiscard]] const measure::ComparisonRow* kernel() const;
  // It ran, and what it computed is right.
  [[nodiscard]] bool right() const;
  // It ran, and what it computed is not right.
  [[nodiscard]] bool wrong() const;
};

[[nodiscard]] Result<RanProgram> ranProgram(const RunRequest& request, const RunSettings& settings,
                                            const JobContext& context);

// "2026-11-22T10:00:00Z"
[[nodiscard]] std::string utcNow();
// One line: "gemm on NVIDIA H100, driver 12.4, 2026-11-22T10:00:00Z: right, 41.2 us".
[[nodiscard]] std::string summaryOf(const RanProgram& ran);

}  // namespace tessera
