// SheetStore: a folder of journals, one per sheet, so that no typing is lost however a window ends.
//
//     SheetStore store;
//     store.open(folder, Journal::Pace::Background);
//     document.onChange([&](const Change& c) { store.record(c, document); });
//     ...                                      // kill -9
//     next.open(folder, ...);                  // the next start
//     next.others().front().summary            // "sheet.tess", 12 lines, modified, not ended
//     next.take(next.others().front().id)      // its document with its history; this store now owns the journal
//
// Laws: a window writes only its own journal and holds its lock: two windows never interfere, even on one file. Unsaved
// sheets are never removed automatically; of saved or replaced ones the newest kKept are kept.
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/measure/run_results.h"
#include "app/session/journal.h"
#include "app/session/sheet_record.h"
#include "core/base/result.h"

namespace tessera {

class SheetStore {
 public:
  static constexpr std::size_t kKept = 60;
  static constexpr std::string_view kRunsEnding = ".runs.json";  // results of runs, beside a sheet or its journal

  struct Sheet {
    std::string id;
    SheetSummary summary;
    std::time_t when = 0;  // of the last change
  };
  struct Taken {
    Sheet sheet;
    Document::State state;
  };

  // Before this call there are no sheets, and record() must not be called.
  void open(const std::string& folder, Journal::Pace pace = Journal::Pace::Background);
  [[nodiscard]] bool isOpen() const { return !folder_.empty(); }

  // Sheets that no window has open, newest first.
  [[nodiscard]] std::vector<Sheet> others() const { return listed(/*live=*/false); }
  // Sheets that other windows have open.
  [[nodiscard]] std::vector<Sheet> inOtherWindows() const { return listed(/*live=*/true); }
  // The text of a sheet that its window has written so far. Does not take ownership.
  [[nodiscard]] std::optional<std::string> textOf(const std::string& id) const;
  // nullopt if it is damaged, gone, or was taken by another window first. Requires: end() was called for the open
  // sheet.
  [[nodiscard]] std::optional<Taken> take(const std::string& id);
  // The newest sheet of that file whose last seen disk contents have this checksum.
  [[nodiscard]] std::optional<Taken> takeFile(const std::string& path, std::uint64_t sum);
  void forget(const std::string& id);

  // Creates a journal if there is none. A Reset rewrites the journal to the current document.
  void record(const Change& change, const Document& document);
  // Keeps the open sheet in the folder, unless a file has all of it.
  void end(const Document& document, Ended ended);
  [[nodiscard]] Result<void> flush();
  // Ensures that everything recorded survives this process. The only function callable from another thread.
  void settle();
  [[nodiscard]] std::string problem() const;  // why typing is currently not recorded; "" if it is
  [[nodiscard]] std::string id() const;       // of the open sheet

 private:
  [[nodiscard]] std::string pathOf(const std::string& id) const;
  [[nodiscard]] std::vector<Sheet> listed(bool live) const;
  [[nodiscard]] std::optional<Taken> read(const std::string& id) const;
  void begin(const Document& document);
  void become(std::unique_ptr<Journal> journal);
  void whole(const Document& document, Ended ended);
  void prune();

  std::string folder_;
  Journal::Pace pace_ = Journal::Pace::Background;
  std::string problem_;
  std::mutex opening_;  // held while journal_ is replaced
  std::unique_ptr<Journal> journal_;
  std::string filePath_;        // the document's when the journal was last rewritten
  std::size_t wholeBytes_ = 0;  // the journal's size then
  std::size_t recorded_ = 0;    // bytes since then
  std::size_t replayWork_ = 0;  // bytes moved by replaying them
};

// Whether two paths refer to the same file; not if one is "".
[[nodiscard]] bool sameFile(const std::string& a, const std::string& b);
// "sheet.tess"; `otherwise` for a sheet without a file.
[[nodiscard]] std::string fileNameOf(const std::string& path, const char* otherwise);
// The local time, by a format of strftime.
[[nodiscard]] std::string timeText(std::time_t when, const char* format);

// KeptRuns: results of runs are stored with the sheet: in a file beside it, or beside its journal if it has no file.
//
//     gemm.tess                 gemm.tess.runs.json
//     a sheet without a file    ~/.local/state/tessera/session.sheets/1f3c....runs.json
//
// Why beside it and not in it: people write and compare the text; one machine's measurements of one day are not part of
// it. To share results, copy or commit the second file.
class KeptRuns {
 public:
  // Another sheet was opened: replaces the results by those of its file `path`, or, if that is "", of its journal.
  [[nodiscard]] Result<void> load(RunResults& results, const std::string& path, const std::string& journalId);
  // Writes new results, or all if the sheet has a new file. Returns each problem once.
  [[nodiscard]] Result<void> keep(const RunResults& results, const std::string& path, const std::string& journalId);

 private:
  std::string at_;             // the file that the results were read from or written to
  std::uint64_t written_ = 0;  // their revision at that time
  std::string problem_;        // why that failed, if already reported
};

}  // namespace tessera
