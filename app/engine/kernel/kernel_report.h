// The report of a kernel's run, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "app/engine/kernel/kernel_run.h"
#include "app/files/kernel_source.h"

namespace tessera {

// The comparison with the reference, its proofs, the findings, the accesses, the verdict, the barriers.
[[nodiscard]] std::vector<std::string> kernelAnswerText(const KernelAnswer& answer, KernelSource& source);
[[nodiscard]] std::string kernelAnswerJson(const KernelAnswer& answer, const KernelSource& source);
[[nodiscard]] std::string_view spaceText(ptx::Space space);  // "shared", "global" ...
// "deadlock" ... "clean", with what it covers.
[[nodiscard]] std::string verdictText(const kernel::Report& report);

}  // namespace tessera
