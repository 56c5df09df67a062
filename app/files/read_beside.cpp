#include "app/files/read_beside.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/files/write_file.h"

namespace tessera {
namespace {

class Opened {
 public:
  // Non-blocking: opening a pipe would wait for its writer.
  explicit Opened(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {}
  ~Opened() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

Result<std::string> readBeside(const std::string& file, const std::string& name) {
  constexpr const char* kExpected = "the name of a regular file in the program's folder";
  const auto refused = [&](std::string why) { return Diag{std::move(why), kExpected}; };
  if (file == "-")
    return refused(fmt::format("the program was read from standard input: '{}' is beside no file", name));
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos)
    return refused(fmt::format("'{}' is not the name of a file beside the program", name));
  const std::size_t slash = file.rfind('/');
  const std::string path = (slash == std::string::npos ? std::string() : file.substr(0, slash + 1)) + name;
  const Opened opened(path);
  if (opened.descriptor() < 0) {
    if (errno == ELOOP) return refused(fmt::format("'{}' is a link", name));
    return refused(fmt::format("cannot read '{}': {}", name, std::strerror(errno)));
  }
  struct stat info {};
  if (::fstat(opened.descriptor(), &info) != 0 || !S_ISREG(info.st_mode))
    return refused(fmt::format("'{}' is not a regular file", name));
  std::string bytes;
  if (const int error = readAll(opened.descriptor(), kMostBytesBeside + 1, bytes); error != 0)
    return refused(fmt::format("cannot read '{}': {}", name, std::strerror(error)));
  if (bytes.size() > kMostBytesBeside) return refused(fmt::format("'{}' is larger than 64 MiB", name));
  return bytes;
}

}  // namespace tessera
