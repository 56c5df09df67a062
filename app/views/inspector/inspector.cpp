#include "app/views/inspector/inspector.h"

#include <algorithm>

#include "app/widgets/ui.h"
#include "render/figure/text_metrics.h"

namespace tessera::panes {
namespace {

using ui::px;

void row(const Fact& f) {
  const ui::Fonts& fonts = ui::look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ui::text(fonts.small, {at.x, at.y + px(2)}, Role::Muted, f.name);
  const float left = ui::width(fonts.small, f.name) + px(12);
  float right = width;
  const bool check = f.kind == Fact::Kind::Check;
  if (check) {
    ui::sign({at.x + width - px(6), at.y + px(10)}, px(11), ui::Sign::Proved);
    right -= px(18);
  }
  const double scale = static_cast<double>(ui::look().scale);
  if (textWidth(f.value, Face::Mono, 13) <= (right - left) / scale) {
    ui::text(fonts.code, {at.x + right - ui::width(fonts.code, f.value), at.y}, check ? Role::Proved : Role::Text,
             f.value);
    ImGui::Dummy({width, px(20)});
    return;
  }
  // A long formula gets its own lines.
  ImGui::Dummy({width, px(18)});
  for (const std::string& line : wrapped(f.value, Face::Mono, 13, width / scale - 20)) {
    const ImVec2 p = ImGui::GetCursorScreenPos();
    ui::text(fonts.code, {p.x + px(8), p.y}, Role::Text, line);
    ImGui::Dummy({width, px(17)});
  }
}

// Bit boxes, most significant on the left; bits read and written by the swizzle in two colours.
void bitBoxes(const Fact& f) {
  const ui::Fonts& fonts = ui::look().fonts;
  const Theme theme = ui::look().theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float width = ImGui::GetContentRegionAvail().x;
  const int perLine = std::max(8, static_cast<int>(width / px(20)));
  const int lines = (f.bitCount + perLine - 1) / perLine;
  const float pitch = px(20);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  for (int k = 0; k < f.bitCount; ++k) {
    const u64 mask = u64{1} << (f.bitCount - 1 - k);
    const ImVec2 a = {at.x + pitch * static_cast<float>(k % perLine),
                      at.y + px(3) + px(25) * static_cast<float>(k / perLine)};
    const ImVec2 b = {a.x + pitch - px(2), a.y + px(21)};
    const Role role = (f.read & mask) != 0 ? Role::BitRead : (f.write & mask) != 0 ? Role::BitWrite : Role::BitPlain;
    const Rgba fill = resolve({role, 0, 0, 0}, theme);
    list->AddRectFilled(a, b, ui::color(fill), px(3));
    if (role != Role::BitPlain) list->AddRect(a, b, ui::color(resolve({role, 0, 0, 0}, theme, true)), px(3));
    const char digit[2] = {(f.bits & mask) != 0 ? '1' : '0', 0};
    const ImU32 ink =
        role == Role::BitPlain ? ui::color(digit[0] == '1' ? Role::Text : Role::Muted) : ui::color(labelOn(fill));
    ui::text(fonts.code, {(a.x + b.x - ui::width(fonts.code, digit)) / 2, (a.y + b.y - fonts.code->FontSize) / 2}, ink,
             digit);
  }
  ImGui::Dummy({width, px(25) * static_cast<float>(lines) + px(4)});
}

// The facts about a cell, cached until another one is hovered or the sheet changes.
const Facts& cachedFacts(const Hover& cell, const std::shared_ptr<const Snapshot>& now) {
  static std::optional<Hover> of;
  static std::shared_ptr<const Snapshot> in;
  static Facts facts;
  if (of == cell && in == now) return facts;
  of = cell;
  in = now;
  facts = factsAt(*now, cell);
  facts.append(factsElsewhere(*now, cell));
  return facts;
}

}  // namespace

void inspector(Session& session) {
  const auto now = session.evaluation().snapshot();
  const auto& shown = session.shown();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, px(2)));
  if (!shown || shown->outcome >= now->outcomes.size()) {
    ImGui::Dummy({0, px(4)});
    ui::paragraph("Point at a cell to see how its address is derived. A click pins it; Esc unpins it.", Role::Muted,
                  ui::look().fonts.small);
    ImGui::PopStyleVar();
    return;
  }
  std::string section;
  for (const Fact& f : cachedFacts(*shown, now)) {
    if (f.section != section) ui::sectionHead(f.section.c_str());
    section = f.section;
    if (f.kind == Fact::Kind::Bits) {
      bitBoxes(f);
    } else {
      row(f);
    }
  }
  ImGui::PopStyleVar();
}

}  // namespace tessera::panes
