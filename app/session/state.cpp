// The session's persistent state, the gallery, and the JSON dump for scripts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/files/line_diff.h"
#include "app/session/session.h"

namespace tessera {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

std::string printed(const Json& j) { return j.dump(1, ' ', false, Json::error_handler_t::replace); }

std::string nameOf(const std::string& path) {
  return path.empty() ? "an untitled sheet" : fs::path(path).filename().string();
}

// "14:02", or "22 Nov 14:02" for another day.
std::string timeOf(std::time_t when) {
  const std::time_t now = std::time(nullptr);
  std::tm then{}, today{};
  ::localtime_r(&when, &then);
  ::localtime_r(&now, &today);
  std::array<char, 64> text{};
  const bool sameDay = then.tm_year == today.tm_year && then.tm_yday == today.tm_yday;
  const std::size_t n = std::strftime(text.data(), text.size(), sameDay ? "%H:%M" : "%e %b %H:%M", &then);
  return {text.data(), n};
}

// "restored 3 unsaved lines of sheet.tess from 14:02"
std::string restoredNote(const SheetStore::Taken& taken) {
  const std::size_t lines = changedLines(taken.state.saved, taken.state.text);
  return fmt::format("restored {} unsaved line{} of {} from {}", lines, lines == 1 ? "" : "s", nameOf(taken.state.path),
                     timeOf(taken.sheet.when));
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
  if (sheets_) return;
  auto sheets = std::make_unique<SheetStore>(sheetsFolder(), pace);
  crashes_.open(sheetsFolder());
  {
    const std::lock_guard lock(mutex_);
    sheets_ = std::move(sheets);
  }
  document_.onChange([this](const Change& change) { sheets_->record(change, document_); });
  sheets_->record({Change::Kind::Reset}, document_);
}

Preferences Session::preferences() const { return {theme == Theme::Dark ? "dark" : "light", uiScale, paneSizes}; }

void Session::storeState() {
  keepSheets();
  writePreferences(preferencesRead_, preferences());
  sheets_->end(document_, Ended::WithWindow);
}

void Session::restorePreferences() {
  const Preferences read = readPreferences();
  theme = read.theme == "light" ? Theme::Light : Theme::Dark;
  uiScale = read.scale;
  paneSizes = read.sizes;
  preferencesRead_ = preferences();
}

bool Session::restoreState() {
  restorePreferences();
  keepSheets();
  std::size_t lost = 0;
  bool restored = false;
  std::vector<SheetStore::Sheet> sheets = sheets_->others();
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

std::vector<SheetStore::Sheet> Session::recoverable() const {
  return sheets_ ? sheets_->others() : std::vector<SheetStore::Sheet>();
}

std::vector<SheetStore::Sheet> Session::sheetsInOtherWindows() const {
  return sheets_ ? sheets_->inOtherWindows() : std::vector<SheetStore::Sheet>();
}

std::optional<std::string> Session::textOfSheet(const std::string& id) const {
  return sheets_ ? sheets_->textOf(id) : std::nullopt;
}

bool Session::recover(const std::string& id) {
  if (!sheets_) return false;
  sheets_->end(document_, Ended::Replaced);
  auto taken = sheets_->take(id);
  if (!taken) {
    sheets_->record({Change::Kind::Reset}, document_);
    tell("that sheet is open in another window, or cannot be read", true);
    return false;
  }
  adopt(*std::move(taken), nullptr);
  letGo();
  loadRuns();
  touch();
  // A sheet without changes follows its file.
  if (!lookAtDisk() && !document_.modified() && diskQuestion->what == DiskLook::What::Changed) takeTheirs();
  return true;
}

void Session::forget(const std::string& id) {
  if (sheets_) sheets_->forget(id);
}

// Reports each problem once, without interrupting typing.
void Session::tellProblems() {
  const std::string problem = sheets_ ? sheets_->problem() : "";
  const bool was = std::exchange(troubled_, !problem.empty());
  if (!was && troubled_) tell("what you type would not survive a crash: " + problem, true);
}

std::string Session::dump() const {
  const auto now = snapshot();
  const auto cell = [](const std::optional<Hover>& h) -> Json {
    if (!h) return nullptr;
    return {{"outcome", h->outcome}, {"grid", h->grid},   {"row", h->row},
            {"col", h->col},         {"label", h->label}, {"index", h->point.index}};
  };
  Json j = {
      {"text", document_.text()},   {"path", document_.path()},   {"modified", document_.modified()},
      {"evaluating", evaluating()}, {"message", message},         {"hover", cell(hover)},
      {"pinned", cell(pinned)},     {"caret", document_.caret()}, {"theme", theme == Theme::Dark ? "dark" : "light"}};
  j["sheet"] = sheets_ ? sheets_->id() : "";
  j["disk_question"] = diskQuestion.has_value();
  j["can_undo"] = document_.canUndo();
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

std::string Session::assetsFolder() {
  std::error_code failed;
  if (const char* given = std::getenv("TESSERA_ASSETS")) return given;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const fs::path installed = self.parent_path().parent_path() / "share" / "tessera";
    if (fs::exists(installed / "gallery", failed)) return installed.string();
  }
  return TESSERA_SOURCE_ASSETS;
}

namespace {

// The first sentence of a program's comment, possibly over several lines.
std::string firstSentence(std::istream& in) {
  std::string text;
  for (std::string line; std::getline(in, line) && line.rfind("//", 0) == 0;) {
    const std::size_t words = line.find_first_not_of("/ ");
    if (words != std::string::npos) text += (text.empty() ? "" : " ") + line.substr(words);
    const std::size_t end = text.find(". ");
    if (end != std::string::npos) return text.substr(0, end + 1);
  }
  return text;
}

std::vector<Session::GalleryItem> itemsIn(const fs::path& folder, const std::string& extension) {
  std::vector<Session::GalleryItem> items;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() != extension) continue;
    Session::GalleryItem item{entry.path().string(), entry.path().stem().string(), ""};
    std::ifstream in(entry.path());
    if (extension == ".graphene") item.about = firstSentence(in);
    for (std::string line; item.about.empty() && std::getline(in, line);) {
      const std::size_t words = line.find_first_not_of("/# ");  // "// # 3  The swizzle"
      if (line.rfind("//", 0) == 0 && words != std::string::npos) item.about = line.substr(words);
    }
    // "03_swizzle" becomes "swizzle".
    const std::size_t at = item.title.find_first_not_of("0123456789_-");
    if (at != std::string::npos) item.title = item.title.substr(at);
    std::replace(item.title.begin(), item.title.end(), '_', ' ');
    items.push_back(std::move(item));
  }
  std::sort(items.begin(), items.end(),
            [](const Session::GalleryItem& a, const Session::GalleryItem& b) { return a.path < b.path; });
  return items;
}

}  // namespace

std::vector<Session::GalleryItem> Session::gallery() { return itemsIn(fs::path(assetsFolder()) / "gallery", ".tess"); }

std::vector<Session::GalleryItem> Session::templates() {
  const fs::path folder = fs::path(assetsFolder()) / "graphene";
  std::vector<GalleryItem> items = itemsIn(folder, ".graphene");
  for (GalleryItem& item : itemsIn(folder / "hopper", ".graphene")) {
    item.title += ", Hopper";
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace tessera
