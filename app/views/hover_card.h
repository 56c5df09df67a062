// hover_card: what is known about the word, the error or the value under a mouse that rests (app/engine/hover_info.h),
// in a card beside it. The mouse can move into the card; a value's card has a button that copies the whole value.
#pragma once

#include "app/views/editor_page.h"

namespace tessera::panes {

// hovered: the mouse is over the page. Call after the page was drawn.
void hoverCard(EditorPage& page, bool hovered);

}  // namespace tessera::panes
