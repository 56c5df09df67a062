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
  void drawBlock(ImDrawList* list, std::size_t block);
  void drawRow(ImDrawList* list, const Block& block, const Row& row);
  void drawRun(ImDrawList* list, const Row& row, const Run& run, float y);
  void drawSelection(ImDrawList* list, const Row& row, float y);
  void drawGutter(ImDrawList* list, const Block& block, const Row& row, float y);
  void drawRunMark(ImDrawList* list, const Row& row, float y);
  void drawBelow(ImDrawList* list, const Row& row, float y);
  void drawUnderline(ImDrawList* list, const LineNote& note);
  void drawValue(ImDrawList* list, const Row& row, float& below, int line, const std::string& value);
};

}  // namespace tessera::panes
