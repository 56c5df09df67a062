// Document: the worksheet's text with its undo history and its file. No evaluation, no window.
//
// Typing runs are grouped: one-character insertions that continue each other are one undo step until a new word begins;
// anything else is its own step.
//
// Laws: undo(edit(t)) == t and redo(undo(x)) == x. A Document that is restored to the state() of another, or that goes
// through the same changes from there, has the same state: this is what a journal relies on (sheet_record.h).
// The text never has more than kMaxBytes, the history never more than kHistoryBytes: the oldest steps go first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/file_stamp.h"
#include "core/base/result.h"

namespace tessera {

// One step of the history.
struct Edit {
  std::size_t at = 0;
  std::string removed, inserted;
  std::size_t caretBefore = 0;
  bool typing = false;
  bool operator==(const Edit&) const = default;
};

// What happened to a document; who listens gets it after the fact.
struct Change {
  enum class Kind { Replace, Undo, Redo, Saved, Reset } kind = Kind::Replace;
  std::size_t begin = 0, end = 0;  // of Replace, in the text before
  std::string_view with = {};
  bool typing = false;
  std::size_t caretBefore = 0;
};

class Document {
 public:
  // Why a bound: a sheet of this size still answers every frame; what is larger is no worksheet but data.
  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
  static constexpr std::size_t kHistoryBytes = std::size_t{64} << 20;

  struct State {
    std::string text, saved, path;
    FileStamp stamp;
    std::size_t caret = 0;
    std::vector<Edit> undo, redo;
    bool operator==(const State&) const = default;
  };

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t caret() const { return caret_; }
  // Counts every change; equal revisions mean equal text.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  // The file as it was last read or written; what the user said of it afterwards counts, too.
  [[nodiscard]] const FileStamp& stamp() const { return stamp_; }
  [[nodiscard]] const std::string& savedText() const { return saved_; }
  [[nodiscard]] bool modified() const;

  // Replaces [begin, end) by `with`; the caret goes after it. `typing` lets it join the previous typing step. False, and
  // nothing is changed, when the text would have more than kMaxBytes.
  bool replace(std::size_t begin, std::size_t end, std::string_view with, bool typing = false);
  // "a worksheet holds at most 4 MiB; this and 104857600 bytes more are too much": why replace refused.
  [[nodiscard]] Diag tooLarge(std::size_t moreBytes) const;
  [[nodiscard]] bool canUndo() const { return !undo_.empty(); }
  [[nodiscard]] bool canRedo() const { return !redo_.empty(); }
  bool undo();
  bool redo();
  void setCaret(std::size_t caret) { caret_ = std::min(caret, text_.size()); }

  // A fresh text without history: a new worksheet, a gallery copy, a restored session.
  void reset(std::string text, std::string path = {}, bool saved = true);
  // Reads path. The document is unchanged on error.
  [[nodiscard]] Result<void> open(const std::string& path);
  void open(StampedFile file, std::string path);
  // Atomic: on any error (read-only folder, full disk) the old file stays whole and the Diag has the system's reason.
  [[nodiscard]] Result<void> saveAs(const std::string& path);
  // The file is known to hold `theirs` now, and the text stays what it is.
  void sawOnDisk(std::string theirs, const FileStamp& stamp);

  [[nodiscard]] State state() const;
  // About as many bytes as state() has.
  [[nodiscard]] std::size_t weight() const { return text_.size() + saved_.size() + historyBytes_ + redoBytes_; }
  void restore(State state);
  void onChange(std::function<void(const Change&)> listener) { listener_ = std::move(listener); }

 private:
  void push(Edit edit);
  void tell(const Change& change) const {
    if (listener_) listener_(change);
  }

  std::string text_, saved_, path_;
  FileStamp stamp_;
  std::size_t caret_ = 0;
  std::uint64_t revision_ = 0;
  std::deque<Edit> undo_;  // the oldest go from its front
  std::vector<Edit> redo_;
  std::size_t historyBytes_ = 0, redoBytes_ = 0;
  std::function<void(const Change&)> listener_;
  // modified() is asked several times a frame.
  mutable std::uint64_t comparedRevision_ = ~std::uint64_t{0};
  mutable bool modified_ = false;
};

// Whole or not at all, on the disk before it returns; regular files only (app/files/write_file.h).
[[nodiscard]] Result<void> writeFileAtomically(const std::string& path, std::string_view bytes);
// The whole file, at most maxBytes; a Diag with the system's reason otherwise.
[[nodiscard]] Result<std::string> readFile(const std::string& path, std::size_t maxBytes = std::size_t{256} << 20);

}  // namespace tessera
