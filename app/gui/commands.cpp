#include "app/gui/commands.h"

#include <algorithm>
#include <vector>

#include "app/widgets/ui.h"

namespace tessera {
namespace {

using Ask = WindowState::Ask;

void ask(WindowState& w, Ask what, std::string path) {
  w.ask = what;
  w.askPath = std::move(path);
  w.askJustOpened = true;
}

void zoomUi(Session& s, double factor) { s.uiScale = std::clamp(s.uiScale * factor, 0.6, 3.0); }

// The figure to export when no button was clicked: the pinned one, else the first.
std::size_t figureOf(const Session& s) {
  if (s.pinned) return s.pinned->outcome;
  const auto now = s.snapshot();
  for (std::size_t k = 0; k < now->outcomes.size(); ++k)
    if (now->outcomes[k]->figure) return k;
  return SIZE_MAX;
}

// The statement at the caret that is still being answered.
std::size_t runningAtCaret(const Session& s) {
  const auto now = s.snapshot();
  const std::size_t caret = s.document().caret();
  for (std::size_t k = 0; k < now->outcomes.size(); ++k) {
    const Outcome& o = *now->outcomes[k];
    if (o.job && o.statement.span.begin <= caret && caret <= o.statement.span.end) return k;
  }
  return SIZE_MAX;
}

bool runsAtCaret(const Session& s, const WindowState&) { return runningAtCaret(s) != SIZE_MAX; }

bool hasFigure(const Session& s, const WindowState&) { return figureOf(s) != SIZE_MAX; }

std::vector<Command> table() {
  using S = Session;
  using W = WindowState;
  const auto canUndo = [](const S& s, const W&) { return s.document().canUndo(); };
  const auto canRedo = [](const S& s, const W&) { return s.document().canRedo(); };
  const auto selected = [](const S& s, const W& w) { return w.editor.hasSelection(s.document()); };
  // clang-format off
  return {
    {"file.new", "File", "New worksheet", "Ctrl+N", [](S& s, W& w) { guarded(s, w, [&s] { s.newWorksheet(); }); }, {}},
    {"file.open", "File", "Open ...", "Ctrl+O", [](S& s, W& w) { guarded(s, w, [&s, &w] { ask(w, Ask::Open, s.document().path()); }); }, {}},
    {"file.gallery", "File", "Gallery", "Ctrl+G", [](S&, W& w) { w.left = W::Left::Gallery; }, {}},
    {"file.save", "File", "Save", "Ctrl+S", [](S& s, W& w) { if (s.document().path().empty()) { ask(w, Ask::SaveAs, "worksheet.tess"); } else { s.save(); } }, {}},
    {"file.save_as", "File", "Save as ...", "Ctrl+Shift+S", [](S& s, W& w) { ask(w, Ask::SaveAs, s.document().path().empty() ? "worksheet.tess" : s.document().path()); }, {}},
    {"file.export", "File", "Export picture ...", "Ctrl+E", [](S& s, W& w) { w.canvas.exportOutcome = figureOf(s); ask(w, Ask::Export, "picture.svg"); }, hasFigure},
    {"file.quit", "File", "Quit", "Ctrl+Q", [](S&, W& w) { w.quit = true; }, {}},

    {"edit.undo", "Edit", "Undo", "Ctrl+Z", [](S& s, W& w) { s.document().undo(); w.editor.anchor = s.document().caret(); w.editor.revealCaret = true; s.touch(); }, canUndo},
    {"edit.redo", "Edit", "Redo", "Ctrl+Y", [](S& s, W& w) { s.document().redo(); w.editor.anchor = s.document().caret(); w.editor.revealCaret = true; s.touch(); }, canRedo},
    {"edit.redo2", "", "Redo", "Ctrl+Shift+Z", [](S& s, W& w) { s.document().redo(); w.editor.anchor = s.document().caret(); s.touch(); }, canRedo},
    {"edit.cut", "Edit", "Cut", "Ctrl+X", [](S& s, W& w) { panes::cut(s, w.editor); }, selected},
    {"edit.copy", "Edit", "Copy", "Ctrl+C", [](S& s, W& w) { panes::copy(s, w.editor); }, selected},
    {"edit.paste", "Edit", "Paste", "Ctrl+V", [](S& s, W& w) { panes::paste(s, w.editor); }, {}},
    {"edit.select_all", "Edit", "Select all", "Ctrl+A", [](S& s, W& w) { panes::selectAll(s, w.editor); }, {}},
    {"edit.find", "Edit", "Find ...", "Ctrl+F", [](S&, W& w) { w.editor.findOpen = !w.editor.findOpen; }, {}},
    {"edit.find_next", "Edit", "Find next", "F3", [](S& s, W& w) { panes::findNext(s, w.editor); }, {}},

    {"view.search", "View", "Find anything", "Ctrl+K", [](S&, W& w) { w.searchOpen = true; w.searchJustOpened = true; w.searchText.clear(); w.searchRow = 0; }, {}},
    {"view.theme", "View", "Light or dark", "Ctrl+T", [](S& s, W&) { s.theme = s.theme == Theme::Dark ? Theme::Light : Theme::Dark; }, {}},
    {"view.fit", "View", "Fit every picture", "Ctrl+0", [](S&, W& w) { w.canvas.panes.clear(); w.canvas.onlyLine = -1; }, {}},
    {"view.larger", "View", "Larger interface", "Ctrl+=", [](S& s, W&) { zoomUi(s, 1.1); }, {}},
    {"view.smaller", "View", "Smaller interface", "Ctrl+-", [](S& s, W&) { zoomUi(s, 1 / 1.1); }, {}},
    {"view.worksheet", "View", "Worksheet", "Ctrl+1", [](S&, W& w) { w.left = W::Left::Worksheet; w.editor.focused = true; }, {}},
    {"view.claims", "View", "Claims", "Ctrl+2", [](S&, W& w) { w.bottom = W::Bottom::Claims; }, {}},
    {"view.problems", "View", "Problems", "Ctrl+3", [](S&, W& w) { w.bottom = W::Bottom::Problems; }, {}},
    {"view.unpin", "View", "Let go of the pinned cell", "Escape", [](S& s, W& w) {
       if (w.searchOpen) { w.searchOpen = false; } else if (w.ask != Ask::None) { w.ask = Ask::None; } else if (w.manualOpen) { w.manualOpen = false; }
       else if (w.editor.findOpen) { w.editor.findOpen = false; } else { s.pinned.reset(); s.litPoints.clear(); } }, {}},

    {"prove.again", "Prove", "Evaluate everything again", "Ctrl+Enter", [](S& s, W&) { s.reevaluate(); }, {}},
    {"prove.cancel", "Prove", "Cancel this statement", "Ctrl+.", [](S& s, W&) { s.cancel(runningAtCaret(s)); }, runsAtCaret},
    {"prove.smt2", "Prove", "Export SMT-LIB ...", "", [](S&, W& w) { ask(w, Ask::Smt2, "."); }, {}},

    {"help.manual", "Help", "Manual", "F1", [](S&, W& w) { w.manualOpen = !w.manualOpen; }, {}},
  };
  // clang-format on
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> kCommands = table();
  return kCommands;
}

Chord parseChord(std::string_view text) {
  Chord c;
  const auto take = [&](std::string_view prefix) {
    if (text.substr(0, prefix.size()) != prefix) return false;
    text.remove_prefix(prefix.size());
    return true;
  };
  c.ctrl = take("Ctrl+");
  c.shift = take("Shift+");
  c.alt = take("Alt+");
  // GLFW's key codes: printable keys are their ASCII capital, the others as listed.
  if (text.size() == 1) c.key = text[0];
  if (text == "Enter") c.key = 257;
  if (text == "Escape") c.key = 256;
  if (text.size() == 2 && text[0] == 'F') c.key = 290 + (text[1] - '1');
  return c;
}

bool runShortcuts(Session& session, WindowState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsKeyPressed(parseChord("Escape").key, false) && ui::closeMenus()) return true;
  const bool dialog = state.ask != Ask::None || state.searchOpen || state.editor.findOpen || io.WantTextInput;
  for (const Command& c : commands()) {
    const Chord chord = parseChord(c.shortcut);
    if (chord.key == 0 || chord.ctrl != io.KeyCtrl || chord.shift != io.KeyShift || chord.alt != io.KeyAlt) continue;
    if (!ImGui::IsKeyPressed(chord.key, chord.ctrl && (chord.key == 'Z' || chord.key == 'Y'))) continue;
    // While a field has the keyboard, editing keys are its own.
    if (dialog && std::string_view(c.id).substr(0, 5) == "edit.") continue;
    if (c.enabled && !c.enabled(session, state)) continue;
    c.run(session, state);
    return true;
  }
  return false;
}

void guarded(Session& session, WindowState& state, std::function<void()> action) {
  // Text that came from nowhere and was never changed, or that is saved, may go.
  if (!session.document().modified() || session.document().text().empty()) {
    action();
    return;
  }
  state.confirmDiscard = true;
  state.afterDiscard = std::move(action);
}

}  // namespace tessera
