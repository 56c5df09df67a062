// editor_page: the editor's page for one frame: updates its layout and draws it. Keys and the mouse are handled by
// editor.cpp.
#pragma once

#include "app/views/editor/editor.h"

namespace tessera::panes {

struct EditorPage {
  Session& session;
  EditorState& state;
  ImVec2 area, size;
  float gutter;       // left of the text, for numbers and signs
  float left, width;  // of the text column
  SheetStyle style;

  EditorPage(Session& session, EditorState& state, ImVec2 area, ImVec2 size);

  // Updates notes and layout from the document. Cheap if nothing has changed.
  void update();
  void draw();

  [[nodiscard]] float screenY(double y) const;  // of the page's y
  [[nodiscard]] double pageY(float y) const;
  [[nodiscard]] float pageX(float x) const { return x - left; }

 private:
  void updateNotes();
  void updateSizes();
  void drawBlock(std::size_t block);
  void drawRun(const Row& row, const Run& run, float y);
  void drawSelection(const Row& row, float y);
  void drawGutter(const Block& block, const Row& row, float y);
  void drawRunMark(const Row& row, float y);
  void drawBelow(const Row& row, float y);
  void drawCardButtons(const LineNote& note, int line, ImVec2 at);
  void drawSteps(const Row& row, float y);
  void drawSlider(const Row& row, float y);
  void drawSizes(const Row& row, int line, float& below);
  void drawTrack(ImVec2 at, const NumberPlace& number, const std::string& name);
  void drawUnderline(const LineNote& note);
  void drawValue(const Row& row, float& below, int line, const std::string& value);
};

// completion_popup: the list of completions below the caret (app/engine/help/completions.h): name, kind, signature. Tab
// accepts the marked row; Enter does so only after Up or Down moved in the list, so that it never changes fast typing.

// Updates the list if text, caret or names have changed.
void updateOffers(Session& session, EditorState& state);
// Returns true if the list used this frame's key.
bool completionKeys(Session& session, EditorState& state);
// Returns true if a list was closed.
bool closeOffers(EditorState& state);
void drawOffers(EditorPage& page);

// A card with the information about the word, error or value under a resting mouse
// (app/engine/help/hover_info.h). The mouse can move into the card; a value's card has a button that copies the
// complete value.

// The byte of the character under the mouse, if it is on text as written.
[[nodiscard]] std::optional<std::size_t> byteUnderMouse(const EditorPage& page, ImVec2 mouse);
// The bound name there, else "".
[[nodiscard]] std::string nameUnderMouse(const EditorPage& page, ImVec2 mouse);

// hovered: the mouse is over the page. Call after the page is drawn.
void hoverCard(EditorPage& page, bool hovered);

}  // namespace tessera::panes
