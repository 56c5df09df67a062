// dialog: a question to the user, as a value. One is visible at a time: a later one covers the earlier ones until it is
// answered.
//
//     askUser(state, {.name = "overwrite", .title = "a.svg already exists", .text = "It would be replaced.",
//                     .choices = {{"keep", "Keep it", {}}, {"replace", "Replace it", write}}});
//
// Tab and the arrows move between choices, Enter takes the marked one. Esc cancels: the dialog closes and nothing is
// done. The first choice is initially marked, so it must be one that loses nothing. Its widgets are "NAME.CHOICE".
//
// Not for a path: that dialog lists folders (path_dialog.cpp).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tessera {

struct Dialog {
  // Runs a choice. Returns an error message, which keeps the dialog open and is displayed, or "". Null: just close.
  using Run = std::function<std::string()>;
  struct Choice {
    std::string name, label;
    Run run;
  };

  std::string name;
  std::string title, text = {};
  std::vector<Choice> choices;
  std::function<void()> body = {};  // draws more, between text and choices; must not change the dialogs
  float width = 460;                // points
  std::string problem = {};         // error of the last choice
  bool hasField = false;            // its body has a field, which has the arrow keys
  std::size_t marked = 0;           // the choice taken by Enter
};

struct WindowState;

// Shows it above the others; replaces one of the same name.
void askUser(WindowState& state, Dialog dialog);
// Takes a choice of the visible dialog, as its button does. Requires: there is a dialog with that choice.
void takeChoice(WindowState& state, std::size_t choice);
// Esc: closes the visible dialog.
void dismiss(WindowState& state);

namespace panes {

// Draws the visible dialog, if any.
void dialog(WindowState& state);

// panel: the centred sheet of every dialog, above a shade that blocks the mouse.
//
//     shade();
//     if (beginPanel("##path", 620, 0.18F)) { panelTitle("Open"); ... }
//     ImGui::End();
//
// Dims the window and captures its clicks, except those on panels begun later. Returns true if it was clicked.
bool shade();
// width in points, top as a fraction of the window's height; kept within the window. Call ImGui::End() in either case.
bool beginPanel(const char* name, float width, float top);
void panelTitle(const std::string& title);
// A paragraph of explanation.
void muted(const std::string& words);
// An error message; nothing for "".
void panelProblem(const std::string& problem);
// Height of a list in a panel: `wanted` points, if the window has room.
float listHeight(float wanted);

}  // namespace panes

}  // namespace tessera
