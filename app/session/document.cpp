#include "app/session/document.h"

#include <fmt/format.h>

#include <iterator>

#include "app/files/write_file.h"

namespace tessera {
namespace {

std::size_t weightOf(const Edit& e) { return e.removed.size() + e.inserted.size() + sizeof(Edit); }

}  // namespace

bool Document::modified() const {
  if (comparedRevision_ != revision_) {
    modified_ = text_ != saved_;
    comparedRevision_ = revision_;
  }
  return modified_;
}

Diag Document::tooLarge(std::size_t moreBytes) const {
  return Diag{fmt::format("a worksheet holds at most {} MiB; {} more bytes do not fit", kMaxBytes >> 20, moreBytes), "",
              text_.empty() ? "" : fmt::format("there is room for {} more", kMaxBytes - text_.size())};
}

bool Document::replace(std::size_t begin, std::size_t end, std::string_view with, bool typing) {
  begin = std::min(begin, text_.size());
  end = std::clamp(end, begin, text_.size());
  if (begin == end && with.empty()) return true;
  if (with.size() > kMaxBytes || text_.size() - (end - begin) + with.size() > kMaxBytes) return false;
  const std::size_t caretBefore = caret_;
  Edit edit{begin, text_.substr(begin, end - begin), std::string(with), caret_, typing};
  text_.replace(begin, end - begin, with);
  caret_ = begin + edit.inserted.size();
  ++revision_;
  redo_.clear();
  push(std::move(edit));
  tell({Change::Kind::Replace, begin, end, with, typing, caretBefore});
  return true;
}

// A letter that continues the last word is merged into its step.
void Document::push(Edit edit) {
  if (edit.typing && !undo_.empty() && undo_.back().typing && edit.removed.empty() && edit.inserted != "\n") {
    Edit& last = undo_.back();
    const bool newWord = edit.inserted == " " && !last.inserted.empty() && last.inserted.back() != ' ';
    if (last.at + last.inserted.size() == edit.at && !newWord) {
      last.inserted += edit.inserted;
      historyBytes_ += edit.inserted.size();
      return;
    }
  }
  historyBytes_ += weightOf(edit);
  undo_.push_back(std::move(edit));
  while (historyBytes_ > kHistoryBytes && undo_.size() > 1) {
    historyBytes_ -= weightOf(undo_.front());
    undo_.pop_front();
  }
}

// Moves the last edit of `from` to `to`, undoing it or (not back) redoing it.
bool Document::step(auto& from, auto& to, bool back) {
  if (from.empty()) return false;
  Edit e = std::move(from.back());
  from.pop_back();
  if (e.at > text_.size()) return false;  // from a damaged journal
  const std::string &old = back ? e.inserted : e.removed, &now = back ? e.removed : e.inserted;
  text_.replace(e.at, old.size(), now);
  caret_ = back ? e.caretBefore : e.at + now.size();
  ++revision_;
  historyBytes_ = back ? historyBytes_ - weightOf(e) : historyBytes_ + weightOf(e);
  to.push_back(std::move(e));
  tell({back ? Change::Kind::Undo : Change::Kind::Redo});
  return true;
}

bool Document::undo() { return step(undo_, redo_, /*back=*/true); }

bool Document::redo() { return step(redo_, undo_, /*back=*/false); }

void Document::reset(const std::string& text, std::string path, bool saved) {
  restore({text, saved ? text : std::string(), std::move(path), {}, 0, {}, {}});
}

Document::State Document::state() const {
  return {text_, saved_, path_, stamp_, caret_, {undo_.begin(), undo_.end()}, redo_};
}

void Document::restore(State state) {
  text_ = std::move(state.text);
  saved_ = std::move(state.saved);
  path_ = std::move(state.path);
  stamp_ = state.stamp;
  caret_ = std::min(state.caret, text_.size());
  undo_.assign(std::make_move_iterator(state.undo.begin()), std::make_move_iterator(state.undo.end()));
  redo_ = std::move(state.redo);
  historyBytes_ = 0;
  for (const Edit& e : undo_) historyBytes_ += weightOf(e);
  ++revision_;
  tell({Change::Kind::Reset});
}

void Document::open(const StampedFile& file, std::string path) {
  restore({file.bytes, file.bytes, std::move(path), file.stamp, 0, {}, {}});
}

Result<void> Document::saveAs(const std::string& path) {
  TESSERA_CHECKED(writeFileAtomically(path, text_));
  path_ = path;
  const auto written = readStamped(path, kMaxBytes);
  const std::uint64_t sum = checksum(text_);
  // A write by another program directly after ours is detected next time: no file has inode 0.
  stamp_ = written.ok() && written->stamp.sum == sum ? written->stamp : FileStamp{0, 0, text_.size(), 0, sum};
  saved_ = text_;
  comparedRevision_ = ~std::uint64_t{0};
  tell({Change::Kind::Saved});
  return {};
}

void Document::sawOnDisk(std::string theirs, const FileStamp& stamp) {
  saved_ = std::move(theirs);
  stamp_ = stamp;
  comparedRevision_ = ~std::uint64_t{0};
  tell({Change::Kind::Saved});
}

Result<void> writeFileAtomically(const std::string& path, std::string_view bytes) {
  return writeWhole(path, bytes, {.flushToDisk = true});
}

Result<std::string> readFile(const std::string& path, std::size_t maxBytes) {
  TESSERA_TRY(StampedFile file, readStamped(path, maxBytes));
  return std::move(file.bytes);
}

}  // namespace tessera
