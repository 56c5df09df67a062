#include "solver/measure/device/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "solver/measure/device/wire.h"

extern char** environ;

namespace tessera::measure {
namespace {

constexpr int kMemory = 3;                // the child's descriptor for the buffers
constexpr u64 kMostBytes = u64{1} << 30;  // limit of one message
enum class Kind : char { Request = 'Q', Stage = 'S', Report = 'R', Failure = 'F' };

// ---- messages: a kind, the length, the bytes

bool sendAll(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool sendMessage(int to, Kind kind, const std::string& bytes) {
  std::string head(1, static_cast<char>(kind));
  const u64 size = bytes.size();
  head.append(reinterpret_cast<const char*>(&size), sizeof size);
  return sendAll(to, head + bytes);
}

struct Message {
  Kind kind = Kind::Stage;
  std::string bytes;
};

// Assembles messages from the bytes received so far.
class Inbox {
 public:
  // Returns false at the end of the stream and on a read error.
  bool receive(int from) {
    char part[65536];
    ssize_t got = -1;
    do got = ::recv(from, part, sizeof part, 0);
    while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    waiting_.append(part, static_cast<std::size_t>(got));
    return true;
  }
  std::optional<Message> next() {
    constexpr std::size_t kHead = 1 + sizeof(u64);
    if (waiting_.size() < kHead) return std::nullopt;
    u64 size = 0;
    std::memcpy(&size, waiting_.data() + 1, sizeof size);
    if (size > kMostBytes || waiting_.size() - kHead < size) return std::nullopt;
    Message out{static_cast<Kind>(waiting_[0]), waiting_.substr(kHead, size)};
    waiting_.erase(0, kHead + size);
    return out;
  }

 private:
  std::string waiting_;
};

// ---- the parent

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

Diag systemDiag(const char* what) {
  return {
      fmt::format("the process that runs kernels cannot be started: {}: {}", what, std::strerror(errno)), "", "", {}};
}

Result<pid_t> spawned(const std::vector<std::string>& command, int socket, int memory) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  // Duplicated twice, so that neither is closed on exec nor overwritten by the other.
  const int high = std::max({socket, memory, kMemory}) + 1;
  ::posix_spawn_file_actions_adddup2(&actions, socket, high);
  ::posix_spawn_file_actions_adddup2(&actions, memory, high + 1);
  ::posix_spawn_file_actions_adddup2(&actions, high, 0);
  ::posix_spawn_file_actions_adddup2(&actions, high + 1, kMemory);
  ::posix_spawn_file_actions_addclose(&actions, high);
  ::posix_spawn_file_actions_addclose(&actions, high + 1);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);  // output of kernels
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int error = ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return child;
  errno = error;
  return systemDiag(arguments[0]);
}

// The child; killed and waited for at the end of the scope.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  ~Child() {
    if (process_ > 0) end();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  void end() {
    ::kill(process_, SIGKILL);
    (void)waited();
  }
  // Its status; nullopt if it hangs in the driver and does not exit, which must not block this process.
  std::optional<int> waited() {
    constexpr int kTries = 1000;
    for (int k = 0; k < kTries; ++k) {
      int status = 0;
      const pid_t got = ::waitpid(process_, &status, WNOHANG);
      if (got == process_ || (got < 0 && errno != EINTR)) {
        process_ = -1;
        return status;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(k < 100 ? 1 : 10));
    }
    process_ = -1;
    return std::nullopt;
  }

 private:
  pid_t process_;
};

std::string howItEnded(std::optional<int> status) {
  if (!status) return "went silent";
  if (WIFSIGNALED(*status))
    return fmt::format("was ended by signal {} ({})", WTERMSIG(*status), ::strsignal(WTERMSIG(*status)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(*status));
}

// Handles a message of the child; nullopt: more will follow.
std::optional<Result<Report>> taken(const Message& message, const Hooks& hooks, std::string& doing) {
  if (message.kind == Kind::Stage) {
    if (const auto stage = unpacked<Stage>(message.bytes)) {
      doing = stage->what;
      if (hooks.progress) hooks.progress(*stage);
    }
    return std::nullopt;
  }
  if (message.kind == Kind::Report)
    if (auto report = unpacked<Report>(message.bytes)) return *std::move(report);
  if (message.kind == Kind::Failure)
    if (auto failure = unpacked<Diag>(message.bytes)) return *std::move(failure);
  return Result<Report>(
      Diag{"the process that runs kernels sent an invalid answer", "", "is it the same version of Tessera?"});
}

}  // namespace

Result<SharedMemory> SharedMemory::of(i64 bytes) {
  const auto size = static_cast<std::size_t>(std::max<i64>(bytes, 1));
  const int descriptor = ::memfd_create("tessera-buffers", MFD_CLOEXEC);
  if (descriptor < 0) return systemDiag("memfd_create");
  void* const data = ::ftruncate(descriptor, static_cast<off_t>(size)) == 0
                         ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
                         : MAP_FAILED;
  if (data != MAP_FAILED) return SharedMemory(descriptor, static_cast<unsigned char*>(data), size);
  const int error = errno;
  ::close(descriptor);
  return Diag{fmt::format("this machine cannot allocate buffers of {} bytes: {}", bytes, std::strerror(error)),
              "smaller sizes"};
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) ::munmap(data_, size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<Report> inProcess(const std::vector<std::string>& command, const Request& request, const SharedMemory& memory,
                         const Hooks& hooks, double silenceSeconds) {
  using Clock = std::chrono::steady_clock;
  if (command.empty()) return Diag{"no command for the process that runs kernels"};
  int pair[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return systemDiag("socketpair");
  const Descriptor mine(pair[0]);
  Descriptor theirs(pair[1]);
  TESSERA_TRY(const pid_t process, spawned(command, theirs.number(), memory.descriptor()));
  Child child(process);
  theirs.close();
  std::string doing = "starting";
  bool there = sendMessage(mine.number(), Kind::Request, packed(request));
  Inbox inbox;
  const auto silence = std::chrono::duration<double>(silenceSeconds + request.seconds);
  auto heard = Clock::now();
  while (there) {
    while (const auto message = inbox.next())
      if (auto answer = taken(*message, hooks, doing)) return *std::move(answer);
    TESSERA_CHECKED(hooks.checkCancelled());
    // Read the clock before polling, so that a message that arrived while this process was suspended is received first.
    const auto now = Clock::now();
    pollfd poll{mine.number(), POLLIN, 0};
    if (::poll(&poll, 1, 20) > 0) {
      heard = Clock::now();
      there = inbox.receive(mine.number());
    } else if (now - heard > silence) {
      return Diag{fmt::format("the process that runs kernels sent nothing for {:.3g} s while {} and was killed",
                              silence.count(), doing),
                  "", "the driver may hang: nvidia-smi shows whether it answers"};
    }
  }
  // It closed its socket without an answer; it is exiting, and waited() waits for that.
  return Diag{fmt::format("the process that runs kernels {} while {}", howItEnded(child.waited()), doing), "",
              "nothing else was lost; the driver or the compiler failed, or the memory ran out"};
}

int runWorker() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  constexpr int kSocket = 0;
  Inbox inbox;
  std::optional<Message> message;
  while (!(message = inbox.next()))
    if (!inbox.receive(kSocket)) return 2;
  const auto request = message->kind == Kind::Request ? unpacked<Request>(message->bytes) : std::nullopt;
  struct stat info {};
  if (!request || ::fstat(kMemory, &info) != 0 || info.st_size < 1) return 2;
  const auto size = static_cast<std::size_t>(info.st_size);
  void* const data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, kMemory, 0);
  if (data == MAP_FAILED) return 2;
  Hooks hooks;
  hooks.progress = [&](const Stage& stage) { (void)sendMessage(kSocket, Kind::Stage, packed(stage)); };
  const auto report = execute(*request, {static_cast<unsigned char*>(data), size}, hooks);
  const bool said = report ? sendMessage(kSocket, Kind::Report, packed(*report))
                           : sendMessage(kSocket, Kind::Failure, packed(report.error()));
  ::_exit(said ? 0 : 2);  // no exit handlers: the driver's would wait for a kernel that never ends
}

}  // namespace tessera::measure
