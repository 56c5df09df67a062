#include "app/session/kept_runs.h"

#include <filesystem>

#include "app/session/document.h"
#include "app/session/preferences.h"
#include "app/session/sheet_store.h"

namespace tessera {
namespace {

constexpr std::size_t kMostRunBytes = std::size_t{16} << 20;

std::string fileOf(const std::string& path, const std::string& journalId) {
  const std::string ending(SheetStore::kRunsEnding);
  if (!path.empty()) return path + ending;
  return journalId.empty() ? "" : (sheetsFolder() / (journalId + ending)).string();
}

}  // namespace

Result<void> KeptRuns::load(RunResults& results, const std::string& path, const std::string& journalId) {
  results.clear();
  at_ = fileOf(path, journalId);
  Result<void> read;
  std::error_code failed;
  if (!at_.empty() && std::filesystem::is_regular_file(at_, failed)) {
    const auto text = readFile(at_, kMostRunBytes);
    read = text.ok() ? results.read(*text) : Result<void>(text.error());
  }
  written_ = results.revision();
  if (!read.ok()) return Diag{"earlier results of runs cannot be read: " + read.error().message};
  return {};
}

Result<void> KeptRuns::keep(const RunResults& results, const std::string& path, const std::string& journalId) {
  if (results.revision() == written_ && (results.empty() || path.empty() || fileOf(path, journalId) == at_)) return {};
  written_ = results.revision();
  at_ = fileOf(path, journalId);
  if (at_.empty() || results.empty()) return {};
  const auto written = writeFileAtomically(at_, results.text());
  const std::string before = std::exchange(problem_, written.ok() ? "" : written.error().message);
  if (!problem_.empty() && problem_ != before) return Diag{"results of runs are not kept: " + problem_};
  return {};
}

}  // namespace tessera
