#include "cli/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

namespace tessera {
namespace {

std::vector<char*> argvOf(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& w : words) out.push_back(w.data());
  out.push_back(nullptr);
  return out;
}

int codeOf(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

void makePipe(std::array<int, 2>& ends) {
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
}

// Forks with the three descriptors in place; -1 leaves one as it is. words: the program and its arguments.
int start(std::vector<std::string> words, int in, int out, int err) {
  std::vector<char*> argv = argvOf(words);
  const int process = ::fork();
  if (process != 0) return process;
  if (in >= 0) ::dup2(in, STDIN_FILENO);
  if (out >= 0) ::dup2(out, STDOUT_FILENO);
  if (err >= 0) ::dup2(err, STDERR_FILENO);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

std::vector<std::string> tessera(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), TESSERA_BINARY);
  return arguments;
}

// Field k of /proc/PID/task/PID/stat, counted as proc(5) does; "" when the process is gone.
std::string statField(int process, int k) {
  const std::string self = std::to_string(process);
  std::string text = readText("/proc/" + self + "/task/" + self + "/stat");
  const std::size_t name = text.rfind(')');  // field 2 may hold blanks
  if (name == std::string::npos) return "";
  std::istringstream fields(text.substr(name + 1));
  std::string field;
  for (int n = 2; n < k && fields >> field; ++n) {
  }
  return field;
}

int threadsOf(int process) {
  std::error_code gone;
  const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(process) + "/task", gone);
  return gone ? 0 : static_cast<int>(std::distance(tasks, std::filesystem::directory_iterator()));
}

// Whether the process has a handler for the signal, or has ended.
bool handles(int process, int number) {
  std::istringstream status(readText("/proc/" + std::to_string(process) + "/status"));
  bool lives = false;
  for (std::string word; status >> word;) {
    if (word == "State:") lives = status >> word && word != "Z";
    if (word == "SigCgt:" && status >> word)
      return !lives || (std::stoull(word, nullptr, 16) >> (number - 1) & 1U) != 0;
  }
  return true;
}

// meanwhile: what happens once the program is the one that was asked for (a forked process has Catch's handlers).
Finished finish(std::vector<std::string> words, const std::string& input, const std::string& outPath,
                const std::function<void(int)>& meanwhile = {}) {
  ::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> in{}, out{}, err{}, begun{};
  makePipe(in);
  makePipe(out);
  makePipe(err);
  makePipe(begun);
  const int file = outPath.empty() ? -1 : ::open(outPath.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  const int process = start(std::move(words), in[0], file >= 0 ? file : out[1], err[1]);
  ::close(in[0]);
  ::close(out[1]);
  ::close(err[1]);
  if (file >= 0) ::close(file);
  ::close(begun[1]);
  char unused = 0;
  (void)!::read(begun[0], &unused, 1);  // execv closes the other end
  ::close(begun[0]);
  if (meanwhile) meanwhile(process);
  std::thread writer([&] {
    std::size_t written = 0;
    while (written < input.size()) {
      const ssize_t n = ::write(in[1], input.data() + written, input.size() - written);
      if (n <= 0) break;
      written += static_cast<std::size_t>(n);
    }
    ::close(in[1]);
  });
  Finished finished;
  auto drain = [](int descriptor, std::string& text) {
    char chunk[65536];
    for (ssize_t n = 0; (n = ::read(descriptor, chunk, sizeof chunk)) > 0;)
      text.append(chunk, static_cast<std::size_t>(n));
    ::close(descriptor);
  };
  std::thread errors([&] { drain(err[0], finished.err); });
  drain(out[0], finished.out);
  errors.join();
  writer.join();
  int status = 0;
  ::waitpid(process, &status, 0);
  finished.exit = codeOf(status);
  return finished;
}

}  // namespace

Finished run(const std::vector<std::string>& arguments, const std::string& input, const std::string& outPath) {
  return finish(tessera(arguments), input, outPath);
}

Finished runAndSignal(const std::vector<std::string>& arguments, int number, SignalAt at) {
  return finish(tessera(arguments), "", "", [&](int process) {
    while (at == SignalAt::Handled && !handles(process, number)) std::this_thread::yield();
    ::kill(process, number);
  });
}

Finished runWith(const std::string& redirections, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"/bin/sh", "-c", "exec \"$0\" \"$@\" " + redirections};
  for (const std::string& word : tessera(arguments)) words.push_back(word);
  return finish(std::move(words), "", "");
}

Conversation::Conversation(const std::vector<std::string>& arguments) {
  ::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> in{}, out{};
  makePipe(in);
  makePipe(out);
  process_ = start(tessera(arguments), in[0], out[1], -1);
  ::close(in[0]);
  ::close(out[1]);
  in_ = in[1];
  out_ = out[0];
}

Conversation::~Conversation() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  if (in_ >= 0) ::close(in_);
  closeOutput();
}

void Conversation::say(const std::string& line) {
  const std::string bytes = line + "\n";
  if (::write(in_, bytes.data(), bytes.size()) < 0) return;
}

std::string Conversation::hear() {
  for (;;) {
    if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
      const std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    char chunk[4096];
    const ssize_t n = ::read(out_, chunk, sizeof chunk);
    if (n <= 0) return "";
    buffer_.append(chunk, static_cast<std::size_t>(n));
  }
}

void Conversation::closeOutput() {
  if (out_ >= 0) ::close(out_);
  out_ = -1;
}

void Conversation::signal(int number) { ::kill(process_, number); }

bool Conversation::waitUntilSolving() {
  std::string before;
  for (;;) {
    const std::string state = statField(process_, 3), worked = statField(process_, 14);
    if (state.empty() || state == "Z") return false;
    if (threadsOf(process_) < 2) {
      before.clear();
    } else if (before.empty()) {
      before = worked;
    } else if (std::stol(worked) > std::stol(before) + 1) {
      return true;
    }
    std::this_thread::yield();
  }
}

int Conversation::wait() {
  if (in_ >= 0) ::close(in_);
  in_ = -1;
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  return codeOf(status);
}

std::string scratchFolder() {
  struct Folder {
    std::string path;
    Folder() {
      std::string pattern = (std::filesystem::temp_directory_path() / "tessera-test-XXXXXX").string();
      path = ::mkdtemp(pattern.data());
    }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Folder kFolder;
  static int count = 0;
  const std::string path = kFolder.path + "/" + std::to_string(++count);
  std::filesystem::create_directory(path);
  return path;
}

void writeText(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string readText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

}  // namespace tessera
