// HLO modules: what an instruction reads of an operand, where an operand goes, how much of it is read.
#include <fmt/format.h>

#include <array>

#include "core/base/mapped.h"
#include "core/hlo/cost/usage.h"
#include "core/hlo/cost/warp_reads.h"
#include "core/hlo/listing.h"
#include "core/hlo/notation.h"
#include "core/hlo/ops/devices.h"
#include "core/notation/xla/address.h"
#include "core/worksheet/programs/functions.h"

namespace tessera {
namespace {

using hlo::Part;
using hlo::Reach;

constexpr std::string_view kPart = "an instruction of an hlo block, NAME.%fusion.1";

// The part that a call is about, and the index of the argument after it.
struct Asked {
  Part part;
  std::size_t next = 1;
};

// NAME.%f; NAME, "f"; NAME alone is its entry computation.
Result<Asked> partOf(const Call& c) {
  if (const auto* part = as<Part>(c[0])) return Asked{*part, 1};
  const auto* listing = as<hlo::Listing>(c[0]);
  if (listing == nullptr) return c.wrong(0, kPart);
  if (c.count() > 1 && std::holds_alternative<Text>(c[1])) {
    TESSERA_TRY(const std::string name, c.word(1));
    auto part = hlo::findPart(*listing, name);
    if (!part) return c.at(1, hlo::noSuchPart(*listing, name));
    return Asked{*std::move(part), 2};
  }
  const int entry = listing->module->entry;
  if (entry < 0) return c.at(0, Diag{fmt::format("{} has no ENTRY computation", listing->name), std::string(kPart)});
  return Asked{Part{*listing, entry, -1}, 1};
}

// Argument k as a small number; `otherwise` if it is missing.
Result<int> numberAt(const Call& c, std::size_t k, int otherwise) {
  if (k >= c.count()) return otherwise;
  TESSERA_TRY(const i64 n, c.integer(k));
  if (n < 0 || n > 1'000'000) return c.at(k, Diag{"the number is out of range", "0, 1, 2 ..."});
  return static_cast<int>(n);
}

// The operand: the given one, or the only one.
Result<int> operandAt(const Call& c, const Asked& asked) {
  if (asked.next >= c.count() && hlo::operandsOf(asked.part) > 1) {
    std::string names;
    for (int k = 0; k < hlo::operandsOf(asked.part) && k < 8; ++k)
      names += fmt::format("{}{} %{}", k == 0 ? "" : ", ", k, hlo::operandName(asked.part, k));
    return c.at(asked.next - 1, Diag{fmt::format("%{} has {} operands", asked.part.name(), hlo::operandsOf(asked.part)),
                                     "the number of one: " + names});
  }
  return numberAt(c, asked.next, 0);
}
std::size_t placeOf(const Call& c, std::size_t k) { return std::min(k, c.count() - 1); }

using Extents = std::vector<std::optional<i64>>;

// An indexing map as a value, with its target array as codomain, which in_bounds uses.
Result<Value> asValue(const Call& c, const Map& map, const Extents& extents) {
  indexing::IndexingMap out = indexing::toIndexingMap(map);
  std::vector<Axis> axes = out.map.axes();
  for (std::size_t k = 0; k < axes.size() && k < extents.size(); ++k) axes[k].extent = extents[k];
  TESSERA_TRY(Map inside, c.at(0, Map::create(out.map.digits(), std::move(axes), out.map.guards(), out.map.params())));
  out.map = std::move(inside);
  return Value(Layout(std::move(out)));
}

Extents extentsOf(const xla::Shape& shape) {
  const std::vector<i64> sizes = shape.sizes();
  return {sizes.begin(), sizes.end()};
}

// The arguments after the part: an operand, and which of its maps.
struct Asking {
  Asked asked;
  int operand = 0, which = -1;
};
Result<Asking> askingOf(const Call& c) {
  Asking a;
  TESSERA_TRY(a.asked, partOf(c));
  TESSERA_TRY(a.operand, operandAt(c, a.asked));
  TESSERA_TRY(a.which, numberAt(c, a.asked.next + 1, -1));
  return a;
}

// One map of what is read or used; a note if it is an over-approximation.
Result<Map> oneMap(const Call& c, const Asking& a, const Reach& reach, const std::vector<i64>& sizes) {
  TESSERA_TRY(Map map, c.at(placeOf(c, a.asked.next + 1), hlo::mapOf(reach, sizes, a.which)));
  if (reach.soundness == hlo::Soundness::Over)
    c.note(0, "this is an over-approximation of what is read: " + reach.why,
           "a proof about it holds for the wider map");
  const Map* const position = hlo::positionOf(reach, static_cast<std::size_t>(std::max(a.which, 0)));
  if (position != nullptr && !hlo::staysOn(*position))
    c.note(0, "these are elements of device " + indexing::print(indexing::toIndexingMap(hlo::deviceAlone(*position))),
           "devices(..) is both as one map; p is this device");
  return map;
}

// The value of reads(..), with the operand's shape.
struct Read {
  Map map;
  xla::Shape operand;
};
Result<Read> readOf(const Call& c, const Asking& a) {
  TESSERA_TRY(const auto reach, c.at(placeOf(c, a.asked.next), hlo::reads(a.asked.part, a.operand)));
  TESSERA_TRY(const auto shape, c.at(placeOf(c, a.asked.next), hlo::operandShape(a.asked.part, a.operand)));
  TESSERA_TRY(Map map, oneMap(c, a, reach, shape.sizes()));
  return Read{std::move(map), shape};
}

Result<Value> readsCall(const Call& c) {
  TESSERA_TRY(const Asking a, askingOf(c));
  TESSERA_TRY(const Read read, readOf(c, a));
  return asValue(c, read.map, extentsOf(read.operand));
}

Result<Value> usesCall(const Call& c) {
  TESSERA_TRY(const Asking a, askingOf(c));
  TESSERA_TRY(const auto reach, c.at(placeOf(c, a.asked.next), hlo::uses(a.asked.part, a.operand)));
  TESSERA_TRY(const auto shape, c.at(0, hlo::shapeOf(a.asked.part)));
  TESSERA_TRY(const Map map, oneMap(c, a, reach, shape.sizes()));
  return asValue(c, map, extentsOf(shape));
}

// reads(..) with the device: from coordinates and the device p to elements and their device.
Result<Value> devicesCall(const Call& c) {
  TESSERA_TRY(const Asking a, askingOf(c));
  TESSERA_TRY(auto reach, c.at(placeOf(c, a.asked.next), hlo::reads(a.asked.part, a.operand)));
  TESSERA_TRY(const auto shape, c.at(placeOf(c, a.asked.next), hlo::operandShape(a.asked.part, a.operand)));
  const i64 devices = a.asked.part.module().devices.count;
  for (std::size_t k = 0; k < reach.maps.size(); ++k) {
    const Map* const position = hlo::positionOf(reach, k);
    TESSERA_TRY(reach.maps[k], position != nullptr ? *position : hlo::ownPosition(reach.maps[k], devices));
  }
  reach.devices.clear();
  std::vector<i64> sizes = shape.sizes();
  sizes.push_back(devices);
  TESSERA_TRY(const Map map, oneMap(c, a, reach, sizes));
  return asValue(c, map, Extents(sizes.begin(), sizes.end()));
}

Result<Value> mapsCall(const Call& c) {
  TESSERA_TRY(const Asked asked, partOf(c));
  TESSERA_TRY(const int operand, operandAt(c, asked));
  TESSERA_TRY(const auto reach, c.at(placeOf(c, asked.next), hlo::reads(asked.part, operand)));
  return Value(static_cast<i64>(reach.maps.size()));
}

Result<Value> usageCall(const Call& c) {
  TESSERA_TRY(const Asked asked, partOf(c));
  TESSERA_TRY(const int operand, operandAt(c, asked));
  TESSERA_TRY(const auto reach, c.at(placeOf(c, asked.next), hlo::reads(asked.part, operand)));
  TESSERA_TRY(const auto shape, c.at(placeOf(c, asked.next), hlo::operandShape(asked.part, operand)));
  if (reach.soundness == hlo::Soundness::Unknown) return Value(Text{"unknown: " + reach.why});
  const std::string said = hlo::textOf(hlo::usageOf(reach.maps, shape.sizes()));
  return Value(Text{reach.soundness == hlo::Soundness::Exact ? said : "at most " + said});
}

Result<Value> shapeCall(const Call& c) {
  TESSERA_TRY(const Asked asked, partOf(c));
  return valueOf(c, 0, hlo::shapeOf(asked.part));
}

// One of the sizes of a part's result, as for an XLA shape.
template <i64 xla::Sizes::*Field>
Result<Value> sizeCall(const Call& c) {
  TESSERA_TRY(const Asked asked, partOf(c));
  TESSERA_TRY(const xla::Shape shape, c.at(0, hlo::shapeOf(asked.part)));
  TESSERA_TRY(const xla::Sizes sizes, c.at(0, xla::sizesOf(shape)));
  return Value(sizes.*Field);
}

Result<Value> wasteCall(const Call& c) {
  TESSERA_TRY(const Asked asked, partOf(c));
  TESSERA_TRY(const xla::Shape shape, c.at(0, hlo::shapeOf(asked.part)));
  TESSERA_TRY(const xla::Sizes sizes, c.at(0, xla::sizesOf(shape)));
  return Value(Text{fmt::format("{:.4g} %", sizes.waste)});
}

Result<Value> operandCall(const Call& c) {
  TESSERA_TRY(const Asked asked, partOf(c));
  TESSERA_TRY(const int operand, operandAt(c, asked));
  return valueOf(c, placeOf(c, asked.next), hlo::operandShape(asked.part, operand));
}

Result<Value> outputCall(const Call& c) {
  TESSERA_TRY(Asked asked, partOf(c));
  TESSERA_TRY(const int output, numberAt(c, asked.next, 0));
  if (!asked.part.hasInstruction()) return c.wrong(0, kPart);
  const std::size_t count = asked.part.module().outputsOf(asked.part.itsInstruction());
  if (static_cast<std::size_t>(output) >= count)
    return c.at(placeOf(c, asked.next),
                Diag{fmt::format("%{} has {} output{}", asked.part.name(), count, count == 1 ? "" : "s"),
                     fmt::format("a number below {}", count)});
  asked.part.output = output;
  return Value(Layout(std::move(asked.part)));
}

// A map between memory slots, with its codomain.
Result<Value> placesValue(const Call& c, const Result<Map>& made) {
  TESSERA_TRY(const Map map, c.at(0, made));
  return asValue(c, map, mapped<std::optional<i64>>(map.axes(), &Axis::extent));
}

Result<Value> physicalCall(const Call& c) {
  TESSERA_TRY(const Asking a, askingOf(c));
  TESSERA_TRY(const auto result, c.at(0, hlo::shapeOf(a.asked.part)));
  TESSERA_TRY(const Read read, readOf(c, a));
  return placesValue(c, hlo::inMemoryOrder(read.map, result, read.operand));
}

Result<Value> slotsCall(const Call& c) {
  TESSERA_TRY(const Asking a, askingOf(c));
  TESSERA_TRY(const Read read, readOf(c, a));
  return placesValue(c, hlo::slotsRead(read.map, read.operand));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"reads", "reads(M.%f, 0)",
     "the elements of operand 0 that an element of an HLO instruction reads, as an indexing map; (M.%f, 0, 1): map 1",
     1, 4, readsCall},
    {"devices", "devices(M.%f, 0)",
     "reads(M.%f, 0) of a sharded module: from coordinates and the device p to elements and the device that has them",
     1, 4, devicesCall},
    {"uses", "uses(M.%f, 0)", "the results that use an element of operand 0 of an HLO instruction, as an indexing map",
     1, 4, usesCall},
    {"maps", "maps(M.%f, 0)", "the number of maps that together describe the reads of operand 0 of an HLO instruction",
     1, 3, mapsCall},
    {"usage", "usage(M.%f, 0)",
     "the number of elements of operand 0 that an HLO instruction reads, and how often it reads them", 1, 3, usageCall},
    {"memory_order", "memory_order(M.%f, 0)",
     "reads(M.%f, 0) between dimensions in memory order, most major first, by the layouts of result and operand", 1, 4,
     physicalCall},
    {"slots_read", "slots_read(M.%f, 0)",
     "the slots that are read of operand 0: from coordinates of the result to slots, with tiles applied", 1, 4,
     slotsCall},
    {"output", "output(M.%f, 1)", "one of the outputs of an HLO instruction", 1, 3, outputCall},
    {"shape", "shape(M.%f)", "the XLA shape of an HLO instruction", 1, 2, shapeCall},
    {"elements", "elements(M.%f)", "the number of elements of an HLO instruction", 1, 2,
     sizeCall<&xla::Sizes::elements>},
    {"size", "size(M.%f)", "the number of elements of an HLO instruction", 1, 2, sizeCall<&xla::Sizes::elements>},
    {"slots", "slots(M.%f)", "its elements and padding, with all tiles", 1, 2, sizeCall<&xla::Sizes::slots>},
    {"bytes", "bytes(M.%f)", "the size of all its slots in bytes", 1, 2, sizeCall<&xla::Sizes::bytes>},
    {"waste", "waste(M.%f)", "the share of padding in its memory, in percent", 1, 2, wasteCall},
    {"operand", "operand(M.%f, 0)", "the XLA shape of an operand of an HLO instruction", 1, 3, operandCall},
});

}  // namespace

std::span<const Function> hloFunctions() { return kFunctions; }

}  // namespace tessera
