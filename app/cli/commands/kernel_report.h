// The report of a kernel's run, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "app/files/kernel_source.h"
#include "solver/kernel/kernel.h"
#include "solver/kernel/reference/proof.h"

namespace tessera {

[[nodiscard]] std::vector<std::string> kernelReportText(const kernel::Report& report, KernelSource& source);
[[nodiscard]] std::string kernelReportJson(const kernel::Report& report, const KernelSource& source,
                                           const std::vector<kernel::Synchronization>* barriers,
                                           const std::vector<kernel::reference::Proof>& proofs);
[[nodiscard]] std::vector<std::string> barriersText(const std::vector<kernel::Synchronization>& barriers,
                                                    KernelSource& source);
// "deadlock" ... "clean", with what it covers.
[[nodiscard]] std::string verdictText(const kernel::Report& report);

}  // namespace tessera
