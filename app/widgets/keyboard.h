// keyboard: assigns the keys to exactly one part of the window per frame, the owner; only it can read them.
//
// Ownership is not passed on. Every frame computes it from the open parts (app/gui/commands.h) and keeps it until the
// frame ends, so no part can forget to return the keys: after a dialog closes, the next frame assigns them to the part
// below. Widgets pass the name of their part; only the owner reads input:
//
//     if (ui::keyboard().pressed(ui::Owner::Worksheet, ImGuiKey_Delete)) ...
//     for (const ImWchar c : ui::keyboard().typed(ui::Owner::Worksheet)) ...
//     if (ui::field(ui::Owner::Palette, "search.field", text, "Search")) run();
//
// Law (tests/gui/keyboard_test.cpp): typing while x is the owner changes only x's text. No other file of the app reads
// ImGui's keys, characters or text fields; the test checks the sources for that.
//
// Not a table of shortcuts: those are commands (app/gui/commands.h), which also check the owner.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <vector>

namespace tessera::ui {

enum class Owner {
  None,       // a screenshot of the window, or the gallery
  Worksheet,  // the editor
  Pictures,   // the column of pictures, after a click
  Find,       // the field above the worksheet
  Menu,       // an open menu with its fields, including the layout editor
  Manual,
  Present,  // the presentation
  Sheets,   // two compared sheets
  Palette,
  Path,    // open, save as, export
  Dialog,  // a question (app/gui/dialogs/dialog.h)
};

class Keyboard {
 public:
  // Call once per frame, before any key is read.
  void give(Owner owner);
  [[nodiscard]] Owner owner() const { return owner_; }
  [[nodiscard]] bool has(Owner who) const { return owner_ == who; }
  // The first frame of this owner: its field gets the caret.
  [[nodiscard]] bool justGiven() const { return justGiven_; }

  // A key went down or repeats. False unless `who` is the owner.
  [[nodiscard]] bool pressed(Owner who, ImGuiKey key) const;
  // A scroll position from 0 to `most` after this frame's arrows, page keys, Home and End.
  [[nodiscard]] double scrolled(Owner who, double at, double line, double page, double most) const;
  // Whether a key or a mouse button is down, or a character was typed, for whichever owner.
  [[nodiscard]] bool anyInput() const;
  // The characters of this frame; empty unless `who` is the owner.
  [[nodiscard]] std::span<const ImWchar> typed(Owner who) const;

 private:
  Owner owner_ = Owner::None;
  bool justGiven_ = false;
  std::vector<ImWchar> typed_;
};

Keyboard& keyboard();

// A single-line text field, of the width given to SetNextItemWidth. While `owner` has the keyboard the field has the
// caret, even if something else is clicked, and receives keys pressed before it was drawn; its text is selected when
// the owner gets the keyboard. Returns true if Enter was pressed.
bool field(Owner owner, const std::string& name, std::string& text, const char* hint = "");
// One of several fields of its owner: has the caret only after a click.
bool clickedField(Owner owner, const std::string& name, std::string& text, const char* hint = "");

// UTF-8 encoding of a character.
[[nodiscard]] std::string utf8(ImWchar c);

}  // namespace tessera::ui
