// The report of a kernel's machine code, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "core/sass/report.h"

namespace tessera {

[[nodiscard]] std::vector<std::string> sassReportText(const sass::Kernel& kernel, const sass::KernelReport& report);
[[nodiscard]] std::string sassReportJson(const sass::Kernel& kernel, const sass::KernelReport& report);

}  // namespace tessera
