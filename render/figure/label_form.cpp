#include "render/figure/label_form.h"

#include <algorithm>
#include <cctype>

#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

using Kind = LabelForm::Kind;

constexpr int kUnknownChars = 3;

int charsOf(const Grid& g, Kind kind) {
  const int first = g.labelChars > 0 ? g.labelChars : kUnknownChars, second = g.secondChars;
  switch (kind) {
    case Kind::TwoLines:
      return std::max(first, second);
    case Kind::OneLine:
      return first + 1 + second;
    case Kind::Numbers:
      return std::max(1, first - 1) + 1 + std::max(1, second - 1);
    case Kind::First:
      return first;
    case Kind::FirstNumber:
      return std::max(1, first - 1);
    case Kind::None:
      break;
  }
  return 1;
}

bool makesSense(const Grid& g, Kind kind) {
  switch (kind) {
    case Kind::TwoLines:
    case Kind::OneLine:
      return g.secondChars > 0;
    case Kind::Numbers:
      return g.lettered && g.secondChars > 0;
    case Kind::First:
      return true;
    case Kind::FirstNumber:
      return g.lettered;
    case Kind::None:
      break;
  }
  return false;
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

double labelRoom(double cellWidth) { return cellWidth - std::max(1.5, cellWidth * 0.08); }

LabelForm labelForm(const Grid& grid, double width, double height, double least, double comfortable) {
  LabelForm best;
  for (const Kind kind : {Kind::TwoLines, Kind::OneLine, Kind::Numbers, Kind::First, Kind::FirstNumber}) {
    if (!makesSense(grid, kind)) continue;
    const double size = sizeOf(grid, kind, width, height);
    if (size >= comfortable) return {kind, size};
    if (size >= least && best.kind == Kind::None) best = {kind, size};
  }
  return best;
}

double fullLabelSize(const Grid& grid, double width, double height) {
  if (grid.secondChars == 0) return sizeOf(grid, Kind::First, width, height);
  return std::max(sizeOf(grid, Kind::OneLine, width, height), sizeOf(grid, Kind::TwoLines, width, height));
}

std::string labelText(const Cell& cell, LabelForm::Kind kind) {
  switch (kind) {
    case Kind::OneLine:
      return cell.second.empty() ? cell.label : cell.label + " " + cell.second;
    case Kind::Numbers:
      return cell.second.empty() ? withoutLetter(cell.label)
                                 : withoutLetter(cell.label) + "." + withoutLetter(cell.second);
    case Kind::FirstNumber:
      return withoutLetter(cell.label);
    case Kind::None:
      return "";
    case Kind::TwoLines:
    case Kind::First:
      break;
  }
  return cell.label;
}

}  // namespace tessera
