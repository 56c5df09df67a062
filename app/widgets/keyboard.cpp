#include "app/widgets/keyboard.h"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <iterator>

#include "app/widgets/ui.h"
#include "core/base/chars.h"

namespace tessera::ui {
namespace {

// Caret handling when the owner's field becomes active.
enum class Caret { Stay, End, SelectAll };
Caret wantedCaret = Caret::Stay;

int placeCaret(ImGuiInputTextCallbackData* data) {
  if (wantedCaret == Caret::Stay) return 0;
  data->CursorPos = data->SelectionEnd = data->BufTextLen;
  data->SelectionStart = wantedCaret == Caret::SelectAll ? 0 : data->BufTextLen;
  wantedCaret = Caret::Stay;
  return 0;
}

// ImGui activates a field one frame after the request. Handles its keys until then. Returns true on Enter.
bool typeBeforeActive(Owner owner, std::string& text) {
  const auto typed = keyboard().typed(owner);
  const bool erase = keyboard().pressed(owner, ImGuiKey_Backspace);
  if ((!typed.empty() || erase) && wantedCaret == Caret::SelectAll) {
    text.clear();
    wantedCaret = Caret::End;
  } else if (erase) {
    text.resize(previousCodePoint(text, text.size()));
  }
  for (const ImWchar c : typed) text += utf8(c);
  ImGui::GetIO().InputQueueCharacters.resize(0);
  return keyboard().pressed(owner, ImGuiKey_Enter) || keyboard().pressed(owner, ImGuiKey_KeyPadEnter);
}

// ImGui 1.86 keeps a field's undo state when its text is replaced, and Ctrl+Z would then remove text that is not there.
// Resets a field that was deactivated.
void forgetUndo(bool active) {
  ImGuiInputTextState& state = ImGui::GetCurrentContext()->InputTextState;
  if (!active && state.ID == ImGui::GetID("##field")) state.ID = 0;
}

bool input(const std::string& name, std::string& text, const char* hint, bool readOnly) {
  const bool entered =
      ImGui::InputTextWithHint("##field", hint, &text,
                               ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways |
                                   (readOnly ? ImGuiInputTextFlags_ReadOnly : 0),
                               placeCaret);
  placeLast(name);
  return entered;
}

}  // namespace

Keyboard& keyboard() {
  static Keyboard one;
  return one;
}

void Keyboard::give(Owner owner) {
  justGiven_ = owner != owner_;
  owner_ = owner;
  const ImGuiIO& io = ImGui::GetIO();
  typed_.clear();
  for (const ImWchar c : io.InputQueueCharacters)
    if (c >= 32 && c != 127) typed_.push_back(c);
  // Deactivates a field of the previous owner.
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  if (justGiven_ && g.ActiveId != 0 && g.ActiveId == g.InputTextState.ID) ImGui::ClearActiveID();
}

bool Keyboard::pressed(Owner who, ImGuiKey key) const {
  return who == owner_ && ImGui::IsKeyPressed(ImGui::GetKeyIndex(key));
}

double Keyboard::scrolled(Owner who, double at, double line, double page, double most) const {
  if (pressed(who, ImGuiKey_DownArrow)) at += line;
  if (pressed(who, ImGuiKey_UpArrow)) at -= line;
  if (pressed(who, ImGuiKey_PageDown)) at += page;
  if (pressed(who, ImGuiKey_PageUp)) at -= page;
  if (pressed(who, ImGuiKey_Home)) at = 0;
  return pressed(who, ImGuiKey_End) ? most : at;
}

bool Keyboard::anyInput() const {
  const ImGuiIO& io = ImGui::GetIO();
  return !io.InputQueueCharacters.empty() || ImGui::IsAnyMouseDown() ||
         std::any_of(std::begin(io.KeysDown), std::end(io.KeysDown), [](bool down) { return down; });
}

std::span<const ImWchar> Keyboard::typed(Owner who) const {
  return who == owner_ ? std::span<const ImWchar>(typed_) : std::span<const ImWchar>();
}

namespace {

// claims: the field has the caret whenever its owner has the keyboard.
bool fieldOf(Owner owner, const std::string& name, std::string& text, const char* hint, bool claims) {
  ImGui::PushID(name.c_str());
  const bool mine = keyboard().has(owner), active = ImGui::GetActiveID() == ImGui::GetID("##field");
  bool entered = false;
  forgetUndo(active);
  if (claims && mine && !active) {
    if (keyboard().justGiven()) wantedCaret = Caret::SelectAll;
    if (wantedCaret == Caret::Stay) wantedCaret = Caret::End;
    entered = typeBeforeActive(owner, text);
    // While a mouse button is down, the pressed item is active.
    if (!ImGui::IsAnyMouseDown()) ImGui::SetKeyboardFocusHere();
  }
  entered = input(name, text, hint, !mine) || entered;
  if (!mine && ImGui::IsItemActive() && !ImGui::IsMouseDown(0)) ImGui::ClearActiveID();
  ImGui::PopID();
  return mine && entered;
}

}  // namespace

bool field(Owner owner, const std::string& name, std::string& text, const char* hint) {
  return fieldOf(owner, name, text, hint, /*claims=*/true);
}

bool clickedField(Owner owner, const std::string& name, std::string& text, const char* hint) {
  return fieldOf(owner, name, text, hint, /*claims=*/false);
}

std::string utf8(ImWchar c) {
  char bytes[5];
  return ImTextCharToUtf8(bytes, c);
}

}  // namespace tessera::ui
