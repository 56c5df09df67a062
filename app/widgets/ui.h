// ui: the widgets of the window, and a register of their positions.
//
// Every widget has a name ("tab.gallery", "cell", "menu.file") and registers its rectangle each frame, so that scripts
// can find and click it without a window (tests/gui) or with one (TESSERA_STATE_DUMP). Independent of the Session.
#pragma once

#include <imgui.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "render/figure/figure.h"
#include "render/figure/palette.h"

namespace tessera::ui {

struct Fonts {
  ImFont* sans = nullptr;        // Inter 13
  ImFont* sansMedium = nullptr;  // Inter Medium 13
  ImFont* small = nullptr;       // Inter 12
  ImFont* section = nullptr;     // Inter Medium 11, section heads
  ImFont* code = nullptr;        // JetBrains Mono 13
  ImFont* cells[5] = {};         // JetBrains Mono at 8, 10, 14, 20, 32: the nearest one is scaled
  ImFont* cellsBold[2] = {};     // at 12, 26
  ImFont* figure[3] = {};        // Inter at 9, 12, 20
};

struct FontSource;
// Loads Inter and JetBrains Mono at pixel scale `scale`; missing fonts fall back to ImGui's own. The atlas is at most
// maxTexture pixels wide and high: if necessary it is rasterized more coarsely, and finally for ASCII only. Returns a
// note for the user if something is missing, else "". The renderer must reload the texture (app/gui/appearance.h).
// more: characters beyond the usual ones, from the faces themselves or from any font of the system that has them.
std::string loadFonts(Fonts& fonts, const FontSource& source, double scale, int maxTexture = 8192,
                      const std::vector<ImWchar>& more = {});
// The characters of a text that only `more` brings, in ascending order. A character below the ideographs brings its
// whole block of 256, so that typing in another script loads the fonts once.
[[nodiscard]] std::vector<ImWchar> unusualIn(std::string_view text);
void applyStyle(Theme theme, double scale);

// Appearance of the current frame, read by every widget. Set by loadFonts and applyStyle.
struct Look {
  Fonts fonts;
  Theme theme = Theme::Dark;
  float scale = 1;
};
Look& look();
inline float px(double points) { return static_cast<float>(points) * look().scale; }
ImU32 color(Role role, double alpha = 1);
ImU32 color(Rgba c);
ImVec4 colorVec(Role role, double alpha = 1);

// --- the register -------------------------------------------------------------------------------------------------
struct Place {
  float x = 0, y = 0, w = 0, h = 0;
};
std::map<std::string, Place>& places();
void beginPlaces();
void place(const std::string& name, ImVec2 min, ImVec2 max);
void placeLast(const std::string& name);  // the last ImGui item

// --- widgets ------------------------------------------------------------------------------------------------------
void text(ImDrawList* list, ImFont* font, ImVec2 at, ImU32 c, std::string_view s);
// The same in the current window, like the following ones.
void text(ImFont* font, ImVec2 at, ImU32 c, std::string_view s);
void text(ImFont* font, ImVec2 at, Role role, std::string_view s);
// Vertically centred in a row of that height.
void textInRow(ImFont* font, ImVec2 at, float height, Role role, std::string_view s);
void hairline(ImVec2 from, ImVec2 to, double alpha = 1);
void fill(ImVec2 min, ImVec2 max, Role role, double alpha = 1, float rounding = 0);
float width(ImFont* font, std::string_view s);
// `s` in the font small, sans, sansMedium or code, cut to a width in pixels; the lines of `s` at that width.
std::string fitted(std::string_view s, ImFont* font, float width);
std::vector<std::string> wrapped(std::string_view s, ImFont* font, float width);
// Text as an ImGui item, and the same wrapped at the window's edge.
void label(std::string_view words, Role role, ImFont* font);
void paragraph(std::string_view words, Role role, ImFont* font);
bool button(const std::string& name, const char* label, bool primary = false);
// The same with the next item beside it.
bool rowButton(const std::string& name, const char* label, bool primary = false);
// Lays out buttons between two edges; starts a new line at the left one when a button would pass the right one. One
// instance at a time.
class ButtonRow {
 public:
  ButtonRow(float left, float right);
  ~ButtonRow();
  ButtonRow(const ButtonRow&) = delete;
  ButtonRow& operator=(const ButtonRow&) = delete;
  // Width of all buttons in one line.
  [[nodiscard]] float length() const { return length_; }
  // Starts a button of this width; called by button().
  void begin(float width);

 private:
  float left_, right_, length_ = 0;
  ImDrawList* window_;  // menus have buttons, too
};
// Begins the menu that OpenPopup(name) opened, below the last item (its button). Call endMenu only if it returns true.
bool beginMenu(const std::string& name);
// The same, after a button with a small arrow that opens it.
bool menu(const std::string& name, const std::string& label);
bool menuItem(const std::string& name, const std::string& label, bool chosen = false);
void endMenu();
// A raised window above the pane, at the position set for the next window. Call endCard in either case.
void beginCard(const char* name, ImVec2 padding, ImGuiWindowFlags more);
void endCard();
// Flags of a window that the user cannot move or resize.
inline constexpr ImGuiWindowFlags kStill = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                           ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;
// Closes the open menu in this frame; returns false if there is none.
bool closeMenus();
// An invisible area that responds to the mouse. At least one pixel in each direction, because ImGui aborts on a
// negative size, which happens in panes too small for their content. All custom-drawn widgets use this, never
// ImGui::InvisibleButton.
bool hitArea(const char* id, ImVec2 size);
// The same, registered under its name.
bool area(const std::string& name, ImVec2 size);
bool tab(const std::string& name, const char* label, bool active, const char* badge = nullptr);
bool link(const std::string& name, const char* label);
void sectionHead(const char* label);
// Proved: a check; refuted: a cross; unknown: a question mark; pending: three dots; problem: an exclamation mark.
// The first three as in Truth (core/claim/claim.h).
enum class Sign { Proved, Refuted, Unknown, Pending, Problem };
void sign(ImVec2 center, float size, Sign sign);
// Selects a number from 0 to most by dragging, clicking, or single steps of the wheel. Returns true if it changed.
bool slider(const std::string& name, i64& value, i64 most, float width);
// A draggable edge between panes; returns the distance moved.
float splitter(const std::string& name, ImVec2 min, ImVec2 max, bool vertical);

// tooltip: an explanation below the last widget, with a card's spacing independent of the pane's.
//
//     if (ImGui::IsItemHovered()) ui::tooltip("text");
void tooltip(std::string_view words);
// At this corner; to the left and above if there is no room.
void tooltipAt(ImVec2 corner, std::string_view words);

}  // namespace tessera::ui
