// Results of runs are stored with the sheet: in a file beside it, or beside its journal if it has no file.
//
//     gemm.tess                 gemm.tess.runs.json
//     a sheet without a file    ~/.local/state/tessera/session.sheets/1f3c....runs.json
//
// Why beside it and not in it: people write and compare the text; one machine's measurements of one day are not part of
// it. To share results, copy or commit the second file.
#include <filesystem>

#include "app/session/session.h"

namespace tessera {

constexpr std::size_t kMostRunBytes = std::size_t{16} << 20;

std::string Session::runsPath() const {
  const std::string ending(SheetStore::kRunsEnding);
  if (!document_.path().empty()) return document_.path() + ending;
  const std::string id = sheets_ ? sheets_->id() : "";
  return id.empty() ? "" : (sheetsFolder() / (id + ending)).string();
}

// Another sheet was opened: loads its results, if any.
void Session::loadRuns() {
  runs_->clear();
  runsAt_ = runsPath();
  std::error_code failed;
  if (!runsAt_.empty() && std::filesystem::is_regular_file(runsAt_, failed)) {
    const auto text = readFile(runsAt_, kMostRunBytes);
    const auto read = text.ok() ? runs_->read(*text) : Result<void>(text.error());
    if (!read.ok()) tell("earlier results of runs cannot be read: " + read.error().message, true);
  }
  runsWritten_ = runs_->revision();
}

// Writes new results, or all if the sheet has a new file.
void Session::keepRuns() {
  if (runs_->revision() == runsWritten_ && (runs_->empty() || document_.path().empty() || runsPath() == runsAt_))
    return;
  runsWritten_ = runs_->revision();
  runsAt_ = runsPath();
  if (runsAt_.empty() || runs_->empty()) return;
  const auto written = writeFileAtomically(runsAt_, runs_->text());
  const std::string problem = written.ok() ? "" : written.error().message;
  if (!problem.empty() && problem != runsProblem_) tell("results of runs are not kept: " + problem, true);
  runsProblem_ = problem;
}

}  // namespace tessera
