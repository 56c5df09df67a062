#include "app/files/file_stamp.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/files/checksum.h"
#include "app/files/write_file.h"

namespace tessera {
namespace {

Diag cannotRead(const std::string& path, int error) {
  return Diag{fmt::format("cannot read {}: {}", path, std::strerror(error))};
}

Diag tooLarge(const std::string& path, std::size_t bytes, std::size_t maxBytes) {
  return Diag{fmt::format("{} has {} bytes, a worksheet at most {}", path, bytes, maxBytes),
              fmt::format("at most {} bytes", maxBytes)};
}

FileStamp stampOf(const struct stat& info) {
  return {static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino),
          static_cast<std::uint64_t>(info.st_size),
          std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec, 0};
}

bool samePlace(const FileStamp& a, const FileStamp& b) {
  return a.device == b.device && a.inode == b.inode && a.size == b.size && a.modifiedNs == b.modifiedNs;
}

// Reads an open regular file once.
Result<StampedFile> readOnce(int file, const std::string& path, std::size_t maxBytes) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return cannotRead(path, errno);
  if (S_ISDIR(info.st_mode)) return cannotRead(path, EISDIR);
  if (!S_ISREG(info.st_mode)) return Diag{fmt::format("cannot read {}: it is not a regular file", path)};
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > maxBytes) return tooLarge(path, size, maxBytes);
  StampedFile read{"", stampOf(info)};
  read.bytes.reserve(size);
  if (const int error = readAll(file, maxBytes + 1, read.bytes); error != 0) return cannotRead(path, error);
  if (read.bytes.size() > maxBytes)
    return tooLarge(path, read.bytes.size(), maxBytes);  // it grows, or reports size 0 (/proc)
  read.stamp.sum = checksum(read.bytes);
  return read;
}

}  // namespace

Result<StampedFile> readStamped(const std::string& path, std::size_t maxBytes) {
  for (int attempt = 0;; ++attempt) {
    // Without O_NONBLOCK, opening a pipe without a writer would block the window forever.
    const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0) return cannotRead(path, errno);
    Result<StampedFile> read = readOnce(file, path, maxBytes);
    struct stat after {};
    const bool settled = !read.ok() || (::fstat(file, &after) == 0 && samePlace(read->stamp, stampOf(after)));
    ::close(file);
    if (settled || attempt == 3) return read;  // it was modified while being read: retry
  }
}

DiskLook lookAgain(const std::string& path, const FileStamp& before, std::size_t maxBytes) {
  DiskLook look;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    look.what = errno == ENOENT || errno == ENOTDIR ? DiskLook::What::Deleted : DiskLook::What::Unreadable;
    look.why = cannotRead(path, errno).message;
    return look;
  }
  if (samePlace(before, stampOf(info))) {
    look.now.stamp = before;
    return look;
  }
  Result<StampedFile> now = readStamped(path, maxBytes);
  if (!now.ok()) {
    look.what = DiskLook::What::Unreadable;
    look.why = now.error().message;
    return look;
  }
  look.now = *std::move(now);
  look.what = look.now.stamp.sum == before.sum ? DiskLook::What::Same : DiskLook::What::Changed;
  return look;
}

}  // namespace tessera
