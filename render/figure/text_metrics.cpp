#include "render/figure/text_metrics.h"

#include <algorithm>
#include <array>

namespace tessera {
namespace {

// Advances of Inter in thousandths of an em, U+0020 to U+007E.
constexpr std::array<short, 95> kInter = {
    265, 294, 400, 637, 643, 828, 651, 217, 378, 378, 522, 666, 288, 463, 283, 368, 646, 473, 613,
    644, 654, 620, 636, 579, 631, 636, 283, 288, 666, 666, 666, 526, 968, 700, 654, 735, 722, 603,
    586, 749, 742, 270, 552, 664, 564, 898, 747, 768, 639, 768, 645, 643, 651, 738, 700, 978, 666,
    685, 639, 378, 368, 378, 475, 460, 497, 569, 626, 568, 626, 587, 369, 617, 602, 249, 249, 556,
    249, 884, 597, 602, 617, 617, 384, 536, 372, 594, 566, 825, 551, 566, 551, 378, 342, 378, 666};

bool startsCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

double advance(unsigned char lead, Face face) {
  if (face == Face::Mono || face == Face::MonoBold) return 0.6;
  const double bold = face == Face::SansMedium ? 1.025 : 1.0;
  if (lead >= 32 && lead < 127) return bold * kInter[static_cast<std::size_t>(lead - 32)] / 1000.0;
  return bold * (lead >= 0xe0 ? 0.85 : 0.6);
}

constexpr std::string_view kEllipsis = "\u2026";

}  // namespace

double textWidth(std::string_view utf8, Face face, double size) {
  double w = 0;
  for (char c : utf8) {
    if (startsCodePoint(c)) w += advance(static_cast<unsigned char>(c), face);
  }
  return w * size;
}

std::size_t countCodePoints(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), startsCodePoint));
}

std::string fitted(std::string_view utf8, Face face, double size, double width) {
  if (textWidth(utf8, face, size) <= width) return std::string(utf8);
  double w = textWidth(kEllipsis, face, size);
  std::size_t end = 0;
  for (std::size_t k = 0; k < utf8.size();) {
    std::size_t next = k + 1;
    while (next < utf8.size() && !startsCodePoint(utf8[next])) ++next;
    w += size * advance(static_cast<unsigned char>(utf8[k]), face);
    if (w > width) break;
    end = k = next;
  }
  return std::string(utf8.substr(0, end)) + std::string(kEllipsis);
}

std::vector<std::string> wrapped(std::string_view utf8, Face face, double size, double width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t k = 0;
  while (k < utf8.size()) {
    std::size_t end = utf8.find_first_of(" \n", k);
    if (end == std::string_view::npos) end = utf8.size();
    const std::string_view word = utf8.substr(k, end - k);
    const std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
    if (!line.empty() && textWidth(longer, face, size) > width) {
      lines.push_back(line);
      line = std::string(word);
    } else {
      line = longer;
    }
    if (textWidth(line, face, size) > width) line = fitted(line, face, size, width);
    if (end < utf8.size() && utf8[end] == '\n') {
      lines.push_back(line);
      line.clear();
    }
    k = end + 1;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

double labelSize(const Grid& grid) {
  const double byHeight = grid.cellHeight * 0.42;
  const double byWidth =
      (grid.cellWidth - 3) / (0.6 * std::max({1.0, 1.0 * grid.labelChars, kSecondLabel * grid.secondChars}));
  const double size = std::min({kType.cell, byHeight, byWidth});
  return size < 5 ? 0 : size;
}

double pitchFor(int labelChars) { return std::max(26.0, 0.6 * kType.cell * labelChars + 9); }

Margins headerMargins(const Grid& grid) {
  if (!grid.headers || grid.rows <= 0 || grid.cols <= 0 || grid.cells == nullptr) return {};
  std::size_t chars = countCodePoints(grid.rowTitle);
  for (i64 r : {i64{0}, grid.rows / 2, grid.rows - 1})
    chars = std::max(chars, countCodePoints(grid.cells->rowHeader(r)));
  return {0.6 * kType.small * static_cast<double>(chars) + 9, grid.colTitle.empty() ? 18.0 : 32.0};
}

}  // namespace tessera
