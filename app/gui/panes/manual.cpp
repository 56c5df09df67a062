#include "app/gui/panes/manual.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/files/assets.h"
#include "app/session/gallery.h"
#include "app/views/editor/sheet_layout.h"
#include "app/widgets/keyboard.h"
#include "core/base/chars.h"

namespace tessera {

const std::string& manualText() {
  static const std::string kText = [] {
    auto text = readFile(assetsFolder() + "/manual.md");
    return text.ok() ? *text : "The manual is missing: " + text.error().message;
  }();
  return kText;
}

std::vector<KeyRow> allKeys() {
  std::vector<KeyRow> rows;
  for (const Command& c : commands())
    if (*c.shortcut != '\0' && *c.menu != '\0') rows.push_back({c.menu, c.shortcut, c.title});
  const KeyRow kOthers[] = {
      {"Worksheet", "Tab", "Accept the completion, else indent"},
      {"Worksheet", "Up Down, then Enter", "Choose another completion"},
      {"Worksheet", "Ctrl+Left Ctrl+Right", "Move by a word"},
      {"Worksheet", "Home End", "Start and end of the row, then of the line"},
      {"Worksheet", "Ctrl+Home Ctrl+End", "Start and end of the sheet"},
      {"Worksheet", "Ctrl+Backspace Ctrl+Delete", "Delete a word"},
      {"Worksheet", "Shift with a motion", "Select"},
      {"Worksheet", "Double click, triple click", "Select the word, the line"},
      {"Worksheet", "Ctrl+click on a name", "Go to its definition"},
      {"Worksheet", "Alt+drag on a number", "Change it; pictures and verdicts follow"},
      {"Find", "Enter, Shift+Enter", "Next and previous hit"},
      {"Pictures", "Wheel", "Scroll the column"},
      {"Pictures", "Ctrl+wheel, + and -", "Zoom the picture"},
      {"Pictures", "Arrows, drag", "Move the picture"},
      {"Pictures", "0", "Fit the picture"},
      {"Pictures", "Click, Esc", "Pin a cell, unpin it"},
      {"Pictures", "Alt+click Shift+click Ctrl+click", "Show one thread, its quad, its warp"},
      {"Pictures", "Space", "Play and stop a program; alternate two compared pictures"},
      {"Pictures", "Left Right, with Ctrl", "One step of a program, ten steps"},
      {"Compared sheets", "N P", "Next and previous difference"},
      {"Compared sheets", "Space", "Alternate the two sheets"},
      {"Questions", "Tab, Enter, Esc", "Next choice, take it, cancel"},
  };
  rows.insert(rows.end(), std::begin(kOthers), std::end(kOthers));
  return rows;
}

namespace {

enum class Kind { Text, Code, Heading, Key, Function };

struct ManualLine {
  Kind kind = Kind::Text;
  std::string words;       // headings without their marks, code without its fences
  std::string about = {};  // of a key or a function
};

// Whether a line of the file belongs to the paragraph or item above it.
bool continues(std::string_view above, std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view words = line.substr(begin);
  const bool starts =
      words.empty() || words.starts_with("- ") || words.starts_with('|') || (isDigit(words[0]) && words.find(". ") < 3);
  return !starts && !above.empty() && !above.starts_with('|');
}

const std::vector<ManualLine>& lines() {
  static const std::vector<ManualLine> kLines = [] {
    std::vector<ManualLine> all;
    bool code = false;
    const std::string_view text = manualText();
    for (const std::string_view line : linesOf(text.substr(0, text.size() - (text.ends_with('\n') ? 1 : 0)))) {
      if (line.starts_with("```")) {
        code = !code;
      } else if (!code && line.starts_with('#')) {
        all.push_back({Kind::Heading, std::string(line.substr(std::min(line.find_first_not_of("# "), line.size())))});
      } else {
        const bool flows = !code && !all.empty() && all.back().kind == Kind::Text && continues(all.back().words, line);
        if (flows) {
          all.back().words += " " + std::string(line.substr(line.find_first_not_of(' ')));
        } else {
          all.push_back({code ? Kind::Code : Kind::Text, std::string(line)});
        }
      }
    }
    all.push_back({Kind::Heading, "Keys"});
    std::string where;
    for (const KeyRow& row : allKeys()) {
      if (where != row.where) all.push_back({Kind::Text, where.empty() ? row.where : "\n" + row.where});
      where = row.where;
      all.push_back({Kind::Key, row.keys, row.what});
    }
    all.push_back({Kind::Heading, "Functions"});
    for (const FunctionInfo& f : functions())
      all.push_back({Kind::Function, std::string(f.signature), std::string(f.what)});
    return all;
  }();
  return kLines;
}

bool contains(const std::string& text, const std::string& wanted) {
  const auto same = [](char a, char b) { return lowerCase(a) == lowerCase(b); };
  return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), same) != text.end();
}

}  // namespace

const std::vector<std::string>& manualSections() {
  static const std::vector<std::string> kSections = [] {
    std::vector<std::string> sections;
    for (const ManualLine& line : lines())
      if (line.kind == Kind::Heading) sections.push_back(line.words);
    return sections;
  }();
  return kSections;
}

std::vector<std::size_t> manualHits(const std::string& wanted) {
  std::vector<std::size_t> hits;
  if (wanted.empty()) return hits;
  for (std::size_t k = 0; k < lines().size(); ++k)
    if (contains(lines()[k].words, wanted) || contains(lines()[k].about, wanted)) hits.push_back(k);
  return hits;
}

void openManual(WindowState& state, const std::string& section) {
  state.manual.open = true;
  state.manual.section = section;
}

namespace panes {

using ui::px;

namespace {

// Text and what it is for, beside it if there is room, else below.
void described(const ManualLine& line, ImFont* font) {
  const ui::Fonts& fonts = ui::look().fonts;
  const float indent = px(330), width = ImGui::GetContentRegionAvail().x;
  ui::paragraph(line.words, Role::Text, font);
  const bool beside = ui::width(font, line.words) < indent - px(12) && width > indent + px(160);
  if (beside) {
    ImGui::SameLine(indent);
  } else {
    ImGui::Indent(px(24));
  }
  ui::paragraph(line.about, Role::Muted, fonts.sans);
  if (!beside) ImGui::Unindent(px(24));
}

// Long lines are continued below, with an indent.
void codeLine(const std::string& words) {
  ImFont* font = ui::look().fonts.code;
  const float advance = std::max(1.0F, ui::width(font, "00000000") / 8);
  const auto room = static_cast<std::size_t>(std::max(16.0F, ImGui::GetContentRegionAvail().x / advance - 5));
  bool first = true;
  for (const std::string_view piece : broken(words, room, room - 4)) {
    const std::string_view shown = piece.substr(0, piece.find_last_not_of(' ') + 1);  // blanks would widen the page
    ui::label(std::string(first ? 4 : 8, ' ') + std::string(shown), Role::Text, font);
    first = false;
  }
  if (first) ui::label("", Role::Text, font);
}

void drawLine(const ManualLine& line) {
  const ui::Fonts& fonts = ui::look().fonts;
  if (line.kind == Kind::Heading) return ui::sectionHead(line.words.c_str());
  if (line.kind == Kind::Code) return codeLine(line.words);
  if (line.kind == Kind::Text) return ui::paragraph(line.words, Role::Text, fonts.sans);
  described(line, line.kind == Kind::Key ? fonts.sansMedium : fonts.code);
}

// The text beside the contents; scrolls to the wanted section or hit.
void text(ManualState& m) {
  const double before = m.scroll = ImGui::GetScrollY(), most = ImGui::GetScrollMaxY();
  const double scroll =
      ui::keyboard().scrolled(ui::Owner::Manual, before, px(40), ImGui::GetWindowHeight() * 0.9F, most);
  if (scroll != before) ImGui::SetScrollY(static_cast<float>(scroll));
  const std::vector<std::size_t> hits = manualHits(m.find);
  auto hit = hits.begin();
  for (std::size_t k = 0; k < lines().size(); ++k) {
    const ManualLine& line = lines()[k];
    // The heights are known from the second frame on.
    if (line.kind == Kind::Heading && m.section == line.words && !ImGui::IsWindowAppearing()) {
      ImGui::SetScrollHereY(0);
      m.section.clear();
    }
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const bool found = hit != hits.end() && *hit == k;
    const bool current = found && m.hit < hits.size() && hits[m.hit] == k;
    if (found) ++hit;
    ImGui::GetWindowDrawList()->ChannelsSplit(2);
    ImGui::GetWindowDrawList()->ChannelsSetCurrent(1);
    drawLine(line);
    ImGui::GetWindowDrawList()->ChannelsSetCurrent(0);
    const ImVec2 to = {from.x + ImGui::GetContentRegionAvail().x, ImGui::GetItemRectMax().y};
    if (found) ui::fill(from, to, Role::Accent, current ? 0.35 : 0.14, px(3));
    if (current) ui::place("manual.hit", from, to);
    ImGui::GetWindowDrawList()->ChannelsMerge();
    if (current && m.toHit) {
      ImGui::SetScrollHereY(0.3F);
      m.toHit = false;
    }
  }
}

void contents(ManualState& m) {
  for (std::size_t k = 0; k < manualSections().size(); ++k) {
    const std::string& section = manualSections()[k];
    ImGui::PushID(static_cast<int>(k));
    if (ImGui::Selectable(ui::fitted(section, ui::look().fonts.sans, ImGui::GetContentRegionAvail().x).c_str()))
      m.section = section;
    ImGui::PopID();
    ui::placeLast("manual.section." + section);
  }
}

// Enter: the next line that has the text.
void search(ManualState& m) {
  ImGui::SetNextItemWidth(px(260));
  const std::string before = m.find;
  const bool entered = ui::field(ui::Owner::Manual, "manual.find", m.find, "Search the manual");
  const std::size_t hits = manualHits(m.find).size();
  if (before != m.find) {
    m.hit = 0;
    m.toHit = hits > 0;
  } else if (entered && hits > 0) {
    m.hit = (m.hit + (ImGui::GetIO().KeyShift ? hits - 1 : 1)) % hits;
    m.toHit = true;
  }
  ImGui::SameLine(0, px(10));
  ImGui::AlignTextToFramePadding();
  const std::string count = m.find.empty() ? ""
                            : hits == 0    ? "not in the manual"
                                           : fmt::format("{} of {}", m.hit + 1, hits);
  ui::label(count, hits == 0 ? Role::Refuted : Role::Muted, ui::look().fonts.small);
}

}  // namespace

void manual(WindowState& state) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(screen.x - px(16), std::max(screen.x * 0.6F, px(860)));
  ImGui::SetNextWindowPos({(screen.x - width) / 2, screen.y * 0.06F});
  ImGui::SetNextWindowSize({width, screen.y * 0.88F});
  if (ImGui::Begin("##manual", nullptr, ui::kStill)) {
    ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());  // above its shade
    if (ui::button("manual.close", "Close")) state.manual.open = false;
    ImGui::SameLine(0, px(14));
    search(state.manual);
    const float side = width > px(560) ? px(220) : 0;
    if (side > 0) {
      ImGui::BeginChild("contents", {side, 0});
      contents(state.manual);
      ImGui::EndChild();
      ImGui::SameLine(0, px(14));
    }
    ImGui::BeginChild("text");
    text(state.manual);
    ImGui::EndChild();
  }
  ImGui::End();
}

}  // namespace panes
}  // namespace tessera
