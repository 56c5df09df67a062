// Document: the worksheet's text with its undo history and its file. No evaluation, no window.
//
// Typing runs are grouped: one-character insertions that continue each other are one undo step until a new word begins;
// anything else is its own step. Law: undo(edit(t)) == t and redo(undo(x)) == x.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera {

class Document {
 public:
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t caret() const { return caret_; }
  // Counts every change; equal revisions mean equal text.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool modified() const { return text_ != saved_; }

  // Replaces [begin, end) by `with`; the caret goes after it. `typing` lets it join the previous typing step.
  void replace(std::size_t begin, std::size_t end, std::string_view with, bool typing = false);
  [[nodiscard]] bool canUndo() const { return !undo_.empty(); }
  [[nodiscard]] bool canRedo() const { return !redo_.empty(); }
  bool undo();
  bool redo();
  void setCaret(std::size_t caret) { caret_ = std::min(caret, text_.size()); }

  // A fresh text without history: a new worksheet, a gallery copy, a restored session.
  void reset(std::string text, std::string path = {}, bool saved = true);
  // Reads path. The document is unchanged on error.
  [[nodiscard]] Result<void> open(const std::string& path);
  // Atomic: on any error (read-only folder, full disk) the old file stays whole and the Diag has the system's reason.
  [[nodiscard]] Result<void> saveAs(const std::string& path);

 private:
  struct Edit {
    std::size_t at = 0;
    std::string removed, inserted;
    std::size_t caretBefore = 0;
    bool typing = false;
  };
  std::string text_, saved_, path_;
  std::size_t caret_ = 0;
  std::uint64_t revision_ = 0;
  std::vector<Edit> undo_, redo_;
};

// Whole or not at all, on the disk before it returns; regular files only (app/files/write_file.h).
[[nodiscard]] Result<void> writeFileAtomically(const std::string& path, std::string_view bytes);
// The whole file, at most maxBytes; a Diag with the system's reason otherwise.
[[nodiscard]] Result<std::string> readFile(const std::string& path, std::size_t maxBytes = std::size_t{256} << 20);

}  // namespace tessera
