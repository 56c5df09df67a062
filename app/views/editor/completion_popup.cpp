#include "app/views/editor/completion_popup.h"

#include <algorithm>

#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"
#include "render/figure/text_metrics.h"

namespace tessera::panes {
namespace {

using ui::px;
constexpr std::size_t kShown = 9;

bool key(ImGuiKey k) { return ui::keyboard().pressed(ui::Owner::Worksheet, k); }

void take(Session& session, EditorState& state) {
  const Completion chosen = state.offers.items[static_cast<std::size_t>(state.completion)];
  const std::string& text = session.document().text();
  std::string insert = chosen.insert;
  // The bracket already exists.
  if (!insert.empty() && insert.back() == '(' && state.offers.end < text.size() && text[state.offers.end] == '(')
    insert.pop_back();
  state.anchor = state.offers.begin;
  session.document().setCaret(state.offers.end);
  insertText(session, state, insert, false);
  // More words can follow a view or `by`: the list may reopen at the next character.
  closeOffers(state);
}

}  // namespace

bool closeOffers(EditorState& state) {
  const bool open = !state.offers.items.empty();
  state.offering = false;
  state.offers = {};
  state.offersRevision = ~std::uint64_t{0};
  return open;
}

void updateOffers(Session& session, EditorState& state) {
  const Document& d = session.document();
  if (!state.offering || state.hasSelection(d)) {
    if (!state.offers.items.empty()) closeOffers(state);
    return;
  }
  const auto now = session.evaluation().snapshot();
  if (state.namesOf != now) {
    state.namesOf = now;
    state.names = boundNames(now->outcomes);
    state.offersRevision = ~std::uint64_t{0};
  }
  if (state.offersRevision == d.revision() && state.offersCaret == d.caret()) return;
  const bool moved = state.completionMoved && state.offersCaret == d.caret();
  state.offersRevision = d.revision();
  state.offersCaret = d.caret();
  state.offers = completionsAt(d.text(), d.caret(), state.names);
  if (!moved) {
    state.completion = 0;
    state.completionMoved = false;
  }
  state.completion = std::clamp(state.completion, 0, std::max(0, static_cast<int>(state.offers.items.size()) - 1));
}

bool completionKeys(Session& session, EditorState& state) {
  updateOffers(session, state);
  const int count = static_cast<int>(state.offers.items.size());
  if (count == 0 || ImGui::GetIO().KeyCtrl || ImGui::GetIO().KeyAlt) return false;
  const auto move = [&](int by) {
    state.completion = (state.completion + by + count) % count;
    state.completionMoved = true;
    return true;
  };
  if (ImGui::GetIO().KeyShift) return false;
  if (key(ImGuiKey_DownArrow)) return move(1);
  if (key(ImGuiKey_UpArrow)) return move(-1);
  const bool enter = key(ImGuiKey_Enter) || key(ImGuiKey_KeyPadEnter);
  if (key(ImGuiKey_Tab) || (enter && state.completionMoved)) {
    take(session, state);
    return true;
  }
  return false;  // Esc is handled as a command: app/gui/keyboard.h
}

void drawOffers(EditorPage& page) {
  EditorState& s = page.state;
  updateOffers(page.session, s);
  if (s.offers.items.empty()) return;
  const ui::Fonts& f = ui::look().fonts;
  const std::size_t count = s.offers.items.size(), shown = std::min(count, kShown);
  const auto marked = static_cast<std::size_t>(s.completion);
  const std::size_t first = marked < shown ? 0 : marked - shown + 1;
  const float rowHeight = px(24), foot = px(22), width = px(460);
  const Place at = s.layout.place(s.offers.begin), caret = s.layout.place(page.session.document().caret());
  const float high = rowHeight * static_cast<float>(shown) + px(8) + foot;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImVec2 a = {std::min(page.left + at.x - px(12), screen.x - width - px(8)),
              page.screenY(caret.y) + caret.height + px(2)};
  if (a.y + high > screen.y) a.y = page.screenY(caret.y) - high - px(2);
  const ImVec2 b = {a.x + width, a.y + high};
  ImGui::SetNextWindowPos(a);
  ImGui::SetNextWindowSize({width, high});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui::colorVec(Role::Raised));
  ImGui::PushStyleColor(ImGuiCol_Border, ui::colorVec(Role::Hairline));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(7));
  ImGui::Begin("##offers", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
  ImDrawList* list = ImGui::GetWindowDrawList();
  int clicked = -1;
  for (std::size_t k = 0; k < shown; ++k) {
    const Completion& c = s.offers.items[first + k];
    const float y = a.y + px(4) + rowHeight * static_cast<float>(k);
    if (first + k == marked)
      list->AddRectFilled({a.x + px(4), y}, {b.x - px(4), y + rowHeight}, ui::color(Role::Accent, 0.22), px(4));
    const float kind = ui::width(f.small, c.kind);
    ui::text(list, f.small, {b.x - px(14) - kind, y + px(4)}, ui::color(Role::Muted), c.kind);
    const std::string name =
        fitted(c.text, tessera::Face::Mono, 13, static_cast<double>(width) / ui::look().scale * 0.7);
    ui::text(list, f.code, {a.x + px(12), y + px(3)}, ui::color(Role::Text), name);
    const float x = a.x + px(26) + ui::width(f.code, name), room = (b.x - px(28) - kind - x) / ui::look().scale;
    if (room > 30 && !c.detail.empty())
      ui::text(list, f.small, {x, y + px(4)}, ui::color(Role::Muted), fitted(c.detail, tessera::Face::Sans, 12, room));
    ImGui::SetCursorScreenPos({a.x, y});
    ImGui::PushID(static_cast<int>(k));
    if (ui::hitArea("offer", {width, rowHeight})) clicked = static_cast<int>(first + k);
    ImGui::PopID();
    ui::placeLast("completion." + c.text);
  }
  const float y = b.y - foot;
  list->AddLine({a.x, y}, {b.x, y}, ui::color(Role::Hairline));
  const std::string hint = s.completionMoved ? "Tab or Enter takes it, Esc closes" : "Tab takes it, Esc closes";
  ui::text(list, f.small, {a.x + px(12), y + px(3)}, ui::color(Role::Muted), hint);
  const std::string more = count > shown ? std::to_string(marked + 1) + " of " + std::to_string(count) : "";
  ui::text(list, f.small, {b.x - px(14) - ui::width(f.small, more), y + px(3)}, ui::color(Role::Muted), more);
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(2);
  if (clicked < 0) return;
  s.completion = clicked;
  take(page.session, s);
}

}  // namespace tessera::panes
