#include <algorithm>
#include <cmath>

#include "app/engine/help/hover_info.h"
#include "app/engine/help/next_steps.h"
#include "app/views/editor/editor_page.h"
#include "app/widgets/keyboard.h"
#include "app/widgets/redraw.h"
#include "core/base/chars.h"
#include "render/figure/text_metrics.h"

namespace tessera::panes {
namespace {

using ui::px;
constexpr std::size_t kShown = 9;

bool key(ImGuiKey k) { return ui::keyboard().pressed(ui::Owner::Worksheet, k); }

void take(Session& session, EditorState& state) {
  OfferState& offers = state.offers;
  const Completion chosen = offers.list.items[static_cast<std::size_t>(offers.marked)];
  const std::string& text = session.document().text();
  std::string insert = chosen.insert;
  // The bracket already exists.
  if (!insert.empty() && insert.back() == '(' && offers.list.end < text.size() && text[offers.list.end] == '(')
    insert.pop_back();
  state.anchor = offers.list.begin;
  session.document().setCaret(offers.list.end);
  insertText(session, state, insert, false);
  // More words can follow a view or `by`: the list may reopen at the next character.
  closeOffers(state);
}

}  // namespace

bool closeOffers(EditorState& state) {
  const bool open = !state.offers.list.items.empty();
  state.offers.wanted = false;
  state.offers.list = {};
  state.offers.revision = ~std::uint64_t{0};
  return open;
}

void updateOffers(Session& session, EditorState& state) {
  OfferState& offers = state.offers;
  const Document& d = session.document();
  if (!offers.wanted || state.hasSelection(d)) {
    if (!offers.list.items.empty()) closeOffers(state);
    return;
  }
  const auto now = session.evaluation().snapshot();
  if (offers.namesOf != now) {
    offers.namesOf = now;
    offers.names = boundNames(now->outcomes);
    offers.revision = ~std::uint64_t{0};
  }
  if (offers.revision == d.revision() && offers.caret == d.caret()) return;
  const bool moved = offers.moved && offers.caret == d.caret();
  offers.revision = d.revision();
  offers.caret = d.caret();
  offers.list = completionsAt(d.text(), d.caret(), offers.names);
  offers.moved = moved;
  if (!moved) offers.marked = 0;
  offers.marked = std::clamp(offers.marked, 0, std::max(0, static_cast<int>(offers.list.items.size()) - 1));
}

bool completionKeys(Session& session, EditorState& state) {
  OfferState& offers = state.offers;
  updateOffers(session, state);
  const int count = static_cast<int>(offers.list.items.size());
  const ImGuiIO& io = ImGui::GetIO();
  if (count == 0 || io.KeyCtrl || io.KeyAlt || io.KeyShift) return false;
  const auto move = [&](int by) {
    offers.marked = (offers.marked + by + count) % count;
    offers.moved = true;
    return true;
  };
  if (key(ImGuiKey_DownArrow)) return move(1);
  if (key(ImGuiKey_UpArrow)) return move(-1);
  const bool enter = key(ImGuiKey_Enter) || key(ImGuiKey_KeyPadEnter);
  const bool taken = key(ImGuiKey_Tab) || (enter && offers.moved);
  if (taken) take(session, state);
  return taken;  // Esc is handled as a command: app/gui/commands.h
}

void drawOffers(EditorPage& page) {
  EditorState& s = page.state;
  updateOffers(page.session, s);
  if (s.offers.list.items.empty()) return;
  const ui::Fonts& f = ui::look().fonts;
  const std::size_t count = s.offers.list.items.size(), shown = std::min(count, kShown);
  const auto marked = static_cast<std::size_t>(s.offers.marked);
  const std::size_t first = marked < shown ? 0 : marked - shown + 1;
  const float rowHeight = px(24), foot = px(22), width = px(460);
  const Place at = s.layout.place(s.offers.list.begin), caret = s.layout.place(page.session.document().caret());
  const float high = rowHeight * static_cast<float>(shown) + px(8) + foot;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImVec2 a = {std::min(page.left + at.x - px(12), screen.x - width - px(8)),
              page.screenY(caret.y) + caret.height + px(2)};
  if (a.y + high > screen.y) a.y = page.screenY(caret.y) - high - px(2);
  const ImVec2 b = {a.x + width, a.y + high};
  ImGui::SetNextWindowPos(a);
  ImGui::SetNextWindowSize({width, high});
  ui::beginCard("##offers", {0, 0}, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoScrollWithMouse);
  int clicked = -1;
  for (std::size_t k = 0; k < shown; ++k) {
    const Completion& c = s.offers.list.items[first + k];
    const float y = a.y + px(4) + rowHeight * static_cast<float>(k);
    if (first + k == marked) ui::fill({a.x + px(4), y}, {b.x - px(4), y + rowHeight}, Role::Accent, 0.22, px(4));
    const float kind = ui::width(f.small, c.kind);
    ui::text(f.small, {b.x - px(14) - kind, y + px(4)}, Role::Muted, c.kind);
    const std::string name = ui::fitted(c.text, f.code, width * 0.7F);
    ui::text(f.code, {a.x + px(12), y + px(3)}, Role::Text, name);
    const float x = a.x + px(26) + ui::width(f.code, name), room = b.x - px(28) - kind - x;
    if (room > px(30) && !c.detail.empty())
      ui::text(f.small, {x, y + px(4)}, Role::Muted, ui::fitted(c.detail, f.small, room));
    ImGui::SetCursorScreenPos({a.x, y});
    ImGui::PushID(static_cast<int>(k));
    if (ui::hitArea("offer", {width, rowHeight})) clicked = static_cast<int>(first + k);
    ImGui::PopID();
    ui::placeLast("completion." + c.text);
  }
  const float y = b.y - foot;
  ui::hairline({a.x, y}, {b.x, y});
  const std::string hint = s.offers.moved ? "Tab or Enter accepts, Esc closes" : "Tab accepts, Esc closes";
  ui::text(f.small, {a.x + px(12), y + px(3)}, Role::Muted, hint);
  const std::string more = count > shown ? std::to_string(marked + 1) + " of " + std::to_string(count) : "";
  ui::text(f.small, {b.x - px(14) - ui::width(f.small, more), y + px(3)}, Role::Muted, more);
  ui::endCard();
  if (clicked < 0) return;
  s.offers.marked = clicked;
  take(page.session, s);
}

namespace {

constexpr double kRest = 0.35;             // seconds without a move
constexpr std::size_t kMostShown = 1'200;  // bytes of a value; the button copies all

bool within(ImVec2 p, ImVec2 a, ImVec2 b) { return p.x >= a.x && p.x < b.x && p.y >= a.y && p.y < b.y; }

}  // namespace

std::optional<std::size_t> byteUnderMouse(const EditorPage& page, ImVec2 mouse) {
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

std::string nameUnderMouse(const EditorPage& page, ImVec2 mouse) {
  const auto byte = byteUnderMouse(page, mouse);
  const auto now = page.session.evaluation().snapshot();
  const std::string& text = page.session.document().text();
  if (!byte || *byte >= text.size() || !isNamePart(text[*byte]) || now->text != text) return "";
  std::size_t begin = *byte, end = *byte;
  while (begin > 0 && isNamePart(text[begin - 1])) --begin;
  while (end < text.size() && isNamePart(text[end])) ++end;
  const std::string word = text.substr(begin, end - begin);
  const bool bound = std::ranges::any_of(now->outcomes, [&](const auto& o) { return o->statement.name == word; });
  return bound ? word : "";
}

namespace {

std::optional<HoverInfo> infoAt(EditorPage& page, ImVec2 mouse) {
  EditorState& s = page.state;
  const auto now = page.session.evaluation().snapshot();
  if (now->text != page.session.document().text()) return std::nullopt;
  s.card.valueLine = 0;
  for (const NoteState::Value& v : s.notes.values)
    if (s.card.valueLine == 0 && within(mouse, v.min, v.max)) s.card.valueLine = v.line;
  if (s.card.valueLine != 0) return valueInfo(now->outcomes, s.card.valueLine);
  const auto byte = byteUnderMouse(page, mouse);
  if (!byte) return std::nullopt;
  return hoverInfo(now->text, *byte, now->outcomes);
}

// Buttons for the next steps of a layout: name it, prove it, find a swizzle ...
void layoutButtons(EditorPage& page) {
  const auto now = page.session.evaluation().snapshot();
  for (const auto& outcome : now->outcomes) {
    if (outcome->statement.line != page.state.card.valueLine) continue;
    for (const NextStep& step : layoutSteps(*outcome)) {
      ImGui::SameLine();
      if (!ui::button("hover." + step.label, step.label.c_str())) continue;
      takeStep(page.session, outcome->statement, step);
      page.session.touch();
      page.state.card.open = false;
    }
    return;
  }
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
      ui::label(std::to_string(info.value.size()) + " characters; copy includes all of them", Role::Muted, f.sans);
  }
  ImGui::PopTextWrapPos();
  const std::string& copied = info.value.empty() ? info.copies : info.value;
  if (!copied.empty()) ImGui::Dummy({0, px(2)});
  if (!copied.empty() && ui::button("hover.copy", "copy")) {
    ImGui::SetClipboardText(copied.c_str());
    page.session.tell("Copied");
  }
  if (!info.value.empty() && page.state.card.valueLine != 0) layoutButtons(page);
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
  if ((ImGui::IsMouseDown(0) && !inCard) || page.state.caret.lastEdit > card.since) card.open = false;
  if (!card.open && hovered && now - card.since <= kRest) ui::redrawAt(card.since + kRest);
  if (!card.open && hovered && !page.state.caret.pressed && now - card.since > kRest &&
      page.state.caret.lastEdit <= card.since && page.state.offers.list.items.empty() && !ImGui::IsMouseDown(0)) {
    card.open = infoAt(page, mouse).has_value();
    card.at = mouse;
    if (!card.open) card.since = 1e18;  // nothing here: check again after the next move
  }
  if (!card.open) return;
  const auto info = infoAt(page, card.at);
  card.open = info.has_value();
  if (!info) return;
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
