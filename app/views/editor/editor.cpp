#include "app/views/editor/editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/engine/help/next_steps.h"
#include "app/engine/names/sheet_names.h"
#include "app/engine/paste/paste_text.h"
#include "app/engine/program/program_words.h"
#include "app/views/editor/editor_page.h"
#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"
#include "core/base/chars.h"

namespace tessera::panes {
namespace {

using ui::px;

bool key(ImGuiKey k) { return ui::keyboard().pressed(ui::Owner::Worksheet, k); }

ImVec2 roomLeft() {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  return {std::max(1.0F, room.x), std::max(1.0F, room.y)};
}

class Editor {
 public:
  Editor(Session& session, EditorState& state)
      : s_(state),
        d_(session.document()),
        session_(session),
        page_(session, state, ImGui::GetCursorScreenPos(), roomLeft()) {}

  void run() {
    ui::area("editor", page_.size);
    const bool hovered = ImGui::IsItemHovered();
    page_.update();
    mouse(hovered);
    if (mine_) keyboard();
    page_.update();
    scroll(hovered);
    page_.draw();
    if (mine_) drawOffers(page_);
    s_.card.name = hovered ? nameUnderMouse(page_, ImGui::GetIO().MousePos) : "";
    hoverCard(page_, hovered);
  }

 private:
  // --- the mouse -------------------------------------------------------------------------------------------------
  [[nodiscard]] std::size_t byteUnder(ImVec2 p) const { return s_.layout.offsetAt(page_.pageX(p.x), page_.pageY(p.y)); }

  [[nodiscard]] const RunMark* runMarkUnder(ImVec2 p) const {
    for (const NoteState::RunPlace& place : s_.notes.runPlaces)
      if (p.x >= place.min.x && p.x < place.max.x && p.y >= place.min.y && p.y < place.max.y &&
          place.mark < s_.notes.runMarks.size())
        return &s_.notes.runMarks[place.mark];
    return nullptr;
  }

  [[nodiscard]] const NoteState::StepPlace* stepUnder(ImVec2 p) const {
    for (const NoteState::StepPlace& place : s_.notes.stepPlaces)
      if (place.direction != 0 && p.x >= place.min.x && p.x < place.max.x && p.y >= place.min.y && p.y < place.max.y)
        return &place;
    return nullptr;
  }

  // The line of the task whose button is there; 0: none.
  [[nodiscard]] int helpUnder(ImVec2 p) const {
    for (const auto& [place, line] : s_.help.buttons)
      if (p.x >= place.x && p.x < place.x + place.w && p.y >= place.y && p.y < place.y + place.h) return line;
    return 0;
  }
  void askForHelp(int line) {
    const auto now = session_.evaluation().snapshot();
    if (now->text != d_.text()) return;
    for (const auto& o : now->outcomes) {
      if (o->statement.kind != StatementKind::Task || o->statement.line != line) continue;
      if (const auto done = session_.tasks.press(*o, d_); !done) session_.fail(done.error());
      session_.touch();
      return;
    }
  }

  [[nodiscard]] const NoteState::StepPlace* sliderUnder(ImVec2 p) const {
    for (const NoteState::StepPlace& s : s_.notes.stepPlaces)
      if (s.direction == 0 && p.x >= s.min.x - px(5) && p.x < s.max.x + px(5) && p.y >= s.min.y && p.y < s.max.y)
        return &s;
    return nullptr;
  }

  // The number under the mouse, if Alt is down.
  [[nodiscard]] std::optional<NumberPlace> numberUnder(const ImGuiIO& io) const {
    if (!io.KeyAlt) return std::nullopt;
    const auto byte = byteUnderMouse(page_, io.MousePos);
    return byte ? integerAt(d_.text(), *byte) : std::nullopt;
  }

  // A number that follows the mouse; returns true if one does.
  bool dragNumber(const ImGuiIO& io, bool hovered) {
    const NoteState::StepPlace* const slider = hovered && !s_.drag.active ? sliderUnder(io.MousePos) : nullptr;
    const auto number = hovered && !s_.drag.active && slider == nullptr ? numberUnder(io) : std::nullopt;
    if (slider != nullptr || number || s_.drag.active) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (ImGui::IsItemActivated()) {
      if (slider != nullptr) beginSlider(s_.drag, slider->number, {slider->min.x, slider->max.x});
      if (slider == nullptr && number) beginDrag(s_.drag, *number, io.MousePos.x);
      if (s_.drag.active) {
        closeOffers(s_);
        s_.caret.used = true;
      }
    }
    if (!s_.drag.active) return slider != nullptr || number.has_value();
    if (!ImGui::IsMouseDown(0)) {
      s_.drag.active = false;
      return true;
    }
    if ((s_.drag.slider || ImGui::IsMouseDragging(0, px(2))) && dragTo(s_.drag, session_, io.MousePos.x, io.KeyShift)) {
      s_.anchor = d_.caret();
      s_.caret.lastEdit = ImGui::GetTime();
    }
    return true;
  }

  void mouse(bool hovered) {
    const ImGuiIO& io = ImGui::GetIO();
    if (ImGui::IsMouseClicked(0) && hovered) s_.focused = true;
    if (dragNumber(io, hovered)) return;
    const Run* link = hovered ? s_.layout.linkAt(page_.pageX(io.MousePos.x), page_.pageY(io.MousePos.y)) : nullptr;
    const RunMark* const run = hovered ? runMarkUnder(io.MousePos) : nullptr;
    const NoteState::StepPlace* const step = hovered ? stepUnder(io.MousePos) : nullptr;
    const int help = hovered ? helpUnder(io.MousePos) : 0;
    const bool clickable = link != nullptr || run != nullptr || step != nullptr || help > 0;
    if (hovered) ImGui::SetMouseCursor(clickable ? ImGuiMouseCursor_Hand : ImGuiMouseCursor_TextInput);
    if (step != nullptr)
      ui::tooltip(fmt::format("{} (Alt+{} at the number)", nextSize(step->number.value, step->direction),
                              step->direction > 0 ? "Up" : "Down"));
    if (run != nullptr) ui::tooltip(run->statement.substr(0, 200));
    if (ImGui::IsItemActivated()) {
      closeOffers(s_);
      if (help > 0) return askForHelp(help);
      if (run != nullptr) return takeRun(session_, RunMark(*run));
      if (step != nullptr) return stepNumber(session_, s_, step->number, step->direction);
      if (link != nullptr) {
        s_.linkAsked = d_.text().substr(link->targetBegin, link->targetEnd - link->targetBegin);
        return;
      }
      press(io);
    } else if (s_.caret.pressed && ImGui::IsItemActive() && ImGui::IsMouseDragging(0, px(3))) {
      d_.setCaret(byteUnder(io.MousePos));
      s_.caret.reveal = true;
    }
    if (s_.caret.pressed && !ImGui::IsMouseDown(0)) release();
  }

  void press(const ImGuiIO& io) {
    s_.caret.preferredX = -1;
    s_.caret.used = true;
    s_.caret.pressed = true;
    if (ImGui::GetMouseClickedCount(0) == 3) {
      const Span line = lineAround(d_.text(), d_.caret());
      s_.anchor = line.begin;
      d_.setCaret(line.end);
      s_.caret.pressed = false;
      return;
    }
    if (io.KeyCtrl && goToDefinition(session_, s_, byteUnder(io.MousePos))) {
      s_.caret.pressed = false;
      return;
    }
    if (ImGui::IsMouseDoubleClicked(0)) {
      // The first click set the caret; the page may have changed under the mouse since.
      s_.anchor = wordStep(d_.text(), std::min(d_.caret() + 1, d_.text().size()), -1);
      d_.setCaret(wordStep(d_.text(), s_.anchor, 1));
      return;
    }
    d_.setCaret(byteUnder(io.MousePos));
    if (!io.KeyShift) s_.anchor = d_.caret();
  }

  // From now on shows the clicked comment as written, keeping the caret's row in place on the screen.
  void release() {
    const double before = s_.layout.place(d_.caret()).y;
    s_.caret.pressed = false;
    page_.update();
    s_.scroll += static_cast<float>(s_.layout.place(d_.caret()).y - before);
  }

  // --- the keys --------------------------------------------------------------------------------------------------
  void moveTo(std::size_t byte, bool keepColumn = false) {
    d_.setCaret(byte);
    if (!ImGui::GetIO().KeyShift) s_.anchor = d_.caret();
    if (!keepColumn) s_.caret.preferredX = -1;
    s_.caret.reveal = true;
    s_.caret.used = true;
    closeOffers(s_);
  }

  void vertical(int rows) {
    page_.update();
    if (s_.caret.preferredX < 0) s_.caret.preferredX = s_.layout.place(d_.caret()).x;
    std::size_t byte = d_.caret();
    for (int k = 0; k < std::abs(rows); ++k) byte = s_.layout.vertical(byte, rows < 0 ? -1 : 1, s_.caret.preferredX);
    moveTo(byte, /*keepColumn=*/true);
  }

  [[nodiscard]] std::size_t lineBegin() const {
    const std::size_t before = d_.caret() == 0 ? std::string::npos : d_.text().rfind('\n', d_.caret() - 1);
    return before == std::string::npos ? 0 : before + 1;
  }
  [[nodiscard]] std::size_t lineEnd() const { return std::min(d_.text().find('\n', d_.caret()), d_.text().size()); }

  // Goes to the row's start; from there, to the line's.
  void home() {
    page_.update();
    const std::size_t row = s_.layout.rowBegin(d_.caret());
    moveTo(row < d_.caret() ? row : lineBegin());
  }
  void end() {
    page_.update();
    const std::size_t row = s_.layout.rowEnd(d_.caret());
    moveTo(row > d_.caret() ? row : lineEnd());
  }

  void keyboard() {
    if (completionKeys(session_, s_)) return;
    motion();
    edits();
    for (const ImWchar c : ui::keyboard().typed(ui::Owner::Worksheet)) {
      insertText(session_, s_, ui::utf8(c), true);
      s_.offers.wanted = true;
      s_.offers.moved = false;
    }
  }

  void motion() {
    const ImGuiIO& io = ImGui::GetIO();
    const std::string& t = d_.text();
    const bool drop = s_.hasSelection(d_) && !io.KeyShift;
    if (key(ImGuiKey_LeftArrow))
      moveTo(io.KeyCtrl ? wordStep(t, d_.caret(), -1)
             : drop     ? std::min(s_.anchor, d_.caret())
                        : previousCodePoint(t, d_.caret()));
    if (key(ImGuiKey_RightArrow))
      moveTo(io.KeyCtrl ? wordStep(t, d_.caret(), 1)
             : drop     ? std::max(s_.anchor, d_.caret())
                        : nextCodePoint(t, d_.caret()));
    const int page = std::max(1, static_cast<int>(page_.size.y / page_.style.line) - 1);
    if (key(ImGuiKey_UpArrow) && !io.KeyAlt && !io.KeyCtrl) vertical(-1);
    if (key(ImGuiKey_DownArrow) && !io.KeyAlt && !io.KeyCtrl) vertical(1);
    if (key(ImGuiKey_PageUp)) vertical(-page);
    if (key(ImGuiKey_PageDown)) vertical(page);
    if (key(ImGuiKey_Home)) io.KeyCtrl ? moveTo(0) : home();
    if (key(ImGuiKey_End)) io.KeyCtrl ? moveTo(t.size()) : end();
  }

  void edits() {
    const ImGuiIO& io = ImGui::GetIO();
    const std::string& t = d_.text();
    if (key(ImGuiKey_Backspace)) erase(io.KeyCtrl ? wordStep(t, d_.caret(), -1) : previousCodePoint(t, d_.caret()));
    if (key(ImGuiKey_Delete)) erase(io.KeyCtrl ? wordStep(t, d_.caret(), 1) : nextCodePoint(t, d_.caret()));
    if ((key(ImGuiKey_Enter) || key(ImGuiKey_KeyPadEnter)) && !io.KeyCtrl) {
      const std::size_t begin = lineBegin();
      std::size_t indent = begin;
      while (indent < d_.caret() && t[indent] == ' ') ++indent;
      insertText(session_, s_, "\n" + t.substr(begin, indent - begin), true);
      closeOffers(s_);
    }
    if (key(ImGuiKey_Tab) && !io.KeyCtrl) insertText(session_, s_, "  ", true);
  }

  void erase(std::size_t to) {
    if (!s_.hasSelection(d_)) s_.anchor = to;
    insertText(session_, s_, "", false);
  }

  // --- scrolling -------------------------------------------------------------------------------------------------
  void scroll(bool hovered) {
    const ImGuiIO& io = ImGui::GetIO();
    if (hovered && !io.KeyCtrl) s_.scroll -= io.MouseWheel * px(22) * 3;
    if (s_.caret.reveal) {
      s_.caret.reveal = false;
      const Place p = s_.layout.place(d_.caret());
      const float y = page_.screenY(p.y) - page_.area.y;
      if (y < px(4)) s_.scroll += y - px(4);
      if (y + p.height > page_.size.y - px(8)) s_.scroll += y + p.height - page_.size.y + px(8);
    }
    const auto all = static_cast<float>(s_.layout.height());
    s_.scroll = std::clamp(s_.scroll, 0.0F, std::max(0.0F, all - page_.size.y + px(66)));
  }

  EditorState& s_;
  Document& d_;
  Session& session_;
  EditorPage page_;
  const bool mine_ = ui::keyboard().has(ui::Owner::Worksheet);
};

}  // namespace

void editor(Session& session, EditorState& state) { Editor(session, state).run(); }

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

void stepNumber(Session& session, EditorState& state, const NumberPlace& number, int direction) {
  const i64 next = nextSize(number.value, direction);
  if (next == number.value || number.span.end > session.document().text().size()) return;
  state.anchor = number.span.begin;
  session.document().setCaret(number.span.end);
  insertText(session, state, std::to_string(next), false);
}

void copy(const Session& session, const EditorState& state) {
  const Document& d = session.document();
  const auto [a, b] = std::minmax({d.caret(), state.anchor});
  if (a != b) ImGui::SetClipboardText(d.text().substr(a, b - a).c_str());
}

void cut(Session& session, EditorState& state) {
  if (!state.hasSelection(session.document())) return;
  copy(session, state);
  insertText(session, state, "", false);
}

namespace {

std::vector<std::string> namesIn(const std::string& text) {
  std::vector<std::string> names;
  for (const Statement& s : splitStatements(text))
    if (!s.name.empty()) names.push_back(s.name);
  return names;
}

// Nothing but blanks before and after these bytes on their lines.
bool ownLines(const std::string& text, std::size_t begin, std::size_t end) {
  while (begin > 0 && text[begin - 1] != '\n')
    if (!isBlank(text[--begin])) return false;
  const bool ended = end > 0 && text[end - 1] == '\n';
  for (; !ended && end < text.size() && text[end] != '\n'; ++end)
    if (!isBlank(text[end])) return false;
  return true;
}

}  // namespace

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
  const std::vector<std::string> taken = namesIn(session.document().text());
  insertText(session, state, clean, false);
  const std::size_t end = session.document().caret();
  const std::string& sheet = session.document().text();
  if (!ownLines(sheet, at, end) || blockAround(sheet, at)) return;
  // Text of another tool becomes statements; undo restores the text as pasted.
  const PasteText statements = pasteText(clean, taken);
  if (!statements.remark.empty()) session.tell(statements.remark, statements.wrong);
  if (statements.text.empty()) return;
  state.anchor = at;
  insertText(session, state, statements.text, false);
  session.tell(statements.remark + "; undo restores the text as copied");
}

void placeCaret(Session& session, EditorState& state, std::size_t byte) {
  session.document().setCaret(byte);
  state.anchor = session.document().caret();
  state.caret.reveal = true;
  state.focused = true;
}

bool applyEdit(Session& session, EditorState& state, const LineEdit& edit) {
  state.anchor = edit.begin;
  session.document().setCaret(edit.end);
  const std::uint64_t before = session.document().revision();
  insertText(session, state, edit.with, /*typing=*/false);
  if (session.document().revision() == before) return false;
  session.document().setCaret(edit.caret);
  state.anchor = std::min(edit.anchor, session.document().text().size());
  state.seenRevision = session.document().revision();  // the selection is wanted
  return true;
}

bool goToDefinition(Session& session, EditorState& state, std::size_t byte) {
  const auto at = definitionOf(session.document().text(), byte);
  if (!at) return false;
  placeCaret(session, state, *at);
  state.caret.used = true;
  return true;
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

void insertAfter(Session& session, const Statement& after, const std::string& statements) {
  const std::size_t end = lineEndAfter(session.document().text(), after);
  session.document().replace(end, end, "\n" + statements);
}

bool isThere(const Document& document, const Statement& statement) {
  return tessera::isThere(document.text(), statement);
}

void takeStep(Session& session, const Statement& of, const NextStep& step) {
  const auto edit = editOf(session.document().text(), of, step);
  if (edit) session.document().replace(edit->replace.begin, edit->replace.end, edit->with);
}

}  // namespace tessera::panes
