#include "app/files/tool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/chars.h"
#include "solver/measure/device/dynamic_library.h"

extern char** environ;

namespace tessera {

namespace {

bool executable(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

}  // namespace

std::string toolPath(const std::string& name) {
  std::string variable = "TESSERA_";
  for (const char c : name) variable += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (const char* const given = std::getenv(variable.c_str()); given != nullptr)
    return given[0] != 0 && executable(given) ? given : "";
  std::vector<std::string> folders;
  if (const char* const path = std::getenv("PATH"); path != nullptr) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0) folders.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  for (const std::string& folder : measure::toolkitFolders("bin")) folders.push_back(folder);
  for (const std::string& folder : folders)
    if (std::string path = folder + "/" + name; executable(path)) return path;
  return "";
}

Result<ToolRun> runTool(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return Diag{fmt::format("cannot start a process: {}", std::strerror(errno))};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, command.front().c_str(), &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return Diag{fmt::format("cannot run '{}': {}", command.front(), std::strerror(error))};
  }
  ToolRun out;
  std::array<char, 65536> chunk{};
  for (;;) {
    const ssize_t n = ::read(ends[0], chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    if (out.output.size() < kMostOutput) out.output.append(chunk.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  out.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

}  // namespace tessera
