#include "render/gl/grid_textures.h"

#include <algorithm>
#include <bit>

#include "render/gl/gl.h"

namespace tessera {
namespace {

constexpr int kKeptFrames = 600;

// The number of cells of [from, to) per pixel of n, if the pixels are blocks aligned to that size; else 0.
i64 sideOf(i64 from, i64 to, int n) {
  if (n <= 0 || to <= from) return 0;
  const i64 per = (to - from + n - 1) / n;
  const i64 side = static_cast<i64>(std::bit_ceil(static_cast<u64>(per)));
  return from % side == 0 && (to - from + side - 1) / side == n ? side : 0;
}

// The pixels that the new image shares with the old one, half open, and their offset in the old one.
struct Shared {
  int from = 0, to = 0, shift = 0;
  [[nodiscard]] bool empty() const { return from >= to; }
};

struct Axis {
  i64 from = 0, to = 0;
  int pixels = 0;
  bool operator==(const Axis&) const = default;
};

Shared sharedOf(const Axis& was, const Axis& is) {
  const i64 side = sideOf(is.from, is.to, is.pixels);
  if (side == 0 || sideOf(was.from, was.to, was.pixels) != side) return {};
  // The last pixel may be a clipped block: only whole blocks, or equally clipped ones, are shared.
  i64 to = std::min(was.to, is.to);
  if (was.to != is.to) to = to / side * side;
  const i64 from = std::max(was.from, is.from);
  if (to <= from) return {};
  return {static_cast<int>((from - is.from) / side), static_cast<int>((to - is.from + side - 1) / side),
          static_cast<int>((is.from - was.from) / side)};
}

Axis rowsOf(const CellBlock& b) { return {b.row0, b.row1, b.height}; }
Axis colsOf(const CellBlock& b) { return {b.col0, b.col1, b.width}; }

}  // namespace

GridTextures::~GridTextures() {
  if (!gl_) return;
  for (const auto& [key, e] : entries_) glDeleteTextures(1, &e.name);
}

unsigned int GridTextures::texture(const std::string& key, std::uint64_t content, const CellBlock& block) {
  Entry& e = entries_[key];
  e.idle = 0;
  if (!e.image.update(content, block)) return e.name;
  ++sampled_;
  if (!gl_) return 0;
  if (e.name == 0) {
    glGenTextures(1, &e.name);
    glBindTexture(GL_TEXTURE_2D, e.name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  }
  glBindTexture(GL_TEXTURE_2D, e.name);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, block.width, block.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               e.image.pixels().data());
  return e.name;
}

void GridTextures::endFrame() {
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (++it->second.idle < kKeptFrames) {
      ++it;
    } else {
      if (gl_) glDeleteTextures(1, &it->second.name);
      it = entries_.erase(it);
    }
  }
}

bool CellImage::update(std::uint64_t content, const CellBlock& block) {
  const bool kept = !pixels_.empty() && content == content_ && block.theme == block_.theme;
  if (kept && rowsOf(block) == rowsOf(block_) && colsOf(block) == colsOf(block_)) return false;
  const Shared rows = kept ? sharedOf(rowsOf(block_), rowsOf(block)) : Shared{};
  const Shared cols = kept ? sharedOf(colsOf(block_), colsOf(block)) : Shared{};
  std::vector<Rgba> old;
  old.swap(pixels_);
  pixels_.resize(static_cast<std::size_t>(block.width) * static_cast<std::size_t>(block.height));
  const std::size_t oldWidth = static_cast<std::size_t>(block_.width);
  content_ = content;
  block_ = block;
  if (rows.empty() || cols.empty()) {
    sample(block, 0, 0, block.width, block.height);
    return true;
  }
  for (int y = rows.from; y < rows.to; ++y) {
    const auto from = old.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(y + rows.shift) * oldWidth) +
                      cols.from + cols.shift;
    std::copy(from, from + (cols.to - cols.from),
              pixels_.begin() + static_cast<std::ptrdiff_t>(y) * block.width + cols.from);
  }
  sample(block, 0, 0, block.width, rows.from);
  sample(block, 0, rows.to, block.width, block.height);
  sample(block, 0, rows.from, cols.from, rows.to);
  sample(block, cols.to, rows.from, block.width, rows.to);
  return true;
}

// Pixels [x0, x1) x [y0, y1) of the block's image.
void CellImage::sample(const CellBlock& block, int x0, int y0, int x1, int y1) {
  if (x0 >= x1 || y0 >= y1) return;
  const i64 down = sideOf(block.row0, block.row1, block.height), across = sideOf(block.col0, block.col1, block.width);
  // A block clipped by the end of the grid is sampled separately: all others have one size.
  const auto cut = [](i64 side, i64 cells, int to, int n) { return side > 1 && to == n && cells % side != 0; };
  if (x1 - x0 > 1 && cut(across, block.col1 - block.col0, x1, block.width)) {
    sample(block, x0, y0, x1 - 1, y1);
    sample(block, x1 - 1, y0, x1, y1);
    return;
  }
  if (y1 - y0 > 1 && cut(down, block.row1 - block.row0, y1, block.height)) {
    sample(block, x0, y0, x1, y1 - 1);
    sample(block, x0, y1 - 1, x1, y1);
    return;
  }
  sampled_ += static_cast<std::uint64_t>(x1 - x0) * static_cast<std::uint64_t>(y1 - y0);
  CellBlock part = block;
  const auto narrow = [](i64 side, i64 begin, int from, int to, i64& first, i64& last) {
    if (side == 0) return;  // not aligned: sample everything
    first = begin + from * side;
    last = std::min(last, begin + to * side);
  };
  narrow(down, block.row0, y0, y1, part.row0, part.row1);
  narrow(across, block.col0, x0, x1, part.col0, part.col1);
  part.width = x1 - x0;
  part.height = y1 - y0;
  const std::vector<Rgba> sampled = sampleCells(part);
  for (int y = y0; y < y1; ++y) {
    const auto from = sampled.begin() + static_cast<std::ptrdiff_t>(y - y0) * part.width;
    std::copy(from, from + part.width, pixels_.begin() + static_cast<std::ptrdiff_t>(y) * block.width + x0);
  }
}

}  // namespace tessera
