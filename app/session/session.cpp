#include "app/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "app/files/sheet_diff.h"
#include "app/session/gallery.h"
#include "core/base/chars.h"
#include "core/base/nearest.h"
#include "core/paste/blocks.h"

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
  const bool was = std::exchange(kept_.troubled, !problem.empty());
  if (!was && kept_.troubled) tell("your changes would not survive a crash: " + problem, true);
  if (const auto kept = kept_.runs.keep(evaluation_.runs(), document_.path(), sheets_.id()); !kept.ok())
    fail(kept.error());
  evaluation_.setText(document_.text(), document_.revision());
  for (const std::string& title : tasks.look(evaluation_.snapshot()))
    tell(fmt::format("Solved: {}. {} of {} tasks of the course are done", title,
                     std::ranges::count_if(keptTasks(), [](const auto& t) { return solvedTasks().count(t.first) > 0; }),
                     keptTasks().size()));
}

bool Session::waitUntilEvaluated(double seconds) {
  touch();
  return evaluation_.wait(seconds);
}

void Session::replaced() {
  hover.reset();
  pinned.reset();
  litPoints.clear();
  tasks.forget();
  diskQuestion.reset();
  const auto loaded = kept_.runs.load(evaluation_.runs(), document_.path(), sheets_.id());
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
    tell(fmt::format("opened {} as a block of a new sheet; the file is not changed", path));
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
    document_.open(*file, path);
  }
  replaced();
  warnOfOthers();
  return true;
}

void Session::warnOfOthers() {
  if (!sheets_.isOpen()) return;
  for (const SheetStore::Sheet& sheet : sheets_.inOtherWindows()) {
    if (!sameFile(sheet.summary.path, document_.path())) continue;
    const std::string name = fileNameOf(document_.path(), "");
    if (sheet.summary.modified)
      return tell(fmt::format("{} is open in another window with unsaved text; saving here asks it to choose", name),
                  /*error=*/true);
    tell(fmt::format("{} is also open in another window", name));
  }
}

bool Session::openGallery(const std::string& path) {
  if (path.ends_with(".graphene")) return open(path);
  auto file = readStamped(path, Document::kMaxBytes);
  if (!file.ok()) return fail(file.error());
  openText(withoutKept(std::move(file->bytes)));
  return true;
}

void Session::openText(std::string text) {
  newWorksheet();
  document_.reset(std::move(text));
  touch();
}

void Session::openLesson(std::string text) {
  openText(withoutKept(text));
  tasks.keep(std::move(text));
}

void Session::openAnswer(std::string lesson, std::string text) {
  const std::vector<Task> answered = tasksIn(text);
  std::string other;
  for (const Task& task : tasksIn(lesson))
    if (std::ranges::none_of(answered,
                             [&](const Task& its) { return its.title == task.title && its.claim == task.claim; }))
      other = task.title;
  openText(std::move(text));
  tasks.keep(std::move(lesson));
  if (other.empty()) return tell("an answer to a lesson; its tasks are proved again here");
  tell(fmt::format("no answer to its lesson: the task \"{}\" is missing or claims something else", other), true);
}

bool exportFigure(Session& session, const Figure& figure, const std::string& path, const InkOptions& options) {
  const std::size_t dot = path.rfind('.');
  const auto bytes = ink(figure, dot == std::string::npos ? "" : path.substr(dot + 1), options);
  if (!bytes.ok()) return session.fail(bytes.error());
  if (const auto written = writeFileAtomically(path, *bytes); !written.ok()) return session.fail(written.error());
  session.tell(fmt::format("exported to {}", path));
  return true;
}

std::vector<std::pair<std::string, std::string>> smt2Files(const Session& session, const std::string& path) {
  std::vector<std::pair<std::string, std::string>> files;
  std::set<std::string> used;
  std::string whole;
  const std::string_view ending = ".smt2";
  const bool oneFile = path.size() >= ending.size() && path.substr(path.size() - ending.size()) == ending;
  for (const auto& o : session.evaluation().snapshot()->outcomes) {
    if (!o->verdict) continue;
    for (const auto& [file, text] : o->verdict->smt2) {
      if (oneFile) {
        whole += fmt::format("{}; line {}, {}\n{}", whole.empty() ? "" : "(reset)\n", o->statement.line, file, text);
        continue;
      }
      const std::string stem = fmt::format("{}/line{}_{}", path, o->statement.line, file.substr(0, file.rfind('.')));
      std::string name = stem;
      for (int k = 2; !used.insert(name).second; ++k) name = fmt::format("{}-{}", stem, k);
      files.emplace_back(name + ".smt2", text);
    }
  }
  if (!whole.empty()) files.emplace_back(path, std::move(whole));
  return files;
}

bool exportSmt2(Session& session, const std::string& path) {
  const auto files = smt2Files(session, path);
  for (const auto& [file, text] : files)
    if (const auto written = writeFileAtomically(file, text); !written.ok()) return session.fail(written.error());
  session.tell(files.empty() ? "nothing to export: no claim needed a solver"
               : files.size() == 1 && files.front().first == path
                   ? fmt::format("exported to {}", path)
                   : fmt::format("{} SMT-LIB files in {}", files.size(), path));
  return true;
}

bool Session::save() { return !document_.path().empty() && saveAs(document_.path()); }

bool Session::saveAs(const std::string& path) {
  if (sameFile(path, document_.path()) && !lookAtDisk(/*saving=*/true)) return false;
  return writeTo(path);
}

bool Session::writeTo(const std::string& path) {
  const auto saved = document_.saveAs(path);
  tell(saved.ok() ? fmt::format("saved to {}", path) : saved.error().message + ". The old file is unchanged.",
       !saved.ok());
  return saved.ok();
}

bool Session::lookAtDisk(bool saving) {
  if (document_.path().empty() || document_.stamp() == FileStamp{}) return true;
  DiskLook look = lookAgain(document_.path(), document_.stamp(), Document::kMaxBytes);
  if (look.what == DiskLook::What::Same) {
    if (look.now.stamp != document_.stamp()) document_.sawOnDisk(document_.savedText(), look.now.stamp);
    diskQuestion.reset();
    return true;
  }
  diskQuestion = DiskQuestion{std::move(look), saving, document_.path()};
  if (saving) tell(fmt::format("{} was changed by another program; nothing is saved yet", document_.path()), true);
  return false;
}

bool Session::keepMine() {
  if (!diskQuestion) return true;
  const DiskQuestion asked = *std::exchange(diskQuestion, std::nullopt);
  if (asked.saving) return writeTo(document_.path());
  // Not asked again until the file changes once more; the sheet now has changes that are not in the file.
  document_.sawOnDisk(asked.now.bytes, asked.now.stamp);
  return true;
}

void Session::takeTheirs() {
  if (!diskQuestion || diskQuestion->what != DiskLook::What::Changed) return;
  const DiskQuestion asked = *std::exchange(diskQuestion, std::nullopt);
  const std::string &mine = document_.text(), &theirs = asked.now.bytes;
  // Replace only the differing part, so that the caret stays close.
  const auto [head, tail] = commonEnds(mine, theirs);
  document_.replace(head, mine.size() - tail, std::string_view(theirs).substr(head, theirs.size() - tail - head));
  document_.sawOnDisk(theirs, asked.now.stamp);
  tell(fmt::format("loaded {} from disk; undo restores your text", asked.path));
  touch();
}

namespace {

using Json = nlohmann::json;

// "restored 3 unsaved lines of sheet.tess from 14:02", or "from 22 Nov 14:02" for another day.
std::string restoredNote(const SheetStore::Taken& taken) {
  const std::size_t lines = changedLines(taken.state.saved, taken.state.text);
  const std::time_t when = taken.sheet.when;
  const bool today = timeText(when, "%F") == timeText(std::time(nullptr), "%F");
  return fmt::format("restored {} of {} from {}", counted(lines, "unsaved line"),
                     fileNameOf(taken.state.path, "an untitled sheet"),
                     timeText(when, today ? "%H:%M" : "%e %b %H:%M"));
}

// The state file of earlier versions, which stored one text for all windows.
std::optional<Document::State> earlierSession() {
  const auto text = readFile(stateFile());
  if (!text.ok()) return std::nullopt;
  const Json j = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const auto word = [&](const char* key) {
    return j.contains(key) && j[key].is_string() ? j[key].get<std::string>() : std::string();
  };
  if (!j.is_object() || !j.contains("text") || word("text").size() > Document::kMaxBytes) return std::nullopt;
  Document::State state;
  state.text = word("text");
  state.path = word("path");
  const bool modified = j.contains("modified") && j["modified"].is_boolean() && j["modified"].get<bool>();
  if (!modified) state.saved = state.text;
  return state;
}

}  // namespace

void Session::keepSheets(Journal::Pace pace) {
  if (sheets_.isOpen()) return;
  sheets_.open(sheetsFolder(), pace);
  evaluation_.crashes().open(sheetsFolder());
  document_.onChange([this](const Change& change) { sheets_.record(change, document_); });
  sheets_.record({Change::Kind::Reset}, document_);
}

void Session::storeState() {
  keepSheets();
  writePreferences(kept_.preferences, preferences);
  sheets_.end(document_, Ended::WithWindow);
}

void Session::restorePreferences() { preferences = kept_.preferences = readPreferences(); }

bool Session::restoreState() {
  restorePreferences();
  keepSheets();
  std::size_t lost = 0;
  bool restored = false;
  std::vector<SheetStore::Sheet> sheets = sheets_.others();
  // Untouched copies from the gallery are restored last.
  std::stable_partition(sheets.begin(), sheets.end(),
                        [](const auto& s) { return s.summary.modified || !s.summary.path.empty(); });
  for (const SheetStore::Sheet& sheet : sheets) {
    const SheetSummary& s = sheet.summary;
    if (s.ended == Ended::Replaced || (s.lines == 0 && s.path.empty())) continue;
    if (!restored) {
      restored = recover(sheet.id);
    } else if (s.modified) {
      ++lost;
    }
  }
  if (!restored) {
    auto earlier = earlierSession();
    if (!earlier) return false;
    document_.restore(*std::move(earlier));
    touch();
    restored = true;
  }
  if (lost > 0)
    tell(fmt::format("{}{}{} more under File, Recovered sheets", message, message.empty() ? "" : "; ", lost));
  return restored;
}

// Adopts a journal and its document. If the file on disk replaces changes that the user had discarded, they are one
// undo away.
void Session::adopt(SheetStore::Taken taken, const StampedFile* disk) {
  const bool unsaved = taken.state.text != taken.state.saved;
  const bool thrownAway = unsaved && disk != nullptr && taken.sheet.summary.ended == Ended::Replaced;
  // No message after a normal exit.
  if (unsaved && !thrownAway && (disk != nullptr || taken.sheet.summary.ended == Ended::No)) tell(restoredNote(taken));
  document_.restore(std::move(taken.state));
  if (disk == nullptr) return;
  if (thrownAway) document_.replace(0, document_.text().size(), disk->bytes);
  document_.sawOnDisk(disk->bytes, disk->stamp);
}

bool Session::recover(const std::string& id) {
  if (!sheets_.isOpen()) return false;
  sheets_.end(document_, Ended::Replaced);
  auto taken = sheets_.take(id);
  if (!taken) {
    sheets_.record({Change::Kind::Reset}, document_);
    return fail({"that sheet is open in another window, or cannot be read", "", "", {}});
  }
  adopt(*std::move(taken), nullptr);
  replaced();
  // A sheet without changes follows its file.
  if (!lookAtDisk() && !document_.modified() && diskQuestion->what == DiskLook::What::Changed) takeTheirs();
  return true;
}

std::string dump(const Session& session) {
  const Document& document = session.document();
  const auto now = session.evaluation().snapshot();
  const auto cell = [](const std::optional<Hover>& h) -> Json {
    if (!h) return nullptr;
    return {{"outcome", h->outcome}, {"grid", h->grid},   {"row", h->row},
            {"col", h->col},         {"label", h->label}, {"index", h->point.index}};
  };
  Json j = {{"text", document.text()},
            {"path", document.path()},
            {"modified", document.modified()},
            {"evaluating", session.evaluation().running()},
            {"message", session.message},
            {"hover", cell(session.hover)},
            {"pinned", cell(session.pinned)},
            {"caret", document.caret()},
            {"theme", name(session.preferences.theme)}};
  j["sheet"] = session.sheets().id();
  j["disk_question"] = session.diskQuestion.has_value();
  j["can_undo"] = document.canUndo();
  j["outcomes"] = Json::array();
  for (const auto& o : now->outcomes) {
    Json line = {{"line", o->statement.line}, {"text", o->statement.text}, {"pending", o->pending}};
    if (o->job) line["progress"] = o->job->progressText();
    if (o->value) line["value"] = print(*o->value);
    if (o->verdict) line["verdict"] = name(o->verdict->truth);
    if (o->learner.task) line["solved"] = o->solved();
    if (!o->learner.blank.empty()) line["blank"] = o->learner.blank;
    if (o->figure) line["figure"] = o->figure->title;
    if (o->diag) line["error"] = o->diag->message;
    j["outcomes"].push_back(std::move(line));
  }
  return j.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tessera
