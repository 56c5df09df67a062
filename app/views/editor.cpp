#include "app/views/editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"
#include "render/figure/text_metrics.h"

namespace tessera::panes {

std::size_t previousChar(const std::string& t, std::size_t at);
std::size_t nextChar(const std::string& t, std::size_t at);
std::size_t wordStep(const std::string& t, std::size_t at, int direction);

namespace {

using ui::px;

// What is known about one line: its sign, the message under it, the value at its end.
struct LineNote {
  std::optional<ui::Sign> sign;
  std::string value;
  std::string card;  // message under the line
  Role cardRole = Role::Refuted;
  Span underline;  // in the document
};

std::string shortened(std::string s, std::size_t n) {
  for (char& c : s)
    if (c == '\n') c = ' ';
  if (s.size() > n) {
    while (n > 0 && (static_cast<unsigned char>(s[n]) & 0xc0) == 0x80) --n;
    s = s.substr(0, n) + "\u2026";
  }
  return s;
}

std::map<int, LineNote> notesOf(const Snapshot& snapshot) {
  std::map<int, LineNote> notes;
  for (const auto& o : snapshot.outcomes) {
    LineNote& n = notes[o->statement.line];
    if (o->pending &&
        (o->job || o->statement.kind == StatementKind::Prove || o->statement.kind == StatementKind::Assert))
      n.sign = ui::Sign::Pending;
    if (o->diag) {
      n.sign = ui::Sign::Problem;
      n.card = o->diag->message;
      if (!o->diag->expected.empty()) n.card += ". Expected: " + o->diag->expected;
      if (!o->diag->hint.empty()) n.card += ". " + o->diag->hint;
      n.underline = o->diag->span.empty() ? o->statement.span : o->diag->span;
    } else if (o->verdict) {
      const Truth t = o->verdict->truth;
      n.sign = t == Truth::Proved ? ui::Sign::Proved : t == Truth::Refuted ? ui::Sign::Refuted : ui::Sign::Unknown;
      if (t == Truth::Refuted && o->verdict->counterexample) n.card = o->verdict->counterexample->text;
      if (t == Truth::Unknown) {
        n.card = "unknown: " + o->verdict->detail;
        n.cardRole = Role::Unknown;
      }
    } else if (o->statement.kind == StatementKind::Assert && o->value) {
      n.sign = ui::Sign::Proved;
    } else if (o->value && !o->verdict &&
               (o->statement.kind == StatementKind::Expression || o->statement.kind == StatementKind::Bind)) {
      const std::string text = print(*o->value);
      // A literal that prints as it was typed needs no echo.
      if (o->statement.text.find(text) == std::string::npos) n.value = shortened(text, 160);
    }
    n.card = shortened(n.card, 600);
  }
  return notes;
}

struct Metrics {
  float advance, lineHeight, gutter, left, top, width;
};

class Editor {
 public:
  Editor(Session& session, EditorState& state)
      : session_(session), s_(state), d_(session.document()), snapshot_(session.snapshot()) {}

  void run() {
    indexLines();
    const ui::Fonts& f = ui::look().fonts;
    area_ = ImGui::GetCursorScreenPos();
    size_ = ImGui::GetContentRegionAvail();
    size_ = {std::max(1.0F, size_.x), std::max(1.0F, size_.y)};
    m_ = {f.code->CalcTextSizeA(f.code->FontSize, 1e9F, 0, "0").x,
          px(22),
          px(54),
          area_.x + px(54),
          area_.y + px(6),
          size_.x};
    // Notes belong to the evaluated text; while newer text is being evaluated, lines above the change still fit.
    notes_ = notesOf(*snapshot_);
    stale_ = snapshot_->text != d_.text();
    ImGui::InvisibleButton("editor", size_);
    ui::placeLast("editor");
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    layoutLines();
    mouse(hovered);
    if (mine_) {
      keyboard();
      indexLines();
      layoutLines();
    }
    scroll(hovered);
    draw();
    if (mine_) completions();
  }

 private:
  // --- lines -----------------------------------------------------------------------------------------------------
  void indexLines() {
    if (s_.revision == d_.revision()) return;
    s_.revision = d_.revision();
    s_.lines.assign(1, 0);
    const std::string& t = d_.text();
    for (const char* p = t.data(); (p = static_cast<const char*>(std::memchr(
                                        p, '\n', static_cast<std::size_t>(t.data() + t.size() - p)))) != nullptr;)
      s_.lines.push_back(static_cast<std::size_t>(++p - t.data()));
    s_.anchor = std::min(s_.anchor, t.size());
  }
  [[nodiscard]] std::size_t lineOf(std::size_t byte) const {
    return static_cast<std::size_t>(std::upper_bound(s_.lines.begin(), s_.lines.end(), byte) - s_.lines.begin()) - 1;
  }
  [[nodiscard]] std::size_t lineEnd(std::size_t line) const {
    return line + 1 < s_.lines.size() ? s_.lines[line + 1] - 1 : d_.text().size();
  }
  [[nodiscard]] std::string_view lineText(std::size_t line) const {
    return std::string_view(d_.text()).substr(s_.lines[line], lineEnd(line) - s_.lines[line]);
  }
  static std::size_t codePointsOf(std::string_view s) {
    return static_cast<std::size_t>(
        std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
  }
  [[nodiscard]] float columnX(std::size_t byte) const {
    const std::size_t line = lineOf(byte);
    return m_.left - s_.scrollX +
           m_.advance * static_cast<float>(codePointsOf(lineText(line).substr(0, byte - s_.lines[line])));
  }

  // Cards make lines taller: cardAt_ holds the lines that have one, with the height so far.
  void layoutLines() {
    cards_.clear();
    float extra = 0;
    for (const auto& [line, note] : notes_) {
      if (note.card.empty() || line < 1 || static_cast<std::size_t>(line) > s_.lines.size()) continue;
      const float room = (m_.width - m_.gutter - px(34)) / ui::look().scale;
      const auto text = wrapped(note.card, Face::Sans, 12, std::max(80.0, static_cast<double>(room)));
      const float h = px(18) * static_cast<float>(std::min<std::size_t>(text.size(), 8)) + px(14);
      cards_.push_back({line, extra, h, text});
      extra += h;
    }
  }
  struct Card {
    int line;
    float before, height;
    std::vector<std::string> text;
  };
  // Top of a 0-based line, scrolled.
  [[nodiscard]] float lineY(std::size_t line) const {
    float extra = 0;
    for (const Card& c : cards_)
      if (static_cast<std::size_t>(c.line) <= line) extra = c.before + c.height;
    return m_.top + static_cast<float>(line) * m_.lineHeight + extra - s_.scroll;
  }
  [[nodiscard]] std::size_t lineAt(float y) const {
    std::size_t lo = 0, hi = s_.lines.size() - 1;
    while (lo < hi) {
      const std::size_t mid = (lo + hi + 1) / 2;
      if (lineY(mid) <= y) {
        lo = mid;
      } else {
        hi = mid - 1;
      }
    }
    return lo;
  }
  [[nodiscard]] std::size_t byteAt(std::size_t line, float x) const {
    const std::string_view t = lineText(line);
    const float columns = std::max(0.0F, (x - m_.left + s_.scrollX) / m_.advance + 0.5F);
    std::size_t byte = 0;
    for (auto k = static_cast<std::size_t>(columns); k > 0 && byte < t.size(); --k)
      byte = nextChar(std::string(t), byte);
    return s_.lines[line] + byte;
  }

  // --- input -----------------------------------------------------------------------------------------------------
  void mouse(bool hovered) {
    ImGuiIO& io = ImGui::GetIO();
    if (ImGui::IsMouseClicked(0) && hovered) s_.focused = true;
    if (!hovered && !ImGui::IsItemActive()) return;
    const auto at = [&] { return byteAt(lineAt(io.MousePos.y), io.MousePos.x); };
    if (ImGui::IsItemActive() && ImGui::IsMouseDoubleClicked(0)) {
      s_.anchor = wordStep(d_.text(), std::min(at() + 1, d_.text().size()), -1);
      d_.setCaret(wordStep(d_.text(), s_.anchor, 1));
    } else if (ImGui::IsItemActivated()) {
      d_.setCaret(at());
      if (!io.KeyShift) s_.anchor = d_.caret();
      s_.preferredX = -1;
      s_.completionClosed = true;
    } else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0, px(3))) {
      d_.setCaret(at());
      s_.revealCaret = true;
    }
  }

  void moveTo(std::size_t byte, bool keepColumn = false) {
    d_.setCaret(byte);
    if (!ImGui::GetIO().KeyShift) s_.anchor = d_.caret();
    if (!keepColumn) s_.preferredX = -1;
    s_.revealCaret = true;
    s_.completionClosed = true;
  }

  void vertical(i64 by) {
    const std::size_t line = lineOf(d_.caret());
    const i64 to = std::clamp<i64>(static_cast<i64>(line) + by, 0, static_cast<i64>(s_.lines.size()) - 1);
    if (s_.preferredX < 0) s_.preferredX = columnX(d_.caret());
    moveTo(byteAt(static_cast<std::size_t>(to), s_.preferredX), /*keepColumn=*/true);
  }

  static bool key(ImGuiKey k) { return ui::keyboard().pressed(ui::Owner::Worksheet, k); }

  void keyboard() {
    ImGuiIO& io = ImGui::GetIO();
    const std::string& t = d_.text();
    const std::vector<std::string> offers = offered();
    if (!offers.empty()) {
      if (key(ImGuiKey_DownArrow)) {
        s_.completion = (s_.completion + 1) % static_cast<int>(offers.size());
        return;
      }
      if (key(ImGuiKey_UpArrow)) {
        s_.completion = (s_.completion + static_cast<int>(offers.size()) - 1) % static_cast<int>(offers.size());
        return;
      }
      if (key(ImGuiKey_Tab)) {
        accept(offers[static_cast<std::size_t>(s_.completion) % offers.size()]);
        return;
      }
      if (key(ImGuiKey_Escape)) {
        s_.completionClosed = true;
        return;
      }
    }
    if (key(ImGuiKey_LeftArrow))
      moveTo(io.KeyCtrl                            ? wordStep(t, d_.caret(), -1)
             : s_.hasSelection(d_) && !io.KeyShift ? std::min(s_.anchor, d_.caret())
                                                   : previousChar(t, d_.caret()));
    if (key(ImGuiKey_RightArrow))
      moveTo(io.KeyCtrl                            ? wordStep(t, d_.caret(), 1)
             : s_.hasSelection(d_) && !io.KeyShift ? std::max(s_.anchor, d_.caret())
                                                   : nextChar(t, d_.caret()));
    if (key(ImGuiKey_UpArrow)) vertical(-1);
    if (key(ImGuiKey_DownArrow)) vertical(1);
    if (key(ImGuiKey_PageUp)) vertical(-static_cast<i64>(size_.y / m_.lineHeight) + 1);
    if (key(ImGuiKey_PageDown)) vertical(static_cast<i64>(size_.y / m_.lineHeight) - 1);
    if (key(ImGuiKey_Home)) moveTo(io.KeyCtrl ? 0 : s_.lines[lineOf(d_.caret())]);
    if (key(ImGuiKey_End)) moveTo(io.KeyCtrl ? t.size() : lineEnd(lineOf(d_.caret())));
    if (key(ImGuiKey_Backspace)) erase(io.KeyCtrl ? wordStep(t, d_.caret(), -1) : previousChar(t, d_.caret()));
    if (key(ImGuiKey_Delete)) erase(io.KeyCtrl ? wordStep(t, d_.caret(), 1) : nextChar(t, d_.caret()));
    if ((key(ImGuiKey_Enter) || key(ImGuiKey_KeyPadEnter)) && !io.KeyCtrl) {
      const std::string_view line = lineText(lineOf(d_.caret()));
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      insertText(session_, s_,
                 "\n" + std::string(line.substr(0, std::min(indent, d_.caret() - s_.lines[lineOf(d_.caret())]))), true);
    }
    if (key(ImGuiKey_Tab) && !io.KeyCtrl) insertText(session_, s_, "  ", true);
    for (const ImWchar c : ui::keyboard().typed(ui::Owner::Worksheet)) {
      insertText(session_, s_, ui::utf8(c), true);
      s_.completionClosed = false;
      s_.completion = 0;
    }
  }

  void erase(std::size_t to) {
    if (!s_.hasSelection(d_)) s_.anchor = to;
    insertText(session_, s_, "", false);
  }

  void scroll(bool hovered) {
    ImGuiIO& io = ImGui::GetIO();
    if (hovered && !io.KeyCtrl) {
      s_.scroll -= io.MouseWheel * px(22) * 3;
      s_.scrollX -= io.MouseWheelH * m_.advance * 4;
    }
    if (s_.revealCaret) {
      s_.revealCaret = false;
      const float y = lineY(lineOf(d_.caret())) - area_.y, x = columnX(d_.caret()) - m_.left;
      if (y < px(4)) s_.scroll += y - px(4);
      if (y + m_.lineHeight > size_.y - px(8)) s_.scroll += y + m_.lineHeight - size_.y + px(8);
      if (x < 0) s_.scrollX += x;
      if (x > size_.x - m_.gutter - px(24)) s_.scrollX += x - (size_.x - m_.gutter - px(24));
    }
    const float all = lineY(s_.lines.size() - 1) + s_.scroll - m_.top + m_.lineHeight;
    s_.scroll = std::clamp(s_.scroll, 0.0F, std::max(0.0F, all - size_.y + px(60)));
    s_.scrollX = std::max(0.0F, s_.scrollX);
  }

  // --- drawing ---------------------------------------------------------------------------------------------------
  void draw() {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(area_, {area_.x + size_.x, area_.y + size_.y}, true);
    const std::size_t caretLine = lineOf(d_.caret());
    const std::size_t first = lineAt(area_.y), last = std::min(s_.lines.size() - 1, lineAt(area_.y + size_.y));
    const float caretY = lineY(caretLine);
    if (mine_)
      list->AddRectFilled({area_.x, caretY}, {area_.x + size_.x, caretY + m_.lineHeight}, ui::color(Role::Raised));
    for (std::size_t line = first; line <= last; ++line) drawLine(list, line, line == caretLine);
    list->PushClipRect({m_.left - px(4), area_.y}, {area_.x + size_.x, area_.y + size_.y}, true);
    if (mine_ && std::fmod(ImGui::GetTime() - s_.lastEdit, 1.06) < 0.6) {
      const float x = columnX(d_.caret());
      list->AddRectFilled({x - px(0.75), caretY + px(3)}, {x + px(0.75), caretY + px(19)}, ui::color(Role::Accent));
    }
    list->PopClipRect();
    list->PopClipRect();
  }

  void drawLine(ImDrawList* list, std::size_t line, bool current) {
    const ui::Fonts& f = ui::look().fonts;
    const float y = lineY(line), textY = y + (m_.lineHeight - f.code->FontSize) / 2;
    const std::string number = std::to_string(line + 1);
    ui::text(list, f.small,
             {area_.x + px(26) - ui::width(f.small, number), y + (m_.lineHeight - f.small->FontSize) / 2},
             ui::color(current ? Role::Muted : Role::Faint), number);
    const auto note = notes_.find(static_cast<int>(line) + 1);
    if (note != notes_.end() && note->second.sign)
      ui::sign(list, {area_.x + px(39), y + m_.lineHeight / 2}, px(11), *note->second.sign);
    list->PushClipRect({m_.left - px(4), area_.y}, {area_.x + size_.x, area_.y + size_.y}, true);
    selection(list, line, y);
    code(list, line, textY);
    if (note != notes_.end()) annotate(list, line, y, textY, note->second);
    list->PopClipRect();
  }

  void selection(ImDrawList* list, std::size_t line, float y) {
    const auto [a, b] = std::minmax({d_.caret(), s_.anchor});
    const std::size_t from = std::max(a, s_.lines[line]), to = std::min(b, lineEnd(line));
    if (a == b || a > lineEnd(line) || b < s_.lines[line]) return;
    const float x0 = columnX(from), x1 = columnX(to) + (b > lineEnd(line) ? m_.advance * 0.6F : 0);
    list->AddRectFilled({x0, y}, {x1, y + m_.lineHeight}, ui::color(Role::Accent, 0.28));
  }

  // Colours words as the design's tokens say: keyword, number, function, comment.
  void code(ImDrawList* list, std::size_t line, float y) {
    static const char* const kKeywords[] = {"show",    "as",  "prove", "assert", "by",  "find",     "where", "run",
                                            "compare", "and", "or",    "not",    "hlo", "graphene", "over"};
    const bool dark = session_.theme == Theme::Dark;
    const auto rgb = [](unsigned v) { return IM_COL32((v >> 16) & 255, (v >> 8) & 255, v & 255, 255); };
    const ImU32 keyword = rgb(dark ? 0xc79bff : 0x7a3fd0), numberInk = rgb(dark ? 0x8fd3ff : 0x0b6fb8),
                function = rgb(dark ? 0x7fe0c3 : 0x0c8a6a), comment = rgb(dark ? 0x5d6878 : 0x97a0ad),
                plain = ui::color(Role::Text);
    const std::string_view t = lineText(line);
    const ui::Fonts& f = ui::look().fonts;
    float x = m_.left - s_.scrollX;
    std::size_t at = 0;
    const auto emit = [&](std::size_t n, ImU32 c) {
      const std::string_view piece = t.substr(at, n);
      ui::text(list, f.code, {x, y}, c, piece);
      x += m_.advance * static_cast<float>(codePointsOf(piece));
      at += n;
    };
    while (at < t.size() && x < area_.x + size_.x) {
      std::size_t end = at;
      const auto alpha = [&](std::size_t k) {
        return std::isalnum(static_cast<unsigned char>(t[k])) != 0 || t[k] == '_';
      };
      if (t.substr(at, 2) == "//") {
        emit(t.size() - at, comment);
      } else if (alpha(at) && std::isdigit(static_cast<unsigned char>(t[at])) == 0) {
        while (end < t.size() && alpha(end)) ++end;
        const std::string_view word = t.substr(at, end - at);
        const bool key =
            std::any_of(std::begin(kKeywords), std::end(kKeywords), [&](const char* k) { return word == k; });
        const bool call = end < t.size() && (t[end] == '(' || t[end] == '<');
        const bool mark = word.size() > 1 && word[0] == '_' && std::isdigit(static_cast<unsigned char>(word[1])) != 0;
        emit(end - at, key ? keyword : mark ? numberInk : call ? function : plain);
      } else if (std::isdigit(static_cast<unsigned char>(t[at])) != 0) {
        while (end < t.size() && alpha(end)) ++end;
        emit(end - at, numberInk);
      } else {
        while (end < t.size() && !alpha(end) && t.substr(end, 2) != "//") ++end;
        emit(std::max<std::size_t>(1, end - at), plain);
      }
    }
  }

  void annotate(ImDrawList* list, std::size_t line, float y, float textY, const LineNote& note) {
    const ui::Fonts& f = ui::look().fonts;
    if (!note.value.empty() && !stale_) {
      const float x = columnX(lineEnd(line)) + m_.advance * 3;
      ui::text(list, f.code, {x, textY}, ui::color(Role::Faint), "= " + note.value);
    }
    if (!note.underline.empty() && !stale_) {
      const std::size_t from = std::max(note.underline.begin, s_.lines[line]),
                        to = std::min(std::max(note.underline.end, from + 1), std::max(lineEnd(line), from + 1));
      if (from <= lineEnd(line))
        wave(list, columnX(from), columnX(std::min(to, lineEnd(line))) + (to > lineEnd(line) ? m_.advance : 0),
             y + m_.lineHeight - px(3));
    }
    for (const Card& c : cards_) {
      if (c.line != static_cast<int>(line) + 1) continue;
      const float top = y + m_.lineHeight + px(1), right = area_.x + size_.x - px(12);
      list->AddRectFilled({m_.left, top}, {right, top + c.height - px(6)}, ui::color(note.cardRole, 0.10), px(4));
      list->AddRectFilled({m_.left, top}, {m_.left + px(2), top + c.height - px(6)}, ui::color(note.cardRole));
      for (std::size_t k = 0; k < c.text.size() && k < 8; ++k)
        ui::text(list, f.small, {m_.left + px(10), top + px(4) + px(18) * static_cast<float>(k)},
                 ui::color(Role::Text, 0.9), c.text[k]);
    }
  }

  static void wave(ImDrawList* list, float x0, float x1, float y) {
    x1 = std::max(x1, x0 + px(6));
    std::vector<ImVec2> p;
    bool up = false;
    for (float x = x0; x <= x1 && p.size() < 2000; x += px(2), up = !up) p.push_back({x, up ? y - px(1.6) : y});
    list->AddPolyline(p.data(), static_cast<int>(p.size()), ui::color(Role::Refuted), 0, px(1));
  }

  // --- completion ------------------------------------------------------------------------------------------------
  [[nodiscard]] std::size_t wordBegin() const {
    std::size_t at = d_.caret();
    const std::string& t = d_.text();
    while (at > 0 && (std::isalnum(static_cast<unsigned char>(t[at - 1])) != 0 || t[at - 1] == '_')) --at;
    return at;
  }
  [[nodiscard]] std::vector<std::string> offered() const {
    std::vector<std::string> found;
    if (s_.completionClosed || s_.hasSelection(d_) || ImGui::GetTime() - s_.lastEdit > 6) return found;
    const std::size_t begin = wordBegin();
    const std::string word = d_.text().substr(begin, d_.caret() - begin);
    if (word.size() < 2 || std::isdigit(static_cast<unsigned char>(word[0])) != 0 ||
        lineText(lineOf(begin)).substr(0, begin - s_.lines[lineOf(begin)]).find("//") != std::string_view::npos)
      return found;
    static const std::vector<FunctionInfo> kFunctions = functions();
    for (const FunctionInfo& info : kFunctions)
      if (info.name.size() > word.size() && info.name.substr(0, word.size()) == word) found.emplace_back(info.name);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (found.size() > 8) found.resize(8);
    return found;
  }
  void accept(const std::string& name) {
    s_.anchor = wordBegin();
    insertText(session_, s_, name + "(", false);
    s_.completionClosed = true;
  }
  void completions() {
    const std::vector<std::string> offers = offered();
    if (offers.empty()) return;
    const ui::Fonts& f = ui::look().fonts;
    static const std::vector<FunctionInfo> kFunctions = functions();
    const float rowHeight = px(24), width = px(360);
    ImVec2 at = {columnX(wordBegin()) - px(8), lineY(lineOf(d_.caret())) + m_.lineHeight + px(2)};
    ImDrawList* list = ImGui::GetForegroundDrawList();
    const float h = rowHeight * static_cast<float>(offers.size()) + px(8);
    if (at.y + h > area_.y + size_.y) at.y -= h + m_.lineHeight + px(4);
    list->AddRectFilled(at, {at.x + width, at.y + h}, ui::color(Role::Raised), px(7));
    list->AddRect(at, {at.x + width, at.y + h}, ui::color(Role::Hairline), px(7));
    for (std::size_t k = 0; k < offers.size(); ++k) {
      const float y = at.y + px(4) + rowHeight * static_cast<float>(k);
      if (static_cast<int>(k) == s_.completion % static_cast<int>(offers.size()))
        list->AddRectFilled({at.x + px(4), y}, {at.x + width - px(4), y + rowHeight}, ui::color(Role::Accent, 0.22),
                            px(4));
      ui::text(list, f.code, {at.x + px(12), y + px(3)}, ui::color(Role::Text), offers[k]);
      for (const FunctionInfo& info : kFunctions)
        if (info.name == offers[k]) {
          const float x = at.x + px(20) + ui::width(f.code, offers[k]);
          ui::text(list, f.small, {x, y + px(4)}, ui::color(Role::Muted),
                   fitted(info.what, Face::Sans, 12, (at.x + width - px(10) - x) / ui::look().scale));
          break;
        }
    }
  }

  Session& session_;
  EditorState& s_;
  Document& d_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::map<int, LineNote> notes_;
  std::vector<Card> cards_;
  ImVec2 area_{}, size_{};
  Metrics m_{};
  bool stale_ = false;
  const bool mine_ = ui::keyboard().has(ui::Owner::Worksheet);
};

}  // namespace

void editor(Session& session, EditorState& state) { Editor(session, state).run(); }

}  // namespace tessera::panes
