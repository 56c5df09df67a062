#include "app/files/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdint>
#include <cstring>
#include <optional>

namespace tessera {
namespace {

Diag cannotWrite(const std::string& path, int error) {
  return Diag{fmt::format("cannot write '{}': {}", path, std::strerror(error))};
}

// "a/b" -> "a/", "b" -> ""
std::string folderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

// The target of a path after following links.
struct Target {
  std::string path;
  std::optional<struct stat> old;  // the current file of that name
  bool open = false;               // a link to an open file of a process: /proc/self/fd/1
  int error = 0;
};

// /proc/self/fd/1 looks like a link to a file but is the open file itself; its name may refer to another file by now.
bool inProc(const std::string& path) {
  const std::string folder = folderOf(path);
  constexpr long kProc = 0x9fa0;  // PROC_SUPER_MAGIC of linux/magic.h, which a web page's system lacks
  struct statfs system {};
  return ::statfs(folder.empty() ? "." : folder.c_str(), &system) == 0 && static_cast<long>(system.f_type) == kProc;
}

Target targetOf(const std::string& path) {
  Target target{path, std::nullopt, false, 0};
  for (int links = 0; links < 40; ++links) {  // the kernel's limit
    struct stat info {};
    if (::lstat(target.path.c_str(), &info) != 0) {
      if (errno != ENOENT) target.error = errno;
      return target;
    }
    if (!S_ISLNK(info.st_mode)) {
      target.old = info;
      return target;
    }
    target.open = inProc(target.path);
    if (target.open) return target;
    std::array<char, PATH_MAX> link{};
    const ssize_t length = ::readlink(target.path.c_str(), link.data(), link.size());
    if (length < 0) {
      target.error = errno;
      return target;
    }
    const std::string to(link.data(), static_cast<std::size_t>(length));
    target.path = !to.empty() && to.front() == '/' ? to : folderOf(target.path) + to;
  }
  target.error = ELOOP;
  return target;
}

// Creates a file under an unused name; -1 with errno. The mode is the user's default (0666 and umask); a replacement is
// private until fill() applies the old file's permissions.
int createBeside(const std::string& path, std::string& name, bool replaces) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) return -1;
    name = fmt::format("{}.tessera-{:016x}.part", folderOf(path), random);
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, replaces ? 0600 : 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

// This process's descriptor that /proc/self/fd/1 or /dev/fd/1 names; -1 for other paths.
int ownDescriptor(const std::string& path) {
  for (const std::string_view folder : {"/proc/self/fd/", "/dev/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    const auto [rest, error] = std::from_chars(path.data() + folder.size(), end, number);
    return error == std::errc() && rest == end ? number : -1;
  }
  return -1;
}

// Devices, pipes and other processes' files (/proc/9/fd/1) are appended to, since their owner may have written before.
// Our own open files, such as /dev/stdout, are written at their current position, so that later output follows instead
// of overwriting.
int writeThrough(const std::string& path, std::string_view bytes) {
  const int own = ownDescriptor(path);
  const int file =
      own >= 0 ? ::fcntl(own, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return errno;
  const int error = writeAll(file, bytes);
  return ::close(file) != 0 && error == 0 ? errno : error;
}

// Writes the bytes, then the old file's owner and permissions; 0 or errno.
int fill(int file, std::string_view bytes, const std::optional<struct stat>& old, bool flush) {
  if (const int error = writeAll(file, bytes); error != 0) return error;
  if (old) {
    const bool sameOwner = ::fchown(file, old->st_uid, old->st_gid) == 0;
    if (::fchmod(file, old->st_mode & (sameOwner ? 07777U : 0777U)) != 0) return errno;
  }
  return flush && ::fsync(file) != 0 ? errno : 0;
}

// Keeps all names of a file with several: it must remain the same file. Space is allocated before any byte changes, so
// that a full disk changes nothing; 0 or errno.
int overwrite(const std::string& path, std::string_view bytes, std::size_t oldSize, bool flush) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return errno;
  int error = bytes.size() > oldSize ? ::posix_fallocate(file, 0, static_cast<off_t>(bytes.size())) : 0;
  if (error == EOPNOTSUPP || error == EINVAL) error = 0;  // cannot be determined in advance there
  if (error != 0) {
    (void)!::ftruncate(file, static_cast<off_t>(oldSize));
  } else {
    error = writeAll(file, bytes);
    if (error == 0 && ::ftruncate(file, static_cast<off_t>(bytes.size())) != 0) error = errno;
    if (error == 0 && flush && ::fsync(file) != 0) error = errno;
  }
  return ::close(file) != 0 && error == 0 ? errno : error;
}

}  // namespace

void syncFolderOf(const std::string& path) {
  const std::string folder = folderOf(path);
  const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  (void)::fsync(file);
  ::close(file);
}

int readAll(int descriptor, std::size_t maxBytes, std::string& into) {
  std::array<char, 65536> chunk{};
  while (into.size() < maxBytes) {
    const ssize_t n = ::read(descriptor, chunk.data(), std::min(chunk.size(), maxBytes - into.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return 0;
    into.append(chunk.data(), static_cast<std::size_t>(n));
  }
  return 0;
}

int writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {  // another process made the terminal non-blocking
      pollfd wait{descriptor, POLLOUT, 0};
      (void)::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

Result<void> writeWhole(const std::string& path, std::string_view bytes, const WriteOptions& options) {
  const Target target = targetOf(path);
  if (target.error != 0) return cannotWrite(path, target.error);
  if (target.old && S_ISDIR(target.old->st_mode)) return cannotWrite(path, EISDIR);
  if (target.open || (target.old && !S_ISREG(target.old->st_mode))) {
    if (!options.writeThrough)
      return Diag{fmt::format("cannot write '{}': it is not a regular file", path), "the name of a file"};
    const int error = writeThrough(target.path, bytes);
    return error == 0 ? Result<void>() : cannotWrite(path, error);
  }
  // Deliberately read-only, even for root.
  if (target.old && (target.old->st_mode & 0222) == 0) return cannotWrite(path, EACCES);
  if (target.old && ::access(target.path.c_str(), W_OK) != 0) return cannotWrite(path, errno);
  std::string fresh;
  const int file = createBeside(target.path, fresh, target.old.has_value());
  if (file < 0) return cannotWrite(path, errno);
  int error = fill(file, bytes, target.old, options.flushToDisk);
  if (::close(file) != 0 && error == 0) error = errno;
  const bool linked = target.old && target.old->st_nlink > 1;
  if (error == 0 && linked)
    error = overwrite(target.path, bytes, static_cast<std::size_t>(target.old->st_size), options.flushToDisk);
  if (error == 0 && !linked && ::rename(fresh.c_str(), target.path.c_str()) != 0) error = errno;
  if (error != 0 || linked) ::unlink(fresh.c_str());
  if (error != 0) return cannotWrite(path, error);
  if (!linked && options.flushToDisk) syncFolderOf(target.path);
  return {};
}

}  // namespace tessera
