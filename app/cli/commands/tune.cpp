// tessera tune: searches the parameters of a program (solver/measure/report/tune.h), ranks them, and keeps a log.
#include "solver/measure/report/tune.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/commands/measure.h"
#include "app/cli/io/report.h"
#include "app/engine/json_writer.h"
#include "app/engine/measure/tune_program.h"
#include "core/base/chars.h"
#include "core/paste/blocks.h"

namespace tessera {
namespace {

using namespace measure;

// The log file: each line is written before the next candidate starts.
class LogFile {
 public:
  explicit LogFile(std::string path) : path_(std::move(path)) {}
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  ~LogFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  // Creates a log, or resumes one: reads its contents and removes a truncated last line.
  Result<TuneLog> open(const std::string& head, bool resume) {
    std::error_code ignored;
    const bool there = std::filesystem::exists(path_, ignored) && std::filesystem::file_size(path_, ignored) > 0;
    if (there && !resume)
      return Diag{fmt::format("'{}' already exists", path_), "--resume to continue it, or another --log"};
    std::string text = head + "\n";
    TuneReading read;
    if (there) {
      TESSERA_TRY(text, readFile(path_));
      if (headIn(text) != head)
        return Diag{fmt::format("'{}' is the log of another search: {}", path_,
                                headIn(text).empty() ? "it has no header" : headIn(text)),
                    head};
      read = readTuneLog(text);
      if (read.cutOff) text.resize(text.rfind('\n') + 1);
    }
    if (!there || read.cutOff) TESSERA_CHECKED(writeFile(path_, text));
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor_ < 0) return Diag{fmt::format("cannot write '{}': {}", path_, std::strerror(errno))};
    return read.log;
  }

  Result<void> append(const TuneEntry& entry) {
    const std::string line = print(entry) + "\n";
    if (descriptor_ < 0) return {};
    if (::write(descriptor_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      return Diag{fmt::format("cannot write '{}': {}", path_, std::strerror(errno))};
    return {};
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

std::string jsonOf(const TuneLog& log, std::size_t candidates, bool finished) {
  JsonWriter json;
  json.beginObject()
      .member("ok", true)
      .member("kind", "tune")
      .member("candidates", candidates)
      .member("finished", finished);
  json.key("entries").beginArray();
  const auto add = [&](const TuneEntry& e) {
    json.beginObject().member("candidate", e.candidate).member("result", name(e.result));
    if (e.median > 0) {
      json.key("us").beginObject().member("median", e.median).member("lower", e.lower).member("upper", e.upper);
      json.endObject();
    }
    if (e.registers >= 0) {
      json.member("registers", e.registers).member("spilledBytes", e.spilledBytes).member("sharedBytes", e.sharedBytes);
      if (e.mostWarps >= 0) json.member("residentWarps", e.residentWarps).member("mostWarps", e.mostWarps);
    }
    json.member("device", e.device).member("driver", e.driver).member("date", e.date).member("why", e.why).endObject();
  };
  for (const TuneEntry& e : ranking(log)) add(e);
  for (const TuneEntry& e : staticRanking(log)) add(e);
  for (const TuneEntry& e : merged(log, {}).entries)
    if (e.result != TuneResult::Untimed && !(e.result == TuneResult::Right && e.median > 0)) add(e);
  return json.endArray().endObject().take();
}

class Tune {
 public:
  Tune(const TuneCommandOptions& options, Output& out) : options_(options), out_(out) {}

  int run() {
    if (options_.merge) return merge();
    if (options_.files.size() != 1) return refuse({"tune searches one program", "tessera tune FILE.graphene", "", {}});
    if (options_.resume && options_.log.empty()) return refuse({"--resume continues a log", "--log FILE", "", {}});
    Result<void> ready = prepare();
    if (!ready) return refuse(ready.error());
    std::vector<std::string> order;
    const auto candidates = candidatesByKey(request_, order);
    if (!candidates) return refuse(candidates.error());
    LogFile file(options_.log);
    if (!options_.log.empty()) {
      auto before = file.open(headOfLog(request_), options_.resume);
      if (!before) return refuse(before.error());
      log_ = *std::move(before);
    }
    return search(*candidates, order, file);
  }

 private:
  Result<void> prepare() {
    TESSERA_TRY(text_, readFile(options_.files.front()));
    TuneWords words{blockNameOf(options_.files.front()),
                    text_,
                    options_.architecture,
                    options_.settings,
                    options_.sizes,
                    options_.proveSeconds};
    TESSERA_TRY(request_, withinBudget(
                              kReadSeconds, [&] { return tuneRequest(std::move(words)); }, "a smaller text"));
    if (!options_.shard.empty()) {
      TESSERA_TRY(shard_, parseShard(options_.shard));
    }
    return {};
  }

  int search(const std::map<std::string, graphene::Settings>& candidates, const std::vector<std::string>& order,
             LogFile& file) {
    RunOptions how = runOptions(options_.seconds);
    how.seed = options_.seed;
    how.runs = options_.runs;
    const bool device = findDevice(how).ok();
    const std::vector<std::string> todo = left(order, log_, shard_, device);
    TuneHooks hooks;
    hooks.progress = [&](std::size_t at, const std::string& what) {
      progress_.show(fmt::format("{} of {}: {}", at + 1, todo.size(), what));
    };
    hooks.done = [&](const TuneEntry& entry) {
      log_.entries.push_back(entry);
      return file.append(entry);
    };
    const auto done = tune(request_, candidates, todo, how, hooks);
    progress_.clear();
    printResult(order.size(), done.ok());
    if (!done && !interrupted().load()) return refuse(done.error());
    return done && !ranking(log_).empty() ? kExitOk : kExitFailed;
  }

  // Merges the logs of one search from several machines.
  int merge() {
    std::string head;
    for (const std::string& path : options_.files) {
      const auto text = readFile(path);
      if (!text) return refuse(text.error());
      const std::string one = headIn(*text);
      if (one.empty())
        return refuse(
            {fmt::format("'{}' is not the log of a search", path), "a file that tessera tune --log wrote", "", {}});
      if (!head.empty() && one != head)
        return refuse({fmt::format("'{}' is the log of another search: {}", path, one), head, "", {}});
      head = one;
      const TuneReading read = readTuneLog(*text);
      if (read.cutOff || read.skipped > 0)
        complain(fmt::format("note: '{}': skipped {}{}", path, counted(static_cast<std::size_t>(read.skipped), "line"),
                             read.cutOff ? "; the last line is incomplete" : ""));
      log_ = merged(log_, read.log);
    }
    if (!options_.log.empty())
      if (auto written = writeFile(options_.log, head + "\n" + print(log_)); !written) return refuse(written.error());
    printResult(log_.entries.size(), true);
    return ranking(log_).empty() ? kExitFailed : kExitOk;
  }

  void printResult(std::size_t candidates, bool finished) {
    if (!finished)
      complain(fmt::format("tessera: stopped after {}{}", counted(log_.entries.size(), "result"),
                           options_.log.empty() ? "" : "; --resume continues"));
    (void)out_.line(options_.json ? jsonOf(log_, candidates, finished) : measure::textOf(log_));
  }

  int refuse(const Diag& diag) {
    Complaints(options_.json, out_).in(options_.files.front(), diag, text_);
    return kExitUnreadable;
  }

  const TuneCommandOptions& options_;
  Output& out_;
  Progress progress_;
  std::string text_;
  TuneRequest request_;
  Shard shard_;
  TuneLog log_;
};

}  // namespace

int runTune(const TuneCommandOptions& options, Output& out) { return Tune(options, out).run(); }

}  // namespace tessera
