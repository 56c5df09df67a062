// tessera draw SHEET -o REPORT.md: the whole worksheet as Markdown (app/engine/report/report.h), its pictures as SVG
// files in REPORT_pictures beside it. -o REPORT.html: as one HTML file.
//
// Exit codes are those of draw: 1 if something was refuted, unknown or failed; the report then says what.
#pragma once

#include <string_view>

#include "app/cli/commands.h"
#include "app/cli/io/output.h"
#include "app/cli/io/report.h"
#include "app/engine/report/report.h"

namespace tessera {

[[nodiscard]] int drawReport(std::string_view sheet, const DrawCommandOptions& options, const Complaints& wrong,
                             Output& out);
// Writes the parts as an HTML page to the output.
[[nodiscard]] int writePage(const std::string& title, const std::vector<ReportPart>& parts,
                            const DrawCommandOptions& options, const Complaints& wrong, Output& out);

}  // namespace tessera
