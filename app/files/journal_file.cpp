#include "app/files/journal_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "app/files/file_stamp.h"
#include "app/files/write_file.h"

namespace tessera {
namespace {

constexpr std::string_view kHeader = "tessera journal 1\n";

Diag systemDiag(const char* doing, const std::string& path, int error) {
  return Diag{fmt::format("cannot {} '{}': {}", doing, path, std::strerror(error))};
}

// Takes the first record off bytes; nullopt if it is incomplete.
std::optional<std::string_view> nextRecord(std::string_view& bytes) {
  std::uint64_t size = 0, sum = 0;
  const char* const end = bytes.data() + bytes.size();
  const auto length = std::from_chars(bytes.data(), end, size);
  if (length.ec != std::errc() || length.ptr == end || *length.ptr != ' ') return std::nullopt;
  const auto check = std::from_chars(length.ptr + 1, end, sum, 16);
  if (check.ec != std::errc() || check.ptr == end || *check.ptr != '\n') return std::nullopt;
  const auto head = static_cast<std::size_t>(check.ptr + 1 - bytes.data());
  if (size >= bytes.size() - head || bytes[head + size] != '\n') return std::nullopt;
  const std::string_view record = bytes.substr(head, size);
  if (checksum(record) != sum) return std::nullopt;
  bytes.remove_prefix(head + size + 1);
  return record;
}

// Whether the name still refers to the open file: a rewrite renames another one to it.
bool stillNamed(int file, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

// Creates and locks a file with these bytes; -1 with errno.
int createLocked(const std::string& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  // Fails on a file system without locks: then no other process can lock it either, and names are unique.
  (void)::flock(file, LOCK_EX | LOCK_NB);
  const int error = writeAll(file, bytes);
  if (error == 0) return file;
  ::close(file);
  ::unlink(path.c_str());
  errno = error;
  return -1;
}

}  // namespace

std::string framed(std::string_view record) {
  std::string text = fmt::format("{} {:016x}\n", record.size(), checksum(record));
  text.reserve(text.size() + record.size() + 1);
  text += record;
  text += '\n';
  return text;
}

Result<JournalRead> readJournal(const std::string& path, std::size_t maxBytes) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return systemDiag("read", path, errno);
  std::string bytes;
  const int error = readAll(file, maxBytes, bytes);
  ::close(file);
  if (error != 0) return systemDiag("read", path, error);
  std::string_view rest = bytes;
  if (rest.substr(0, kHeader.size()) != kHeader) return Diag{fmt::format("'{}' is not a journal", path)};
  rest.remove_prefix(kHeader.size());
  JournalRead read;
  while (const auto record = nextRecord(rest)) read.records.emplace_back(*record);
  read.goodBytes = bytes.size() - rest.size();
  read.damaged = !rest.empty();
  return read;
}

bool journalIsLive(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return false;
  const bool live = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return live;
}

Result<JournalFile> JournalFile::create(const std::string& path) {
  const int file = createLocked(path, kHeader);
  if (file < 0) return systemDiag("write", path, errno);
  syncFolderOf(path);
  return JournalFile(path, file, kHeader.size());
}

Result<JournalFile> JournalFile::take(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return systemDiag("take", path, errno);
  JournalFile taken(path, file, 0);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) return systemDiag("take", path, errno);
  if (!stillNamed(file, path)) return systemDiag("take", path, ESTALE);
  TESSERA_TRY(const JournalRead read, readJournal(path));
  taken.end_ = read.goodBytes;
  return taken;
}

JournalFile::~JournalFile() {
  if (file_ >= 0) ::close(file_);
}

JournalFile::JournalFile(JournalFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), end_(other.end_) {}

JournalFile& JournalFile::operator=(JournalFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(end_, other.end_);
  return *this;
}

Result<void> JournalFile::append(std::string_view framedRecords) {
  if (::ftruncate(file_, static_cast<off_t>(end_)) != 0 || ::lseek(file_, static_cast<off_t>(end_), SEEK_SET) < 0)
    return systemDiag("write", path_, errno);
  if (const int error = writeAll(file_, framedRecords); error != 0) return systemDiag("write", path_, error);
  end_ += framedRecords.size();
  return {};
}

Result<void> JournalFile::sync() {
  if (::fdatasync(file_) != 0) return systemDiag("write", path_, errno);
  return {};
}

Result<void> JournalFile::rewrite(std::string_view framedRecords) {
  const std::string fresh = path_ + ".new";
  ::unlink(fresh.c_str());  // left by a process killed here; the lock proves that it is ours
  const int file = createLocked(fresh, kHeader);
  if (file < 0) return systemDiag("write", path_, errno);
  int error = writeAll(file, framedRecords);
  if (error == 0 && ::fdatasync(file) != 0) error = errno;
  if (error == 0 && ::rename(fresh.c_str(), path_.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(fresh.c_str());
    ::close(file);
    return systemDiag("write", path_, error);
  }
  ::close(std::exchange(file_, file));
  end_ = kHeader.size() + framedRecords.size();
  syncFolderOf(path_);
  return {};
}

void JournalFile::remove() { ::unlink(path_.c_str()); }

}  // namespace tessera
