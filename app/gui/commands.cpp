#include "app/gui/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "app/engine/names/sheet_names.h"
#include "app/gui/dialogs/file_dialogs.h"
#include "app/gui/panes/manual.h"
#include "app/gui/panes/present.h"
#include "app/gui/sheets.h"
#include "app/views/editor/editor_page.h"
#include "app/views/find/go_to.h"
#include "core/base/chars.h"

namespace tessera {
namespace {

using Ask = PathQuestion::Ask;

// Selects the next larger or smaller interface size.
void zoomUi(Session& s, int direction) {
  constexpr double kSizes[] = {0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3};
  const double now = s.preferences.scale, least = kSizes[0], most = kSizes[std::size(kSizes) - 1];
  const auto* const at = direction > 0 ? std::upper_bound(std::begin(kSizes), std::end(kSizes), now * 1.001)
                                       : std::lower_bound(std::begin(kSizes), std::end(kSizes), now * 0.999);
  if (direction > 0) s.preferences.scale = at == std::end(kSizes) ? most : *at;
  if (direction < 0) s.preferences.scale = at == std::begin(kSizes) ? least : *(at - 1);
}

void undo(Session& s, WindowState& w, bool redo) {
  if (redo ? !s.document().redo() : !s.document().undo()) return;
  w.editor.anchor = s.document().caret();
  w.editor.caret.reveal = true;
  s.touch();
}

// Focuses the find field; from there, returns to the worksheet.
void find(WindowState& w) {
  const bool there = w.editor.find.open && !w.editor.focused && w.shown.left == ShownPanes::Left::Worksheet;
  w.shown.left = ShownPanes::Left::Worksheet;
  w.editor.find.open = !there;
  w.editor.find.replaces = false;
  w.editor.focused = there;
  w.canvas.scroll.keys = false;
}

// The find field with a second one; if it is open already, closes that one.
void replace(WindowState& w) {
  const bool there = w.editor.find.open && w.editor.find.replaces && !w.editor.focused;
  w.shown.left = ShownPanes::Left::Worksheet;
  w.editor.find.open = true;
  w.editor.find.replaces = !there;
  w.editor.find.second = false;
  w.editor.focused = w.canvas.scroll.keys = false;
}

// Esc when nothing is open.
void unpin(Session& s, WindowState& w) {
  if (closeFront(w)) return;
  const bool there = panes::leavePictures(w.canvas);
  if (!there && !s.pinned && s.litPoints.empty()) w.shown.left = ShownPanes::Left::Worksheet;
  s.pinned.reset();
  s.litPoints.clear();
}

// The first outcome that `fits`; SIZE_MAX if there is none.
std::size_t firstOf(const Session& s, const auto& fits) {
  const auto now = s.evaluation().snapshot();
  for (std::size_t k = 0; k < now->outcomes.size(); ++k)
    if (fits(*now->outcomes[k])) return k;
  return SIZE_MAX;
}

bool comparing(const WindowState& w) { return !w.canvas.compare.b.empty() && w.canvas.compare.ofB; }

// The figure to export without a button: the one in view, else the first; during a comparison, both.
std::size_t figureOf(const Session& s, const WindowState& w) {
  if (comparing(w)) return panes::kCompared;
  const auto now = s.evaluation().snapshot();
  const std::size_t k = w.canvas.scroll.inView;
  if (k < now->outcomes.size() && now->outcomes[k]->figure) return k;
  return firstOf(s, [](const Outcome& o) { return o.figure.has_value(); });
}

// The unanswered statement at the caret.
std::size_t runningAtCaret(const Session& s) {
  const std::size_t caret = s.document().caret();
  return firstOf(
      s, [&](const Outcome& o) { return o.job && o.statement.span.begin <= caret && caret <= o.statement.span.end; });
}

void playHere(Session& s, WindowState& w) {
  const std::size_t caret = s.document().caret();
  const std::size_t claim = firstOf(s, [&](const Outcome& o) {
    return o.claim && o.verdict && o.verdict->truth == Truth::Refuted && o.statement.span.begin <= caret &&
           caret <= o.statement.span.end;
  });
  if (claim == SIZE_MAX) return s.tell("the caret is not in a refuted claim");
  if (s.tasks.shows(*s.evaluation().snapshot()->outcomes[claim])) (void)panes::presentCounterexample(s, w, claim);
}

void runHere(Session& s, WindowState&) {
  if (const auto mark = panes::runMarkAt(*s.evaluation().snapshot(), s.document().caret()))
    return panes::takeRun(s, *mark);
  s.tell(panes::runMarksOf(*s.evaluation().snapshot()).empty()
             ? "this sheet has no program to run"
             : "the caret is not in a program; move it into one, or click the triangle beside a kernel");
}

void newSheet(Session& s, WindowState& w) {
  guarded(s, w, [&s, &w] {
    s.newWorksheet();
    showSheet(s, w);
  });
}

// Steps the number at the caret to the next size.
void stepNumber(Session& s, WindowState& w, int direction) {
  if (const auto number = integerAt(s.document().text(), s.document().caret()))
    return panes::stepNumber(s, w.editor, *number, direction);
  s.tell("the caret is not at an integer");
}

void editLines(Session& s, WindowState& w,
               panes::LineEdit (*edit)(std::string_view text, std::size_t anchor, std::size_t caret)) {
  panes::applyEdit(s, w.editor, edit(s.document().text(), w.editor.anchor, s.document().caret()));
}

void moveLines(Session& s, WindowState& w, int direction) {
  if (const auto edit = panes::moveLines(s.document().text(), w.editor.anchor, s.document().caret(), direction))
    panes::applyEdit(s, w.editor, *edit);
}

void definition(Session& s, WindowState& w) {
  if (!panes::goToDefinition(s, w.editor, s.document().caret()))
    s.tell("the caret is not at a name that this sheet binds");
}

// Asks for the new name; Enter renames the binding at the caret and its uses.
void askRename(Session& s, WindowState& w) {
  const std::size_t byte = s.document().caret();
  const auto uses = usesOf(s.document().text(), byte);
  if (uses.empty()) return s.tell("the caret is not at a name that this sheet binds");
  const auto name = std::make_shared<std::string>(
      s.document().text().substr(uses.front().begin, uses.front().end - uses.front().begin));
  Dialog d;
  d.name = "rename";
  d.title = fmt::format("Rename {}", *name);
  d.text = fmt::format("Its binding and {} below it change.", counted(uses.size() - 1, "use"));
  d.hasField = true;
  d.body = [name] {
    ImGui::SetNextItemWidth(-1);
    (void)ui::field(ui::Owner::Dialog, "rename.name", *name);
  };
  d.choices = {{"rename", "Rename",
                [&s, &w, byte, name]() -> std::string {
                  const auto edit = panes::renamed(s.document().text(), byte, *name);
                  if (!edit.ok()) return edit.error().message;
                  panes::applyEdit(s, w.editor, *edit);
                  return "";
                }},
               {"cancel", "Cancel", {}}};
  askUser(w, std::move(d));
}

void saveAs(Session& s, WindowState& w) {
  askForPath(w, Ask::SaveAs, s.document().path().empty() ? "worksheet.tess" : s.document().path());
}

void save(Session& s, WindowState& w) {
  if (s.document().path().empty()) return saveAs(s, w);
  if (s.save() || s.diskQuestion) return;
  askUser(w, {.name = "save_failed",
              .title = fmt::format("{} cannot be saved", fileNameOf(s.document().path(), "")),
              .text = s.message,
              .choices = {{"save_as", "Save as ...",
                           [&s, &w]() -> std::string {
                             saveAs(s, w);
                             return "";
                           }},
                          {"cancel", "Cancel", {}}}});
}

void exportPicture(Session& s, WindowState& w) { askExport(s, w, figureOf(s, w)); }

void copyPicture(Session& s, WindowState& w) {
  w.canvas.exportOutcome = figureOf(s, w);
  panes::copySeen(s, w.canvas, w.question.exported);
  w.canvas.exportOutcome = SIZE_MAX;
}

void exportReport(Session& s, WindowState& w) {
  const std::string& path = s.document().path();
  askForPath(w, Ask::Report, (path.empty() ? "report" : path.substr(0, path.rfind('.'))) + ".md");
}

void changeTheme(Session& s, WindowState&) {
  Theme& t = s.preferences.theme;
  t = t == Theme::SafeDark    ? Theme::SafeLight
      : t == Theme::SafeLight ? Theme::SafeDark
      : isDark(t)             ? Theme::Light
                              : Theme::Dark;
}

void changeContrast(Session& s, WindowState&) {
  s.preferences.theme = s.preferences.theme == Theme::Contrast ? Theme::Dark : Theme::Contrast;
}

void changeSafe(Session& s, WindowState&) {
  Theme& t = s.preferences.theme;
  t = isSafe(t) ? (isDark(t) ? Theme::Dark : Theme::Light) : isDark(t) ? Theme::SafeDark : Theme::SafeLight;
}

void togglePresentation(Session& s, WindowState& w) {
  w.present = {!w.present.open};
  s.pinned.reset();
}

void fitAll(Session&, WindowState& w) {
  w.canvas.panes.clear();
  w.canvas.onlyLine = -1;
}

void toWorksheet(Session&, WindowState& w) {
  w.shown.left = ShownPanes::Left::Worksheet;
  w.editor.focused = true;
  w.canvas.scroll.keys = false;
}

void runAll(Session& s, WindowState&) {
  for (const auto& o : s.evaluation().snapshot()->outcomes)
    if (o->statement.kind == StatementKind::Run) s.evaluation().run(o->statement.text);
}

std::vector<Command> table() {
  using S = Session;
  using W = WindowState;
  using Left = ShownPanes::Left;
  using Bottom = ShownPanes::Bottom;
  const auto canUndo = [](const S& s, const W&) { return s.document().canUndo(); };
  const auto canRedo = [](const S& s, const W&) { return s.document().canRedo(); };
  const auto selected = [](const S& s, const W& w) { return w.editor.hasSelection(s.document()); };
  const auto hasFigure = [](const S& s, const W& w) { return figureOf(s, w) != SIZE_MAX; };
  const auto runsAtCaret = [](const S& s, const W&) { return runningAtCaret(s) != SIZE_MAX; };
  const auto isRun = [](const Outcome& o) { return o.statement.kind == StatementKind::Run; };
  const auto hasRuns = [isRun](const S& s, const W&) { return firstOf(s, isRun) != SIZE_MAX; };
  const auto keepsSheets = [](const S& s, const W&) { return s.sheets().isOpen(); };
  const auto redo = [](S& s, W& w) { undo(s, w, true); };
  const auto larger = [](S& s, W&) { zoomUi(s, +1); };
  const auto smaller = [](S& s, W&) { zoomUi(s, -1); };
  constexpr Reach kSheet = Reach::Sheet, kAnywhere = Reach::Anywhere;
  // clang-format off
  return {
    {"file.new", "File", "New worksheet", "Ctrl+N", newSheet},
    {"file.open", "File", "Open ...", "Ctrl+O", [](S& s, W& w) { askForPath(w, Ask::Open, s.document().path()); }},
    {"file.gallery", "File", "Gallery", "Ctrl+G", [](S&, W& w) { w.shown.left = Left::Gallery; }},
    {"file.save", "File", "Save", "Ctrl+S", save},
    {"file.save_as", "File", "Save as ...", "Ctrl+Shift+S", saveAs},
    {"file.recovered", "File", "Recovered sheets ...", "", askRecovered, keepsSheets},
    {"file.compare", "File", "Compare with sheet ...", "", askComparison},
    {"file.export", "File", "Export picture ...", "Ctrl+E", exportPicture, hasFigure},
    {"file.copyImage", "File", "Copy picture as image", "Ctrl+Shift+E", copyPicture, hasFigure},
    {"file.report", "File", "Export report ...", "", exportReport},
    {"file.quit", "File", "Quit", "Ctrl+Q", [](S&, W& w) { w.quit = true; }, {}, kAnywhere},

    {"edit.undo", "Edit", "Undo", "Ctrl+Z", [](S& s, W& w) { undo(s, w, false); }, canUndo, kSheet},
    {"edit.redo", "Edit", "Redo", "Ctrl+Y", redo, canRedo, kSheet},
    {"edit.redo2", "", "Redo", "Ctrl+Shift+Z", redo, canRedo, kSheet},
    {"edit.cut", "Edit", "Cut", "Ctrl+X", [](S& s, W& w) { panes::cut(s, w.editor); }, selected, kSheet},
    {"edit.copy", "Edit", "Copy", "Ctrl+C", [](S& s, W& w) { panes::copy(s, w.editor); }, selected, kSheet},
    {"edit.paste", "Edit", "Paste", "Ctrl+V", [](S& s, W& w) { panes::paste(s, w.editor); }, {}, kSheet},
    {"edit.select_all", "Edit", "Select all", "Ctrl+A", [](S& s, W& w) { panes::selectAll(s, w.editor); }, {}, kSheet},
    {"edit.comment", "Edit", "Comment lines", "Ctrl+/",
     [](S& s, W& w) { editLines(s, w, panes::toggleComment); }, {}, kSheet},
    {"edit.duplicate", "Edit", "Duplicate lines", "Ctrl+D",
     [](S& s, W& w) { editLines(s, w, panes::duplicateLines); }, {}, kSheet},
    {"edit.lines_up", "Edit", "Move lines up", "Ctrl+Shift+Up", [](S& s, W& w) { moveLines(s, w, -1); }, {}, kSheet},
    {"edit.lines_down", "Edit", "Move lines down", "Ctrl+Shift+Down",
     [](S& s, W& w) { moveLines(s, w, 1); }, {}, kSheet},
    {"edit.definition", "Edit", "Go to definition", "F12", definition, {}, kSheet},
    {"edit.rename", "Edit", "Rename ...", "F2", askRename, {}, kSheet},
    {"edit.suggest", "Edit", "Suggest completions", "Ctrl+Space",
     [](S&, W& w) { w.editor.offers.wanted = true; }, {}, kSheet},
    {"edit.larger_number", "Edit", "Next larger size", "Alt+Up",
     [](S& s, W& w) { stepNumber(s, w, +1); }, {}, kSheet},
    {"edit.smaller_number", "Edit", "Next smaller size", "Alt+Down",
     [](S& s, W& w) { stepNumber(s, w, -1); }, {}, kSheet},
    {"edit.find", "Edit", "Find or go to ...", "Ctrl+F", [](S&, W& w) { find(w); }},
    {"edit.replace", "Edit", "Find and replace ...", "Ctrl+H", [](S&, W& w) { replace(w); }},
    {"edit.find_next", "Edit", "Find next", "F3", [](S& s, W& w) { panes::goTo(s, w.editor, w.canvas, 1); }},
    {"edit.find_previous", "Edit", "Find previous", "Shift+F3",
     [](S& s, W& w) { panes::goTo(s, w.editor, w.canvas, -1); }},

    {"view.search", "View", "Find anything", "Ctrl+K", [](S&, W& w) { w.palette = {true}; }},
    {"view.theme", "View", "Toggle light and dark", "Ctrl+T", changeTheme, {}, kAnywhere},
    {"view.present", "View", "Presentation", "F11", togglePresentation, {}, kAnywhere},
    {"view.contrast", "View", "High contrast", "", changeContrast, {}, kAnywhere},
    {"view.safe", "View", "Colours for colour-blind readers", "", changeSafe, {}, kAnywhere},
    {"view.fit", "View", "Fit every picture", "Ctrl+0", fitAll},
    {"view.larger", "View", "Larger interface", "Ctrl+=", larger, {}, kAnywhere},
    {"view.smaller", "View", "Smaller interface", "Ctrl+-", smaller, {}, kAnywhere},
    {"view.larger2", "", "Larger interface", "Ctrl+Shift+=", larger, {}, kAnywhere},
    {"view.larger3", "", "Larger interface", "Ctrl+Plus", larger, {}, kAnywhere},
    {"view.smaller2", "", "Smaller interface", "Ctrl+Minus", smaller, {}, kAnywhere},
    {"view.worksheet", "View", "Worksheet", "Ctrl+1", toWorksheet},
    {"view.claims", "View", "Claims", "Ctrl+2", [](S&, W& w) { w.shown.bottom = Bottom::Claims; }},
    {"view.problems", "View", "Problems", "Ctrl+3", [](S&, W& w) { w.shown.bottom = Bottom::Problems; }},
    {"view.unpin", "View", "Unpin the cell", "Escape", unpin, {}, kAnywhere},

    {"prove.again", "Prove", "Re-evaluate everything", "Ctrl+Enter",
     [](S& s, W&) { s.evaluation().reevaluate(); }},
    {"prove.cancel", "Prove", "Cancel this statement", "Ctrl+.",
     [](S& s, W&) { s.evaluation().cancel(runningAtCaret(s)); }, runsAtCaret},
    {"prove.play", "Prove", "Play the counterexample", "F6", playHere},
    {"prove.smt2", "Prove", "Export SMT-LIB ...", "", askForSmt2},

    {"run.here", "Run", "Run the program at the caret", "F5", runHere},
    {"run.again", "Run", "Rerun all run statements", "Shift+F5", runAll, hasRuns},

    {"help.manual", "Help", "Manual", "F1", [](S&, W& w) { w.manual.open = true; }},
    {"help.keys", "Help", "All keys", "Shift+F1", [](S&, W& w) { openManual(w, "Keys"); }},
  };
  // clang-format on
}

std::vector<Command>& allCommands() {
  static std::vector<Command> all = table();
  return all;
}

}  // namespace

std::span<const Command> commands() { return allCommands(); }

void addCommands(std::vector<Command> more) {
  std::vector<Command>& all = allCommands();
  for (Command& c : more) {
    const auto same = [&](const Command& other) {
      return std::string_view(other.menu) == c.menu && std::string_view(other.id) != "file.quit";  // which stays last
    };
    const auto last = std::find_if(all.rbegin(), all.rend(), same);
    all.insert(last.base() == all.begin() ? all.end() : last.base(), std::move(c));
  }
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
  // GLFW's key codes: printable keys are ASCII capitals, the others are listed.
  if (text.size() == 1) c.key = text[0];
  if (text == "Enter") c.key = 257;
  if (text == "Escape") c.key = 256;
  if (text == "Space") c.key = 32;
  if (text == "Up") c.key = 265;
  if (text == "Down") c.key = 264;
  if (text == "Minus") c.key = 333;  // of the number pad
  if (text == "Plus") c.key = 334;
  if (text.size() == 2 && text[0] == 'F') c.key = 290 + (text[1] - '1');
  if (text.size() == 3 && text[0] == 'F') c.key = 299 + (text[2] - '0');
  return c;
}

namespace {

bool reaches(const Command& command, ui::Owner owner) {
  if (command.reach == Reach::Sheet) return owner == ui::Owner::Worksheet;
  if (owner == ui::Owner::Find) return true;
  const bool open = owner == ui::Owner::Worksheet || owner == ui::Owner::Pictures || owner == ui::Owner::None;
  return open || command.reach == Reach::Anywhere;
}

}  // namespace

bool runShortcuts(Session& session, WindowState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  for (const Command& c : commands()) {
    const Chord chord = parseChord(c.shortcut);
    if (chord.key == 0 || chord.ctrl != io.KeyCtrl || chord.shift != io.KeyShift || chord.alt != io.KeyAlt) continue;
    const bool arrow = chord.key == 264 || chord.key == 265;
    const bool repeats = chord.alt || arrow || (chord.ctrl && (chord.key == 'Z' || chord.key == 'Y'));
    if (!ImGui::IsKeyPressed(chord.key, repeats)) continue;
    if (!reaches(c, ui::keyboard().owner()) || (c.enabled && !c.enabled(session, state))) continue;
    c.run(session, state);
    return true;
  }
  return false;
}

using ui::Owner;

Owner overlay(const WindowState& state) {
  if (!state.dialogs.empty()) return Owner::Dialog;
  if (state.question.ask != PathQuestion::Ask::None) return Owner::Path;
  if (state.palette.open) return Owner::Palette;
  if (state.manual.open) return Owner::Manual;
  if (state.sheets.open()) return Owner::Sheets;
  if (state.present.open) return Owner::Present;
  return Owner::None;
}

Owner keyboardOwner(const WindowState& state) {
  if (const Owner above = overlay(state); above != Owner::None) return above;
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return Owner::Menu;
  if (state.canvas.scroll.keys) return Owner::Pictures;
  if (state.isPicture || state.shown.left != ShownPanes::Left::Worksheet) return Owner::None;
  return state.editor.find.open && !state.editor.focused ? Owner::Find : Owner::Worksheet;
}

bool closeFront(WindowState& state) {
  const Owner front = keyboardOwner(state);
  if (front == Owner::Dialog) dismiss(state);
  if (front == Owner::Path) closePath(state);
  if (front == Owner::Palette) state.palette.open = false;
  if (front == Owner::Manual) state.manual.open = false;
  if (front == Owner::Sheets) closeComparison(state);
  if (front == Owner::Present) state.present.open = false;
  if (front == Owner::Menu) return ui::closeMenus();
  // The completion list is in front of the find field.
  if (front == Owner::Worksheet && panes::closeOffers(state.editor)) return true;
  if (front == Owner::Worksheet || front == Owner::Find) return std::exchange(state.editor.find.open, false);
  return front != Owner::Pictures && front != Owner::None;
}

}  // namespace tessera
