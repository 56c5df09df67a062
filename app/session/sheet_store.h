// SheetStore: the folder of journals, one a sheet, in which no typing is lost whatever ends a window.
//
//     SheetStore store(folder, Journal::Pace::Background);
//     document.onChange([&](const Change& c) { store.record(c, document); });
//     ...                                      // kill -9
//     SheetStore next(folder, ...);            // the next start
//     next.others().front().summary            // "sheet.tess", 12 lines, modified, not ended
//     next.take(next.others().front().id)      // its document with its whole history; the journal is ours from now on
//
// Laws: a window writes into its own journal alone, and holds it by a lock: two windows, also of one file, never meet. What
// was not saved is never removed by itself; of what was, or what another sheet replaced, the newest kKept stay.
#pragma once

#include <ctime>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/session/journal.h"
#include "app/session/sheet_record.h"

namespace tessera {

class SheetStore {
 public:
  static constexpr std::size_t kKept = 60;
  static constexpr std::string_view kRunsEnding = ".runs.json";  // results of runs, beside a sheet or its journal

  struct Sheet {
    std::string id;
    SheetSummary summary;
    std::time_t when = 0;  // of its last change
  };
  struct Taken {
    Sheet sheet;
    Document::State state;
  };

  explicit SheetStore(std::filesystem::path folder, Journal::Pace pace = Journal::Pace::Background);

  // Every sheet that no window has open, the newest first.
  [[nodiscard]] std::vector<Sheet> others() const { return listed(/*live=*/false); }
  // Those that other windows have open now.
  [[nodiscard]] std::vector<Sheet> inOtherWindows() const { return listed(/*live=*/true); }
  // The text of one, as far as its window has written it. It stays whose it is.
  [[nodiscard]] std::optional<std::string> textOf(const std::string& id) const;
  // Nothing when it is damaged, gone, or another window was faster. Before it, end what is open.
  [[nodiscard]] std::optional<Taken> take(const std::string& id);
  // The newest sheet of that file which last saw these bytes on disk.
  [[nodiscard]] std::optional<Taken> takeFile(const std::string& path, std::uint64_t sum);
  void forget(const std::string& id);

  // Begins a journal where there is none. A Reset makes the journal that of the document as it is now.
  void record(const Change& change, const Document& document);
  // The open sheet stays in the folder, unless there is nothing in it that a file does not have.
  void end(const Document& document, Ended ended);
  [[nodiscard]] Result<void> flush();
  // What was recorded survives this process from now on. The one function that another thread may call.
  void settle();
  [[nodiscard]] std::string problem() const;  // why typing is not kept just now; "" when it is
  [[nodiscard]] std::string id() const;       // of the open sheet

 private:
  [[nodiscard]] std::string pathOf(const std::string& id) const;
  [[nodiscard]] std::vector<Sheet> listed(bool live) const;
  [[nodiscard]] std::optional<Taken> read(const std::string& id) const;
  void begin(const Document& document);
  void become(std::unique_ptr<Journal> journal);
  void whole(const Document& document, Ended ended);
  void prune();
  void forgetOrphans();

  std::filesystem::path folder_;
  Journal::Pace pace_;
  std::string problem_;
  std::mutex opening_;  // held where journal_ becomes another one
  std::unique_ptr<Journal> journal_;
  std::string filePath_;        // the document's when the journal was last written whole
  std::size_t wholeBytes_ = 0;  // as large as it was then
  std::size_t recorded_ = 0;    // bytes since
  std::size_t replayWork_ = 0;  // bytes that reading them back would move about
};

}  // namespace tessera
