#include "app/gui/panes/sheet_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "app/gui/dialogs/file_dialogs.h"
#include "app/session/gallery.h"
#include "app/widgets/keyboard.h"
#include "core/base/chars.h"

namespace tessera {
namespace {

// The answer of each line, as text: "proved", "16", "refuted  f(0) = f(1)".
std::vector<std::string> answersOf(const Snapshot& snapshot, std::size_t lines) {
  std::vector<std::string> answers(lines);
  panes::NoteCache cache;
  for (const auto& [line, note] : panes::notesOf(snapshot, cache)) {
    if (line < 1 || static_cast<std::size_t>(line) > lines) continue;
    std::string& said = answers[static_cast<std::size_t>(line - 1)];
    if (note.sign) {
      constexpr const char* kWords[] = {"proved", "refuted", "unknown", "pending", "error"};
      said = kWords[static_cast<std::size_t>(*note.sign)];
    }
    for (const std::string& more : {note.value, note.card})
      if (!more.empty()) said += (said.empty() ? "" : "  ") + panes::shortened(more, more.size());
  }
  return answers;
}

bool known(const Session& session, const Snapshot& now) {
  return now.complete && now.text == session.document().text();
}

}  // namespace

void SheetDifferences::follow(const Session& mine, const Session& other, bool onlyDifferences) {
  const auto nowA = mine.evaluation().snapshot(), nowB = other.evaluation().snapshot();
  const bool both = known(mine, *nowA) && known(other, *nowB);
  const bool same = revisionA == mine.document().revision() && answered == both;
  if (same && madeOnlyDifferences == onlyDifferences) return;
  if (!same) {
    revisionA = mine.document().revision();
    answered = both;
    textA = mine.document().text();
    a = {linesOf(textA), {}};
    b = {linesOf(textB), {}};
    if (both) {
      a.answers = answersOf(*nowA, a.lines.size());
      b.answers = answersOf(*nowB, b.lines.size());
    }
  }
  madeOnlyDifferences = onlyDifferences;
  rows = sheetRows(a, b, onlyDifferences ? 3 : kAllRows);
  places = differences(rows);
  sentence = sentenceOf(rows);
  marks.assign(rows.size(), std::nullopt);
  ++version;
}

void SheetCompare::go(int direction) {
  const std::size_t n = diff.places.size();
  if (n == 0) return;
  at = (at + (direction > 0 ? 1 : n - 1)) % n;
  reveal = true;
}

const WordMarks& SheetDifferences::marksOf(std::size_t row) {
  if (!marks[row]) {
    const SheetRow& r = rows[row];
    const auto text = [&](const SheetSide& side, std::ptrdiff_t line) {
      const auto k = static_cast<std::size_t>(line);
      return r.kind == SheetRow::Kind::Answer ? std::string_view(side.answers[k]) : side.lines[k];
    };
    const bool pair = r.kind == SheetRow::Kind::Changed || r.kind == SheetRow::Kind::Answer;
    marks[row] = pair ? differingWords(text(a, r.first), text(b, r.second)) : WordMarks{};
  }
  return *marks[row];
}

void compareWith(const Session& session, WindowState& state, std::string name, std::string text) {
  SheetCompare c;
  c.nameA = fileNameOf(session.document().path(), "this sheet");
  c.nameB = std::move(name);
  c.diff.textB = std::move(text);
  EngineOptions options;
  options.figures = EngineOptions::Figures::None;  // values and verdicts are compared, pictures are not
  c.other = std::make_shared<Session>(options);
  c.other->document().reset(c.diff.textB);
  c.other->touch();
  c.reveal = true;
  // Moved as a whole, because rows point into the texts.
  state.sheets = std::move(c);
}

void closeComparison(WindowState& state) { state.sheets = SheetCompare(); }

namespace {

namespace fs = std::filesystem;
using ui::px;

struct Offer {
  std::string title, about;
  // Opens the comparison; returns an error message or "".
  std::function<std::string(const Session&, WindowState&)> compare;
};

struct Offers {
  std::vector<Offer> rows;
  std::size_t at = 0;
  bool reveal = true;
};

std::string nameOf(const std::string& path) { return fileNameOf(path, "an untitled sheet"); }

Offer offerOf(const SheetStore::Sheet& sheet, const char* where) {
  const SheetSummary& s = sheet.summary;
  const std::string first = s.firstLine.empty() ? "" : "   " + s.firstLine;
  return {nameOf(s.path) + first,
          fmt::format("{}, {}{}", where, counted(s.lines, "line"), s.modified ? ", unsaved" : ""),
          [id = sheet.id, name = nameOf(s.path)](const Session& session, WindowState& state) -> std::string {
            auto text = session.sheets().textOf(id);
            if (!text) return "that sheet can no longer be read";
            compareWith(session, state, name, *std::move(text));
            return "";
          }};
}

Offer offerOf(const std::string& path, std::string about) {
  return {nameOf(path), std::move(about),
          [path](const Session& session, WindowState& state) { return compareWithFile(session, state, path); }};
}

std::vector<Offer> offersFor(const Session& session) {
  std::vector<Offer> rows;
  const Document& d = session.document();
  if (d.modified() && !d.path().empty()) {
    rows.push_back(
        {nameOf(d.path()), "as it was last read or saved", [](const Session& s, WindowState& state) -> std::string {
           compareWith(s, state, nameOf(s.document().path()) + ", saved", s.document().savedText());
           return "";
         }});
  }
  for (const SheetStore::Sheet& sheet : session.sheets().inOtherWindows())
    if (sheet.summary.lines > 0) rows.push_back(offerOf(sheet, "in another window"));
  std::error_code failed;
  for (const std::string& path : recentSheets())
    if (path != d.path() && fs::is_regular_file(path, failed))
      rows.push_back(offerOf(path, "in " + fs::path(path).parent_path().string()));
  for (const SheetStore::Sheet& sheet : session.sheets().others())
    if (sheet.summary.lines > 0 && (sheet.summary.modified || sheet.summary.path.empty()))
      rows.push_back(offerOf(sheet, "recovered or earlier"));
  for (const GalleryItem& item : gallery()) rows.push_back(offerOf(item.path, "lesson: " + item.about));
  return rows;
}

// Draws one row; returns true if clicked.
bool offerRow(const Offer& offer, std::size_t number, bool marked) {
  const ui::Fonts& f = ui::look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(px(20), ImGui::GetContentRegionAvail().x), h = px(42);
  const std::string name = fmt::format("sheet.{}", number);
  const bool clicked = ui::hitArea(name.c_str(), {width, h});
  ui::placeLast("compare_sheet." + name);
  const ImVec2 end = {at.x + width, at.y + h};
  if (marked || ImGui::IsItemHovered()) ui::fill(at, end, Role::Accent, marked ? 0.16 : 0.08, px(4));
  const float room = width - px(20);
  ui::text(f.sansMedium, {at.x + px(10), at.y + px(4)}, Role::Text, ui::fitted(offer.title, f.sansMedium, room));
  ui::text(f.small, {at.x + px(10), at.y + px(22)}, Role::Muted, ui::fitted(offer.about, f.small, room));
  return clicked;
}

void drawOffers(WindowState& state, const std::shared_ptr<Offers>& offers) {
  const auto pressed = [](ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Dialog, key); };
  const std::size_t n = offers->rows.size();
  if (pressed(ImGuiKey_DownArrow)) offers->at = (offers->at + 1) % n, offers->reveal = true;
  if (pressed(ImGuiKey_UpArrow)) offers->at = (offers->at + n - 1) % n, offers->reveal = true;
  ImGui::BeginChild("offers", {0, panes::listHeight(std::min(46 * static_cast<float>(n), 380.0F))});
  for (std::size_t k = 0; k < n; ++k) {
    if (offers->reveal && k == offers->at) ImGui::SetScrollHereY(0.5F);
    if (!offerRow(offers->rows[k], k, k == offers->at)) continue;
    offers->at = k;
    // The dialogs must not change while one is drawn.
    state.nextFrame = [&state] {
      if (!state.dialogs.empty() && state.dialogs.back().name == "compare_sheet") takeChoice(state, 0);
    };
  }
  offers->reveal = false;
  ImGui::EndChild();
}

}  // namespace

std::string compareWithFile(const Session& session, WindowState& state, const std::string& path) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) return fmt::format("{} is a folder. Expected: a worksheet in it", path);
  auto text = readFile(path, Document::kMaxBytes);
  if (!text.ok()) return text.error().message;
  compareWith(session, state, nameOf(path), *std::move(text));
  return "";
}

void askComparison(Session& session, WindowState& state) {
  const auto offers = std::make_shared<Offers>();
  offers->rows = offersFor(session);
  Dialog d;
  d.name = "compare_sheet";
  d.title = "Compare this sheet with ...";
  d.text = "Both are shown side by side, with differences marked. Nothing is opened or changed.";
  d.width = 620;
  d.choices = {
      {"compare", "Compare", [&session, &state, offers] { return offers->rows[offers->at].compare(session, state); }},
      {"file", "A file ...",
       [&session, &state]() -> std::string {
         askForPath(state, PathQuestion::Ask::Compare, session.document().path());
         return "";
       }},
      {"cancel", "Cancel", {}}};
  if (offers->rows.empty()) d.choices.erase(d.choices.begin());
  if (!offers->rows.empty()) d.body = [&state, offers] { drawOffers(state, offers); };
  askUser(state, std::move(d));
}

}  // namespace tessera
