#include "render/figure/text_metrics.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/chars.h"

namespace tessera {
namespace {

// Advances of Inter in thousandths of an em, U+0020 to U+007E.
constexpr std::array<short, 95> kInter = {
    265, 294, 400, 637, 643, 828, 651, 217, 378, 378, 522, 666, 288, 463, 283, 368, 646, 473, 613,
    644, 654, 620, 636, 579, 631, 636, 283, 288, 666, 666, 666, 526, 968, 700, 654, 735, 722, 603,
    586, 749, 742, 270, 552, 664, 564, 898, 747, 768, 639, 768, 645, 643, 651, 738, 700, 978, 666,
    685, 639, 378, 368, 378, 475, 460, 497, 569, 626, 568, 626, 587, 369, 617, 602, 249, 249, 556,
    249, 884, 597, 602, 617, 617, 384, 536, 372, 594, 566, 825, 551, 566, 551, 378, 342, 378, 666};

double advance(unsigned char lead, Face face) {
  if (isMono(face)) return 0.6;
  const double bold = face == Face::SansMedium ? 1.025 : 1.0;
  if (lead >= 32 && lead < 127) return bold * kInter[static_cast<std::size_t>(lead - 32)] / 1000.0;
  return bold * (lead >= 0xe0 ? 0.85 : 0.6);
}

constexpr std::string_view kEllipsis = "\u2026";

using Kind = LabelForm::Kind;

constexpr int kUnknownChars = 3;

// The characters of a form; 0 if this grid's labels do not have it.
int charsOf(const Grid& g, Kind kind) {
  const int first = g.labelChars > 0 ? g.labelChars : kUnknownChars, second = g.secondChars;
  const int number = std::max(1, first - 1), both = number + 1 + std::max(1, second - 1);
  const bool two = second > 0;
  const int chars[] = {0,
                       two ? std::max(first, second) : 0,
                       two ? first + 1 + second : 0,
                       two && g.lettered ? both : 0,
                       first,
                       g.lettered ? number : 0};
  return chars[static_cast<std::size_t>(kind)];
}

double sizeOf(const Grid& g, Kind kind, double width, double height) {
  const double room = labelRoom(width);
  const double byHeight = height * (kind == Kind::TwoLines ? 0.4 : 0.55);
  return std::min({room / (0.6 * charsOf(g, kind)), byHeight, 12.5 * std::max(1.0, height / 34)});
}

// "T31" -> "31", "V7 +3" -> "7 +3"; only a letter before a digit is dropped.
std::string withoutLetter(const std::string& text) {
  const bool lettered = text.size() > 1 && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
                        std::isdigit(static_cast<unsigned char>(text[1])) != 0;
  return lettered ? text.substr(1) : text;
}

}  // namespace

double textWidth(std::string_view utf8, Face face, double size) {
  double w = 0;
  for (const char c : utf8)
    if (!continuesCodePoint(c)) w += advance(static_cast<unsigned char>(c), face);
  return w * size;
}

std::size_t countCodePoints(std::string_view utf8) {
  return utf8.size() - static_cast<std::size_t>(std::ranges::count_if(utf8, continuesCodePoint));
}

std::string fitted(std::string_view utf8, Face face, double size, double width) {
  if (textWidth(utf8, face, size) <= width) return std::string(utf8);
  double w = textWidth(kEllipsis, face, size);
  std::size_t end = 0;
  for (std::size_t k = 0; k < utf8.size();) {
    w += size * advance(static_cast<unsigned char>(utf8[k]), face);
    if (w > width) break;
    end = k = nextCodePoint(utf8, k);
  }
  return std::string(utf8.substr(0, end)) + std::string(kEllipsis);
}

std::vector<std::string> wrapped(std::string_view utf8, Face face, double size, double width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t k = 0;
  while (k < utf8.size()) {
    const std::size_t end = std::min(utf8.find_first_of(" \n", k), utf8.size());
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

double labelRoom(double cellWidth) { return cellWidth - std::max(1.5, cellWidth * 0.08); }

LabelForm labelForm(const Grid& grid, double width, double height, double least) {
  for (const Kind kind : {Kind::TwoLines, Kind::OneLine, Kind::Numbers, Kind::First, Kind::FirstNumber}) {
    if (charsOf(grid, kind) == 0) continue;
    const double size = sizeOf(grid, kind, width, height);
    if (size * (kind == Kind::TwoLines ? kSecondLine : 1) >= least * 0.999) return {kind, size};
  }
  return {};
}

double fullLabelSize(const Grid& grid, double width, double height) {
  if (grid.secondChars == 0) return sizeOf(grid, Kind::First, width, height);
  return std::max(sizeOf(grid, Kind::OneLine, width, height), sizeOf(grid, Kind::TwoLines, width, height));
}

std::string labelText(const Cell& cell, LabelForm::Kind kind) {
  if (kind == Kind::None) return "";
  const bool bare = kind == Kind::Numbers || kind == Kind::FirstNumber,
             both = kind == Kind::Numbers || kind == Kind::OneLine;
  const auto part = [&](const std::string& text) { return bare ? withoutLetter(text) : text; };
  if (!both || cell.second.empty()) return part(cell.label);
  return part(cell.label) + (bare ? "." : " ") + part(cell.second);
}

}  // namespace tessera
