#include "core/notation/triton/notation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "core/notation/linear/notation.h"

namespace tessera::triton {
bool isView(const Layout& layout) {
  const std::vector<i64>&alloc = layout.allocShape, &shape = layout.shape;
  return !alloc.empty() && !std::equal(shape.rbegin(), shape.rend(), alloc.rbegin());
}

namespace {

constexpr int kMostBits = 20;

std::size_t digitsOf(i64 size) { return std::to_string(size).size(); }

std::string padded(i64 value, i64 size) { return fmt::format("{:>{}}", value, digitsOf(size)); }

// Nested brackets, row by row.
std::string nested(const std::vector<std::string>& cells, const std::vector<linear::Out>& outs, const char* separator) {
  std::string text;
  bool newLine = true;
  const std::size_t rank = outs.size();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    // The number of dimensions that start, or end, at this cell, counted from the last one.
    const auto complete = [&](i64 position) {
      std::size_t n = 0;
      for (; n < rank; ++n) {
        const i64 size = outs[rank - 1 - n].size;
        if (position % size != 0) break;
        position /= size;
      }
      return n;
    };
    const std::size_t opened = complete(static_cast<i64>(i)), closed = complete(static_cast<i64>(i) + 1);
    text.append(opened, '[');
    if (newLine) text.append(rank - opened, ' ');
    newLine = false;
    text += cells[i];
    text.append(closed, ']');
    if (closed > 0) {
      text += "\n";
      newLine = true;
    } else {
      text += separator;
    }
  }
  return text;
}

std::string tuple(const std::vector<i64>& c, const std::vector<linear::Out>& outs, char separator) {
  std::string text = "(";
  for (std::size_t k = 0; k < c.size(); ++k) {
    if (k > 0) text += separator;
    text += padded(c[k], outs[k].size);
  }
  return text + ")";
}

// Input values in the order of ins(), from named ones.
std::vector<i64> inputs(const linear::Layout& l, const linear::NamedValues& values) {
  std::vector<i64> in;
  for (const linear::In& dim : l.ins()) {
    i64 v = 0;
    for (const auto& [name, value] : values)
      if (name == dim.name) v = value;
    in.push_back(v);
  }
  return in;
}

std::string distributed(const linear::Layout& l, bool hardwareView) {
  const i64 blocks = l.inSize("block"), warps = l.inSize("warp"), lanes = l.inSize("lane"),
            registers = l.inSize("register");
  const auto shape = mapped<i64>(l.outs(), &linear::Out::size);
  std::vector<std::string> cells(static_cast<std::size_t>(i64{1} << l.outBits()));
  std::string hardware;
  const std::size_t width = 2 + digitsOf(warps * lanes) + digitsOf(registers) + (blocks > 1 ? 2 + digitsOf(blocks) : 0);
  for (i64 b = 0; b < blocks; ++b) {
    if (blocks > 1) hardware += fmt::format("Block{}:\n", b);
    for (i64 w = 0; w < warps; ++w) {
      hardware += fmt::format("Warp{}:\n", w);
      for (i64 r = 0; r < registers; ++r) {
        for (i64 t = 0; t < lanes; ++t) {
          const auto c = l.at(inputs(l, {{"register", r}, {"lane", t}, {"warp", w}, {"block", b}}));
          std::string& cell = cells[static_cast<std::size_t>(linearize(c, shape, LinearOrder::Lex))];
          const std::string owner = fmt::format("{}T{}:{}", blocks > 1 ? fmt::format("B{}:", b) : "", t + w * lanes, r);
          cell += fmt::format("{}{:>{}}", cell.empty() ? "" : "|", owner, width);
          hardware += fmt::format("{}{}", t == 0 ? "" : ", ", tuple(c, l.outs(), ','));
        }
        hardware += "\n";
      }
    }
  }
  return hardwareView ? hardware : nested(cells, l.outs(), ", ");
}

std::string shared(const linear::Layout& l, bool hardwareView) {
  const i64 blocks = l.inSize("block"), offsets = l.inSize("offset"), partitions = l.inSize("partition");
  std::vector<std::string> cells;
  std::string hardware;
  for (i64 b = 0; b < blocks; ++b) {
    hardware += fmt::format("Block: {}:\n", b);
    for (i64 p = 0; p < partitions; ++p) {
      if (partitions > 1) hardware += fmt::format("Partition: {}:\n", p);
      for (i64 o = 0; o < offsets; ++o) {
        const auto c = l.at(inputs(l, {{"offset", o}, {"block", b}, {"partition", p}}));
        cells.push_back(tuple(c, l.outs(), ':'));
        hardware += fmt::format("Offset: {} -> {}\n", o, tuple(c, l.outs(), ','));
      }
    }
  }
  return hardwareView ? hardware : nested(cells, l.outs(), ",");
}

}  // namespace

Result<std::string> dumpLayout(const linear::Layout& l, bool hardwareView) {
  if (l.inBits() > kMostBits || l.outBits() > kMostBits)
    return Diag{fmt::format("2^{} cells are too many to print", std::max(l.inBits(), l.outBits()))};
  if (l.hasIn("lane") || l.hasIn("register")) return distributed(l, hardwareView);
  if (l.hasIn("offset")) return shared(l, hardwareView);
  return Diag{"only register and shared memory layouts have such a text", "inputs register, lane .. or offset"};
}

}  // namespace tessera::triton

namespace tessera {
Result<Arrow> NotationOf<triton::Layout>::arrow(const triton::Layout& layout) {
  const Result<linear::Layout> linear = toLinear(layout);
  const bool memory = !isDistributed(*layout.encoding) && !isTensorMemory(*layout.encoding);
  // The bases suffice, except for views and for a number of buffers that is not a power of two.
  const bool seenWhole = linear.ok() && !isView(layout);
  if (seenWhole && !memory) return NotationOf<linear::Layout>::arrow(*linear);
  if (!linear && !layout.memdesc) return linear.error();
  TESSERA_TRY(const Map map, memoryMap(layout));
  std::vector<Axis> axes = map.axes();
  std::erase_if(axes, [](const Axis& a) { return a.name == "block" && a.extent == 1; });
  TESSERA_TRY(Map places, Map::create(map.digits(), std::move(axes), map.guards(), map.params()));
  Arrow arrow = arrowOf(std::move(places), SpaceKind::Elements, LinearOrder::Lex,
                        memory ? SpaceKind::Memory : SpaceKind::Hardware);
  for (const Axis& a : arrow.map.axes())
    arrow.to.modes.push_back({a.name, {a.extent.value_or(0)}, 0});  // the allocation
  arrow.to.elementBits = triton::elementBits(layout.element);
  return arrow;
}

Result<Arrow> NotationOf<triton::Layout>::threadValueArrow(const triton::Layout& layout) {
  if (isDistributed(*layout.encoding) || isTensorMemory(*layout.encoding) || isView(layout) ||
      std::holds_alternative<triton::PaddedShared>(layout.encoding->value))
    return Diag{"this Triton layout is not read as (thread, value)", "a layout of two modes"};
  TESSERA_TRY(const linear::Layout linear, toLinear(layout));
  return NotationOf<linear::Layout>::arrow(linear);
}

}  // namespace tessera
