#include <algorithm>

#include "app/views/editor/editor_page.h"
#include "app/widgets/keyboard.h"

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
  return taken;  // Esc is handled as a command: app/gui/keyboard.h
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
  const std::string hint = s.offers.moved ? "Tab or Enter takes it, Esc closes" : "Tab takes it, Esc closes";
  ui::text(f.small, {a.x + px(12), y + px(3)}, Role::Muted, hint);
  const std::string more = count > shown ? std::to_string(marked + 1) + " of " + std::to_string(count) : "";
  ui::text(f.small, {b.x - px(14) - ui::width(f.small, more), y + px(3)}, Role::Muted, more);
  ui::endCard();
  if (clicked < 0) return;
  s.offers.marked = clicked;
  take(page.session, s);
}

}  // namespace tessera::panes
