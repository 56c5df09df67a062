#include "app/session/session.h"

#include <fmt/format.h>

#include <utility>

#include "app/engine/program/pasted_program.h"

namespace tessera {

Session::Session(EngineOptions options, AnswerFunction answer, StartFunction start)
    : evaluation_(std::move(options), std::move(answer), std::move(start), [this] { sheets_.settle(); }) {}

void Session::tell(std::string text, bool error) {
  message = std::move(text);
  messageIsError = error;
}

bool Session::fail(const Diag& error) {
  tell(error.message, true);
  return false;
}

void Session::touch() {
  // Reports each problem once, without interrupting typing.
  const std::string problem = sheets_.problem();
  const bool was = std::exchange(troubled_, !problem.empty());
  if (!was && troubled_) tell("what you type would not survive a crash: " + problem, true);
  if (const auto kept = runs_.keep(evaluation_.runs(), document_.path(), sheets_.id()); !kept.ok()) fail(kept.error());
  evaluation_.setText(document_.text(), document_.revision());
}

bool Session::waitUntilEvaluated(double seconds) {
  touch();
  return evaluation_.wait(seconds);
}

void Session::replaced() {
  hover.reset();
  pinned.reset();
  litPoints.clear();
  diskQuestion.reset();
  const auto loaded = runs_.load(evaluation_.runs(), document_.path(), sheets_.id());
  if (!loaded.ok()) fail(loaded.error());
  touch();
}

void Session::newWorksheet() {
  sheets_.end(document_, Ended::Replaced);
  document_.reset("");
  replaced();
}

bool Session::open(const std::string& path) {
  auto file = readStamped(path, Document::kMaxBytes);
  if (!file.ok()) return fail(file.error());
  const bool program = path.ends_with(".graphene");
  if (program || isModuleFile(path, file->bytes)) {
    newWorksheet();
    const std::string name = blockNameOf(path);
    document_.reset(program ? asBlock(name, file->bytes) : asModuleBlock(name, file->bytes), {}, /*saved=*/false);
    tell(fmt::format("{} as a block of a new sheet; the file stays as it is", path));
    touch();
    return true;
  }
  tell(fmt::format("opened {}", path));
  sheets_.end(document_, Ended::Replaced);
  auto known = sheets_.takeFile(path, file->stamp.sum);
  if (known) {
    known->state.path = path;
    adopt(*std::move(known), &*file);
  } else {
    document_.open(*std::move(file), path);
  }
  replaced();
  return true;
}

bool Session::openGallery(const std::string& path) {
  if (path.ends_with(".graphene")) return open(path);
  auto file = readStamped(path, Document::kMaxBytes);
  if (!file.ok()) return fail(file.error());
  newWorksheet();
  document_.reset(std::move(file->bytes));
  touch();
  return true;
}

bool exportFigure(Session& session, std::size_t outcome, const std::string& path) {
  const auto now = session.evaluation().snapshot();
  if (outcome >= now->outcomes.size() || !now->outcomes[outcome]->figure) {
    return session.fail({"there is no picture to export", "", "", {}});
  }
  InkOptions options;
  options.theme = session.preferences.theme;
  return exportFigure(session, *now->outcomes[outcome]->figure, path, options);
}

bool exportFigure(Session& session, const Figure& figure, const std::string& path, const InkOptions& options) {
  const std::size_t dot = path.rfind('.');
  const auto bytes = ink(figure, dot == std::string::npos ? "" : path.substr(dot + 1), options);
  if (!bytes.ok()) return session.fail(bytes.error());
  if (const auto written = writeFileAtomically(path, *bytes); !written.ok()) return session.fail(written.error());
  session.tell(fmt::format("exported to {}", path));
  return true;
}

bool exportSmt2(Session& session, const std::string& folder) {
  int count = 0;
  for (const auto& o : session.evaluation().snapshot()->outcomes) {
    if (!o->verdict) continue;
    for (const auto& [file, text] : o->verdict->smt2) {
      const auto written = writeFileAtomically(fmt::format("{}/line{}_{}", folder, o->statement.line, file), text);
      if (!written.ok()) return session.fail(written.error());
      ++count;
    }
  }
  session.tell(count == 0 ? "no solver was asked, so there is nothing to export"
                          : fmt::format("{} SMT-LIB files in {}", count, folder));
  return true;
}

}  // namespace tessera
