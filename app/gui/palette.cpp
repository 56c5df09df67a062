#include "app/gui/palette.h"

#include <algorithm>
#include <filesystem>

#include "app/engine/help/fuzzy.h"
#include "app/engine/module/module_words.h"
#include "app/gui/panes/manual.h"
#include "app/gui/sheets.h"
#include "app/session/gallery.h"
#include "core/atlas/atlas.h"
#include "core/base/mapped.h"
#include "core/worksheet/statements/evaluator.h"

namespace tessera {
namespace {

using Kind = PaletteEntry::Kind;
constexpr std::size_t kMostParts = 2000;  // of a module: each is matched on every keystroke
namespace fs = std::filesystem;

// byte: of a name.
PaletteEntry entry(Kind kind, std::string title, std::string detail, std::string target, std::size_t byte = 0) {
  std::string key = std::string(name(kind)) + "." + title;
  return {kind, std::move(title), std::move(detail), std::move(target), std::move(key), nullptr, byte};
}

// Entries that are the same for all sessions.
std::vector<PaletteEntry> fixedEntries() {
  std::vector<PaletteEntry> out;
  for (const GalleryItem& item : gallery()) out.push_back(entry(Kind::Lesson, item.title, item.about, item.path));
  for (const GalleryItem& item : programTemplates())
    out.push_back(entry(Kind::Lesson, "Graphene: " + item.title, item.about, item.path));
  for (const FunctionInfo& f : functions()) {
    const Kind kind = isClaimName(f.name) ? Kind::Claim : Kind::Function;
    out.push_back(entry(kind, std::string(f.name), std::string(f.what), std::string(f.name)));
    out.back().title = f.signature;
  }
  for (const AtlasRow& row : atlas()) {
    const std::string bound = row.parameter.empty() ? row.name : bind(row, row.parameter.back()).name;
    out.push_back(entry(Kind::Instruction, row.name, row.shape + "  " + row.architecture, bound));
  }
  for (const ViewInfo& v : views())
    out.push_back(entry(Kind::View, std::string(v.name), std::string(v.what), std::string(v.name)));
  for (const std::string& section : manualSections()) out.push_back(entry(Kind::Manual, section, "", section));
  return out;
}

std::vector<PaletteEntry> entries(const Session& session, const WindowState& state) {
  static const std::vector<PaletteEntry> kFixed = fixedEntries();
  std::vector<PaletteEntry> out;
  for (const Command& c : commands()) {
    if (*c.menu == '\0' || (c.enabled && !c.enabled(session, state))) continue;
    out.push_back({Kind::Command, c.title, c.menu, c.id, c.id, &c, 0});
  }
  for (const std::string& path : recentSheets()) {
    if (path == session.document().path()) continue;
    out.push_back(entry(Kind::Recent, fs::path(path).filename().string(), fs::path(path).parent_path().string(), path));
  }
  for (const BoundName& n : boundNames(session.evaluation().snapshot()->outcomes)) {
    const std::string what = n.outcome->value ? kindOf(*n.outcome->value) + ", line " : "line ";
    out.push_back(entry(Kind::Name, n.name, what + std::to_string(n.line), n.name, n.begin));
    const auto* module = n.outcome->value ? as<hlo::Listing>(*n.outcome->value) : nullptr;
    if (module == nullptr) continue;
    for (const ModulePart& part : partsOf(*module, "", kMostParts)) {
      const std::string name = n.name + "." + part.name;
      out.push_back(entry(Kind::Name, name, part.detail, name, n.begin + part.at));
    }
  }
  out.insert(out.end(), kFixed.begin(), kFixed.end());
  return out;
}

// Inserts a statement on its own line: the caret's if blank, else below the caret's statement.
void insertStatement(Session& session, WindowState& state, const std::string& text) {
  Document& d = session.document();
  std::size_t at = d.caret();
  for (const auto& o : session.evaluation().snapshot()->outcomes)
    if (o->statement.span.begin <= at && at <= o->statement.span.end &&
        session.evaluation().snapshot()->text == d.text())
      at = o->statement.span.end;
  const std::size_t before = at == 0 ? std::string::npos : d.text().rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t end = std::min(d.text().find('\n', at), d.text().size());
  const bool blank = d.text().find_first_not_of(" \t", begin) >= end;
  d.setCaret(end);
  state.editor.anchor = end;
  panes::insertText(session, state.editor, blank ? text : "\n" + text, false);
}

// Shows the last name above the caret that has this view.
void insertView(Session& session, WindowState& state, const std::string& view) {
  const BoundName* last = nullptr;
  const auto names = boundNames(session.evaluation().snapshot()->outcomes);
  for (const BoundName& n : names) {
    if (!n.outcome->value || n.begin > session.document().caret()) continue;
    const auto able = viewsFor(*n.outcome->value);
    if (std::ranges::find(able, view) != able.end()) last = &n;
  }
  if (last == nullptr) {
    session.tell("No name above the caret has the view " + view + "; write show EXPRESSION as " + view, true);
    return;
  }
  insertStatement(session, state, "show " + last->name + " as " + view);
}

}  // namespace

const char* name(Kind kind) {
  constexpr const char* kNames[] = {"command", "recent",      "lesson", "name",  "function",
                                    "claim",   "instruction", "view",   "manual"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<PaletteEntry> paletteFind(const Session& session, const WindowState& state, const std::string& query) {
  std::vector<PaletteEntry> all = entries(session, state);
  std::vector<std::pair<int, std::size_t>> order;
  const bool empty = query.find_first_not_of(' ') == std::string::npos;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const PaletteEntry& e = all[k];
    const int title = empty ? 0 : fuzzyScore(query, e.title).value_or(0);
    const int both = empty ? 0 : fuzzyScore(query, e.title + "  " + e.detail).value_or(0);
    const int score = std::max(title, both / 3);
    if (score > 0 || (empty && e.kind <= Kind::Lesson)) order.emplace_back(-score, k);
  }
  std::ranges::stable_sort(order);
  if (order.size() > kMostFound) order.resize(kMostFound);
  return mapped<PaletteEntry>(order, [&](const auto& ranked) { return std::move(all[ranked.second]); });
}

void paletteRun(Session& session, WindowState& state, const PaletteEntry& e) {
  if (e.kind == Kind::Command) return e.command->run(session, state);
  if (e.kind == Kind::Recent || e.kind == Kind::Lesson)
    return openSheet(session, state, e.target, /*lesson=*/e.kind == Kind::Lesson);
  if (e.kind == Kind::Manual) return openManual(state, e.target);
  state.shown.left = ShownPanes::Left::Worksheet;
  state.editor.focused = true;
  if (e.kind == Kind::Name) {
    panes::placeCaret(session, state.editor, e.byte);
    state.editor.caret.used = true;
  } else if (e.kind == Kind::Instruction) {
    insertStatement(session, state, "show atlas(" + e.target + ")");
  } else if (e.kind == Kind::View) {
    insertView(session, state, e.target);
  } else {
    panes::insertText(session, state.editor, e.target + "(", false);
  }
}

}  // namespace tessera

namespace tessera::panes {
namespace {

using ui::px;
constexpr int kShown = 14;

// The search field; returns true if Enter was pressed.
bool field(WindowState& state) {
  ImGui::SetNextItemWidth(-1);
  const std::string before = state.palette.text;
  const bool entered = ui::field(ui::Owner::Palette, "search.field", state.palette.text,
                                 "Find a command, a sheet, a function, an instruction, a name ...");
  if (before != state.palette.text) state.palette.row = 0;
  return entered;
}

void moveIn(WindowState& state, int rows) {
  if (rows == 0) return;
  const auto pressed = [](ImGuiKey k) { return ui::keyboard().pressed(ui::Owner::Palette, k); };
  int& row = state.palette.row;
  if (pressed(ImGuiKey_DownArrow)) row = (row + 1) % rows;
  if (pressed(ImGuiKey_UpArrow)) row = (row + rows - 1) % rows;
  if (pressed(ImGuiKey_PageDown)) row += kShown - 1;
  if (pressed(ImGuiKey_PageUp)) row -= kShown - 1;
  row = std::clamp(row, 0, rows - 1);
}

// Title, detail, and on the right the kind (for a command: its shortcut).
bool row(const PaletteEntry& e, bool marked) {
  const ui::Fonts& f = ui::look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushID(e.key.c_str());
  ImGui::PushID(e.target.c_str());
  const bool pressed = ImGui::Selectable("##row", marked, 0, {0, px(22)});
  ImGui::PopID();
  ImGui::PopID();
  ui::placeLast("search." + e.key);
  const bool keys = e.command != nullptr && *e.command->shortcut != '\0';
  const std::string right = keys ? e.command->shortcut : name(e.kind);
  const float rightWidth = ui::width(f.small, right), room = width - rightWidth - px(28);
  const bool code = e.kind >= PaletteEntry::Kind::Name && e.kind <= PaletteEntry::Kind::View;
  ImFont* font = code ? f.code : f.sans;
  const std::string title = ui::fitted(e.title, font, room);
  ui::textInRow(font, {at.x + px(6), at.y}, px(22), Role::Text, title);
  ui::text(f.small, {at.x + width - rightWidth - px(6), at.y + px(3)}, Role::Muted, right);
  const float x = px(20) + ui::width(font, title), rest = room - x;
  if (rest > px(60) && e.kind != PaletteEntry::Kind::Command)
    ui::text(f.small, {at.x + x, at.y + px(3)}, Role::Muted, ui::fitted(e.detail, f.small, rest));
  return pressed;
}

}  // namespace

void palette(Session& session, WindowState& state) {
  if (beginPanel("##search", 660, 0.08F)) {
    const bool entered = field(state);
    const std::vector<PaletteEntry> found = paletteFind(session, state, state.palette.text);
    const int rows = static_cast<int>(found.size());
    moveIn(state, rows);
    const int first = std::max(0, state.palette.row - kShown + 1);
    int chosen = -1;
    for (int k = first; k < std::min(rows, first + kShown); ++k)
      if (row(found[static_cast<std::size_t>(k)], k == state.palette.row)) chosen = k;
    if (rows == 0) muted("Nothing matches. Try part of a name: swiz, ldmatrix, compl, banks.");
    if (rows > kShown) muted("Up and Down show " + std::to_string(rows - kShown) + " more");
    if (entered && state.palette.row < rows) chosen = state.palette.row;
    if (chosen >= 0) {
      state.palette.open = false;
      paletteRun(session, state, found[static_cast<std::size_t>(chosen)]);
    }
  }
  ImGui::End();
}

}  // namespace tessera::panes
