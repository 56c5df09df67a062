#include "app/views/pictures/layout_editor.h"

#include <fmt/format.h>
#include <imgui.h>

#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"
#include "core/notation/xla/address.h"
#include "core/notation/xla/edit.h"

namespace tessera::panes {
namespace {

std::string tilesOf(const xla::Shape& shape) {
  xla::Layout only;
  only.tiles = shape.layout().tiles;
  const std::string text = print(only);  // {:T(8,128)}
  return text.size() < 4 ? "" : text.substr(3, text.size() - 4);
}

std::string contiguityOf(const xla::Shape& shape) {
  const auto addressing = xla::Addressing::create(shape);
  if (!addressing) return "";
  const std::vector<i64> runs = xla::contiguity(addressing->expansion(), shape.sizes());
  const std::vector<std::string> names = xla::dimensionNames(runs.size());
  std::string text;
  for (std::size_t k = 0; k < runs.size(); ++k) text += fmt::format("{}{} {}", k == 0 ? "" : "  ", names[k], runs[k]);
  return text;
}

// Dimensions from fastest to slowest; a click moves one towards the fast end by one place.
void orderButtons(LayoutEdit& edit, const std::string& name) {
  const std::vector<std::string> names = xla::dimensionNames(edit.order.size());
  ImGui::TextUnformatted("minor to major");
  for (std::size_t k = 0; k < edit.order.size(); ++k) {
    ImGui::SameLine();
    const std::string& label = names[static_cast<std::size_t>(edit.order[k])];
    if (ui::button(fmt::format("{}.order.{}", name, k), label.c_str()) && k > 0)
      std::swap(edit.order[k], edit.order[k - 1]);
  }
  ImGui::SameLine();
  ImGui::TextDisabled("click to move left, towards the fastest");
}

void table(const std::vector<std::vector<std::string>>& rows) {
  if (!ImGui::BeginTable("##compare", 3, ImGuiTableFlags_SizingFixedFit)) return;
  for (const auto& row : rows) {
    ImGui::TableNextRow();
    for (const std::string& cell : row) {
      ImGui::TableNextColumn();
      ui::label(cell + "   ", Role::Text, &cell == &row.front() ? ui::look().fonts.sans : ui::look().fonts.code);
    }
  }
  ImGui::EndTable();
}

// The popup's content; returns the statement to insert.
std::string popup(PaneView& pane, LayoutEdit& edit, const xla::Shape& shape, const std::string& view,
                  const std::string& name) {
  orderButtons(edit, name);
  ImGui::TextUnformatted("tiles");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(ui::px(240));
  ui::clickedField(ui::Owner::Menu, name + ".tiles", edit.tiles, "none, or (8,128)(2,1)");
  const Result<xla::Shape> after = edited(shape, edit);
  if (!after) {
    ui::label(after.error().message, Role::Refuted, ui::look().fonts.sans);
  } else {
    ui::label(print(*after), Role::Text, ui::look().fonts.code);
    table(comparison(shape, *after));
    pane.array = *after == shape ? std::nullopt : std::optional(*after);
  }
  std::string wanted;
  if (after && ui::button(name + ".insert", "insert into the worksheet"))
    wanted = fmt::format("show {} as {}", print(*after), view);
  ImGui::SameLine();
  if (after && ui::button(name + ".copy", "copy")) ImGui::SetClipboardText(print(*after).c_str());
  ImGui::SameLine();
  if (ui::button(name + ".reset", "reset")) {
    edit = {};
    pane.array.reset();
  }
  return wanted;
}

}  // namespace

Result<xla::Shape> edited(const xla::Shape& shape, const LayoutEdit& edit) {
  std::vector<std::vector<i64>> tiles;
  if (!edit.tiles.empty()) {
    // Parse the tiles inside a dummy shape.
    const Result<xla::Shape> carrier = xla::parseShape(fmt::format("u8[1]{{0:T{}}}", edit.tiles));
    if (!carrier) return carrier.error();
    tiles = carrier->layout().tiles;
  }
  TESSERA_TRY(const xla::Shape turned, withMinorToMajor(shape, edit.order));
  return withTiles(turned, std::move(tiles));
}

std::vector<std::vector<std::string>> comparison(const xla::Shape& before, const xla::Shape& after) {
  const auto a = xla::sizesOf(before), b = xla::sizesOf(after);
  if (!a || !b) return {};
  const auto change = [](double x, double y) { return x == 0 ? "" : fmt::format("  ({:+.3g} %)", 100 * (y - x) / x); };
  return {
      {"bytes", fmt::format("{}", a->bytes),
       fmt::format("{}{}", b->bytes,
                   a->bytes == b->bytes ? "" : change(static_cast<double>(a->bytes), static_cast<double>(b->bytes)))},
      {"padding", fmt::format("{:.4g} %", a->waste), fmt::format("{:.4g} %", b->waste)},
      {"contiguous", contiguityOf(before), contiguityOf(after)}};
}

std::string layoutEditor(PaneView& pane, LayoutEdit& edit, const Outcome& outcome, std::size_t index) {
  const Value* value = valueOf(outcome);
  const Layout* layout = value != nullptr ? heldLayout(*value) : nullptr;
  const xla::Shape* shape = layout != nullptr ? xla::shapeIn(*layout) : nullptr;
  if (shape == nullptr || !shape->isArray() || shape->isUnbounded()) return "";
  const std::string source = print(*shape);
  if (edit.source != source) {
    edit = {source, shape->layout().minorToMajor, tilesOf(*shape)};
    pane.array.reset();
  }
  const std::string name = fmt::format("figure.{}.layout", index);
  std::string wanted;
  if (ui::menu(name, "layout")) {
    wanted = popup(pane, edit, *shape, viewOf(pane, outcome), name);
    ui::endMenu();
  }
  ImGui::SameLine();
  return wanted;
}

}  // namespace tessera::panes
