#include "core/analysis/conversion/conversions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/analysis/memory/banks.h"
#include "core/base/arith.h"
#include "core/base/work.h"
#include "core/notation/triton/alias_scope.h"
#include "core/notation/triton/lower.h"
#include "core/notation/triton/module.h"

namespace tessera {
namespace {

using triton::ModuleOperation;
using triton::Type;

std::optional<ConversionKind> kindOf(const ModuleOperation& op) {
  const std::string_view name = std::string_view(op.name).substr(op.name.find('.') + 1);
  const std::string_view dialect = std::string_view(op.name).substr(0, op.name.find('.'));
  if (dialect != "ttg" && dialect != "triton_gpu") return std::nullopt;
  if (name == "convert_layout") return ConversionKind::Convert;
  if (name == "local_load") return ConversionKind::Load;
  if (name == "local_store") return ConversionKind::Store;
  if (name == "local_alloc" && !op.operands.empty()) return ConversionKind::Allocate;
  return std::nullopt;
}

i64 bytesOf(const Type& type) {
  i64 bits = triton::elementBits(type.element);
  for (const i64 extent : type.shape) bits = checkedMul(bits, extent).value_or(0);
  return bits / 8;
}

Result<SharedPlaces> placesOf(const Type& memory) {
  SharedPlaces places;
  if (const auto* padded = std::get_if<triton::PaddedShared>(&memory.encoding->value))
    places.intervals = padded->intervals;
  TESSERA_TRY(places.layout, toLinear(memory));
  return places;
}

class ConversionReader {
 public:
  explicit ConversionReader(std::string_view text) : module_(triton::outlineOf(text)), aliases_(module_) {}

  std::vector<Conversion> read() {
    std::vector<Conversion> out;
    for (const ModuleOperation& op : module_.operations) {
      spend(4);
      const auto kind = kindOf(op);
      if (!kind) continue;
      Conversion one = described(op, *kind);
      if (Result<void> done = analyse(op, one); !done) one.why = done.error().message;
      out.push_back(std::move(one));
    }
    return out;
  }

 private:
  Conversion described(const ModuleOperation& op, ConversionKind kind) const {
    Conversion one;
    one.kind = kind;
    one.source.operation = op.name;
    one.source.function = op.function;
    one.source.span = op.span;
    if (!op.operands.empty()) one.source.operand = op.operands[0];
    if (!op.results.empty()) {
      one.source.result = op.results[0].name;
      one.source.toText = op.results[0].type;
    } else if (op.operands.size() > 1) {
      one.source.result = op.operands[1];  // the buffer of a store
    }
    if (!op.operandTypes.empty()) one.source.fromText = op.operandTypes[0];
    return one;
  }

  Result<void> analyse(const ModuleOperation& op, Conversion& one) {
    if (one.kind == ConversionKind::Store && one.source.toText.empty()) one.source.toText = storedType(op);
    TESSERA_TRY(one.from, aliases_.type(one.source.fromText, one.source.span.begin));
    TESSERA_TRY(one.to, aliases_.type(one.source.toText, one.source.span.begin));
    if (!one.from.encoding || !one.to.encoding) return Diag{"a type without a layout"};
    const std::string place = op.function + one.source.result;
    if (one.kind == ConversionKind::Convert) return convert(one);
    if (one.kind == ConversionKind::Load) return load(one, op.function);
    // A buffer that is not mutable holds this tensor for good.
    if (one.kind == ConversionKind::Allocate && !one.to.isMutable)
      filled_.insert_or_assign(place, std::pair(one.source.operand, one.from));
    one.bytes = bytesOf(one.from);
    TESSERA_TRY(const linear::Layout registers, toLinear(one.from));
    TESSERA_TRY(const SharedPlaces places, placesOf(one.to));
    return count(one, one.write, registers, places);
  }

  // ttg.local_store %value, %buffer : TENSOR -> MEMDESC has no result to take the type from.
  static std::string storedType(const ModuleOperation& op) {
    return op.operandTypes.size() > 1 ? op.operandTypes[1] : op.targetTypes.empty() ? "" : op.targetTypes[0];
  }

  // Warps of 64 lanes are not modelled.
  static Result<void> count(Conversion& one, std::optional<Transfer>& into, const linear::Layout& registers,
                            const SharedPlaces& places) {
    const Result<Transfer> transfer = transferOf(registers, places, triton::elementBits(one.to.element));
    if (transfer) {
      into = *transfer;
      return {};
    }
    if (registers.inSize("lane") == kWarpLanes) return transfer.error();
    one.uncounted = transfer.error().message;
    return {};
  }

  static Result<void> convert(Conversion& one) {
    TESSERA_TRY(const linear::Layout from, toLinear(one.from));
    TESSERA_TRY(const linear::Layout to, toLinear(one.to));
    TESSERA_TRY(one.movement, movementOf(from, to));
    if (*one.movement < Movement::Block) return {};
    one.bytes = bytesOf(one.from);
    const int bits = triton::elementBits(one.from.element);
    if (bits < 8)
      return Diag{fmt::format("{} has {} bits; bytes of shared memory are not counted", one.from.element, bits)};
    TESSERA_TRY(const linear::Layout scratch, scratchOf(from, to, bits));
    const SharedPlaces places{scratch, {}};
    TESSERA_CHECKED(count(one, one.write, from, places));
    return count(one, one.read, to, places);
  }

  Result<void> load(Conversion& one, const std::string& function) {
    one.bytes = bytesOf(one.to);
    TESSERA_TRY(const linear::Layout registers, toLinear(one.to));
    if (const auto filler = filled_.find(function + one.source.operand); filler != filled_.end()) {
      const auto from = toLinear(filler->second.second);
      if (from) {
        if (const auto reach = movementOf(*from, registers)) {
          one.movement = *reach;
          one.filledBy = filler->second.first;
        }
      }
    }
    TESSERA_TRY(const SharedPlaces places, placesOf(one.from));
    return count(one, one.read, registers, places);
  }

  triton::Module module_;
  triton::AliasScope aliases_;
  std::map<std::string, std::pair<std::string, Type>> filled_;  // buffer -> the tensor that local_alloc stored there
};

std::string typeKey(const Type& type, const std::string& text) { return type.encoding ? print(type) : text; }

}  // namespace

std::string Conversion::key() const {
  return fmt::format("{}: {} -> {}", source.operation, typeKey(from, source.fromText), typeKey(to, source.toText));
}

std::vector<Conversion> conversionsOf(std::string_view module) { return ConversionReader(module).read(); }

ConversionChanges changesOf(const std::vector<Conversion>& before, const std::vector<Conversion>& after) {
  ConversionChanges changes;
  std::map<std::string, std::size_t> counts;
  for (const Conversion& one : after) ++counts[one.key()];
  for (const Conversion& one : before) {
    std::size_t& left = counts[one.key()];
    if (left == 0) {
      changes.removed.push_back(one);
    } else {
      --left;
      ++changes.kept;
    }
  }
  counts.clear();
  for (const Conversion& one : before) ++counts[one.key()];
  for (const Conversion& one : after) {
    std::size_t& left = counts[one.key()];
    if (left == 0)
      changes.added.push_back(one);
    else
      --left;
  }
  return changes;
}

}  // namespace tessera
