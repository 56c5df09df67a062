// Effects of keys and commands on the text.
#include <algorithm>
#include <cstring>

#include "app/engine/program/pasted_program.h"
#include "app/engine/program/program_words.h"
#include "app/views/editor/editor.h"
#include "core/base/chars.h"

namespace tessera::panes {
namespace {

std::string selected(const Document& d, const EditorState& s) {
  const auto [a, b] = std::minmax({d.caret(), s.anchor});
  return d.text().substr(a, b - a);
}

}  // namespace

void insertText(Session& session, EditorState& state, std::string_view text, bool typing) {
  Document& d = session.document();
  const auto [a, b] = std::minmax({d.caret(), std::min(state.anchor, d.text().size())});
  if (!d.replace(a, b, text, typing && a == b)) {
    session.tell(d.tooLarge(text.size()).message, /*error=*/true);
    return;
  }
  state.anchor = d.caret();
  state.caret.reveal = true;
  state.caret.preferredX = -1;
  state.caret.lastEdit = ImGui::GetTime();
  state.caret.used = true;
  session.touch();
}

void copy(const Session& session, const EditorState& state) {
  if (state.hasSelection(session.document())) ImGui::SetClipboardText(selected(session.document(), state).c_str());
}

void cut(Session& session, EditorState& state) {
  if (!state.hasSelection(session.document())) return;
  copy(session, state);
  insertText(session, state, "", false);
}

void paste(Session& session, EditorState& state) {
  const char* text = ImGui::GetClipboardText();
  if (text == nullptr || *text == '\0') return;
  if (const std::size_t size = std::strlen(text); size > 2 * Document::kMaxBytes) {  // check before copying
    session.tell(session.document().tooLarge(size).message, /*error=*/true);
    return;
  }
  std::string clean;
  for (const char* c = text; *c != '\0'; ++c)
    if (*c != '\r') clean += *c;
  const std::size_t at = std::min({session.document().caret(), state.anchor, session.document().text().size()});
  insertText(session, state, clean, false);
  // A program is pasted as a block; undo restores the text as pasted.
  const bool module = isModuleText(clean);
  if ((!module && !isProgram(clean)) || blockAround(session.document().text(), at)) return;
  const bool lineBegins = at == 0 || session.document().text()[at - 1] == '\n';
  state.anchor = at;
  insertText(session, state,
             (lineBegins ? "" : "\n") + (module ? asModuleBlock("module", clean) : asBlock("kernel", clean)), false);
  session.tell("pasted as a block; undo leaves the text as it was");
}

void placeCaret(Session& session, EditorState& state, std::size_t byte) {
  session.document().setCaret(byte);
  state.anchor = session.document().caret();
  state.caret.reveal = true;
  state.focused = true;
}

void selectAll(Session& session, EditorState& state) {
  state.anchor = 0;
  state.caret.used = true;
  session.document().setCaret(session.document().text().size());
}

// --- caret motion ---------------------------------------------------------------------------------------------------

std::size_t wordStep(const std::string& t, std::size_t at, int direction) {
  const auto word = [&](std::size_t k) { return isNamePart(t[k]); };
  if (direction < 0) {
    while (at > 0 && !word(at - 1)) --at;
    while (at > 0 && word(at - 1)) --at;
  } else {
    while (at < t.size() && !word(at)) ++at;
    while (at < t.size() && word(at)) ++at;
  }
  return at;
}

}  // namespace tessera::panes
