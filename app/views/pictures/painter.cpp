#include "app/views/pictures/painter.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/ui.h"

namespace tessera::panes {

using ui::px;

void CanvasPainter::rect(const Rect& r, Rgba fill, Rgba stroke, double strokeWidth, double radius) {
  const ImVec2 a = at(r.x, r.y), b = at(r.x + r.w, r.y + r.h);
  const auto round = static_cast<float>(radius);
  if (fill.a > 0) list_->AddRectFilled(a, b, ui::color(fill), round);
  if (stroke.a > 0 && strokeWidth > 0)
    list_->AddRect(a, b, ui::color(stroke), round, 0, static_cast<float>(strokeWidth));
}

void CanvasPainter::line(double x0, double y0, double x1, double y1, Rgba color, double width, bool arrow) {
  const ImVec2 a = at(x0, y0), b = at(x1, y1);
  // Vertical and horizontal lines are on whole pixels, like the gaps between cells.
  const float n = std::max(1.0F, std::round(static_cast<float>(width)));
  if (!arrow && a.x == b.x) {
    const float left = std::round(a.x - n / 2);
    list_->AddRectFilled({left, std::min(a.y, b.y)}, {left + n, std::max(a.y, b.y)}, ui::color(color));
    return;
  }
  if (!arrow && a.y == b.y) {
    const float top = std::round(a.y - n / 2);
    list_->AddRectFilled({std::min(a.x, b.x), top}, {std::max(a.x, b.x), top + n}, ui::color(color));
    return;
  }
  list_->AddLine(a, b, ui::color(color), static_cast<float>(width));
  const float dx = b.x - a.x, dy = b.y - a.y, len = std::sqrt(dx * dx + dy * dy);
  if (!arrow || len < 1) return;
  const float h = std::min(px(7), len * 0.6F), ux = dx / len, uy = dy / len;
  list_->AddTriangleFilled(b, {b.x - ux * h - uy * h * 0.45F, b.y - uy * h + ux * h * 0.45F},
                           {b.x - ux * h + uy * h * 0.45F, b.y - uy * h - ux * h * 0.45F}, ui::color(color));
}

void CanvasPainter::text(double x, double y, const std::string& s, Rgba color, double size, Face face, Align align) {
  // Scales down the next larger font; a type size is an em, ImGui's font size a line.
  const ui::Fonts& f = ui::look().fonts;
  const bool mono = face == Face::Mono || face == Face::MonoBold;
  const double line = size * (mono ? 1.32 : 1.21);
  ImFont* font = nullptr;
  const auto choose = [&](ImFont* const* fonts, int n) {
    font = fonts[n - 1];
    for (int k = n; k-- > 0;)
      if (fonts[k]->FontSize >= line * 0.92) font = fonts[k];
  };
  if (face == Face::Mono) choose(f.cells, 5);
  if (face == Face::MonoBold) choose(f.cellsBold, 2);
  if (face == Face::Sans) choose(f.figure, 3);
  if (face == Face::SansMedium) font = f.sansMedium;
  auto used = static_cast<float>(line);
  if (std::abs(font->FontSize - used) < 1.1F) used = font->FontSize;  // a sharp rendering is better than an exact size
  const float w = font->CalcTextSizeA(used, 1e9F, 0, s.data(), s.data() + s.size()).x;
  ImVec2 p = at(x, y);
  p.x -= align == Align::Left ? 0 : align == Align::Center ? w / 2 : w;
  p.y -= used / 2;
  list_->AddText(font, used, {std::round(p.x), std::round(p.y)}, ui::color(color), s.data(), s.data() + s.size());
}

void CanvasPainter::hatch(const Rect& r, Rgba color) {
  const ImVec2 a = at(r.x, r.y), b = at(r.x + r.w, r.y + r.h);
  const float step = px(6.5), w = b.x - a.x, h = b.y - a.y;
  for (float d = step; d < w + h; d += step) {
    const ImVec2 p = {a.x + std::min(d, w), a.y + std::max(0.0F, d - w)},
                 q = {a.x + std::max(0.0F, d - h), a.y + std::min(d, h)};
    list_->AddLine(p, q, ui::color(color), 1);
  }
}

void CanvasPainter::cells(const CellBlock& block) {
  const unsigned int name = textures_.texture(key_ + "/" + block.grid->name, content_, block);
  const ImVec2 a = at(block.where.x, block.where.y),
               b = at(block.where.x + block.where.w, block.where.y + block.where.h);
  list_->AddImage(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(name)), a, b);
  if (block.gap <= 0) return;
  const ImU32 c = ui::color(tessera::canvas(block.theme));
  // Whole pixels: a thinner line would be drawn between some cells and not between others.
  const float gap = std::max(1.0F, std::round(static_cast<float>(block.gap)));
  const i64 cols = block.col1 - block.col0, rows = block.row1 - block.row0;
  for (i64 k = 0; k <= cols; ++k) {
    const float x = a.x + (b.x - a.x) * static_cast<float>(k) / static_cast<float>(cols);
    const float left = std::round(x - gap / 2);
    list_->AddRectFilled({left, a.y - gap}, {left + gap, b.y + gap}, c);
  }
  for (i64 k = 0; k <= rows; ++k) {
    const float y = a.y + (b.y - a.y) * static_cast<float>(k) / static_cast<float>(rows);
    const float top = std::round(y - gap / 2);
    list_->AddRectFilled({a.x - gap, top}, {b.x + gap, top + gap}, c);
  }
}

}  // namespace tessera::panes
