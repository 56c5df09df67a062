#include "app/views/editor/editor_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/views/editor/highlight.h"
#include "app/widgets/keyboard.h"
#include "app/widgets/redraw.h"
#include "app/widgets/ui.h"
#include "core/base/columns.h"
#include "render/figure/text_metrics.h"

namespace tessera::panes {
namespace {

using ui::px;

constexpr std::size_t kMostCardRows = 8;
constexpr std::size_t kMostValueRows = 3;
constexpr std::size_t kMostTextRows = 32;        // of a text with several lines
constexpr double kTrack = 110, kSliderRow = 22;  // of a slider

struct Face {
  ImFont* font;
  float size;
};
Face faceOf(Ink ink) {
  const ui::Fonts& f = ui::look().fonts;
  switch (ink) {
    case Ink::Source:
    case Ink::Code:
      return {f.code, f.code->FontSize};
    case Ink::Strong:
    case Ink::Emphasis:
    case Ink::Heading:
      return {f.sansMedium, f.sansMedium->FontSize};
    case Ink::Title:
      return {f.figure[2], std::round(f.figure[2]->FontSize * 0.87F)};
    default:
      return {f.sans, f.sans->FontSize};
  }
}

float measured(Ink ink, std::string_view s) {
  const Face face = faceOf(ink);
  return face.font->CalcTextSizeA(face.size, 1e9F, 0, s.data(), s.data() + s.size()).x;
}

bool isLined(const std::string& value) { return value.find('\n') != std::string::npos; }
// A text of several lines is always below its line.
std::size_t charsOf(const std::string& value) { return isLined(value) ? SIZE_MAX / 2 : columnsOf(value); }

// Breaks a text into rows of the column's width; continued rows are indented.
std::vector<std::string> textRowsOf(const std::string& text, std::size_t room) {
  std::vector<std::string> rows;
  for (std::size_t at = 0; at < text.size() && rows.size() <= kMostTextRows;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::size_t indent = std::min(std::min(line.find_first_not_of(' '), line.size()) + 4, room / 2);
    for (const std::string_view piece : broken(line, room, room - indent))
      rows.push_back(std::string(piece.data() == line.data() ? 0 : indent, ' ').append(piece));
    at = end + 1;
  }
  if (rows.size() > kMostTextRows) {
    rows.resize(kMostTextRows);
    rows.back() = "\u2026";
  }
  return rows;
}

// "= (4,8):(8,1)" in at most kMostValueRows rows, with an ellipsis if truncated.
std::vector<std::string> valueRowsOf(const std::string& value, std::size_t room) {
  if (isLined(value)) return textRowsOf(value, room);
  const std::string all = "= " + shortened(value, room * 4 * (kMostValueRows + 1));
  const std::vector<std::string_view> pieces = broken(all, room, room);
  std::vector<std::string> rows;
  for (std::size_t k = 0; k < std::min(pieces.size(), kMostValueRows); ++k) rows.emplace_back(pieces[k]);
  if (pieces.size() > rows.size()) {
    while (columnsOf(rows.back()) + 2 > room) rows.back().erase(previousCodePoint(rows.back(), rows.back().size()));
    rows.back() += " \u2026";
  }
  return rows;
}

// Where the sliders of a line are, with their names: in rows from `at`.
std::vector<ImVec2> slidersOf(const std::vector<GivenSize>& sizes, ImVec2 at, float width) {
  std::vector<ImVec2> places;
  ImVec2 next = at;
  for (const GivenSize& given : sizes) {
    const float wide = ui::width(ui::look().fonts.small, given.name) + px(8) + px(kTrack);
    if (next.x > at.x && next.x + wide > at.x + width) next = {at.x, next.y + px(kSliderRow)};
    places.push_back(next);
    next.x += wide + px(20);
  }
  return places;
}

void wave(float x0, float x1, float y) {
  x1 = std::max(x1, x0 + px(6));
  std::vector<ImVec2> p;
  bool up = false;
  for (float x = x0; x <= x1 && p.size() < 2000; x += px(2), up = !up) p.push_back({x, up ? y - px(1.6) : y});
  ImGui::GetWindowDrawList()->AddPolyline(p.data(), static_cast<int>(p.size()), ui::color(Role::Refuted), 0, px(1));
}

}  // namespace

EditorPage::EditorPage(Session& theSession, EditorState& theState, ImVec2 theArea, ImVec2 theSize)
    : session(theSession), state(theState), area(theArea), size(theSize) {
  const std::vector<Block>& blocks = state.layout.blocks();
  const std::size_t lines = blocks.empty() ? 1 : blocks.back().firstLine + blocks.back().lines;
  gutter = px(54 + 7.5 * static_cast<double>(std::max<std::size_t>(3, std::to_string(lines).size()) - 3));
  left = area.x + gutter;
  width = std::max(px(60), size.x - gutter - px(18));
  const ui::Fonts& f = ui::look().fonts;
  style = {width, ui::width(f.code, "0"), px(22), px(20), px(28), px(24), px(10), px(2)};
}

float EditorPage::screenY(double y) const { return area.y + px(6) + static_cast<float>(y - double{state.scroll}); }
double EditorPage::pageY(float y) const {
  return static_cast<double>(y) - static_cast<double>(area.y + px(6)) + double{state.scroll};
}

// --- updates ---------------------------------------------------------------------------------------------------------

void EditorPage::updateNotes() {
  const Document& d = session.document();
  const auto now = session.evaluation().snapshot();
  const int help = session.tasks.revision();
  if (state.notes.of == now && state.notes.revision == d.revision() && state.notes.width == width &&
      state.help.revision == help)
    return;
  if (state.notes.of != now || state.help.revision != help) {
    state.notes.known = panes::notesOf(*now, state.notes.cache);
    addTaskCards(*now, session.tasks, state.notes.known);
  }
  state.help.revision = help;
  state.notes.runMarks = now->text == d.text() ? runMarksOf(*now) : std::vector<RunMark>{};
  state.notes.of = now;
  state.notes.revision = d.revision();
  state.notes.width = width;
  ++state.notes.version;
  state.notes.shown = now->text == d.text() ? state.notes.known : carriedOver(state.notes.known, *now, d.text());
  state.notes.cards.clear();
  state.notes.valueRows.clear();
  state.notes.hanging.clear();
  updateSizes();
  for (const auto& [line, note] : state.notes.shown) {
    Hanging h{charsOf(note.value), 0, 0};
    if (h.valueChars != 0) {
      state.notes.valueRows[line] = valueRowsOf(note.value, style.columns() - SheetLayout::kHanging);
      h.valueRows = state.notes.valueRows[line].size();
    }
    if (!note.card.empty()) {
      auto rows = ui::wrapped(note.card, ui::look().fonts.small, std::max(px(80), width - px(22)));
      if (rows.size() > kMostCardRows && note.buttons.empty()) {
        rows.resize(kMostCardRows);
        rows.back() += " \u2026";
      }
      h.card = px(18) * static_cast<float>(rows.size()) + px(14) + (note.buttons.empty() ? 0 : px(26));
      state.notes.cards[line] = std::move(rows);
    }
    if (h.valueChars == 0 && h.card <= 0) continue;
    h.sliders = state.notes.hanging[line].sliders;
    state.notes.hanging[line] = h;
  }
}

// The lines that give sizes to their statement, with the room for their sliders.
void EditorPage::updateSizes() {
  const std::string_view text = session.document().text();
  int line = 1;
  for (std::size_t at = 0; at <= text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::vector<GivenSize> sizes = givenSizes(text.substr(at, end - at));
    if (!sizes.empty())
      state.notes.hanging[line].sliders = slidersOf(sizes, {left, 0}, width).back().y + px(kSliderRow);
    at = end + 1;
  }
}

void EditorPage::update() {
  Document& d = session.document();
  state.anchor = std::min(state.anchor, d.text().size());
  if (state.seenRevision != d.revision()) {
    // A text without history was just opened; the caret has not been used.
    if (!d.canUndo() && !d.canRedo()) {
      state.caret.used = false;
      state.scroll = 0;
      state.caret.reveal = d.caret() > 0;
    } else if (state.anchor != d.caret()) {
      // Inserted by a link or button: do not select it, or the next key would replace it.
      state.anchor = d.caret();
      state.caret.reveal = true;
    }
    state.seenRevision = d.revision();
  }
  updateNotes();
  if (!state.caret.pressed) state.shownSource = d.caret();
  std::optional<std::size_t> revealed;
  if (state.caret.used && state.focused) revealed = std::min(state.shownSource, d.text().size());
  state.layout.update(d.text(), d.revision(), style, measured, revealed, state.notes.hanging, state.notes.version);
}

// --- drawing ---------------------------------------------------------------------------------------------------------

void EditorPage::draw() {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Document& d = session.document();
  const ImVec2 corner = {area.x + size.x, area.y + size.y};
  state.notes.values.clear();
  state.notes.runPlaces.clear();
  state.notes.stepPlaces.clear();
  state.help.buttons.clear();
  list->PushClipRect(area, corner, true);
  const Place caret = state.layout.place(d.caret());
  const float caretY = screenY(caret.y);
  const bool mine = ui::keyboard().has(ui::Owner::Worksheet);
  if (mine && state.layout.blocks()[caret.block].source)
    ui::fill({area.x, caretY}, {corner.x, caretY + caret.height}, Role::Raised);
  const std::size_t last = state.layout.blockAt(pageY(corner.y));
  for (std::size_t k = state.layout.blockAt(pageY(area.y)); k <= last; ++k) drawBlock(k);
  if (mine && ui::caretLit()) {
    const float x = left + caret.x, high = std::min(caret.height, px(22)) - px(6);
    const float y = caretY + (caret.height - high) / 2;
    ui::fill({x - px(0.75), y}, {x + px(0.75), y + high}, Role::Accent);
  }
  list->PopClipRect();
}

void EditorPage::drawBlock(std::size_t k) {
  const Block& block = state.layout.blocks()[k];
  for (const Row& row : state.layout.rows(k)) {
    const float y = screenY(block.y + double{row.y});
    if (y > area.y + size.y) break;
    if (y + row.height >= area.y) {
      drawGutter(block, row, y);
      drawSelection(row, y);
      for (const Run& run : row.runs) drawRun(row, run, y);
    }
    if (block.source && row.ends) {
      drawBelow(row, y);
      drawSteps(row, y);
      drawSlider(row, y);
    }
  }
}

void EditorPage::drawRun(const Row& row, const Run& run, float y) {
  const std::string_view t = session.document().text();
  const Face face = faceOf(run.ink);
  const float x = left + run.x, textY = y + (row.height - face.size) / 2;
  if (run.ink == Ink::Join) return;
  if (run.ink == Ink::Bullet) {
    const bool dot = t[run.begin] == '-' || t[run.begin] == '*';
    const std::string_view mark = dot ? std::string_view("\u2022") : t.substr(run.begin, run.end - run.begin);
    ui::text(face.font, {x, textY}, ui::color(colorOf(run.ink, session.preferences.theme)), mark);
    return;
  }
  if (run.ink != Ink::Source) {
    const std::string_view s = t.substr(run.begin, run.end - run.begin);
    const ImU32 color = ui::color(colorOf(run.ink, session.preferences.theme));
    if (run.ink == Ink::Code)
      ui::fill({x - px(2), y + px(2)}, {x + run.width + px(2), y + row.height - px(1)}, Role::Raised, 1, px(3));
    ImGui::GetWindowDrawList()->AddText(face.font, face.size, {x, textY}, color, s.data(), s.data() + s.size());
    if (run.ink == Ink::Link) {
      const float under = y + row.height - px(3);
      ImGui::GetWindowDrawList()->AddLine({x, under}, {x + run.width, under}, ui::color(Role::Accent, 0.55), px(1));
      ui::place("link." + std::string(t.substr(run.targetBegin, run.targetEnd - run.targetBegin)), {x, y},
                {x + run.width, y + row.height});
    }
    return;
  }
  float at = x;
  for (const CodeToken& token : highlighted(t, run.begin, run.end, row.comment)) {
    const std::string_view s = t.substr(token.begin, token.end - token.begin);
    ui::text(face.font, {at, textY}, ui::color(colorOf(token.ink, session.preferences.theme)), s);
    at += style.advance * static_cast<float>(columnsOf(s));
  }
}

void EditorPage::drawSelection(const Row& row, float y) {
  const auto [a, b] = std::minmax({session.document().caret(), state.anchor});
  if (a == b || b < row.begin || a > row.end || (a == row.end && !row.ends)) return;
  const bool tail = row.ends ? b > row.end : b >= row.end;
  const float from = state.layout.xIn(row, std::max(a, row.begin));
  const float to = tail ? (row.runs.empty() ? 0 : row.runs.back().x + row.runs.back().width)
                        : state.layout.xIn(row, std::min(b, row.end));
  const float after = row.ends && tail ? style.advance * 0.6F : 0;
  if (to + after > from) ui::fill({left + from, y}, {left + to + after, y + row.height}, Role::Accent, 0.28);
}

void EditorPage::drawGutter(const Block& block, const Row& row, float y) {
  if (!block.source || !row.startsLine) return;
  const ui::Fonts& f = ui::look().fonts;
  const std::string number = std::to_string(row.line + 1);
  const std::size_t caret = session.document().caret();
  const bool current = caret >= row.begin && caret <= row.end;
  ui::textInRow(f.small, {left - px(26) - ui::width(f.small, number), y}, row.height,
                current ? Role::Text : Role::Faint, number);
  const auto note = state.notes.shown.find(static_cast<int>(row.line) + 1);
  if (note != state.notes.shown.end() && note->second.sign)
    ui::sign({left - px(13), y + row.height / 2}, px(11), *note->second.sign);
  drawRunMark(row, y);
}

// At the right end of the line of a kernel or a run statement.
void EditorPage::drawRunMark(const Row& row, float y) {
  const int line = static_cast<int>(row.line) + 1;
  const auto mark = std::ranges::find(state.notes.runMarks, line, &RunMark::line);
  if (mark == state.notes.runMarks.end()) return;
  const ImVec2 from = {area.x + size.x - px(20), y}, to = {area.x + size.x - px(2), y + row.height};
  const bool lit = ImGui::IsMouseHoveringRect(from, to);
  drawRunTriangle({from.x + px(9), y + row.height / 2}, px(9), lit);
  state.notes.runPlaces.push_back({from, to, static_cast<std::size_t>(mark - state.notes.runMarks.begin())});
  ui::place("run." + std::to_string(line), from, to);
}

// Draws the value and the card after and below a line's last row.
void EditorPage::drawBelow(const Row& row, float y) {
  const int line = static_cast<int>(row.line) + 1;
  const auto found = state.notes.shown.find(line);
  float below = y + row.height;
  const bool noted = found != state.notes.shown.end();
  if (noted && !found->second.value.empty()) drawValue(row, below, line, found->second.value);
  drawSizes(row, line, below);
  if (!noted) return;
  const LineNote& note = found->second;
  if (!note.underline.empty()) drawUnderline(note);
  const auto card = state.notes.cards.find(line);
  if (card == state.notes.cards.end()) return;
  const float top = below + px(1), right = area.x + size.x - px(12);
  const float high = px(18) * static_cast<float>(card->second.size()) + px(8) + (note.buttons.empty() ? 0 : px(26));
  ui::fill({left, top}, {right, top + high}, note.cardRole, 0.10, px(4));
  ui::fill({left, top}, {left + px(2), top + high}, note.cardRole);
  for (std::size_t k = 0; k < card->second.size(); ++k)
    ui::text(ui::look().fonts.small, {left + px(10), top + px(4) + px(18) * static_cast<float>(k)},
             ui::color(Role::Text, 0.9), card->second[k]);
  ui::place("card." + std::to_string(line), {left, top}, {right, top + high});
  drawCardButtons(note, line, {left + px(10), top + high - px(27)});
}

void EditorPage::drawCardButtons(const LineNote& note, int line, ImVec2 at) {
  for (const std::string& label : note.buttons) {
    const ImVec2 to = {at.x + ui::width(ui::look().fonts.small, label) + px(20), at.y + px(22)};
    const bool lit = ImGui::IsMouseHoveringRect(at, to);
    ui::fill(at, to, lit ? Role::Accent : Role::Muted, lit ? 0.40 : 0.20, px(5));
    ui::textInRow(ui::look().fonts.small, {at.x + px(10), at.y}, px(22), Role::Text, label);
    state.help.buttons.push_back({{at.x, at.y, to.x - at.x, to.y - at.y}, line});
    ui::place(fmt::format("card.{}.button", line), at, to);
    at.x = to.x + px(6);
  }
}

// The buttons after a constant that a paste assumed: the next smaller and larger size.
void EditorPage::drawSteps(const Row& row, float y) {
  if (!row.startsLine || row.runs.empty()) return;
  const auto constant =
      assumedConstant(std::string_view(session.document().text()).substr(row.begin, row.end - row.begin));
  if (!constant) return;
  const int line = static_cast<int>(row.line) + 1;
  const float side = px(18), gap = px(4);
  ImVec2 at = {left + row.runs.back().x + row.runs.back().width + style.advance * 2, y + (row.height - side) / 2};
  if (!state.notes.values.empty() && state.notes.values.back().line == line && state.notes.values.back().min.y == y)
    at.x = state.notes.values.back().max.x + style.advance;
  at.x = std::min(at.x, area.x + size.x - 2 * side - gap - px(4));
  for (const int direction : {-1, 1}) {
    const ImVec2 to = {at.x + side, at.y + side};
    const bool lit = ImGui::IsMouseHoveringRect(at, to);
    ui::fill(at, to, lit ? Role::Accent : Role::Muted, lit ? 0.35 : 0.18, px(4));
    const ImVec2 center = {(at.x + to.x) / 2, (at.y + to.y) / 2};
    const float arm = px(4), half = px(0.75);
    ui::fill({center.x - arm, center.y - half}, {center.x + arm, center.y + half}, Role::Text);
    if (direction > 0) ui::fill({center.x - half, center.y - arm}, {center.x + half, center.y + arm}, Role::Text);
    const NumberPlace number = {constant->span.shifted(row.begin), constant->value};
    state.notes.stepPlaces.push_back({at, to, number, direction});
    ui::place(fmt::format("constant.{}.{}", line, direction > 0 ? "more" : "less"), at, to);
    at.x = to.x + gap;
  }
}

// The slider after a line `N = 64`.
void EditorPage::drawSlider(const Row& row, float y) {
  if (!row.startsLine || row.runs.empty()) return;
  const std::string_view text = std::string_view(session.document().text()).substr(row.begin, row.end - row.begin);
  const auto constant = boundConstant(text);
  if (!constant || assumedConstant(text)) return;
  const float x = left + row.runs.back().x + row.runs.back().width + style.advance * 3;
  if (x + px(kTrack) > area.x + size.x - px(24)) return;
  drawTrack({x, y + row.height / 2}, {constant->span.shifted(row.begin), constant->value},
            fmt::format("constant.{}.slider", row.line + 1));
}

// The sliders below a line that gives sizes to its statement, each with its name.
void EditorPage::drawSizes(const Row& row, int line, float& below) {
  const std::string_view text = session.document().text();
  const std::size_t begin = row.begin == 0 ? 0 : text.rfind('\n', row.begin - 1) + 1;
  const std::vector<GivenSize> sizes = givenSizes(text.substr(begin, row.end - begin));
  if (sizes.empty()) return;
  const std::vector<ImVec2> places = slidersOf(sizes, {left, below}, width);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const GivenSize& given = sizes[k];
    ui::textInRow(ui::look().fonts.small, places[k], px(kSliderRow), Role::Muted, given.name);
    const float name = ui::width(ui::look().fonts.small, given.name) + px(8);
    drawTrack({places[k].x + name, places[k].y + px(kSliderRow) / 2},
              {given.number.span.shifted(begin), given.number.value}, fmt::format("size.{}.{}", line, given.name));
  }
  below = places.back().y + px(kSliderRow);
}

// A slider that begins at a point, at half its height.
void EditorPage::drawTrack(ImVec2 at, const NumberPlace& number, const std::string& name) {
  const float wide = px(kTrack), high = px(14), x = at.x, middle = at.y;
  const ImVec2 min = {x, middle - high / 2}, max = {x + wide, middle + high / 2};
  const bool drags = state.drag.active && state.drag.slider && state.drag.from.span.begin == number.span.begin;
  const bool lit = drags || ImGui::IsMouseHoveringRect(min, max);
  const float knob = x + wide * static_cast<float>(shareOf(number.value));
  ui::fill({x, middle - px(1)}, {x + wide, middle + px(1)}, Role::Hairline, 1, px(1));
  ui::fill({x, middle - px(1)}, {knob, middle + px(1)}, Role::Accent, lit ? 1 : 0.5, px(1));
  ImGui::GetWindowDrawList()->AddCircleFilled({knob, middle}, px(lit ? 5.5 : 4.5),
                                              ui::color(lit ? Role::Accent : Role::Muted));
  state.notes.stepPlaces.push_back({min, max, number, 0});
  ui::place(name, min, max);
}

void EditorPage::drawUnderline(const LineNote& note) {
  const std::size_t from = note.underline.begin, most = session.document().text().size();
  const std::size_t to = std::max(std::min(note.underline.end, most), from);
  if (from > most) return;
  // For every row that the piece covers.
  const std::size_t block = state.layout.blockOf(from);
  const Block& b = state.layout.blocks()[block];
  if (!b.source) return;
  for (const Row& r : state.layout.rows(block)) {
    if (r.end < from || r.begin > to || (r.begin == to && to != from)) continue;
    const float x0 = state.layout.xIn(r, std::max(from, r.begin)), x1 = state.layout.xIn(r, std::min(to, r.end));
    wave(left + x0, left + x1, screenY(b.y + double{r.y}) + r.height - px(3));
  }
}

void EditorPage::drawValue(const Row& row, float& below, int line, const std::string& value) {
  const ui::Fonts& f = ui::look().fonts;
  const Run& last = row.runs.back();
  const auto used = static_cast<std::size_t>((last.x + last.width) / style.advance + 0.5F);
  const std::size_t chars = charsOf(value);
  const ImU32 color = ui::color(Role::Muted);
  const float lift = (style.line - f.code->FontSize) / 2;
  if (SheetLayout::fitsAfter(used, chars, style.columns())) {
    const float x = left + last.x + last.width + style.advance * 3, y = below - row.height;
    ui::text(f.code, {x, y + lift}, color, "= " + value);
    state.notes.values.push_back({{x, y}, {x + style.advance * static_cast<float>(chars + 2), y + style.line}, line});
  } else {
    const std::vector<std::string>& rows = state.notes.valueRows[line];
    const float x = left + style.advance * SheetLayout::kHanging;
    for (std::size_t k = 0; k < rows.size(); ++k)
      ui::text(f.code, {x, below + style.line * static_cast<float>(k) + lift}, color, rows[k]);
    const float high = style.line * static_cast<float>(rows.size());
    state.notes.values.push_back({{x, below}, {left + width, below + high}, line});
    below += high;
  }
  ui::place("value." + std::to_string(line), state.notes.values.back().min, state.notes.values.back().max);
}

}  // namespace tessera::panes
