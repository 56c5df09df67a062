#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/gui/dialogs/file_dialogs.h"
#include "app/gui/sheets.h"
#include "core/base/chars.h"

namespace tessera {
namespace {

using ui::px;

std::string nameOf(const std::string& path) { return fileNameOf(path, "untitled"); }

// --- the file was changed by another program -------------------------------------------------------------------------

// Both texts and their diff, computed once.
struct Comparison {
  std::string mine, theirs;
  std::vector<std::string_view> left = linesOf(mine), right = linesOf(theirs);
  std::vector<SheetRow> rows = sideBySide(lineDiff(left, right), 3);
};

void side(ImVec2 at, float width, const std::vector<std::string_view>& lines, std::ptrdiff_t line, bool same,
          Role role) {
  if (line < 0) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ui::Fonts& f = ui::look().fonts;
  const float h = px(20);
  if (!same) {
    ui::fill(at, {at.x + width, at.y + h}, role, 0.13);
    ui::fill(at, {at.x + px(2), at.y + h}, role);
  }
  const std::string number = std::to_string(line + 1);
  ui::textInRow(f.small, {at.x + px(38) - ui::width(f.small, number), at.y}, h, Role::Faint, number);
  list->PushClipRect(at, {at.x + width, at.y + h}, true);
  const std::string_view text = lines[static_cast<std::size_t>(line)].substr(0, 400);
  ui::textInRow(f.code, {at.x + px(48), at.y}, h, same ? Role::Muted : Role::Text, text);
  list->PopClipRect();
}

void comparisonRow(const Comparison& c, const SheetRow& row, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float half = (width - px(8)) / 2;
  ImGui::Dummy({width, px(20)});
  if (row.leftOut > 0) {
    const std::string words = counted(row.leftOut, "equal line");
    const ui::Fonts& f = ui::look().fonts;
    ui::textInRow(f.small, {at.x + px(48), at.y}, px(20), Role::Faint, words);
    return;
  }
  side(at, half, c.left, row.first, !row.differs(), Role::Accent);
  side({at.x + half + px(8), at.y}, half, c.right, row.second, !row.differs(), Role::Unknown);
}

void drawComparison(const Comparison& c) {
  const ui::Fonts& f = ui::look().fonts;
  ImGui::Dummy({0, px(4)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - px(16);
  ui::text(f.small, {at.x + px(48), at.y}, Role::Accent, "mine, in this window");
  ui::text(f.small, {at.x + px(56) + (width - px(8)) / 2, at.y}, Role::Unknown, "theirs, on disk");
  ImGui::Dummy({width, px(20)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::BeginChild("comparison",
                    {0, panes::listHeight(std::clamp(20.0F * static_cast<float>(c.rows.size()), 60.0F, 460.0F))});
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(c.rows.size()), px(20));
  while (clipper.Step())
    for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k)
      comparisonRow(c, c.rows[static_cast<std::size_t>(k)], width);
  ImGui::EndChild();
  ui::placeLast("disk.comparison");
  ImGui::PopStyleVar();
}

Dialog diskDialog(Session& session, WindowState& state);

// Applies the answer; returns an error message or "".
Dialog::Run answer(Session& session, WindowState& state, bool keep) {
  return [&session, &state, keep]() -> std::string {
    if (keep ? !session.keepMine() : (session.takeTheirs(), false)) return session.message;
    if (!keep) state.editor.anchor = session.document().caret();
    if (state.question.ask == PathQuestion::Ask::SaveAs) closePath(state);
    return "";
  };
}

Dialog compareDialog(Session& session, WindowState& state) {
  Dialog d = diskDialog(session, state);
  const std::shared_ptr<const Comparison> texts(
      new Comparison{session.document().text(), session.diskQuestion->now.bytes});
  d.text.clear();
  d.width = 1080;
  d.body = [texts] { drawComparison(*texts); };
  d.choices.erase(d.choices.begin());
  // Enter must lose nothing.
  std::rotate(d.choices.begin(), d.choices.end() - 1, d.choices.end());
  return d;
}

Dialog diskDialog(Session& session, WindowState& state) {
  const DiskQuestion& q = *session.diskQuestion;
  Dialog d;
  d.name = "disk";
  const Dialog::Choice later{"later", "Not now", {}};
  const Dialog::Choice keep{"keep", q.saving ? "Overwrite with mine" : "Keep mine", answer(session, state, true)};
  switch (q.what) {
    case DiskLook::What::Deleted:
      d.title = fmt::format("{} is no longer there", nameOf(q.path));
      d.text = fmt::format("Another program deleted or moved {}. The text is still in this window.", q.path);
      d.choices = {{"keep", q.saving ? "Save it again" : "Keep the text", keep.run}, later};
      break;
    case DiskLook::What::Unreadable:
      d.title = fmt::format("{} can no longer be read", nameOf(q.path));
      d.text = q.why + ".";
      d.choices = {later, keep};
      break;
    default:
      d.title = fmt::format("{} was changed on disk", nameOf(q.path));
      d.text = q.saving
                   ? "Another program has changed it since. Nothing is saved yet; saving would overwrite those changes."
                   : "Another program has changed it since. Taking theirs can be undone.";
      d.choices = {{"compare", "Compare",
                    [&]() -> std::string {
                      // Closing the dialog postpones the question, unless another dialog repeats it.
                      if (session.diskQuestion) askUser(state, compareDialog(session, state));
                      return "";
                    }},
                   keep,
                   {"theirs", "Take theirs", answer(session, state, false)},
                   later};
  }
  return d;
}

// --- recovered and earlier sheets ------------------------------------------------------------------------------------

std::string aboutSheet(const SheetStore::Sheet& sheet) {
  const SheetSummary& s = sheet.summary;
  const char* state = s.ended == Ended::No         ? "its window was killed"
                      : s.ended == Ended::Replaced ? "closed"
                                                   : "left open";
  return fmt::format("{}, {}, {}{}", timeText(sheet.when, "%e %b %H:%M"), counted(s.lines, "line"),
                     s.modified ? "with unsaved text, " : "", state);
}

void sheetRow(Session& session, WindowState& state, const SheetStore::Sheet& sheet, std::size_t number) {
  const ui::Fonts& f = ui::look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, h = px(44), words = width - px(128);
  const std::string first = sheet.summary.firstLine.empty() ? "" : "   " + sheet.summary.firstLine;
  ui::text(f.sansMedium, {at.x + px(4), at.y + px(4)}, Role::Text,
           ui::fitted(nameOf(sheet.summary.path) + first, f.sans, words));
  ui::text(f.small, {at.x + px(4), at.y + px(23)}, Role::Muted, aboutSheet(sheet));
  ImGui::SetCursorScreenPos({at.x + words + px(8), at.y + px(9)});
  const std::string name = fmt::format("recovered.{}", number);
  if (ui::button(name + ".open", "Open"))
    state.nextFrame = [&session, &state, id = sheet.id] {
      dismiss(state);
      guarded(session, state, [&session, &state, id] {
        if (session.recover(id)) showSheet(session, state);
      });
    };
  ImGui::SameLine();
  if (ui::button(name + ".forget", "Forget"))
    state.nextFrame = [&session, &state, id = sheet.id] {
      session.sheets().forget(id);
      askRecovered(session, state);
    };
  ui::hairline({at.x, at.y + h}, {at.x + width, at.y + h}, 0.6);
  ImGui::SetCursorScreenPos({at.x, at.y + h});
}

}  // namespace

void diskDialogs(Session& session, WindowState& state) {
  if (const auto next = std::exchange(state.nextFrame, {})) next();
  if (!session.diskQuestion) return;
  if (!std::exchange(session.diskQuestion->shown, true)) return askUser(state, diskDialog(session, state));
  const auto asks = [](const Dialog& d) { return d.name == "disk"; };
  // Postponed: the next save or focus asks again.
  if (std::ranges::none_of(state.dialogs, asks)) session.diskQuestion.reset();
}

void askRecovered(Session& session, WindowState& state) {
  auto sheets = session.sheets().others();
  std::erase_if(sheets, [](const SheetStore::Sheet& s) { return s.summary.lines == 0; });
  Dialog d;
  d.name = "recovered";
  d.title = "Recovered and earlier sheets";
  d.text = sheets.empty() ? "There are none. A sheet is listed here after its window was closed or killed."
                          : "Sheets whose windows were closed or killed, with their whole undo history.";
  d.choices = {{"close", "Close", {}}};
  d.width = 620;
  if (!sheets.empty())
    d.body = [&session, &state, sheets = std::move(sheets)] {
      const float all = 45 * static_cast<float>(sheets.size());
      ImGui::BeginChild("recovered", {0, panes::listHeight(std::min(all, 360.0F))});
      for (std::size_t k = 0; k < sheets.size(); ++k) sheetRow(session, state, sheets[k], k);
      ImGui::EndChild();
    };
  askUser(state, std::move(d));
}

}  // namespace tessera
