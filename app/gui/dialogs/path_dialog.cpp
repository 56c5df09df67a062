#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "app/gui/dialogs/export_dialog.h"
#include "app/gui/dialogs/file_dialogs.h"
#include "app/gui/sheets.h"
#include "app/widgets/keyboard.h"
#include "render/ink/ink.h"

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
    {"Export the picture as", "", "Export"},
    {"Write the questions to the solver as SMT-LIB",
     "One .smt2 file, or a folder for a file each. Any SMT solver reads it.", "Write"},
    {"Compare with the worksheet", "It is shown beside this one; nothing is opened or changed.", "Compare"},
    {"Write a report of the sheet",
     "Markdown with every statement, verdict and picture; the pictures are in a folder beside it.", "Write"}};

const char* about(Ask ask) {
  if (ask != Ask::Export) return kWords[static_cast<std::size_t>(ask)].about;
  return haveCairo() ? "The extension selects the format: svg, png, pdf, tex, txt, csv or json."
                     : "The extension selects the format: svg, png, tex, txt, csv or json.";
}

fs::path& topFolder() {
  static fs::path top = "/";
  return top;
}

// Existing files that would be replaced.
std::vector<fs::path> replaced(const Session& session, const WindowState& state) {
  std::error_code failed;
  std::vector<fs::path> found;
  const auto look = [&](const fs::path& p) {
    if (fs::is_regular_file(p, failed)) found.push_back(p);
  };
  if (state.question.ask == Ask::Export || state.question.ask == Ask::Report) look(state.question.path);
  if (state.question.ask == Ask::SaveAs && !fs::equivalent(state.question.path, session.document().path(), failed))
    look(state.question.path);
  if (state.question.ask == Ask::Smt2)
    for (const auto& [file, text] : smt2Files(session, state.question.path)) look(file);
  return found;
}

// Executes the request; returns an error message or "".
std::string carryOut(Session& session, WindowState& state) {
  bool done = false;
  if (state.question.ask == Ask::SaveAs) done = session.saveAs(state.question.path);
  if (state.question.ask == Ask::Export)
    done = panes::exportSeen(session, state.canvas, state.question.exported, state.question.path);
  if (state.question.ask == Ask::Smt2) done = exportSmt2(session, state.question.path);
  if (state.question.ask == Ask::Report)
    done = panes::exportReport(session, state.canvas, state.question.exported, state.question.path);
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
  const fs::path here = fs::weakly_canonical(fs::absolute(folder, failed), failed);
  const std::vector<Entry> entries = entriesOf(folder, state.question.ask);
  if (here == topFolder() && entries.empty()) return;
  ImGui::BeginChild("listing", {0, panes::listHeight(state.question.ask == Ask::Export ? 96 : 220)});
  if (here != topFolder()) {
    if (ImGui::Selectable("..", false)) state.question.path = (here.parent_path() / "").string();
    ui::placeLast("dialog.entry...");
  }
  for (const Entry& e : entries) {
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

void askForSmt2(Session& session, WindowState& state) {
  const std::string& path = session.document().path();
  askForPath(state, Ask::Smt2, (path.empty() ? "claims" : path.substr(0, path.rfind('.'))) + ".smt2");
}

void askSaveAs(WindowState& state, std::string path, std::function<void()> after) {
  askForPath(state, Ask::SaveAs, std::move(path));
  state.question.afterSave = std::move(after);
}

void setTopFolder(const std::string& folder) { topFolder() = folder; }

void closePath(WindowState& state) {
  state.question.ask = Ask::None;
  state.question.problem.clear();
  state.question.afterSave = {};
  state.canvas.exportOutcome = SIZE_MAX;
}

void panes::pathDialog(Session& session, WindowState& state, GridTextures& textures) {
  const Words words = kWords[static_cast<std::size_t>(state.question.ask)];
  const bool exports = state.question.ask == Ask::Export;
  if (beginPanel("##path", 620, exports ? 0.06F : 0.18F)) {
    panelTitle(exports ? exportTitle(session, state.canvas) : words.title);
    if (const char* const text = about(state.question.ask); *text != '\0') muted(text);
    if (state.question.ask == Ask::Export && state.canvas.exportOutcome == kCompared)
      muted("Both pictures side by side; csv has only the differing cells.");
    ImGui::PushID(words.title);
    ImGui::SetNextItemWidth(-1);
    const bool entered = ui::field(ui::Owner::Path, "dialog.path", state.question.path);
    ImGui::PopID();
    listing(state);
    if (exports || state.question.ask == Ask::Report) exportChoices(session, state, textures);
    panelProblem(state.question.problem);
    const bool pressed = ui::button("dialog.accept", words.verb, true);
    ImGui::SameLine();
    if (exports) {
      if (ui::button("dialog.copy", "Copy as image") && copySeen(session, state.canvas, state.question.exported))
        closePath(state);
      ImGui::SameLine();
    }
    const bool cancelled = ui::button("dialog.cancel", "Cancel");
    if (entered || pressed) accept(session, state);
    if (cancelled) closePath(state);
  }
  ImGui::End();
}

}  // namespace tessera
