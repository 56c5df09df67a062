#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "app/views/pictures/picture.h"
#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using ui::px;

constexpr double kRowHigh = 22, kHeadHigh = 24, kCellGap = 14, kMargin = 12;
constexpr double kLeastBeside = 600, kNarrowTable = 330, kWideTable = 660;
constexpr i64 kMostRowsShown = 9;  // below a picture

// What is shown of each column: its left edge and width within the table, in pixels.
struct ShownColumn {
  std::size_t column = 0;
  float x = 0, wide = 0;
};
std::vector<ShownColumn> columnsOf(const RowSource& rows, float width) {
  std::vector<ShownColumn> shown;
  float numbers = 0;
  double texts = 0;
  const std::span<const RowColumn> all = rows.columns();
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (width < px(all[k].from)) continue;
    shown.push_back({k, 0, 0});
    if (all[k].isNumber)
      numbers += px(all[k].width);
    else
      texts += all[k].width;
  }
  const float gaps = px(kCellGap) * static_cast<float>(shown.size());
  float x = px(4);
  for (ShownColumn& c : shown) {
    c.x = x;
    c.wide = all[c.column].isNumber
                 ? px(all[c.column].width)
                 : std::max(px(40), (width - numbers - gaps) * static_cast<float>(all[c.column].width / texts));
    x += c.wide + px(kCellGap);
  }
  return shown;
}

void sortRows(RowsState& state, const RowSource& rows) {
  state.order.resize(static_cast<std::size_t>(rows.rows()));
  std::iota(state.order.begin(), state.order.end(), 0);
  const std::size_t c = std::min(state.column, rows.columns().size() - 1);
  const auto by = [&](const auto& keys) {
    std::ranges::stable_sort(state.order, [&](int a, int b) {
      const auto &x = keys[static_cast<std::size_t>(a)], &y = keys[static_cast<std::size_t>(b)];
      return state.ascending ? x < y : y < x;
    });
  };
  if (rows.columns()[c].isNumber) {
    std::vector<double> keys;
    for (i64 k = 0; k < rows.rows(); ++k) keys.push_back(rows.number(k, c));
    by(keys);
  } else {
    std::vector<std::string> keys;
    for (i64 k = 0; k < rows.rows(); ++k) keys.push_back(rows.text(k, c));
    by(keys);
  }
}

// A text in a cell, cut to its width; a number at the right edge.
void cellText(ImFont* font, ImVec2 at, const ShownColumn& c, const RowColumn& column, Role role,
              const std::string& words) {
  const std::string cut = ui::fitted(words, font, c.wide);
  const float x = column.isNumber ? at.x + c.x + c.wide - ui::width(font, cut) : at.x + c.x;
  ui::textInRow(font, {x, at.y}, px(kRowHigh), role, cut);
}

// The heads; a click sorts.
void headsOf(const RowSource& rows, RowsState& state, const std::vector<ShownColumn>& columns, const std::string& name,
             float width) {
  ImFont* font = ui::look().fonts.small;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  for (const ShownColumn& c : columns) {
    const RowColumn& column = rows.columns()[c.column];
    ImGui::SetCursorScreenPos({at.x + c.x - px(kCellGap / 2), at.y});
    const bool sorted = state.column == c.column;
    if (ui::area(fmt::format("{}.{}", name, column.name), {c.wide + px(kCellGap), px(kHeadHigh)})) {
      state.ascending = sorted ? !state.ascending : column.ascending;
      state.column = c.column;
      state.of.reset();
    }
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) ui::tooltip(column.what + "\nclick: sort");
    const Role role = hovered || sorted ? Role::Text : Role::Faint;
    const std::string words = ui::fitted(column.name, font, c.wide);
    const float wide = ui::width(font, words), x = at.x + c.x + (column.isNumber ? c.wide - wide : 0);
    ui::textInRow(font, {x, at.y}, px(kHeadHigh), role, words);
    if (!sorted) continue;
    // A small triangle beside the words.
    const float h = px(3), tx = column.isNumber ? x - px(6) : x + wide + px(6), ty = at.y + px(kHeadHigh / 2);
    const float dy = state.ascending ? -h : h;
    ImGui::GetWindowDrawList()->AddTriangleFilled({tx - h, ty - dy / 2}, {tx + h, ty - dy / 2}, {tx, ty + dy / 2},
                                                  ui::color(Role::Muted));
  }
  ui::hairline({at.x, at.y + px(kHeadHigh)}, {at.x + width, at.y + px(kHeadHigh)});
  ImGui::SetCursorScreenPos({at.x, at.y + px(kHeadHigh) + 1});
}

std::string tipOf(const RowSource& rows, i64 row) {
  std::string tip;
  for (std::size_t k = 0; k < rows.columns().size(); ++k)
    if (const std::string words = rows.text(row, k); !words.empty())
      tip += fmt::format("{}{}: {}", tip.empty() ? "" : "\n", rows.columns()[k].name, words);
  return tip;
}

// Opens the row's box, or the row itself: if the box is its own, if it has none, or if asked to.
void openRow(PaneView& look, const Outcome& seen, const RowSource& rows, i64 row, bool itself) {
  const FigureDoor own = rows.door(row);
  const int box = rows.box(row);
  const std::vector<FigureDoor>& doors = seen.figure->doors;
  const bool inside =
      box >= 0 && static_cast<std::size_t>(box) < doors.size() && doors[static_cast<std::size_t>(box)].to != own.to;
  openDoor(look, seen, inside && !itself ? doors[static_cast<std::size_t>(box)] : own);
}

struct RowsInput {
  i64 opened = -1;      // the row to open
  bool itself = false;  // its own picture, not its box
};

// Arrows and Enter.
void rowKeys(RowsState& state, RowsInput& input) {
  const auto pressed = [](ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Pictures, key); };
  const int by = (pressed(ImGuiKey_DownArrow) ? 1 : 0) - (pressed(ImGuiKey_UpArrow) ? 1 : 0);
  if (by != 0 && !state.order.empty()) {
    const auto at = std::ranges::find(state.order, static_cast<int>(state.selected));
    const auto last = static_cast<std::ptrdiff_t>(state.order.size()) - 1;
    const std::ptrdiff_t to =
        at == state.order.end() ? 0 : std::clamp<std::ptrdiff_t>(at - state.order.begin() + by, 0, last);
    state.selected = state.order[static_cast<std::size_t>(to)];
    state.reveal = state.look = true;
  }
  if (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeyPadEnter)) {
    input.opened = state.selected;
    input.itself = ImGui::GetIO().KeyShift;
  }
}

// One row; the mouse over it selects and opens.
void rowAt(const RowSource& rows, RowsState& state, const std::vector<ShownColumn>& columns, i64 row,
           const std::string& name, float width, RowsInput& input, bool& clicked) {
  const ui::Fonts& f = ui::look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string rowName = fmt::format("{}.{}", name, row);
  if (state.pointed >= 0 && rows.box(row) == state.pointed)
    ui::fill(at, {at.x + width, at.y + px(kRowHigh)}, Role::Accent, 0.10);
  ImGui::PushID(static_cast<int>(row));
  ImGui::Selectable("##row", row == state.selected, ImGuiSelectableFlags_AllowItemOverlap, {width, px(kRowHigh)});
  ImGui::SetItemAllowOverlap();
  ImGui::PopID();
  ui::placeLast(rowName);
  clicked |= ImGui::IsItemActivated();
  if (ImGui::IsItemActivated()) {
    state.selected = row;
    state.look = true;
  }
  const bool hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  if (hovered) {
    state.hovered = row;
    if (ImGui::IsMouseDoubleClicked(0)) input.opened = row;
  }
  bool tip = false;  // the mouse is over a text that is cut, or over the name while columns are missing
  const float mouse = ImGui::GetIO().MousePos.x - at.x;
  const ImVec2 next = ImGui::GetCursorScreenPos();
  for (const ShownColumn& c : columns) {
    const RowColumn& column = rows.columns()[c.column];
    const std::string words = rows.text(row, c.column);
    ShownColumn place = c;
    const bool isName = c.column == 1;
    ImFont* font = isName ? f.code : f.small;
    const float link = ui::width(f.small, "page");
    if (isName && (hovered || row == state.selected)) {
      place.wide -= link + px(8);
      ImGui::SetCursorScreenPos({at.x + c.x + c.wide - link, at.y + (px(kRowHigh) - f.small->FontSize) / 2});
      ImGui::PushID(static_cast<int>(row));
      if (ui::link(rowName + ".page", "page")) {
        input.opened = row;
        input.itself = true;
      }
      ImGui::PopID();
    }
    const bool pointed = hovered && mouse >= place.x && mouse < place.x + place.wide;
    tip |= pointed && (ui::width(font, words) > place.wide || (isName && columns.size() < rows.columns().size()));
    const Role role = rows.box(row) < 0 ? Role::Faint : column.isNumber ? Role::Muted : Role::Text;
    cellText(font, at, place, column, role, words);
  }
  if (tip && !ImGui::IsMouseDown(0)) {
    const ImVec2 corner = ImGui::GetIO().MousePos;
    ui::tooltipAt({corner.x + px(14), corner.y + px(18)}, tipOf(rows, row));
  }
  ImGui::SetCursorScreenPos(next);
}

}  // namespace

RowsRoom rowsRoom(const Figure& figure, float width, float visible) {
  if (!figure.rows) return {};
  const auto shown = static_cast<float>(std::clamp<i64>(figure.rows->rows(), 1, kMostRowsShown));
  const float note = figure.rows->note().empty() ? 0 : px(20), needed = px(kHeadHigh) + 2 + shown * px(kRowHigh) + note;
  RowsRoom below{width, std::min(needed, std::max(px(95), visible * 0.28F)), false};
  const auto all = static_cast<float>(std::clamp<i64>(figure.rows->rows(), 3, 1000));
  RowsRoom beside{std::clamp(width * 0.42F, px(kNarrowTable), px(kWideTable)),
                  std::min(std::max(px(200), visible), px(kHeadHigh) + 2 + all * px(kRowHigh) + note), true};
  // Where the whole picture is larger.
  const auto scale = [&](float w, float h) {
    return std::min({1.0, static_cast<double>(w) / std::max(1.0, figure.width) / ui::look().scale,
                     static_cast<double>(h) / std::max(1.0, figure.height) / ui::look().scale});
  };
  const double wide = scale(width - beside.width - px(16), visible),
               high = scale(width, visible - below.height - px(8));
  if (width < px(kLeastBeside) || wide < high) return below;
  // What a high picture leaves is the table's.
  const auto taken = static_cast<float>(wide * (figure.width + 2 * kMargin)) * ui::look().scale;
  beside.width = std::clamp(width - px(16) - taken, beside.width, px(kWideTable));
  return beside;
}

void selectRowOf(RowsState& rows, const Figure& figure, const FigureDoor& door) {
  if (!figure.rows || figure.doors.empty()) return;
  const auto box = static_cast<int>(&door - figure.doors.data());
  const auto found = std::ranges::find_if(rows.order, [&](int row) { return figure.rows->box(row) == box; });
  if (found == rows.order.end()) return;
  rows.selected = *found;
  rows.reveal = true;
}

void markRows(const Figure& figure, Pane& pane, ImVec2 origin, ImVec2 size, std::size_t index) {
  RowsState& rows = pane.sight.rows;
  const ImGuiIO& io = ImGui::GetIO();
  rows.pointed = -1;
  if (ImGui::IsItemHovered()) {
    const double x = pane.x + static_cast<double>(io.MousePos.x - origin.x) / pane.scale,
                 y = pane.y + static_cast<double>(io.MousePos.y - origin.y) / pane.scale;
    if (const FigureDoor* door = doorAt(figure, x, y)) rows.pointed = static_cast<int>(door - figure.doors.data());
  }
  const i64 marked[] = {rows.selected, rows.hovered};
  for (const i64 row : marked) {
    if (row < 0 || row >= figure.rows->rows()) continue;
    const int box = figure.rows->box(row);
    if (box < 0 || static_cast<std::size_t>(box) >= figure.doors.size()) continue;
    const Rect& at = figure.doors[static_cast<std::size_t>(box)].at;
    const auto onScreen = [&](double x, double y, float pad) {
      return ImVec2(origin.x + static_cast<float>((x - pane.x) * pane.scale) + pad,
                    origin.y + static_cast<float>((y - pane.y) * pane.scale) + pad);
    };
    const ImVec2 min = onScreen(at.x, at.y, -px(3)), max = onScreen(at.x + at.w, at.y + at.h, px(3));
    const bool outside = min.x < origin.x || min.y < origin.y || max.x > origin.x + size.x || max.y > origin.y + size.y;
    if (row == rows.selected && std::exchange(rows.look, false) && pane.moved && outside)
      lookAt(figure, pane, at.x + at.w / 2, at.y + at.h / 2, pane.scale, size);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(origin, {origin.x + size.x, origin.y + size.y}, true);
    const bool isSelected = row == rows.selected;
    list->AddRectFilled(min, max, ui::color(Role::Accent, isSelected ? 0.22 : 0.12), px(6));
    list->AddRect(min, max, ui::color(Role::Accent), px(6), 0, px(isSelected ? 2 : 1.2));
    list->PopClipRect();
    ui::place(fmt::format("figure.{}.{}", index, isSelected ? "marked" : "pointed"), min, max);
  }
}

void rowsTable(const Outcome& seen, CanvasState& state, Pane& pane, const std::string& key, std::size_t index,
               const RowsRoom& room) {
  const std::shared_ptr<const RowSource> rows = seen.figure->rows;
  RowsState& table = pane.sight.rows;
  const std::string name = fmt::format("figure.{}.rows", index);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string note = rows->note();
  if (rows->rows() > 0) {
    const std::vector<ShownColumn> columns = columnsOf(*rows, room.width - ImGui::GetStyle().ScrollbarSize);
    headsOf(*rows, table, columns, name, room.width);
    if (table.of != rows) {
      table.of = rows;
      sortRows(table, *rows);
      table.reveal = true;
    }
    if (table.selected >= rows->rows()) table.selected = -1;
    RowsInput input;
    if (table.keys && state.focused == key) rowKeys(table, input);
    const float high = room.height - px(kHeadHigh) - 1 - (note.empty() ? 0 : px(20));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    ImGui::PushID(static_cast<int>(index));
    ImGui::BeginChild("rows", {room.width, std::max(px(kRowHigh), high)});
    if (ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
      state.scroll.table = ImGui::GetScrollMaxY() > 0 ? ColumnScroll::Table::Scrolls : ColumnScroll::Table::Still;
    if (table.reveal && table.selected >= 0) {
      const auto found = std::ranges::find(table.order, static_cast<int>(table.selected));
      const float top = static_cast<float>(found - table.order.begin()) * px(kRowHigh), seenFrom = ImGui::GetScrollY();
      const float least = top + px(kRowHigh) - ImGui::GetWindowHeight();
      if (top < seenFrom) ImGui::SetScrollY(top);
      if (least > seenFrom) ImGui::SetScrollY(least);
    }
    table.reveal = false;
    table.hovered = -1;
    bool clicked = false;
    const float width = ImGui::GetContentRegionAvail().x;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(table.order.size()), px(kRowHigh));
    while (clipper.Step())
      for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k)
        rowAt(*rows, table, columns, table.order[static_cast<std::size_t>(k)], name, width, input, clicked);
    ImGui::EndChild();
    ImGui::PopID();
    ImGui::PopStyleVar();
    if (clicked) {
      state.clicked = key;
      table.keys = true;
    }
    if (input.opened >= 0) {
      table.selected = input.opened;
      openRow(pane.look, seen, *rows, input.opened, input.itself);
      pane.moved = false;
    }
  }
  const ImVec2 corner = {at.x + room.width, at.y + room.height};
  if (!note.empty()) {
    const float y = rows->rows() > 0 ? corner.y - px(20) : at.y;
    ui::textInRow(ui::look().fonts.small, {at.x + px(4), y}, px(20), rows->rows() > 0 ? Role::Unknown : Role::Muted,
                  ui::fitted(note, ui::look().fonts.small, room.width - px(8)));
    ui::place(name + ".note", {at.x, y}, {corner.x, y + px(20)});
  }
  ui::place(name, at, corner);
  if (table.keys && state.focused == key)
    ImGui::GetWindowDrawList()->AddRect(at, corner, ui::color(Role::Accent, 0.8), px(3), 0, px(1));
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({room.width, room.height + px(room.beside ? 0 : 2)});
}

}  // namespace tessera::panes
