// The HLO dumps of the tests, and those of TESSERA_CASES where it is set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace tessera::testing {

// Those of at most `most` bytes, sorted.
inline std::vector<std::filesystem::path> hloDumps(std::uintmax_t most = UINTMAX_MAX) {
  namespace files = std::filesystem;
  std::vector<files::path> found;
  std::vector<files::path> folders{TESSERA_SOURCE_DIR "/tests/cases/hlo"};
  if (const char* cases = std::getenv("TESSERA_CASES")) folders.push_back(files::path(cases) / "hlo_real");
  for (const files::path& folder : folders)
    if (files::is_directory(folder))
      for (const auto& entry : files::directory_iterator(folder))
        if (entry.path().extension() == ".hlo" && entry.file_size() <= most) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace tessera::testing
