#include "core/hlo/listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/nearest.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/notation.h"
#include "core/hlo/ops/devices.h"
#include "core/hlo/ops/op.h"

namespace tessera::hlo {

bool Listing::operator==(const Listing& other) const {
  return name == other.name && (module == other.module || *module->text == *other.module->text);
}

namespace {

std::string_view withoutMark(std::string_view name) { return name.starts_with('%') ? name.substr(1) : name; }

std::optional<int> computationNamed(const Module& module, std::string_view name) {
  const auto at = module.byName.find(name);
  return at == module.byName.end() ? std::nullopt : std::optional(at->second);
}

std::optional<int> instructionNamed(const Computation& computation, std::string_view name) {
  for (std::size_t i = 0; i < computation.instructions.size(); ++i)
    if (computation.instructions[i].name == name) return static_cast<int>(i);
  return std::nullopt;
}

// Where instructions of that name are: the entry's only, if it has one; else all.
std::vector<Where> placesOf(const Module& module, std::string_view name) {
  std::vector<Where> found;
  for (std::size_t c = 0; c < module.computations.size(); ++c) {
    const auto i = instructionNamed(module.computations[c], name);
    if (!i) continue;
    if (module.computations[c].entry) return {{static_cast<int>(c), *i}};
    found.push_back({static_cast<int>(c), *i});
  }
  return found;
}

Diag noOperand(const Part& part, int operand) {
  const int count = operandsOf(part);
  return Diag{fmt::format("%{} has {}, not number {}", part.name(),
                          counted(n(count), part.isComputation() ? "parameter" : "operand"), operand),
              count == 0 ? "an instruction that reads something" : fmt::format("a number from 0 to {}", count - 1)};
}

// The operand as an instruction of the computation; -1: not in the text.
int instructionAt(const Part& part, int operand) {
  const auto k = n(operand);
  return part.isComputation() ? part.itsComputation().parameters[k] : part.itsInstruction().operands[k];
}

// A Diag about the module's text, for use in another text: gives the line instead of the span.
template <class T>
Result<T> inLine(const Part& part, Result<T> result) {
  if (result) return result;
  Diag diag = result.error();
  if (!diag.span.empty())
    diag.message += fmt::format(" (line {} of {})", part.module().lineAt(diag.span.begin), part.of.name);
  diag.span = {};
  return diag;
}

// All maps of a parameter of the computation, over all paths.
Result<Reach> readsOfParameter(const Part& part, int operand) {
  TESSERA_TRY(const std::vector<Reached> all, inLine(part, reachedIn(part.module(), part.computation, part.output)));
  Reach reach = none(n(operand));
  const int at = instructionAt(part, operand);
  for (const Reached& r : all) {
    if (r.instruction != at) continue;
    if (!part.module().shapeOf(part.itsComputation().at(at)).isArray())  // each tuple element has its own coordinates
      return unknown(n(operand), "a tuple: what takes its elements reads them");
    Reach found = asReach(r, part.itsComputation(), part.name());
    if (reach.soundness >= found.soundness) {
      found.soundness = reach.soundness;
      found.why = reach.why;
    }
    reach = std::move(found);
    reach.slot = operand;
  }
  return reach;
}

}  // namespace

Result<Listing> readBlock(std::string_view statement) {
  TESSERA_TRY(NamedBlock block, namedBlock(statement, "hlo", "hlo softmax {"));
  Result<Listing> listing = readListing(std::move(block.name), std::move(block.inside));
  if (listing || listing.error().span.begin > block.open) return listing;
  Diag diag = listing.error();  // about the whole block: point at its head
  diag.span = {0, block.open + 1};
  return diag;
}

Result<Listing> readListing(std::string name, std::string text) {
  auto module = std::make_shared<Module>(readModule(std::move(text)));
  const bool empty =
      std::ranges::all_of(module->computations, [](const Computation& c) { return c.instructions.empty(); });
  if (!empty) return Listing{std::move(name), std::move(module)};
  if (!module->problems.empty()) return module->problems.front().diag;
  return Diag{"this module has no instruction",
              "HloModule NAME, and ENTRY main { ... }",
              "%t = f32[4,8] transpose(%p), dimensions={1,0}",
              {0, module->text->size()}};
}

bool Part::hasInstruction() const { return instruction >= 0 || itsComputation().root >= 0; }

const Instruction& Part::itsInstruction() const {
  const Computation& c = itsComputation();
  return c.at(instruction >= 0 ? instruction : c.root);
}

std::string_view Part::name() const { return isComputation() ? itsComputation().name : itsInstruction().name; }

std::optional<Part> findPart(const Listing& listing, std::string_view name) {
  const Module& module = *listing.module;
  name = withoutMark(name);
  if (const std::size_t inner = name.find(".%"); inner != std::string_view::npos) {
    const auto c = computationNamed(module, name.substr(0, inner));
    const auto i = c ? instructionNamed(module.computation(*c), name.substr(inner + 2)) : std::nullopt;
    return i ? std::optional(Part{listing, *c, *i}) : std::nullopt;
  }
  const std::vector<Where> places = placesOf(module, name);
  if (places.size() == 1) return Part{listing, places[0].computation, places[0].instruction};
  if (places.size() > 1) return std::nullopt;
  const auto c = computationNamed(module, name);
  return c ? std::optional(Part{listing, *c, -1}) : std::nullopt;
}

Diag noSuchPart(const Listing& listing, std::string_view name) {
  const Module& module = *listing.module;
  name = withoutMark(name);
  const std::vector<Where> places = placesOf(module, name);
  if (places.size() > 1) {
    const Computation& first = module.computation(places.front().computation);
    return Diag{fmt::format("{} computations of {} have an instruction %{}", places.size(), listing.name, name),
                "the computation's name in front", fmt::format("{}.%{}.%{}", listing.name, first.name, name)};
  }
  std::vector<std::string> names;
  constexpr std::size_t kMost = 20'000;  // a dump may have a million instructions
  for (const Computation& c : module.computations) {
    names.emplace_back(c.name);
    for (const Instruction& i : c.instructions)
      if (names.size() < kMost) names.emplace_back(i.name);
  }
  const auto near = nearest(std::string(name), names);
  return Diag{fmt::format("{} has no instruction and no computation %{}", listing.name, name), "a name of the module",
              near ? fmt::format("did you mean {}.%{}?", listing.name, *near) : ""};
}

std::vector<Diag> notesOf(const Module& module, std::size_t most) {
  std::vector<Diag> notes;
  for (const Problem& p : module.problems) {
    if (notes.size() == most) {
      notes.push_back(
          Diag{fmt::format("and {} more", module.problems.size() - most), "", "tessera hlo FILE reports all"});
      break;
    }
    Diag note = p.diag;
    if (!p.instruction.empty()) note.message = fmt::format("%{}: {}", p.instruction, note.message);
    notes.push_back(std::move(note));
  }
  return notes;
}

std::string print(const Listing& listing) {
  const Module& module = *listing.module;
  std::size_t instructions = 0;
  for (const Computation& c : module.computations) instructions += c.instructions.size();
  return fmt::format("HloModule{}{}: {}, {}", module.name.empty() ? "" : " ", module.name,
                     counted(module.computations.size(), "computation"), counted(instructions, "instruction"));
}

std::string print(const Part& part) {
  constexpr std::size_t kMost = 2000;
  std::string_view text = *part.module().text;
  if (part.isComputation()) {  // its head line
    const std::size_t begin = part.itsComputation().span.begin;
    text = text.substr(begin, text.find('\n', begin) - begin);
  } else {
    const Span span = part.itsInstruction().span;
    text = text.substr(span.begin, span.end - span.begin);
  }
  const bool cut = text.size() > kMost;
  text = text.substr(0, kMost);
  std::string out;
  for (const char c : text) {
    const char one = c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
    if (one != ' ' || (!out.empty() && out.back() != ' ')) out += one;
  }
  if (part.isComputation() && out.ends_with('{')) out.pop_back();
  while (out.ends_with(' ')) out.pop_back();
  return cut ? out + " ..." : out;
}

int operandsOf(const Part& part) {
  return static_cast<int>(part.isComputation() ? part.itsComputation().parameters.size()
                                               : part.itsInstruction().operands.size());
}

std::string operandName(const Part& part, int operand) {
  const int at = instructionAt(part, operand);
  return at < 0 ? "?" : std::string(part.itsComputation().at(at).name);
}

Result<xla::Shape> operandShape(const Part& part, int operand) {
  if (operand < 0 || operand >= operandsOf(part)) return noOperand(part, operand);
  const int at = instructionAt(part, operand);
  if (at < 0) return Diag{fmt::format("the text has no operand {} of %{}", operand, part.name())};
  return part.module().shapeOf(part.itsComputation().at(at));
}

Result<xla::Shape> shapeOf(const Part& part) {
  if (!part.hasInstruction()) return Diag{fmt::format("%{} has no instruction", part.name())};
  const xla::Shape& whole = part.module().shapeOf(part.itsInstruction());
  return whole.leaves() == 0 ? whole : whole.leaf(n(part.output));
}

Result<Reach> reads(const Part& part, int operand) {
  if (operand < 0 || operand >= operandsOf(part)) return noOperand(part, operand);
  if (part.isComputation()) return readsOfParameter(part, operand);
  TESSERA_TRY(std::vector<Reach> all,
              inLine(part, readsThrough(part.module(), {part.computation, part.instruction}, part.output)));
  for (Reach& r : all)
    if (r.slot == operand) return std::move(r);
  return none(n(operand));
}

Result<Reach> uses(const Part& part, int operand) {
  if (operand < 0 || operand >= operandsOf(part)) return noOperand(part, operand);
  TESSERA_TRY(
      std::vector<Reach> all,
      inLine(part, part.isComputation() ? usesOfParameter(part.module(), part.computation, operand)
                                        : usesThrough(part.module(), {part.computation, part.instruction}, operand)));
  for (Reach& r : all)
    if (r.slot == part.output) return std::move(r);
  return none(n(part.output));
}

Result<Map> mapOf(const Reach& reach, const std::vector<i64>& sizes, int which) {
  if (reach.soundness == Soundness::Unknown)
    return Diag{"what is read here is unknown: " + reach.why, "an operation with a rule"};
  const int count = static_cast<int>(reach.maps.size());
  if (count == 0) return Diag{"nothing is read here", "an operand that is read"};
  if (which < 0 && count > 1)
    return Diag{fmt::format("{} maps together give what is read here", count),
                fmt::format("which of them, 0 to {}, as one more argument", count - 1)};
  if (which >= count)
    return Diag{fmt::format("there {} {} here", count == 1 ? "is" : "are", counted(n(count), "map")),
                fmt::format("a number from 0 to {}", count - 1)};
  const Map& map = reach.maps[n(which < 0 ? 0 : which)];
  std::vector<Axis> axes = map.axes();
  for (std::size_t k = 0; k < axes.size() && k < sizes.size(); ++k) axes[k].extent = sizes[k];
  return Map::create(map.digits(), std::move(axes), map.guards(), map.params());
}

}  // namespace tessera::hlo

namespace tessera {

Result<Arrow> NotationOf<hlo::Listing>::arrow(const hlo::Listing& listing) {
  return Diag{"a module is not a function of coordinates", "an instruction of it",
              fmt::format("reads({}.%NAME, 0)", listing.name)};
}

Result<Arrow> NotationOf<hlo::Part>::arrow(const hlo::Part& part) {
  const int count = hlo::operandsOf(part);
  if (count != 1)
    return Diag{fmt::format("%{} reads {} {}", part.name(), count, count == 0 ? "nothing" : "operands"),
                "an instruction that reads one operand",
                count == 0 ? "" : fmt::format("reads({}.%{}, 0)", part.of.name, part.name())};
  TESSERA_TRY(hlo::Reach reach, hlo::reads(part, 0));
  TESSERA_TRY(const xla::Shape shape, hlo::operandShape(part, 0));
  std::vector<i64> sizes = shape.sizes();
  if (reach.maps.size() == 1 && hlo::positionOf(reach, 0) != nullptr) {  // with the device as a last coordinate
    reach.maps[0] = *hlo::positionOf(reach, 0);
    sizes.push_back(part.module().devices.count);
  }
  TESSERA_TRY(Map map, hlo::mapOf(reach, sizes));
  if (reach.soundness != hlo::Soundness::Exact)
    return Diag{"this map covers more than what is read: " + reach.why, "an exact map",
                fmt::format("reads({}.%{}, 0)", part.of.name, part.name())};
  return arrowOf(std::move(map), SpaceKind::Elements, LinearOrder::Lex, SpaceKind::Elements);
}

}  // namespace tessera
