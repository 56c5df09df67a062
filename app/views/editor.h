// editor: the worksheet as text, with its verdicts in the gutter,
// errors underlined where they are, and values at the line's end.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "app/session/session.h"

namespace tessera::panes {

struct EditorState {
  std::size_t anchor = 0;  // other end of the selection; the caret is the document's
  float scroll = 0, scrollX = 0;
  bool focused = true;  // false: the find field has the keyboard, while it is open (app/gui/keyboard.h)
  bool revealCaret = false;
  double lastEdit = -10;          // for the caret's blink and the completion popup
  int completion = 0;             // selected row
  bool completionClosed = false;  // by Esc, until the word changes
  std::string findText;
  bool findOpen = false;
  std::uint64_t revision = ~std::uint64_t{0};
  std::vector<std::size_t> lines;  // byte where each line begins
  float preferredX = -1;           // column kept by up and down

  [[nodiscard]] bool hasSelection(const Document& d) const { return anchor != d.caret(); }
};

void editor(Session& session, EditorState& state);

// Editing commands, shared by keys and menus.
void cut(Session& session, EditorState& state);
void copy(const Session& session, const EditorState& state);
void paste(Session& session, EditorState& state);
void selectAll(Session& session, EditorState& state);
bool findNext(Session& session, EditorState& state);
void insertText(Session& session, EditorState& state, std::string_view text, bool typing);

}  // namespace tessera::panes
