#include "core/notation/linear/notation.h"

#include <algorithm>
#include <array>

#include "core/layout/hardware.h"

namespace tessera {
namespace {

// The kind of space that a list of names describes; a block dimension of size 1 is ignored.
SpaceKind kindOf(const std::vector<linear::Out>& dims) {
  constexpr std::array<std::string_view, 9> kHardware = {"register", "lane", "warp", "block", "row",
                                                         "col",      "P",    "F",    "Bank"};
  bool offset = false, hardware = false, devices = false, other = false;
  for (const auto& [name, size] : dims) {
    if (size == 1 && name == "block") continue;
    if (name == "offset") {
      offset = true;
    } else if (name == "gpuid") {
      devices = true;
    } else if (std::ranges::find(kHardware, name) != kHardware.end() || isThreadAxis(name)) {
      hardware = true;
    } else {
      other = true;
    }
  }
  if (other) return SpaceKind::Elements;
  if (devices) return offset || hardware ? SpaceKind::Hardware : SpaceKind::Devices;
  return offset ? SpaceKind::Memory : hardware ? SpaceKind::Hardware : SpaceKind::Elements;
}

// Without inputs and outputs named block that have one value.
linear::Layout withoutSingleBlock(const linear::Layout& l) {
  std::vector<std::string> ins = l.inNames(), outs = l.outNames();
  if (l.inSize("block") == 1) std::erase(ins, "block");
  if (l.outSize("block") == 1) std::erase(outs, "block");
  const Result<linear::Layout> made = sublayout(l, ins, outs);
  return made ? *made : l;
}

}  // namespace

Result<Arrow> linear::writtenArrow(const linear::Layout& layout) {
  TESSERA_TRY(Map map, toMap(layout));
  Arrow arrow = arrowOf(std::move(map), kindOf(layout.insAsOuts()), LinearOrder::Lex, kindOf(layout.outs()));
  if (arrow.from.kind == SpaceKind::Memory && arrow.from.modes.size() > 1) arrow.from.kind = SpaceKind::Hardware;
  for (const auto& [name, size] : layout.outs()) arrow.to.modes.push_back({name, {size}, 0});
  return arrow;
}

Result<Arrow> NotationOf<linear::Layout>::arrow(const linear::Layout& layout) {
  const linear::Layout plain = withoutSingleBlock(layout);
  TESSERA_TRY(Arrow arrow, writtenArrow(plain));
  // Inputs that are addresses, in one block or several: a memory layout, which maps from the elements.
  const auto addresses = [](const linear::In& in) { return in.name == "offset" || in.name == "block"; };
  const bool memory =
      arrow.to.kind == SpaceKind::Elements && plain.hasIn("offset") && std::ranges::all_of(plain.ins(), addresses);
  if (!memory || !plain.isInvertible()) {
    if (arrow.from.kind == SpaceKind::Memory) return arrow;
    return writtenArrow(layout);
  }
  TESSERA_TRY(const linear::Layout back, invert(plain));
  return writtenArrow(back);
}

}  // namespace tessera
