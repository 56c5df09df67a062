#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "app/gui/dialogs/file_dialogs.h"
#include "app/gui/sheets.h"
#include "app/widgets/keyboard.h"
#include "render/figure/compared.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ui::px;
using Ask = PathQuestion::Ask;

// The texts of each kind of question.
struct Words {
  const char *title, *about, *verb;
};
constexpr Words kWords[] = {
    {"", "", ""},
    {"Open a worksheet", "", "Open"},
    {"Save the worksheet as", "", "Save"},
    {"Export the picture as", "The extension selects the format: svg, png, pdf, tex, txt, csv or json.", "Export"},
    {"Write SMT-LIB files into the folder", "One file for each obligation given to a solver.", "Write"},
    {"Compare with the worksheet", "It is shown beside this one; nothing is opened or changed.", "Compare"}};

// Existing files that would be replaced.
std::vector<fs::path> replaced(const Session& session, const WindowState& state) {
  std::error_code failed;
  std::vector<fs::path> found;
  const auto look = [&](const fs::path& p) {
    if (fs::is_regular_file(p, failed)) found.push_back(p);
  };
  if (state.question.ask == Ask::Export) look(state.question.path);
  if (state.question.ask == Ask::SaveAs && !fs::equivalent(state.question.path, session.document().path(), failed))
    look(state.question.path);
  if (state.question.ask == Ask::Smt2) {
    for (const auto& o : session.evaluation().snapshot()->outcomes) {
      if (!o->verdict) continue;
      for (const auto& [file, text] : o->verdict->smt2)
        look(fs::path(state.question.path) / fmt::format("line{}_{}", o->statement.line, file));
    }
  }
  return found;
}

// The exported figure also lights the cells that the user lit.
Figure withLights(Figure figure, const Session& session) {
  figure.lit.insert(figure.lit.end(), session.litPoints.begin(), session.litPoints.end());
  if (session.pinned) figure.lit.push_back(session.pinned->point);
  return figure;
}

// Both compared pictures in one, else the one of canvas.exportOutcome.
Result<Figure> exported(const Session& session, panes::CanvasState& canvas, const std::string& path) {
  if (canvas.exportOutcome != panes::kCompared) {
    const std::shared_ptr<const Outcome> seen = panes::seenInPane(session, canvas, canvas.exportOutcome);
    if (!seen || !seen->figure) return Diag{"there is no picture to export"};
    return withLights(*seen->figure, session);
  }
  const panes::CompareState& c = canvas.compare;
  if (!c.ofA || !c.ofB || !c.ofA->figure || !c.ofB->figure) return Diag{"no pictures are compared"};
  const std::size_t dot = path.rfind('.');
  const std::string format = dot == std::string::npos ? "" : path.substr(dot + 1);
  Figure both = comparisonFor(format, *c.ofA->figure, *c.ofB->figure, c.marks);
  // With marks, only the differing cells are lit.
  return c.marks ? std::move(both) : withLights(std::move(both), session);
}

// Executes the request; returns an error message or "".
std::string carryOut(Session& session, WindowState& state) {
  bool done = false;
  if (state.question.ask == Ask::SaveAs) done = session.saveAs(state.question.path);
  if (state.question.ask == Ask::Export)
    done = panes::exportSeen(session, state.canvas, state.question.exported, state.question.path);
  if (state.question.ask == Ask::Smt2) done = exportSmt2(session, state.question.path);
  if (!done) return state.question.problem = session.message;
  const auto after = std::exchange(state.question.afterSave, {});
  closePath(state);
  if (after) after();
  return "";
}

void askToReplace(Session& session, WindowState& state, const std::vector<fs::path>& there) {
  std::error_code failed;
  Dialog d;
  d.name = "replace";
  const fs::path& first = there.front();
  d.title = there.size() == 1 ? fmt::format("{} already exists", first.filename().string())
                              : fmt::format("{} of these files already exist", there.size());
  const fs::path folder = fs::absolute(first, failed).lexically_normal().parent_path();
  d.text = there.size() == 1 ? fmt::format("{} bytes, in {}. Its contents would be lost.", fs::file_size(first, failed),
                                           folder.string())
                             : fmt::format("In {}. Their contents would be lost.", folder.string());
  d.choices = {
      {"keep", there.size() == 1 ? "Keep it" : "Keep them", {}},
      {"replace", there.size() == 1 ? "Replace it" : "Replace them", [&] { return carryOut(session, state); }}};
  askUser(state, std::move(d));
}

// Replaces the text by the file's, asking first if it is unsaved.
void openFile(Session& session, WindowState& state) {
  std::error_code failed;
  const std::string path = state.question.path;
  const char* const problem = !fs::exists(path, failed)           ? " does not exist"
                              : fs::is_directory(path, failed)    ? " is a folder. Expected: a worksheet in it"
                              : ::access(path.c_str(), R_OK) != 0 ? " cannot be read"
                                                                  : "";
  if (*problem != '\0') {
    state.question.problem = path + problem;
    return;
  }
  guarded(session, state, [&session, &state, path] {
    if (session.open(path)) {
      closePath(state);
      showSheet(session, state);
    } else {
      askForPath(state, Ask::Open, path);
      state.question.problem = session.message;
    }
  });
}

void accept(Session& session, WindowState& state) {
  state.question.problem.clear();
  if (state.question.ask == Ask::Open) {
    openFile(session, state);
  } else if (state.question.ask == Ask::Compare) {
    state.question.problem = compareWithFile(session, state, state.question.path);
    if (state.question.problem.empty()) closePath(state);
  } else if (const auto there = replaced(session, state); !there.empty()) {
    askToReplace(session, state, there);
  } else {
    carryOut(session, state);
  }
}

// The start of a row of small buttons.
void row(const char* name) {
  ImGui::AlignTextToFramePadding();
  ui::label(name, Role::Muted, ui::look().fonts.sans);
  ImGui::SameLine(px(110));
}

// The options of an export: theme, scale, background.
void exportChoices(const Session& session, ExportChoices& choices) {
  const Theme theme = choices.theme.value_or(session.preferences.theme);
  row("Theme");
  if (ui::rowButton("export.theme.light", "light", theme == Theme::Light)) choices.theme = Theme::Light;
  if (ui::rowButton("export.theme.dark", "dark", theme == Theme::Dark)) choices.theme = Theme::Dark;
  ImGui::NewLine();
  row("PNG scale");
  for (const auto& [id, label, scale] :
       {std::tuple{"export.scale.1", "1x", 1.0}, {"export.scale.2", "2x", 2.0}, {"export.scale.4", "4x", 4.0}})
    if (ui::rowButton(id, label, choices.scale == scale)) choices.scale = scale;
  ImGui::NewLine();
  row("Background");
  if (ui::rowButton("export.background.filled", "filled", !choices.transparent)) choices.transparent = false;
  if (ui::rowButton("export.background.none", "transparent", choices.transparent)) choices.transparent = true;
  ImGui::NewLine();
  ImGui::Dummy({0, px(4)});
}

struct Entry {
  std::string name;
  bool folder = false;
};

// Folders, and the worksheets that can be opened, or the files that would be replaced.
std::vector<Entry> entriesOf(const fs::path& folder, Ask ask) {
  std::error_code failed;
  std::vector<Entry> entries;
  for (fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed), end;
       !failed && at != end && entries.size() < 500; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name.empty() || name[0] == '.') continue;
    std::error_code unknown;
    const bool isFolder = at->is_directory(unknown);
    const bool read = ask == Ask::Open || ask == Ask::Compare;
    const fs::path kind = at->path().extension();
    const bool sheet = kind == ".tess" || kind == ".graphene" || kind == ".hlo" || kind == ".txt";
    if (!isFolder && (!read || !sheet)) continue;
    entries.push_back({name, isFolder});
  }
  std::ranges::sort(entries,
                    [](const Entry& a, const Entry& b) { return a.folder != b.folder ? a.folder : a.name < b.name; });
  return entries;
}

void listing(WindowState& state) {
  std::error_code failed;
  const fs::path typed(state.question.path);
  fs::path folder = fs::is_directory(typed, failed) ? typed : typed.parent_path();
  if (folder.empty()) folder = ".";
  ImGui::BeginChild("listing", {0, panes::listHeight(220)});
  if (fs::absolute(folder, failed).has_parent_path() && ImGui::Selectable("..", false))
    state.question.path = (fs::weakly_canonical(folder, failed).parent_path() / "").string();
  for (const Entry& e : entriesOf(folder, state.question.ask)) {
    if (ImGui::Selectable((e.folder ? e.name + "/" : e.name).c_str(), false))
      state.question.path = e.folder ? (folder / e.name / "").string() : (folder / e.name).string();
    ui::placeLast("dialog.entry." + e.name);
  }
  ImGui::EndChild();
}

}  // namespace

void askForPath(WindowState& state, Ask what, std::string path) {
  state.question.ask = what;
  state.question.path = std::move(path);
  state.question.problem.clear();
  state.question.afterSave = {};
}

void askSaveAs(WindowState& state, std::string path, std::function<void()> after) {
  askForPath(state, Ask::SaveAs, std::move(path));
  state.question.afterSave = std::move(after);
}

void closePath(WindowState& state) {
  state.question.ask = Ask::None;
  state.question.problem.clear();
  state.question.afterSave = {};
  state.canvas.exportOutcome = SIZE_MAX;
}

bool panes::exportSeen(Session& session, CanvasState& canvas, const ExportChoices& choices, const std::string& path) {
  const auto figure = exported(session, canvas, path);
  if (!figure.ok()) return session.fail(figure.error());
  const Theme theme = choices.theme.value_or(session.preferences.theme);
  return exportFigure(session, *figure, path,
                      {.theme = theme, .scale = choices.scale, .transparent = choices.transparent});
}

void panes::pathDialog(Session& session, WindowState& state) {
  const Words words = kWords[static_cast<std::size_t>(state.question.ask)];
  if (beginPanel("##path", 620, 0.18F)) {
    panelTitle(words.title);
    if (*words.about != '\0') muted(words.about);
    if (state.question.ask == Ask::Export && state.canvas.exportOutcome == kCompared)
      muted("Both pictures side by side; csv has only the differing cells.");
    ImGui::PushID(words.title);
    ImGui::SetNextItemWidth(-1);
    const bool entered = ui::field(ui::Owner::Path, "dialog.path", state.question.path);
    ImGui::PopID();
    listing(state);
    if (state.question.ask == Ask::Export) exportChoices(session, state.question.exported);
    panelProblem(state.question.problem);
    const bool pressed = ui::button("dialog.accept", words.verb, true);
    ImGui::SameLine();
    const bool cancelled = ui::button("dialog.cancel", "Cancel");
    if (entered || pressed) accept(session, state);
    if (cancelled) closePath(state);
  }
  ImGui::End();
}

}  // namespace tessera
