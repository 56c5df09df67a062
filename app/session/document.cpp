#include "app/session/document.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "app/files/write_file.h"

namespace tessera {
namespace {

// Undo is bounded by memory, not by count: the oldest steps go first.
constexpr std::size_t kHistoryBytes = std::size_t{64} << 20;

Diag systemDiag(const std::string& doing, const std::string& path, int code) {
  return Diag{fmt::format("cannot {} {}: {}", doing, path, std::strerror(code)), "", "", {}};
}

}  // namespace

void Document::replace(std::size_t begin, std::size_t end, std::string_view with, bool typing) {
  begin = std::min(begin, text_.size());
  end = std::clamp(end, begin, text_.size());
  if (begin == end && with.empty()) return;
  Edit edit{begin, text_.substr(begin, end - begin), std::string(with), caret_, typing};
  text_.replace(begin, end - begin, with);
  caret_ = begin + edit.inserted.size();
  ++revision_;
  redo_.clear();
  if (typing && !undo_.empty() && undo_.back().typing && edit.removed.empty() && edit.inserted != "\n") {
    Edit& last = undo_.back();
    const bool newWord = edit.inserted == " " && !last.inserted.empty() && last.inserted.back() != ' ';
    if (last.at + last.inserted.size() == begin && !newWord) {
      last.inserted += edit.inserted;
      return;
    }
  }
  undo_.push_back(std::move(edit));
  const auto weight = [](const Edit& e) { return e.removed.size() + e.inserted.size() + sizeof(Edit); };
  std::size_t bytes = 0;
  for (const Edit& e : undo_) bytes += weight(e);
  while (bytes > kHistoryBytes && undo_.size() > 1) {
    bytes -= weight(undo_.front());
    undo_.erase(undo_.begin());
  }
}

bool Document::undo() {
  if (undo_.empty()) return false;
  Edit e = std::move(undo_.back());
  undo_.pop_back();
  text_.replace(e.at, e.inserted.size(), e.removed);
  caret_ = e.caretBefore;
  ++revision_;
  redo_.push_back(std::move(e));
  return true;
}

bool Document::redo() {
  if (redo_.empty()) return false;
  Edit e = std::move(redo_.back());
  redo_.pop_back();
  text_.replace(e.at, e.removed.size(), e.inserted);
  caret_ = e.at + e.inserted.size();
  ++revision_;
  undo_.push_back(std::move(e));
  return true;
}

void Document::reset(std::string text, std::string path, bool saved) {
  text_ = std::move(text);
  saved_ = saved ? text_ : std::string();
  path_ = std::move(path);
  caret_ = 0;
  ++revision_;
  undo_.clear();
  redo_.clear();
}

Result<void> Document::open(const std::string& path) {
  TESSERA_TRY(std::string text, readFile(path));
  reset(std::move(text), path);
  return {};
}

Result<void> Document::saveAs(const std::string& path) {
  TESSERA_CHECKED(writeFileAtomically(path, text_));
  path_ = path;
  saved_ = text_;
  return {};
}

Result<void> writeFileAtomically(const std::string& path, std::string_view bytes) {
  return writeWhole(path, bytes, {.flushToDisk = true});
}

Result<std::string> readFile(const std::string& path, std::size_t maxBytes) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return systemDiag("read", path, errno);
  if (S_ISDIR(info.st_mode)) return systemDiag("read", path, EISDIR);
  if (static_cast<std::size_t>(info.st_size) > maxBytes)
    return Diag{fmt::format("{} has {} bytes", path, info.st_size), fmt::format("at most {} bytes", maxBytes), "", {}};
  std::ifstream in(path, std::ios::binary);
  if (!in) return systemDiag("read", path, errno);
  std::string bytes;
  std::array<char, 65536> chunk{};
  while (in.read(chunk.data(), chunk.size()) || in.gcount() > 0) {
    bytes.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > maxBytes)  // a device has no size and no end
      return Diag{fmt::format("{} is too large", path), fmt::format("at most {} bytes", maxBytes), "", {}};
  }
  return bytes;
}

}  // namespace tessera
