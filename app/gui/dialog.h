// dialog: a question to the user, as a value. One is seen at a time: a later one covers an earlier one, which is there
// again when it is answered.
//
//     askUser(state, {.name = "overwrite", .title = "a.svg is there already", .text = "It would be replaced.",
//                     .choices = {{"keep", "Keep it", {}}, {"replace", "Replace it", write}}});
//
// Tab and the arrows go from choice to choice, Enter takes the one that is marked. Esc and "none of these" are the same:
// the dialog goes and nothing is done. So the first choice, marked when it opens, must be one that loses nothing.
// Its widgets are "NAME.CHOICE" and, with a field, "NAME.field".
//
// Not for a path: that dialog lists folders (path_dialog.cpp).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct Dialog {
  // What a choice does with the field's text ("" without one). It returns what went wrong: then the dialog stays and
  // says it. Empty: nothing but to close.
  using Run = std::function<std::string(const std::string& field)>;
  struct Choice {
    std::string name, label;
    Run run;
  };

  std::string name;
  std::string title, text;
  std::vector<Choice> choices;
  std::optional<std::string> field;
  std::string problem;     // of the last choice
  std::size_t marked = 0;  // the choice that Enter takes
};

struct WindowState;

// Puts it above the others; one with the same name is replaced.
void askUser(WindowState& state, Dialog dialog);
// Takes a choice of the dialog that is seen, as its button does. Requires: there is one, with that choice.
void takeChoice(WindowState& state, std::size_t choice);
// Esc: the dialog that is seen goes.
void dismiss(WindowState& state);

namespace panes {
// Draws the dialog that is seen, if there is one.
void dialog(WindowState& state);
}  // namespace panes

}  // namespace tessera
