#include "app/files/report_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "app/files/write_file.h"

namespace tessera {
namespace fs = std::filesystem;

std::string pictureFolderOf(const std::string& path) { return fs::path(path).stem().string() + "_pictures"; }

Result<void> writeReport(const std::string& path, std::string_view markdown, const std::vector<ReportFile>& pictures) {
  const fs::path beside = fs::path(path).parent_path(), folder = beside / pictureFolderOf(path);
  if (!pictures.empty()) {
    std::error_code failed;
    fs::create_directory(folder, failed);
    if (!failed && !fs::is_directory(folder, failed)) failed = std::make_error_code(std::errc::not_a_directory);
    if (failed)
      return Diag{fmt::format("cannot create the folder '{}' for the pictures: {}", folder.string(), failed.message()),
                  "a place where a folder can be created", "-o in another folder"};
  }
  for (const ReportFile& picture : pictures)
    TESSERA_CHECKED(writeWhole((beside / picture.name).string(), picture.bytes));
  return writeWhole(path, markdown);
}

}  // namespace tessera
