// hover_card: a card with the information about the word, error or value under a resting mouse
// (app/engine/help/hover_info.h). The mouse can move into the card; a value's card has a button that copies the
// complete value.
#pragma once

#include "app/views/editor/editor_page.h"

namespace tessera::panes {

// hovered: the mouse is over the page. Call after the page is drawn.
void hoverCard(EditorPage& page, bool hovered);

}  // namespace tessera::panes
