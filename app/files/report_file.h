// report_file: a report (app/engine/report/report.h) on disk: a Markdown file, and its pictures in a folder beside it.
//
//     writeReport("out/sheet.md", text, {{"sheet_pictures/1-s-as-grid.svg", bytes}})
//         out/sheet.md
//         out/sheet_pictures/1-s-as-grid.svg
//
// Laws: the folder is the only one that is created. The pictures are written first, so the text never links to a
// picture that could not be written. Without pictures there is no folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera {

struct ReportFile {
  std::string name;  // relative to the report: FOLDER/FILE
  std::string bytes;
};

// "sheet_pictures", for "out/sheet.md".
[[nodiscard]] std::string pictureFolderOf(const std::string& path);
[[nodiscard]] Result<void> writeReport(const std::string& path, std::string_view markdown,
                                       const std::vector<ReportFile>& pictures);

}  // namespace tessera
