#include "app/files/file_stamp.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/files/write_file.h"

namespace tessera {
namespace {

// A descriptor, closed at the end of its scope.
struct Opened {
  int file;
  ~Opened() {
    if (file >= 0) ::close(file);
  }
};

// MurmurHash3's finalizer: each input bit flips about half of the output bits.
std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

// Little endian on every machine.
std::uint64_t wordAt(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t word = 0;
  for (std::size_t k = 0; k < count; ++k)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
  return word;
}

Diag cannotRead(const std::string& path, int error) {
  return Diag{fmt::format("cannot read {}: {}", path, std::strerror(error))};
}

Diag tooLarge(const std::string& path, std::size_t bytes, std::size_t maxBytes) {
  return Diag{fmt::format("{} has {} bytes; a worksheet has at most {}", path, bytes, maxBytes),
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
    const Opened opened{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)};
    if (opened.file < 0) return cannotRead(path, errno);
    Result<StampedFile> read = readOnce(opened.file, path, maxBytes);
    struct stat after {};
    const bool settled = !read.ok() || (::fstat(opened.file, &after) == 0 && samePlace(read->stamp, stampOf(after)));
    if (settled || attempt == 3) return read;  // it was modified while being read: retry
  }
}

DiskLook lookAgain(const std::string& path, const FileStamp& before, std::size_t maxBytes) {
  using What = DiskLook::What;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    const bool gone = errno == ENOENT || errno == ENOTDIR;
    return {gone ? What::Deleted : What::Unreadable, {}, cannotRead(path, errno).message};
  }
  if (samePlace(before, stampOf(info))) return {What::Same, {"", before}, ""};
  Result<StampedFile> now = readStamped(path, maxBytes);
  if (!now.ok()) return {What::Unreadable, {}, now.error().message};
  const bool same = now->stamp.sum == before.sum;
  return {same ? What::Same : What::Changed, *std::move(now), ""};
}

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = mixed(bytes.size() + 0x9e3779b97f4a7c15ULL);
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) sum = mixed(sum ^ wordAt(bytes, at, 8)) + 0x9e3779b97f4a7c15ULL;
  if (at < bytes.size()) sum = mixed(sum ^ wordAt(bytes, at, bytes.size() - at)) + 0x9e3779b97f4a7c15ULL;
  return sum;
}

Result<std::string> readBeside(const std::string& file, const std::string& name) {
  constexpr const char* kExpected = "the name of a regular file in the program's folder";
  const auto refused = [&](std::string why) { return Diag{std::move(why), kExpected}; };
  if (file == "-") return refused(fmt::format("the program was read from standard input, so '{}' has no folder", name));
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos)
    return refused(fmt::format("'{}' is not the name of a file beside the program", name));
  const std::size_t slash = file.rfind('/');
  const std::string path = (slash == std::string::npos ? std::string() : file.substr(0, slash + 1)) + name;
  // Non-blocking: opening a pipe would wait for its writer.
  const Opened opened{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (opened.file < 0) {
    if (errno == ELOOP) return refused(fmt::format("'{}' is a link", name));
    return refused(fmt::format("cannot read '{}': {}", name, std::strerror(errno)));
  }
  struct stat info {};
  if (::fstat(opened.file, &info) != 0 || !S_ISREG(info.st_mode))
    return refused(fmt::format("'{}' is not a regular file", name));
  std::string bytes;
  if (const int error = readAll(opened.file, kMostBytesBeside + 1, bytes); error != 0)
    return refused(fmt::format("cannot read '{}': {}", name, std::strerror(error)));
  if (bytes.size() > kMostBytesBeside) return refused(fmt::format("'{}' is larger than 64 MiB", name));
  return bytes;
}

}  // namespace tessera
