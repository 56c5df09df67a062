// The next process blames exactly the statement that a killed process was computing.
#include "app/files/crash_log.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/files/folder.h"

using namespace tessera;

namespace {

std::size_t filesIn(const TestFolder& folder) {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++n;
  return n;
}

// A process that computes every text that is not blamed, in order, dies in those of `deadly`, and otherwise ends in
// order. Whether it died.
bool dies(const TestFolder& folder, const std::vector<std::string>& texts, const std::vector<std::string>& deadly,
          int signal = SIGKILL) {
  const pid_t child = ::fork();
  if (child == 0) {
    {
      CrashLog log;
      log.open(folder.path());
      log.keepOnly({texts.begin(), texts.end()});
      for (const std::string& text : texts) {
        if (log.blames(text)) continue;
        const CrashLog::Mark mark(log, text);
        if (std::find(deadly.begin(), deadly.end(), text) == deadly.end()) continue;
        ::signal(signal, SIG_DFL);
        ::kill(::getpid(), signal);
      }
    }
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status);
}

}  // namespace

TEST_CASE("what was computed when a process was killed is blamed") {
  for (const int signal : {SIGKILL, SIGSEGV}) {
    const TestFolder folder;
    REQUIRE(dies(folder, {"done", "slow"}, {"slow"}, signal));
    CrashLog log;
    log.open(folder.path());
    CHECK(log.blames("slow"));
    CHECK_FALSE(log.blames("done"));
    CHECK_FALSE(log.blames(""));
    CHECK(filesIn(folder) == 1);  // its own
    log.keepOnly({});             // not read yet: an empty sheet edits nothing
    CHECK(log.blames("slow"));
    log.keepOnly({"slow", "x"});
    CHECK(log.blames("slow"));
    log.keepOnly({"slower"});
    CHECK(log.empty());
  }
}

TEST_CASE("of texts that end their process each does so once, whatever comes between") {
  std::mt19937 random(20261124);
  for (int round = 0; round < 20; ++round) {
    const TestFolder folder;
    std::vector<std::string> texts, deadly;
    for (int k = 0; k < 6; ++k) texts.push_back(std::to_string(k));
    for (const std::string& text : texts)
      if (random() % 2 == 0) deadly.push_back(text);
    std::size_t deaths = 0;
    for (int process = 0; process < 10; ++process) deaths += dies(folder, texts, deadly);
    CHECK(deaths == deadly.size());
    CHECK(filesIn(folder) == (deadly.empty() ? 0 : 1));
    // An edit of every line ends it, also for the next process.
    {
      CrashLog edits;
      edits.open(folder.path());
      edits.keepOnly({texts.begin(), texts.end()});
      edits.keepOnly({});
      CHECK(edits.empty());
    }
    CHECK(filesIn(folder) == 0);
    CrashLog last;
    last.open(folder.path());
    CHECK(last.empty());
  }
}

TEST_CASE("a process that ends in order blames nothing, nor does one that lives") {
  const TestFolder folder;
  CHECK_FALSE(dies(folder, {"slow"}, {}));
  CHECK(filesIn(folder) == 0);
  CrashLog first, second;
  first.open(folder.path());
  const CrashLog::Mark mark(first, "slow");
  second.open(folder.path());
  CHECK(second.empty());
  CHECK(filesIn(folder) == 2);
  // A damaged file, a folder and a place that cannot be written.
  putFile(folder / "torn.running", "abc");
  std::filesystem::create_directory(folder / "folder.running");
  CrashLog third, nowhere;
  third.open(folder.path());
  CHECK(third.empty());
  nowhere.open(folder / "absent");
  const CrashLog::Mark unkept(nowhere, "slow");
  CHECK(nowhere.empty());
}

TEST_CASE("more texts at a time than there are places are not kept, and hurt nothing") {
  const TestFolder folder;
  CrashLog log;
  log.open(folder.path());
  std::vector<std::unique_ptr<CrashLog::Mark>> marks;
  for (int k = 0; k < 100; ++k) marks.push_back(std::make_unique<CrashLog::Mark>(log, std::to_string(k)));
  marks.clear();
  CHECK(log.empty());
}
