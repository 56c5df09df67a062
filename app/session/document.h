// Document: the worksheet's text with its undo history and its file. No evaluation, no window.
//
// Typing is grouped: consecutive one-character insertions form one undo step until a new word begins; every other edit
// is a step.
//
// Laws: undo(edit(t)) == t and redo(undo(x)) == x. A Document restored to the state() of another, or put through the
// same changes from there, has the same state: journals rely on this (sheet_record.h). The text has at most kMaxBytes,
// the history at most kHistoryBytes: the oldest steps are dropped first.
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

// A change of a document, reported to listeners afterwards.
struct Change {
  enum class Kind { Replace, Undo, Redo, Saved, Reset } kind = Kind::Replace;
  std::size_t begin = 0, end = 0;  // for Replace, in the previous text
  std::string_view with = {};
  bool typing = false;
  std::size_t caretBefore = 0;
};

class Document {
 public:
  // Why a limit: a sheet of this size can still be processed in every frame; anything larger is data, not a worksheet.
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
  // The file as last read or written, or as accepted by the user since.
  [[nodiscard]] const FileStamp& stamp() const { return stamp_; }
  [[nodiscard]] const std::string& savedText() const { return saved_; }
  [[nodiscard]] bool modified() const;

  // Replaces [begin, end) by `with`; the caret goes after it. `typing` allows merging with the previous typing step.
  // Returns false, without a change, if the text would exceed kMaxBytes.
  bool replace(std::size_t begin, std::size_t end, std::string_view with, bool typing = false);
  // The error for that: "a worksheet holds at most 4 MiB; 104857600 more bytes do not fit".
  [[nodiscard]] Diag tooLarge(std::size_t moreBytes) const;
  [[nodiscard]] bool canUndo() const { return !undo_.empty(); }
  [[nodiscard]] bool canRedo() const { return !redo_.empty(); }
  bool undo();
  bool redo();
  void setCaret(std::size_t caret) { caret_ = std::min(caret, text_.size()); }

  // A fresh text without history: a new worksheet, a gallery copy, a restored session.
  void reset(const std::string& text, std::string path = {}, bool saved = true);
  void open(const StampedFile& file, std::string path);
  // Atomic: on any error (read-only folder, full disk) the old file is unchanged and the Diag has the system's reason.
  [[nodiscard]] Result<void> saveAs(const std::string& path);
  // Records that the file now contains `theirs`; the text is unchanged.
  void sawOnDisk(std::string theirs, const FileStamp& stamp);

  [[nodiscard]] State state() const;
  void restore(State state);
  void onChange(std::function<void(const Change&)> listener) { listener_ = std::move(listener); }

 private:
  void push(Edit edit);
  bool step(auto& from, auto& to, bool back);
  void tell(const Change& change) const {
    if (listener_) listener_(change);
  }

  std::string text_, saved_, path_;
  FileStamp stamp_;
  std::size_t caret_ = 0;
  std::uint64_t revision_ = 0;
  std::deque<Edit> undo_;  // the oldest are dropped from the front
  std::vector<Edit> redo_;
  std::size_t historyBytes_ = 0;
  std::function<void(const Change&)> listener_;
  // Cached, because modified() is called several times per frame.
  mutable std::uint64_t comparedRevision_ = ~std::uint64_t{0};
  mutable bool modified_ = false;
};

// Atomic, and on the disk before it returns; regular files only (app/files/write_file.h).
[[nodiscard]] Result<void> writeFileAtomically(const std::string& path, std::string_view bytes);
// The whole file, at most maxBytes; a Diag with the system's reason otherwise.
[[nodiscard]] Result<std::string> readFile(const std::string& path, std::size_t maxBytes = std::size_t{256} << 20);

}  // namespace tessera
