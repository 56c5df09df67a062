// Widths of Inter's ASCII characters in thousandths of an em (Inter 4, Regular); everything else counts as 0.6 em.
#include <array>

#include "render/figure/scene.h"

namespace tessera {
namespace {

// clang-format off
constexpr std::array<int, 95> kInter = {
  281, 295, 427, 632, 640, 819, 647, 254, 365, 365, 501, 655, 290, 459, 290, 361, 628, 410, 614, 624, 653, 604, 619, 565, 625, 619, 290, 297, 655,
  655, 655, 512, 960, 687, 656, 729, 722, 601, 587, 745, 744, 268, 562, 671, 565, 904, 757, 760, 638, 760, 641, 639, 650, 733, 687, 991, 675, 671,
  626, 365, 361, 365, 472, 457, 332, 562, 613, 573, 613, 584, 372, 617, 595, 243, 243, 551, 243, 879, 595, 601, 613, 613, 382, 531, 359, 595, 565,
  822, 548, 565, 552, 430, 343, 430, 655};
// clang-format on

}  // namespace

double textWidth(std::string_view text, double size, Face face) {
  const bool mono = face == Face::Mono || face == Face::MonoBold;
  double em = 0;
  for (const char ch : text) {
    const auto c = static_cast<unsigned char>(ch);
    if ((c & 0xc0) == 0x80) continue;  // a UTF-8 continuation byte
    em += mono ? 0.6 : c >= 32 && c < 127 ? kInter[c - 32U] / 1000.0 : 0.6;
  }
  return em * size * (face == Face::SansMedium ? 1.03 : 1.0);
}

std::string fitted(std::string_view text, double width, double size, Face face) {
  if (textWidth(text, size, face) <= width) return std::string(text);
  const std::string ellipsis = "\u2026";
  std::size_t keep = text.size();
  while (keep > 0) {
    --keep;
    while (keep > 0 && (static_cast<unsigned char>(text[keep]) & 0xc0) == 0x80) --keep;
    const std::string cut = std::string(text.substr(0, keep)) + ellipsis;
    if (textWidth(cut, size, face) <= width) return cut;
  }
  return ellipsis;
}

}  // namespace tessera
