// Displays the comparison of two sheets: a bar, and rows of lines in two columns with a word between them.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/gui/commands.h"
#include "app/views/editor/highlight.h"
#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"
#include "core/base/chars.h"
#include "render/figure/text_metrics.h"

namespace tessera::panes {
namespace {

using ui::px;
using Kind = SheetRow::Kind;

// Long lines are cut after a few rows, with a note.
constexpr std::size_t kMostBytes = 4000;

float lineHeight() { return px(21); }

// Widths of the word between the columns and of the margin left of a line.
struct Measures {
  float column = 0, words = 0, numbers = 0, advance = 8;
  [[nodiscard]] std::size_t columns() const {
    return static_cast<std::size_t>(std::max(8.0F, (column - numbers - px(8)) / advance));
  }
};

Measures measuresOf(const SheetCompare& c, float width) {
  const ui::Fonts& f = ui::look().fonts;
  Measures m;
  m.words = ui::width(f.small, "changed") + px(20);
  const std::string last = std::to_string(std::max(c.diff.a.lines.size(), c.diff.b.lines.size()));
  m.numbers = ui::width(f.small, last) + px(24);
  m.column = c.blink ? width - m.words : (width - m.words) / 2;
  m.advance = std::max(1.0F, ui::width(f.code, "00000000") / 8);
  return m;
}

std::string_view textOf(const SheetCompare& c, const SheetRow& row, bool second) {
  const std::ptrdiff_t line = second ? row.second : row.first;
  if (line < 0) return {};
  const SheetSide& side = second ? c.diff.b : c.diff.a;
  const auto k = static_cast<std::size_t>(line);
  const std::string_view text = row.kind == Kind::Answer ? std::string_view(side.answers[k]) : side.lines[k];
  return text.substr(0, codePointStart(text, kMostBytes));
}

std::size_t rowsOf(std::string_view text, std::size_t columns) {
  return text.size() <= columns ? 1 : broken(text, columns, columns).size();
}

void layOut(SheetCompare& c, std::size_t columns) {
  if (c.laidOut == c.diff.version && c.columns == columns && c.tops.size() == c.diff.rows.size() + 1) return;
  // Keep roughly the same line at the top when the width changes.
  const bool wider = c.laidOut == c.diff.version && c.tops.size() > 1;
  const double share = wider ? c.scroll / c.tops.back() : 0;
  c.tops.assign(1, 0);
  for (const SheetRow& row : c.diff.rows) {
    const std::size_t n = std::max(rowsOf(textOf(c, row, false), columns), rowsOf(textOf(c, row, true), columns));
    c.tops.push_back(c.tops.back() + static_cast<double>(n));
  }
  c.laidOut = c.diff.version;
  c.columns = columns;
  if (wider) c.scroll = share * c.tops.back();
}

// By Kind.
constexpr const char* kWords[] = {"", "changed", "only A", "only B", "", "answer"};

// Draws bytes [begin, end) of a line at x: differences with background and underline, words in their colours.
void drawPiece(ImVec2 at, std::string_view line, std::size_t begin, std::size_t end, const Marks& marks, Role role,
               bool answer) {
  const ui::Fonts& f = ui::look().fonts;
  const auto x = [&](std::size_t byte) {
    return at.x + ui::width(f.code, line.substr(begin, std::clamp(byte, begin, end) - begin));
  };
  const float h = lineHeight();
  for (const auto& [from, to] : marks) {
    if (to <= begin || from >= end) continue;
    const float left = x(from), right = x(to);
    ui::fill({left, at.y + px(1)}, {right, at.y + h - px(1)}, role, 0.24, px(2));
    ui::fill({left, at.y + h - px(3)}, {right, at.y + h - px(1.5)}, role);
  }
  const float y = at.y + (h - f.code->FontSize) / 2;
  if (answer) {
    ui::text(f.code, {at.x, y}, Role::Text, line.substr(begin, end - begin));
    return;
  }
  for (const CodeToken& t : highlighted(line, begin, end, line.find("//")))
    ui::text(f.code, {x(t.begin), y}, ui::color(colorOf(t.ink, ui::look().theme)),
             line.substr(t.begin, t.end - t.begin));
}

void drawSide(SheetCompare& c, std::size_t k, bool second, ImVec2 at, float height, const Measures& m) {
  const SheetRow& row = c.diff.rows[k];
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ui::Fonts& f = ui::look().fonts;
  const std::ptrdiff_t line = second ? row.second : row.first;
  if (line < 0) {
    ui::fill(at, {at.x + m.column, at.y + height}, Role::Raised, 0.5);
    if (k > 0 && c.diff.rows[k - 1].kind == row.kind && c.tops[k] > c.scroll) return;  // already stated above
    return ui::textInRow(f.small, {at.x + m.numbers, at.y}, lineHeight(), Role::Muted,
                         ui::fitted("not in " + (second ? c.nameB : c.nameA), f.small, m.column - m.numbers - px(8)));
  }
  const Role role = second ? Role::Unknown : Role::Accent;
  list->PushClipRect(at, {at.x + m.column, at.y + height}, true);
  if (row.differs()) {
    ui::fill(at, {at.x + m.column, at.y + height}, role, 0.09);
    ui::fill(at, {at.x + px(2), at.y + height}, role);
  }
  const bool answer = row.kind == Kind::Answer;
  const float textX = at.x + m.numbers;
  const std::string number = answer ? "=" : std::to_string(line + 1);
  ui::textInRow(f.small, {textX - px(12) - ui::width(f.small, number), at.y}, lineHeight(),
                row.differs() ? Role::Muted : Role::Faint, number);
  const std::string_view text = textOf(c, row, second);
  const WordMarks& marks = c.diff.marksOf(k);
  float y = at.y;
  for (const std::string_view piece : broken(text, c.columns, c.columns)) {
    const auto begin = static_cast<std::size_t>(piece.data() - text.data());
    drawPiece({textX, y}, text, begin, begin + piece.size(), second ? marks.second : marks.first, role, answer);
    y += lineHeight();
  }
  if (answer && text.empty()) ui::textInRow(f.small, {textX, at.y}, lineHeight(), Role::Muted, "no answer");
  list->PopClipRect();
}

void drawRow(SheetCompare& c, std::size_t k, ImVec2 at, float width, const Measures& m) {
  const SheetRow& row = c.diff.rows[k];
  const ui::Fonts& f = ui::look().fonts;
  const float height = static_cast<float>(c.tops[k + 1] - c.tops[k]) * lineHeight();
  if (row.kind == Kind::LeftOut) {
    const std::string words = counted(row.leftOut, "equal line");
    const float y = at.y + height / 2, w = ui::width(f.small, words);
    ui::hairline({at.x, y}, {at.x + (width - w) / 2 - px(10), y});
    ui::hairline({at.x + (width + w) / 2 + px(10), y}, {at.x + width, y});
    ui::text(f.small, {at.x + (width - w) / 2, y - f.small->FontSize / 2}, Role::Muted, words);
    return;
  }
  if (!c.blink || !c.second) drawSide(c, k, false, at, height, m);
  if (!c.blink || c.second) drawSide(c, k, true, {at.x + (c.blink ? 0 : m.column + m.words), at.y}, height, m);
  if (!row.differs()) return;
  const char* word = kWords[static_cast<std::size_t>(row.kind)];
  ui::textInRow(f.small, {at.x + m.column + (m.words - ui::width(f.small, word)) / 2, at.y}, lineHeight(), Role::Text,
                word);
}

// page: number of visible rows.
void readKeys(SheetCompare& c, double page) {
  const auto pressed = [](ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Sheets, key); };
  c.scroll = ui::keyboard().scrolled(ui::Owner::Sheets, c.scroll, 2, page * 0.9, c.tops.back());
  if (c.blink && pressed(ImGuiKey_LeftArrow)) c.second = false;
  if (c.blink && pressed(ImGuiKey_RightArrow)) c.second = true;
  for (const ImWchar ch : ui::keyboard().typed(ui::Owner::Sheets)) {
    if (ch == 'n' || ch == 'N') c.go(+1);
    if (ch == 'p' || ch == 'P') c.go(-1);
    if (ch == ' ') {
      c.second = c.blink && !c.second;
      c.blink = true;
    }
  }
}

// Scrolls the current difference into the upper third.
void revealNow(SheetCompare& c, double page) {
  if (!std::exchange(c.reveal, false) || c.diff.places.empty()) return;
  const double top = c.tops[c.diff.places[c.at]];
  if (top < c.scroll + 1 || top > c.scroll + page * 0.7) c.scroll = top - page * 0.3;
}

// A draggable scroll bar.
void scrollBar(SheetCompare& c, ImVec2 at, ImVec2 room, double page) {
  const double all = c.tops.back();
  if (all <= page) return;
  const auto share = static_cast<float>(page / all);
  const float x = at.x + room.x - px(7), y = at.y + static_cast<float>(c.scroll / all) * room.y;
  ui::fill({x, y}, {x + px(5), y + std::max(px(16), share * room.y)}, Role::Faint, 1, px(2.5));
  ImGui::SetCursorScreenPos({x - px(4), at.y});
  ui::hitArea("sheets.scroll", {px(11), std::max(1.0F, room.y)});
  if (ImGui::IsItemActive())
    c.scroll = static_cast<double>((ImGui::GetIO().MousePos.y - at.y) / std::max(1.0F, room.y) - share / 2) * all;
}

void body(SheetCompare& c) {
  ImGui::BeginChild("sheets.rows", {0, 0}, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const ImVec2 at = ImGui::GetWindowPos(), room = ImGui::GetWindowSize();
  const float width = std::max(px(40), room.x - px(12));
  const double page = std::max(1.0, static_cast<double>((room.y - px(8)) / lineHeight()));
  const Measures m = measuresOf(c, width);
  layOut(c, m.columns());
  readKeys(c, page);
  revealNow(c, page);
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows))
    c.scroll -= 3 * static_cast<double>(ImGui::GetIO().MouseWheel);
  c.scroll = std::clamp(c.scroll, 0.0, std::max(0.0, c.tops.back() - page));
  const auto yOf = [&](std::size_t row) { return at.y + static_cast<float>(c.tops[row] - c.scroll) * lineHeight(); };
  const auto above = std::upper_bound(c.tops.begin(), c.tops.end(), c.scroll) - c.tops.begin() - 1;
  for (auto k = static_cast<std::size_t>(above); k < c.diff.rows.size() && yOf(k) < at.y + room.y; ++k)
    drawRow(c, k, {at.x, yOf(k)}, width, m);
  if (!c.diff.places.empty()) {
    // The current difference.
    const std::size_t row = c.diff.places[c.at];
    ImGui::GetWindowDrawList()->AddRect({at.x, yOf(row)}, {at.x + width, yOf(row + 1)}, ui::color(Role::Text, 0.35),
                                        px(2));
  }
  scrollBar(c, at, room, page);
  ImGui::EndChild();
  ui::placeLast("sheets.rows");
}

// A button beside the last one, or below it if the window is too narrow.
bool barButton(const char* name, const char* label, bool chosen = false) {
  const float w = ui::width(ui::look().fonts.small, label) + px(22);
  const float right = ImGui::GetItemRectMax().x + px(6) + w;
  if (right <= ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x) ImGui::SameLine(0, px(6));
  return ui::button(name, label, chosen);
}

// Returns false to close.
bool bar(SheetCompare& c) {
  const ui::Fonts& f = ui::look().fonts;
  const float width = ImGui::GetContentRegionAvail().x;
  ui::label(ui::fitted(fmt::format("{} and {}", c.nameA, c.nameB), f.sansMedium, width), Role::Text, f.sansMedium);
  std::string said = c.diff.sentence + (c.diff.answered ? "." : "; answers are still being computed ...");
  if (!c.diff.places.empty()) said = fmt::format("Difference {} of {}.  {}", c.at + 1, c.diff.places.size(), said);
  ui::paragraph(said, Role::Muted, f.sans);
  if (ui::button("sheets.next", "next (N)")) c.go(+1);
  if (barButton("sheets.previous", "previous (P)")) c.go(-1);
  if (barButton("sheets.blink", c.blink ? "side by side" : "blink (Space)")) c.blink = !c.blink;
  if (c.blink && barButton("sheets.other", c.second ? "show A" : "show B")) c.second = !c.second;
  if (barButton("sheets.only", c.onlyDifferences ? "all lines" : "only differences")) {
    c.onlyDifferences = !c.onlyDifferences;
    c.reveal = true;
  }
  return !barButton("sheets.close", "close (Esc)");
}

void heads(const SheetCompare& c) {
  const ui::Fonts& f = ui::look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(px(40), ImGui::GetContentRegionAvail().x - px(12));
  const Measures m = measuresOf(c, width);
  const auto head = [&](bool second, float x) {
    const std::string words =
        fmt::format("{}  {}", second ? "B" : "A", second ? c.nameB : c.nameA + ", in this window");
    ui::text(f.small, {x + m.numbers, at.y + px(4)}, second ? Role::Unknown : Role::Accent,
             ui::fitted(words, f.small, m.column - m.numbers));
  };
  if (!c.blink || !c.second) head(false, at.x);
  if (!c.blink || c.second) head(true, at.x + (c.blink ? 0 : m.column + m.words));
  ui::hairline({at.x, at.y + px(24)}, {at.x + width, at.y + px(24)});
  ImGui::Dummy({width, px(26)});
}

}  // namespace

void sheetCompare(const Session& session, WindowState& state) {
  SheetCompare& c = state.sheets;
  c.diff.follow(session, *c.other, c.onlyDifferences);
  c.at = std::min(c.at, c.diff.places.empty() ? 0 : c.diff.places.size() - 1);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float edge = std::min(px(20), screen.x * 0.03F);
  ImGui::SetNextWindowPos({edge, edge});
  ImGui::SetNextWindowSize({std::max(1.0F, screen.x - 2 * edge), std::max(1.0F, screen.y - 2 * edge)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(16), px(12)));
  bool open = true;
  const bool seen =
      ImGui::Begin("##sheets", nullptr, ui::kStill | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  if (seen) {
    ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
    open = bar(c);
    heads(c);
    body(c);
  }
  ImGui::End();
  if (!open) closeComparison(state);
}

}  // namespace tessera::panes
