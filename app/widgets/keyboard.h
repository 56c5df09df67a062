// keyboard: who has the keys. In every frame exactly one part of the window has them, and only it can read them.
//
// The owner is not passed from hand to hand: it follows from what is open (app/gui/keyboard.h), anew in each frame, and
// stands until the frame ends. So nothing needs to give the keys back, and nothing can forget to: when a dialog is gone,
// the next frame finds whoever is below it. Widgets ask with their own name; all but the owner read silence:
//
//     if (ui::keyboard().pressed(ui::Owner::Worksheet, ImGuiKey_Delete)) ...
//     for (const ImWchar c : ui::keyboard().typed(ui::Owner::Worksheet)) ...
//     if (ui::field(ui::Owner::Palette, "search.field", text, "Search")) run();
//
// Law (tests/gui/keyboard_test.cpp): what is typed while x is the owner changes x's text alone. No other file of the app
// reads ImGui's keys, characters or text fields; the test reads the sources to hold that.
//
// Not a table of shortcuts: those are commands (app/gui/commands.h), which ask for the owner, too.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <vector>

namespace tessera::ui {

enum class Owner {
  Nobody,     // a picture of the window, or the gallery
  Worksheet,  // the editor
  Pictures,   // the column of pictures, once it was clicked
  Find,       // the field above it
  Menu,       // an open menu, the layout editor's among them, with its fields
  Manual,
  Sheets,  // two sheets that are compared
  Palette,
  Path,    // open, save as, export
  Dialog,  // a question (app/gui/dialog.h)
};

class Keyboard {
 public:
  // Once a frame, before anything reads a key.
  void give(Owner owner);
  [[nodiscard]] Owner owner() const { return owner_; }
  [[nodiscard]] bool has(Owner who) const { return owner_ == who; }
  // The first frame of this owner: its field takes the caret.
  [[nodiscard]] bool justGiven() const { return justGiven_; }

  // A key went down, or repeats. False for all but the owner.
  [[nodiscard]] bool pressed(Owner who, ImGuiKey key) const;
  // The characters of this frame; none for all but the owner.
  [[nodiscard]] std::span<const ImWchar> typed(Owner who) const;

 private:
  Owner owner_ = Owner::Nobody;
  bool justGiven_ = false;
  std::vector<ImWchar> typed_;
};

Keyboard& keyboard();

// Text of one line, as wide as SetNextItemWidth said. While `owner` has the keyboard it has the caret, whatever else is
// clicked, and loses no key that came before it was drawn; it is selected when its owner gets the keyboard. True when
// Enter was pressed.
bool field(Owner owner, const std::string& name, std::string& text, const char* hint = "");
// One of several fields of its owner: has the caret only once it was clicked.
bool clickedField(Owner owner, const std::string& name, std::string& text, const char* hint = "");

// UTF-8 of one character.
[[nodiscard]] std::string utf8(ImWchar c);

}  // namespace tessera::ui
