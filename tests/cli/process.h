// Runs the command line as a process, as a script does.
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

// A process that is talked to line by line.
class Conversation {
 public:
  explicit Conversation(const std::vector<std::string>& arguments);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  void say(const std::string& line);
  std::string hear();  // one line; "" at the end or after 10 s
  void closeOutput();  // the reader goes away
  void signal(int number);
  int wait();  // closes its input; exit code, 128 + signal; 999 when it does not end within 10 s

 private:
  int process_ = -1, in_ = -1, out_ = -1;
  std::string buffer_;
};

// A new empty folder under the build's working directory, removed at the end of the process.
std::string scratchFolder();
void writeText(const std::string& path, const std::string& text);
std::string readText(const std::string& path);

}  // namespace tessera
