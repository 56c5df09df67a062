// Runs the command line as a process, like a script.
#pragma once

#include <string>
#include <vector>

namespace tessera {

struct Finished {
  int exit = -1;  // 128 + signal when a signal ended it
  std::string out, err;
};
// TESSERA_BINARY with these arguments; `input` on standard input. `outPath`: standard output goes into this file.
Finished run(const std::vector<std::string>& arguments, const std::string& input = "", const std::string& outPath = "");

// The same, and the process gets a signal: when its program has begun, which is before it has a handler as a rule, or
// as soon as it has its handler. Nothing is timed: both are asked of the kernel.
enum class SignalAt { Begun, Handled };
Finished runAndSignal(const std::vector<std::string>& arguments, int number, SignalAt at);

// The same through a shell that redirects: runWith("<&-", {"eval", "-"}) has no standard input at all.
Finished runWith(const std::string& redirections, const std::vector<std::string>& arguments);

// A process that is talked to line by line. Nothing here has a time limit: what never ends is ctest's to end.
class Conversation {
 public:
  explicit Conversation(const std::vector<std::string>& arguments);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  void say(const std::string& line);
  std::string hear();  // one line; "" at the end
  void closeOutput();  // the reader goes away
  void signal(int number);
  // Until a second thread is there and the first one has worked since: Z3 has a watcher beside it while it thinks.
  // False when the process ended instead.
  bool waitUntilSolving();
  int wait();  // closes its input; exit code, 128 + signal

 private:
  int process_ = -1, in_ = -1, out_ = -1;
  std::string buffer_;
};

// A new empty folder under the build's working directory, removed at the end of the process.
std::string scratchFolder();
void writeText(const std::string& path, const std::string& text);
std::string readText(const std::string& path);

}  // namespace tessera
