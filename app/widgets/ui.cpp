#include "app/widgets/ui.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "render/figure/text_metrics.h"

namespace tessera::ui {

Look& look() {
  static Look current;
  return current;
}

ImU32 color(Rgba c) { return IM_COL32(c.r, c.g, c.b, c.a); }
ImU32 color(Role role, double alpha) {
  Rgba c = resolve({role, 0, 0, 0}, look().theme);
  c.a = static_cast<std::uint8_t>(c.a * alpha);
  return color(c);
}
ImVec4 colorVec(Role role, double alpha) { return ImGui::ColorConvertU32ToFloat4(color(role, alpha)); }

void applyStyle(Theme theme, double scale) {
  look().theme = theme;
  look().scale = static_cast<float>(scale);
  ImGuiStyle& s = ImGui::GetStyle();
  s = ImGuiStyle();
  s.WindowPadding = {px(12), px(10)};
  s.FramePadding = {px(8), px(4)};
  s.ItemSpacing = {px(8), px(6)};
  s.WindowRounding = s.PopupRounding = px(7);
  s.FrameRounding = s.ScrollbarRounding = s.GrabRounding = px(5);
  s.ChildRounding = 0;
  s.ScrollbarSize = px(10);
  s.WindowBorderSize = s.PopupBorderSize = 1;
  s.ChildBorderSize = s.FrameBorderSize = 0;
  const auto set = [&](Role r, double a, std::initializer_list<ImGuiCol> of) {
    for (const ImGuiCol k : of) s.Colors[k] = colorVec(r, a);
  };
  set(Role::Text, 1, {ImGuiCol_Text});
  set(Role::Faint, 1, {ImGuiCol_TextDisabled, ImGuiCol_ScrollbarGrabHovered});
  set(Role::Muted, 1, {ImGuiCol_ScrollbarGrabActive});
  set(Role::Panel, 1, {ImGuiCol_WindowBg, ImGuiCol_MenuBarBg});
  set(Role::Raised, 1, {ImGuiCol_PopupBg, ImGuiCol_FrameBg, ImGuiCol_Button});
  set(Role::Hairline, 1,
      {ImGuiCol_Border, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_ButtonHovered, ImGuiCol_ScrollbarGrab,
       ImGuiCol_Separator});
  set(Role::Accent, 0.22, {ImGuiCol_Header});
  set(Role::Accent, 0.30, {ImGuiCol_HeaderHovered});
  set(Role::Accent, 0.35, {ImGuiCol_TextSelectedBg});
  set(Role::Accent, 0.40, {ImGuiCol_HeaderActive});
  set(Role::Accent, 0.45, {ImGuiCol_ButtonActive});
  set(Role::Accent, 1, {ImGuiCol_NavHighlight, ImGuiCol_CheckMark});
  set(Role::Text, 0, {ImGuiCol_ChildBg, ImGuiCol_BorderShadow, ImGuiCol_ScrollbarBg});
  s.Colors[ImGuiCol_ModalWindowDimBg] = {0, 0, 0, 0.45F};
}

std::map<std::string, Place>& places() {
  static std::map<std::string, Place> all;
  return all;
}
namespace {
// Of the only menu that can be open: its size in its last frame, and whether Esc was pressed in this frame.
ImVec2 menuSize;
bool menuCloses = false;
}  // namespace

void beginPlaces() {
  places().clear();
  menuCloses = false;
}
void place(const std::string& name, ImVec2 min, ImVec2 max) {
  places()[name] = {min.x, min.y, max.x - min.x, max.y - min.y};
}
void placeLast(const std::string& name) { place(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax()); }

void text(ImDrawList* list, ImFont* font, ImVec2 at, ImU32 c, std::string_view s) {
  if (!s.empty())
    list->AddText(font, font->FontSize, {std::round(at.x), std::round(at.y)}, c, s.data(), s.data() + s.size());
}
void text(ImFont* font, ImVec2 at, ImU32 c, std::string_view s) { text(ImGui::GetWindowDrawList(), font, at, c, s); }
void text(ImFont* font, ImVec2 at, Role role, std::string_view s) { text(font, at, color(role), s); }
void textInRow(ImFont* font, ImVec2 at, float height, Role role, std::string_view s) {
  text(font, {at.x, at.y + (height - font->FontSize) / 2}, role, s);
}
void hairline(ImVec2 from, ImVec2 to, double alpha) {
  ImGui::GetWindowDrawList()->AddLine(from, to, color(Role::Hairline, alpha));
}
void fill(ImVec2 min, ImVec2 max, Role role, double alpha, float rounding) {
  ImGui::GetWindowDrawList()->AddRectFilled(min, max, color(role, alpha), rounding);
}
float width(ImFont* font, std::string_view s) {
  return s.empty() ? 0 : font->CalcTextSizeA(font->FontSize, 1e9F, 0, s.data(), s.data() + s.size()).x;
}
namespace {
struct Measured {
  Face face;
  double size, width;  // in points
};
Measured measured(ImFont* font, float width) {
  const Fonts& f = look().fonts;
  return {font == f.code         ? Face::Mono
          : font == f.sansMedium ? Face::SansMedium
                                 : Face::Sans,
          font == f.small ? 12.0 : 13.0, static_cast<double>(width) / look().scale};
}
}  // namespace
std::string fitted(std::string_view s, ImFont* font, float width) {
  const Measured m = measured(font, width);
  return tessera::fitted(s, m.face, m.size, m.width);
}
std::vector<std::string> wrapped(std::string_view s, ImFont* font, float width) {
  const Measured m = measured(font, width);
  return tessera::wrapped(s, m.face, m.size, m.width);
}

void label(std::string_view words, Role role, ImFont* font) {
  ImGui::PushFont(font);
  ImGui::PushStyleColor(ImGuiCol_Text, colorVec(role));
  ImGui::TextUnformatted(words.data(), words.data() + words.size());
  ImGui::PopStyleColor();
  ImGui::PopFont();
}
void paragraph(std::string_view words, Role role, ImFont* font) {
  ImGui::PushTextWrapPos(0);
  label(words, role, font);
  ImGui::PopTextWrapPos();
}

namespace {
ButtonRow* buttonRow = nullptr;
}  // namespace

ButtonRow::ButtonRow(float left, float right) : left_(left), right_(right), window_(ImGui::GetWindowDrawList()) {
  buttonRow = this;
}

ButtonRow::~ButtonRow() { buttonRow = nullptr; }

void ButtonRow::begin(float width) {
  if (ImGui::GetWindowDrawList() != window_) return;
  length_ += width + (length_ > 0 ? ImGui::GetStyle().ItemSpacing.x : 0);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (at.x > left_ && at.x + width > right_ + 1)
    ImGui::SetCursorScreenPos({left_, at.y + ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.x});
}

bool button(const std::string& name, const char* label, bool primary) {
  ImGui::PushFont(look().fonts.small);
  ImGui::PushStyleColor(ImGuiCol_Button, primary ? colorVec(Role::Accent, 0.25) : colorVec(Role::Panel));
  ImGui::PushStyleColor(ImGuiCol_Border, primary ? colorVec(Role::Accent) : colorVec(Role::Hairline));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(10), px(3)));
  ImGui::PushID(name.c_str());
  if (buttonRow != nullptr) buttonRow->begin(ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x);
  const bool pressed = ImGui::Button(label);
  ImGui::PopID();
  placeLast(name);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(2);
  ImGui::PopFont();
  return pressed;
}

bool rowButton(const std::string& name, const char* label, bool primary) {
  const bool pressed = button(name, label, primary);
  ImGui::SameLine(0, px(6));
  return pressed;
}

bool menu(const std::string& name, const std::string& label) {
  if (button(name, (label + "    ").c_str())) ImGui::OpenPopup(name.c_str());
  const ImVec2 max = ImGui::GetItemRectMax(), min = ImGui::GetItemRectMin();
  const float x = max.x - px(14), y = (min.y + max.y) / 2;
  ImGui::GetWindowDrawList()->AddTriangleFilled({x - px(3.5), y - px(1.5)}, {x + px(3.5), y - px(1.5)}, {x, y + px(3)},
                                                color(Role::Muted));
  return beginMenu(name);
}

bool menuItem(const std::string& name, const std::string& label, bool chosen) {
  const bool pressed = ImGui::MenuItem(label.c_str(), nullptr, chosen);
  placeLast(name);
  return pressed;
}

bool closeMenus() {
  menuCloses = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  return menuCloses;
}

bool beginMenu(const std::string& name) {
  if (ImGui::IsPopupOpen(name.c_str())) {
    const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax(), room = ImGui::GetIO().DisplaySize;
    const ImVec2 size = menuSize;
    ImGui::SetNextWindowPos({std::max(0.0F, std::min(min.x, room.x - size.x - px(4))),
                             std::max(0.0F, std::min(max.y + px(4), room.y - size.y - px(4)))});
  }
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(8)));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(6)));
  const bool open = ImGui::BeginPopup(name.c_str());
  if (!open) ImGui::PopStyleVar(2);
  if (open && std::exchange(menuCloses, false)) ImGui::CloseCurrentPopup();
  return open;
}

void endMenu() {
  menuSize = ImGui::GetWindowSize();
  ImGui::EndPopup();
  ImGui::PopStyleVar(2);
}

void beginCard(const char* name, ImVec2 padding, ImGuiWindowFlags more) {
  ImGui::PushStyleColor(ImGuiCol_WindowBg, colorVec(Role::Raised));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(7));
  ImGui::Begin(name, nullptr, kStill | ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav | more);
}

void endCard() {
  ImGui::End();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
}

bool hitArea(const char* id, ImVec2 size) {
  return ImGui::InvisibleButton(id, {std::max(1.0F, size.x), std::max(1.0F, size.y)});
}

bool area(const std::string& name, ImVec2 size) {
  const bool pressed = hitArea(name.c_str(), size);
  placeLast(name);
  return pressed;
}

bool tab(const std::string& name, const char* label, bool active, const char* badge) {
  const Fonts& f = look().fonts;
  ImFont* font = active ? f.sansMedium : f.sans;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float badgeWidth = badge != nullptr ? width(f.small, badge) + px(5) : 0;
  const ImVec2 size = {width(font, label) + badgeWidth, px(34)};
  const bool pressed = area(name, size);
  const ImU32 ink = active ? color(Role::Text) : ImGui::IsItemHovered() ? color(Role::Text, 0.85) : color(Role::Muted);
  text(font, {at.x, at.y + px(8)}, ink, label);
  if (badge != nullptr) text(f.small, {at.x + size.x - badgeWidth + px(5), at.y + px(9)}, Role::Refuted, badge);
  if (active) fill({at.x, at.y + size.y - px(2)}, {at.x + size.x, at.y + size.y}, Role::Accent);
  return pressed;
}

bool link(const std::string& name, const char* label) {
  const Fonts& f = look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = {width(f.small, label), f.small->FontSize};
  const bool pressed = area(name, size);
  text(f.small, at, ImGui::IsItemHovered() ? Role::Text : Role::Accent, label);
  return pressed;
}

void sectionHead(const char* label) {
  const Fonts& f = look().fonts;
  ImGui::Dummy({0, px(4)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  // Small capitals with tracking: drawn letter by letter.
  float x = at.x;
  for (const char* c = label; *c != '\0'; ++c) {
    const char upper[2] = {static_cast<char>(std::toupper(static_cast<unsigned char>(*c))), 0};
    text(f.section, {x, at.y}, Role::Muted, upper);
    x += width(f.section, upper) + px(0.9);
  }
  ImGui::Dummy({x - at.x, f.section->FontSize + px(2)});
}

void sign(ImVec2 c, float s, Sign kind) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float t = std::max(1.4F, s * 0.16F);
  const float h = s / 2;
  switch (kind) {
    case Sign::Proved: {
      const ImVec2 p[] = {{c.x - h * 0.8F, c.y}, {c.x - h * 0.2F, c.y + h * 0.6F}, {c.x + h * 0.85F, c.y - h * 0.65F}};
      list->AddPolyline(p, 3, color(Role::Proved), 0, t);
      break;
    }
    case Sign::Refuted:
      list->AddLine({c.x - h * 0.65F, c.y - h * 0.65F}, {c.x + h * 0.65F, c.y + h * 0.65F}, color(Role::Refuted), t);
      list->AddLine({c.x - h * 0.65F, c.y + h * 0.65F}, {c.x + h * 0.65F, c.y - h * 0.65F}, color(Role::Refuted), t);
      break;
    case Sign::Unknown:
    case Sign::Problem: {
      ImFont* font = look().fonts.sansMedium;
      const char* mark = kind == Sign::Unknown ? "?" : "!";
      text(font, {c.x - width(font, mark) / 2, c.y - font->FontSize / 2},
           kind == Sign::Unknown ? Role::Unknown : Role::Refuted, mark);
      break;
    }
    case Sign::Pending:
      for (int k = -1; k <= 1; ++k)
        list->AddCircleFilled({c.x + static_cast<float>(k) * h * 0.62F, c.y}, std::max(1.2F, s * 0.1F),
                              color(Role::Unknown));
      break;
  }
}

bool slider(const std::string& name, i64& value, i64 most, float width) {
  ImGui::PushFont(look().fonts.small);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(6), px(3)));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_GrabMinSize, px(10));
  ImGui::PushStyleColor(ImGuiCol_FrameBg, colorVec(Role::Panel));
  ImGui::PushStyleColor(ImGuiCol_Border, colorVec(Role::Hairline));
  ImGui::PushStyleColor(ImGuiCol_SliderGrab, colorVec(Role::Accent, 0.55));
  ImGui::PushStyleColor(ImGuiCol_SliderGrabActive, colorVec(Role::Accent, 0.8));
  ImGui::SetNextItemWidth(width);
  const i64 least = 0, before = value;
  ImGui::SliderScalar(("##" + name).c_str(), ImGuiDataType_S64, &value, &least, &most, "",
                      ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoInput);
  placeLast(name);
  if (ImGui::IsItemHovered() && ImGui::GetIO().MouseWheel != 0) {
    value = std::clamp<i64>(value + (ImGui::GetIO().MouseWheel > 0 ? 1 : -1), 0, most);
    ImGui::GetIO().MouseWheel = 0;  // consumed
  }
  ImGui::PopStyleColor(4);
  ImGui::PopStyleVar(3);
  ImGui::PopFont();
  return value != before;
}

float splitter(const std::string& name, ImVec2 min, ImVec2 max, bool vertical) {
  const float grip = px(3);
  ImGui::SetCursorScreenPos(vertical ? ImVec2(min.x - grip, min.y) : ImVec2(min.x, min.y - grip));
  area(name, vertical ? ImVec2(2 * grip, max.y - min.y) : ImVec2(max.x - min.x, 2 * grip));
  const bool hot = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (hot) ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  ImGui::GetWindowDrawList()->AddLine(min, vertical ? ImVec2(min.x, max.y) : ImVec2(max.x, min.y),
                                      color(hot ? Role::Accent : Role::Hairline), hot ? 2.0F : 1.0F);
  if (!ImGui::IsItemActive()) return 0;
  return vertical ? ImGui::GetIO().MouseDelta.x : ImGui::GetIO().MouseDelta.y;
}

namespace {

// At the position set for the next window.
void words(std::string_view text) {
  constexpr double kWidest = 460;  // points; longer lines wrap
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(7)));
  ImGui::PushFont(look().fonts.small);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(px(kWidest));
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopFont();
  ImGui::PopStyleVar();
}

}  // namespace

void tooltipAt(ImVec2 corner, std::string_view text) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(corner, 0,
                          {corner.x > screen.x * 0.72F ? 1.0F : 0.0F, corner.y > screen.y * 0.7F ? 1.0F : 0.0F});
  words(text);
}

void tooltip(std::string_view text) {
  const ImVec2 corner = {ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + px(4)};
  // Above the widget if there is no room below.
  const bool low = corner.y > ImGui::GetIO().DisplaySize.y * 0.85F;
  ImGui::SetNextWindowPos({corner.x, low ? ImGui::GetItemRectMin().y - px(4) : corner.y}, 0, {0, low ? 1.0F : 0.0F});
  words(text);
}

}  // namespace tessera::ui
