// The session's memory between starts, the gallery, and its JSON dump for scripts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/session/session.h"

namespace tessera {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

// TESSERA_STATE, else XDG_STATE_HOME/tessera/session.json, else ~/.local/state/tessera/session.json.
fs::path stateFile() {
  if (const char* given = std::getenv("TESSERA_STATE")) return given;
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  const fs::path base = state != nullptr && *state != '\0'
                            ? fs::path(state)
                            : fs::path(home != nullptr ? home : "/") / ".local" / "state";
  return base / "tessera" / "session.json";
}

std::string printed(const Json& j) { return j.dump(1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

void Session::storeState() const {
  std::error_code failed;
  const fs::path file = stateFile();
  fs::create_directories(file.parent_path(), failed);
  if (failed) return;
  Json j;
  j["text"] = document_.text();
  j["path"] = document_.path();
  j["modified"] = document_.modified();
  j["caret"] = document_.caret();
  j["theme"] = theme == Theme::Dark ? "dark" : "light";
  j["scale"] = uiScale;
  // A session that cannot be kept is not worth a message; the worksheet itself is saved by Save.
  (void)writeFileAtomically(file.string(), printed(j));
}

bool Session::restoreState() {
  const auto text = readFile(stateFile().string());
  if (!text.ok()) return false;
  const Json j = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const auto word = [&](const char* key) {
    return j.contains(key) && j[key].is_string() ? j[key].get<std::string>() : std::string();
  };
  if (!j.is_object() || !j.contains("text")) return false;
  const bool modified = j.contains("modified") && j["modified"].is_boolean() && j["modified"].get<bool>();
  document_.reset(word("text"), word("path"), !modified);
  if (j.contains("caret") && j["caret"].is_number_unsigned()) document_.setCaret(j["caret"].get<std::size_t>());
  theme = word("theme") == "light" ? Theme::Light : Theme::Dark;
  if (j.contains("scale") && j["scale"].is_number()) uiScale = std::clamp(j["scale"].get<double>(), 0.5, 4.0);
  touch();
  return true;
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

std::vector<Session::GalleryItem> Session::gallery() {
  std::vector<GalleryItem> items;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(fs::path(assetsFolder()) / "gallery", failed)) {
    if (entry.path().extension() != ".tess") continue;
    GalleryItem item{entry.path().string(), entry.path().stem().string(), ""};
    std::ifstream in(entry.path());
    for (std::string line; item.about.empty() && std::getline(in, line);) {
      const std::size_t words = line.find_first_not_of("/# ");  // "// # 3  The swizzle"
      if (line.rfind("//", 0) == 0 && words != std::string::npos) item.about = line.substr(words);
    }
    // "03_swizzle" reads "swizzle".
    const std::size_t at = item.title.find_first_not_of("0123456789_-");
    if (at != std::string::npos) item.title = item.title.substr(at);
    std::replace(item.title.begin(), item.title.end(), '_', ' ');
    items.push_back(std::move(item));
  }
  std::sort(items.begin(), items.end(), [](const GalleryItem& a, const GalleryItem& b) { return a.path < b.path; });
  return items;
}

}  // namespace tessera
