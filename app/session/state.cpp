// The session's persistent state, and the JSON dump for scripts.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "app/files/line_diff.h"
#include "app/session/session.h"

namespace tessera {
namespace {

using Json = nlohmann::json;

std::string printed(const Json& j) { return j.dump(1, ' ', false, Json::error_handler_t::replace); }

// "14:02", or "22 Nov 14:02" for another day.
std::string timeOf(std::time_t when) {
  const bool today = timeText(when, "%F") == timeText(std::time(nullptr), "%F");
  return timeText(when, today ? "%H:%M" : "%e %b %H:%M");
}

// "restored 3 unsaved lines of sheet.tess from 14:02"
std::string restoredNote(const SheetStore::Taken& taken) {
  const std::size_t lines = changedLines(taken.state.saved, taken.state.text);
  return fmt::format("restored {} unsaved line{} of {} from {}", lines, lines == 1 ? "" : "s",
                     fileNameOf(taken.state.path, "an untitled sheet"), timeOf(taken.sheet.when));
}

// State of earlier versions: one text for all windows.
std::optional<Document::State> earlierSession() {
  const auto text = readFile(stateFile().string());
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
  writePreferences(preferencesRead_, preferences);
  sheets_.end(document_, Ended::WithWindow);
}

void Session::restorePreferences() { preferences = preferencesRead_ = readPreferences(); }

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
    if (o->figure) line["figure"] = o->figure->title;
    if (o->diag) line["error"] = o->diag->message;
    j["outcomes"].push_back(std::move(line));
  }
  return printed(j);
}

}  // namespace tessera
