// The report of a kernel's run as parts of a page: its verdict, findings and accesses as text, its source with the cost
// of each line, and the banks of its worst accesses to shared memory.
//
//     writeFile("k.html", htmlOf("transpose", partsOfKernel(answer, file, "transpose.ptx")));
#pragma once

#include <string>
#include <vector>

#include "app/engine/kernel/kernel_report.h"
#include "app/engine/report/report.h"

namespace tessera {

[[nodiscard]] std::vector<ReportPart> partsOfKernel(const KernelAnswer& answer, const KernelFile& file,
                                                    const std::string& path);

}  // namespace tessera
