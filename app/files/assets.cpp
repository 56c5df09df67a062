#include "app/files/assets.h"

#include <cstdlib>
#include <filesystem>

namespace tessera {
namespace fs = std::filesystem;

std::string assetsFolder() {
  std::error_code failed;
  if (const char* given = std::getenv("TESSERA_ASSETS")) return given;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const fs::path installed = self.parent_path().parent_path() / "share" / "tessera";
    if (fs::exists(installed / "gallery", failed)) return installed.string();
  }
  return TESSERA_SOURCE_ASSETS;
}

}  // namespace tessera
