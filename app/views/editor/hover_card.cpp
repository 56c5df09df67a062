#include <algorithm>
#include <cmath>

#include "app/engine/help/hover_info.h"
#include "app/views/editor/editor_page.h"
#include "core/base/utf8.h"
#include "render/figure/text_metrics.h"

namespace tessera::panes {
namespace {

using ui::px;

constexpr double kRest = 0.35;             // seconds without a move
constexpr std::size_t kMostShown = 1'200;  // bytes of a value; the button copies all

bool within(ImVec2 p, ImVec2 a, ImVec2 b) { return p.x >= a.x && p.x < b.x && p.y >= a.y && p.y < b.y; }

// The byte of the word under the mouse, if it is on text.
std::optional<std::size_t> byteAt(const EditorPage& page, ImVec2 mouse) {
  const SheetLayout& layout = page.state.layout;
  const double y = page.pageY(mouse.y);
  if (y < 0 || y >= layout.height()) return std::nullopt;
  const std::size_t block = layout.blockAt(y);
  if (!layout.blocks()[block].source) return std::nullopt;
  const auto within = static_cast<float>(y - layout.blocks()[block].y);
  const float x = page.pageX(mouse.x);
  for (const Row& row : layout.rows(block)) {
    if (within < row.y || within >= row.y + row.height || row.runs.empty()) continue;
    const Run& last = row.runs.back();
    if (x < row.runs.front().x || x > last.x + last.width) return std::nullopt;
    // offsetIn rounds to the nearest gap; subtract half a character to get the one under the mouse.
    return layout.offsetIn(row, x - page.style.advance / 2);
  }
  return std::nullopt;
}

std::optional<HoverInfo> infoAt(EditorPage& page, ImVec2 mouse) {
  EditorState& s = page.state;
  const auto now = page.session.evaluation().snapshot();
  if (now->text != page.session.document().text()) return std::nullopt;
  s.card.valueLine = 0;
  for (const NoteState::Value& v : s.notes.values)
    if (s.card.valueLine == 0 && within(mouse, v.min, v.max)) s.card.valueLine = v.line;
  if (s.card.valueLine != 0) return valueInfo(now->outcomes, s.card.valueLine);
  const auto byte = byteAt(page, mouse);
  if (!byte) return std::nullopt;
  return hoverInfo(now->text, *byte, now->outcomes);
}

void body(EditorPage& page, const HoverInfo& info) {
  const ui::Fonts& f = ui::look().fonts;
  ImGui::PushTextWrapPos(px(520));
  if (!info.title.empty()) ui::label(info.title, Role::Text, f.code);
  for (const std::string& line : info.lines)
    ui::label(line, info.isError && &line == &info.lines.front() ? Role::Text : Role::Muted, f.sans);
  if (!info.value.empty()) {
    const std::string all = "= " + info.value;
    ui::label(std::string_view(all).substr(0, codePointStart(all, kMostShown)), Role::Text, f.code);
    if (all.size() > kMostShown)
      ui::label(std::to_string(info.value.size()) + " characters; copy takes them all", Role::Muted, f.sans);
  }
  ImGui::PopTextWrapPos();
  const std::string& copied = info.value.empty() ? info.copies : info.value;
  if (!copied.empty()) ImGui::Dummy({0, px(2)});
  if (!copied.empty() && ui::button("hover.copy", "copy")) {
    ImGui::SetClipboardText(copied.c_str());
    page.session.tell("Copied");
  }
}

}  // namespace

void hoverCard(EditorPage& page, bool hovered) {
  CardState& card = page.state.card;
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 mouse = io.MousePos;
  const double now = ImGui::GetTime();
  const bool inCard =
      card.open && within(mouse, {card.min.x - px(4), card.min.y - px(10)}, {card.max.x + px(4), card.max.y + px(10)});
  if (!inCard && (std::abs(mouse.x - card.rest.x) > 1 || std::abs(mouse.y - card.rest.y) > 1)) {
    card.rest = mouse;
    card.since = now;
    if (card.open && !within(mouse, {card.at.x - px(12), card.at.y - px(14)}, {card.at.x + px(12), card.at.y + px(14)}))
      card.open = false;
  }
  if (ImGui::IsMouseDown(0) && !inCard) card.open = false;
  if (page.state.caret.lastEdit > card.since) card.open = false;
  if (!card.open && hovered && !page.state.pressed && now - card.since > kRest &&
      page.state.caret.lastEdit <= card.since && page.state.offers.list.items.empty() && !ImGui::IsMouseDown(0)) {
    card.open = infoAt(page, mouse).has_value();
    card.at = mouse;
    if (!card.open) card.since = 1e18;  // nothing here: check again after the next move
  }
  if (!card.open) return;
  const auto info = infoAt(page, card.at);
  if (!info) {
    card.open = false;
    return;
  }
  const ImVec2 screen = io.DisplaySize;
  const bool above = card.at.y > screen.y * 0.6F;
  ImGui::SetNextWindowPos({std::min(card.at.x, screen.x - px(560)), card.at.y + (above ? -px(12) : px(16))},
                          ImGuiCond_Always, {0, above ? 1.0F : 0.0F});
  ui::beginCard("##hovercard", {px(12), px(9)}, ImGuiWindowFlags_AlwaysAutoResize);
  body(page, *info);
  card.min = ImGui::GetWindowPos();
  card.max = {card.min.x + ImGui::GetWindowWidth(), card.min.y + ImGui::GetWindowHeight()};
  ui::place("hover.card", card.min, card.max);
  ui::endCard();
}

}  // namespace tessera::panes
