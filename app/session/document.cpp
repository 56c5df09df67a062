#include "app/session/document.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

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
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  // A file that was made read-only on purpose stays as it is, although a rename could replace it.
  if (exists && (old.st_mode & 0222) == 0) return systemDiag("write", path, EACCES);
  const std::string temporary = fmt::format("{}.tessera-{}.tmp", path, ::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return systemDiag("write", path, errno);
  const auto fail = [&](int code) {
    ::close(file);
    ::unlink(temporary.c_str());
    return systemDiag("write", path, code);
  };
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(file, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(errno);
    done += static_cast<std::size_t>(n);
  }
  if (exists && ::fchmod(file, old.st_mode & 07777) != 0) return fail(errno);
  if (::fsync(file) != 0) return fail(errno);
  int code = ::close(file) == 0 ? 0 : errno;
  if (code == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) code = errno;
  if (code == 0) return {};
  ::unlink(temporary.c_str());
  return systemDiag("write", path, code);
}

Result<std::string> readFile(const std::string& path, std::size_t maxBytes) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return systemDiag("read", path, errno);
  if (S_ISDIR(info.st_mode)) return systemDiag("read", path, EISDIR);
  if (static_cast<std::size_t>(info.st_size) > maxBytes)
    return Diag{fmt::format("{} has {} bytes", path, info.st_size), fmt::format("at most {} bytes", maxBytes), "", {}};
  std::ifstream in(path, std::ios::binary);
  if (!in) return systemDiag("read", path, errno);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace tessera
