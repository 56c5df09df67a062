#include "app/gui/palette_entries.h"

#include <algorithm>
#include <filesystem>

#include "app/engine/help/completions.h"
#include "app/engine/help/fuzzy.h"
#include "app/engine/module/module_words.h"
#include "app/gui/dialogs/recent_sheets.h"
#include "app/gui/links.h"
#include "app/gui/panes/manual.h"
#include "app/session/gallery.h"
#include "core/atlas/atlas.h"
#include "core/hlo/notation.h"
#include "core/worksheet/statements/evaluator.h"

namespace tessera {
namespace {

using Kind = PaletteEntry::Kind;
constexpr std::size_t kMostParts = 2000;  // of a module: each is matched on every keystroke
namespace fs = std::filesystem;

PaletteEntry entry(Kind kind, std::string title, std::string detail, std::string target) {
  PaletteEntry e{kind, std::move(title), std::move(detail), std::move(target), "", nullptr, 0};
  e.key = std::string(name(kind)) + "." + e.title;
  return e;
}

// Entries that are the same for all sessions.
std::vector<PaletteEntry> fixedEntries() {
  std::vector<PaletteEntry> out;
  for (const GalleryItem& item : gallery()) out.push_back(entry(Kind::Lesson, item.title, item.about, item.path));
  for (const GalleryItem& item : programTemplates())
    out.push_back(entry(Kind::Lesson, "Graphene: " + item.title, item.about, item.path));
  for (const FunctionInfo& f : functions()) {
    const Kind kind = isClaimName(f.name) ? Kind::Claim : Kind::Function;
    PaletteEntry e = entry(kind, std::string(f.signature), std::string(f.what), std::string(f.name));
    e.key = std::string(name(kind)) + "." + std::string(f.name);
    out.push_back(std::move(e));
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
    PaletteEntry e = entry(Kind::Command, c.title, c.menu, c.id);
    e.key = c.id;
    e.command = &c;
    out.push_back(std::move(e));
  }
  for (const std::string& path : recentSheets()) {
    if (path == session.document().path()) continue;
    out.push_back(entry(Kind::Recent, fs::path(path).filename().string(), fs::path(path).parent_path().string(), path));
  }
  for (const BoundName& n : boundNames(session.evaluation().snapshot()->outcomes)) {
    const std::string what = n.outcome->value ? kindOf(*n.outcome->value) + ", line " : "line ";
    PaletteEntry e = entry(Kind::Name, n.name, what + std::to_string(n.line), n.name);
    e.byte = n.begin;
    out.push_back(std::move(e));
    const auto* module = n.outcome->value ? as<hlo::Listing>(*n.outcome->value) : nullptr;
    if (module == nullptr) continue;
    for (ModulePart& part : partsOf(*module, "", kMostParts)) {
      PaletteEntry p = entry(Kind::Name, n.name + "." + part.name, std::move(part.detail), n.name + "." + part.name);
      p.byte = n.begin + part.at;
      out.push_back(std::move(p));
    }
  }
  out.insert(out.end(), kFixed.begin(), kFixed.end());
  return out;
}

void atCaret(Session& session, WindowState& state, std::string_view text) {
  panes::insertText(session, state.editor, text, false);
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
  atCaret(session, state, blank ? text : "\n" + text);
}

// Shows the last name above the caret that has this view.
void insertView(Session& session, WindowState& state, const std::string& view) {
  const BoundName* last = nullptr;
  const auto names = boundNames(session.evaluation().snapshot()->outcomes);
  for (const BoundName& n : names) {
    if (!n.outcome->value || n.begin > session.document().caret()) continue;
    const auto able = viewsFor(*n.outcome->value);
    if (std::find(able.begin(), able.end(), view) != able.end()) last = &n;
  }
  if (last == nullptr) {
    session.tell("No name above the caret can be seen as " + view + "; show EXPRESSION as " + view, true);
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
    if (empty) {
      if (e.kind <= Kind::Lesson) order.emplace_back(0, k);
      continue;
    }
    const auto title = fuzzyScore(query, e.title);
    const auto both = fuzzyScore(query, e.title + "  " + e.detail);
    const int score = std::max(title.value_or(0), both.value_or(0) / 3);
    if (score > 0) order.emplace_back(-score, k);
  }
  std::stable_sort(order.begin(), order.end());
  std::vector<PaletteEntry> found;
  for (const auto& [score, k] : order) {
    if (found.size() == kMostFound) break;
    found.push_back(std::move(all[k]));
  }
  return found;
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
    atCaret(session, state, e.target + "(");
  }
}

}  // namespace tessera
