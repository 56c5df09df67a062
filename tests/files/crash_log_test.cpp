// What a killed process was computing is blamed by the next one, and nothing else is.
#include "app/files/crash_log.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <optional>

#include "tests/files/folder.h"

using namespace tessera;

namespace {

std::size_t filesIn(const TestFolder& folder) {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++n;
  return n;
}

// A process that marks texts and is killed by `signal`, or ends in order.
void marks(const TestFolder& folder, std::optional<int> signal) {
  const pid_t child = ::fork();
  if (child == 0) {
    {
      CrashLog log;
      log.open(folder.path());
      { const CrashLog::Mark done(log, "done"); }
      const CrashLog::Mark slow(log, "slow"), other(log, "other");
      if (signal) ::signal(*signal, SIG_DFL);
      if (signal) ::kill(::getpid(), *signal);
    }
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
}

}  // namespace

TEST_CASE("what was computed when a process was killed is blamed") {
  for (const int signal : {SIGKILL, SIGSEGV}) {
    const TestFolder folder;
    marks(folder, signal);
    CrashLog log;
    log.open(folder.path());
    CHECK(log.blames("slow"));
    CHECK(log.blames("other"));
    CHECK_FALSE(log.blames("done"));
    CHECK_FALSE(log.blames(""));
    CHECK(filesIn(folder) == 1);  // its own
    log.keepOnly({});             // not read yet: an empty sheet edits nothing
    CHECK(log.blames("slow"));
    log.keepOnly({"slow", "x"});
    CHECK(log.blames("slow"));
    log.keepOnly({"slower"});
    CHECK_FALSE(log.blames("slow"));
    CHECK(log.blames("other"));  // of a sheet that is not open
    log.forget();
    CHECK(log.empty());
  }
}

TEST_CASE("a process that ends in order blames nothing, nor does one that lives") {
  const TestFolder folder;
  marks(folder, std::nullopt);
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
