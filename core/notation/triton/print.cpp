// Prints attributes and types, in the compiler's order of keys.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "core/notation/triton/attr.h"

namespace tessera::triton {

namespace {

std::string list(const std::vector<i64>& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }
std::string lists(const Bases& bases) { return fmt::format("[{}]", fmt::join(mapped<std::string>(bases, list), ", ")); }
std::string cga(const Bases& bases) { return bases.empty() ? "" : ", CGALayout = " + lists(bases); }

const Bases& basesOf(const linear::Layout& l, const char* name) {
  static const Bases kNone;
  return l.hasIn(name) ? l.ins()[indexOf(l.ins(), name)].bases : kNone;
}

// The order in which offset bits fill the dimensions, if they do so without mixing: {order, true}.
std::pair<std::vector<i64>, bool> plainOrder(const linear::Layout& l) {
  const std::size_t rank = l.outs().size();
  std::vector<i64> order;
  std::vector<i64> next(rank, 1);
  for (const linear::Basis& basis : basesOf(l, "offset")) {
    std::size_t dim = rank;
    for (std::size_t k = 0; k < rank; ++k)
      if (basis[k] != 0) {
        if (dim != rank || basis[k] != next[k]) return {order, false};
        dim = k;
      }
    if (dim == rank) return {order, false};
    next[dim] *= 2;
    const bool fresh = std::ranges::find(order, static_cast<i64>(dim)) == order.end();
    if (fresh)
      order.push_back(static_cast<i64>(dim));
    else if (order.back() != static_cast<i64>(dim))
      return {order, false};
  }
  for (std::size_t k = 0; k < rank; ++k)
    if (next[k] != l.outs()[k].size) return {order, false};
  for (std::size_t k = rank; k-- > 0;)  // dimensions of size 1: last ones first, as in row-major
    if (std::ranges::find(order, static_cast<i64>(k)) == order.end()) order.push_back(static_cast<i64>(k));
  return {order, true};
}

struct Printer {
  std::string operator()(const Blocked& e) const {
    return fmt::format("#ttg.blocked<{{sizePerThread = {}, threadsPerWarp = {}, warpsPerCTA = {}, order = {}{}}}>",
                       list(e.sizePerThread), list(e.threadsPerWarp), list(e.warpsPerCta), list(e.order), cga(e.cga));
  }
  std::string operator()(const NvidiaMma& e) const {
    return fmt::format("#ttg.nvidia_mma<{{versionMajor = {}, versionMinor = {}, warpsPerCTA = {}{}, instrShape = {}}}>",
                       e.versionMajor, e.versionMinor, list(e.warpsPerCta), cga(e.cga), list(e.instrShape));
  }
  std::string operator()(const Mfma& e) const {
    const bool unit = std::ranges::all_of(e.tilesPerWarp, [](i64 t) { return t == 1; });
    return fmt::format("#ttg.amd_mfma<{{version = {}, warpsPerCTA = {}, instrShape = {}, isTransposed = {}{}{}{}}}>",
                       e.version, list(e.warpsPerCta), list(e.instrShape), e.isTransposed, cga(e.cga),
                       unit ? "" : ", tilesPerWarp = " + list(e.tilesPerWarp),
                       e.elementBitWidth == 32 ? "" : fmt::format(", elementBitWidth = {}", e.elementBitWidth));
  }
  std::string operator()(const Wmma& e) const {
    std::string bases = e.ctaRegister.empty() ? "" : "register = " + lists(e.ctaRegister);
    if (!e.ctaWarp.empty()) bases += (bases.empty() ? "warp = " : ", warp = ") + lists(e.ctaWarp);
    const std::string rank = bases.empty() && e.rank != 2 ? fmt::format(", rank = {}", e.rank) : "";
    const std::string shape =
        e.instrShape == std::vector<i64>{16, 16, 16} ? "" : ", instrShape = " + list(e.instrShape);
    return fmt::format("#ttg.amd_wmma<{{version = {}, isTranspose = {}, ctaLayout = {{{}}}{}{}{}}}>", e.version,
                       e.isTranspose, bases, cga(e.cga), shape, rank);
  }
  std::string operator()(const DotOp& e) const {
    return fmt::format("#ttg.dot_op<{{opIdx = {}, parent = {}{}}}>", e.opIdx, print(*e.parent),
                       e.kWidth == 0 ? "" : fmt::format(", kWidth = {}", e.kWidth));
  }
  std::string operator()(const Slice& e) const {
    return fmt::format("#ttg.slice<{{dim = {}, parent = {}}}>", e.dim, print(*e.parent));
  }
  std::string operator()(const Linear& e) const {
    return fmt::format("#ttg.{}<{{register = {}, lane = {}, warp = {}, block = {}}}>",
                       e.generic ? "generic_linear" : "linear", lists(basesOf(e.layout, "register")),
                       lists(basesOf(e.layout, "lane")), lists(basesOf(e.layout, "warp")),
                       lists(basesOf(e.layout, "block")));
  }
  std::string operator()(const SwizzledShared& e) const {
    return fmt::format("#ttg.{}<{{vec = {}, perPhase = {}, maxPhase = {}, order = {}{}}}>",
                       e.rotating ? "amd_rotating_shared" : "swizzled_shared", e.vec, e.perPhase, e.maxPhase,
                       list(e.order), cga(e.cga));
  }
  std::string operator()(const NvmmaShared& e) const {
    return fmt::format("#ttg.nvmma_shared<{{swizzlingByteWidth = {}, transposed = {}, elementBitWidth = {}{}{}{}}}>",
                       e.swizzlingByteWidth, e.transposed, e.elementBitWidth, e.fp4Padded ? ", fp4Padded = true" : "",
                       e.rank == 2 || !e.cga.empty() ? "" : fmt::format(", rank = {}", e.rank), cga(e.cga));
  }
  std::string operator()(const PaddedShared& e) const {
    std::string pads;
    for (const auto& [interval, padding] : e.intervals)
      pads += fmt::format("{}{}:+{}", pads.empty() ? "" : ", ", interval, padding);
    const Bases& block = basesOf(e.layout, "block");
    const auto [order, plain] = plainOrder(e.layout);
    if (block.empty() && plain) {
      std::vector<i64> shape = mapped<i64>(e.layout.outs(), &linear::Out::size);
      return fmt::format("#ttg.padded_shared<[{}] {{order = {}, shape = {}}}>", pads, list(order), list(shape));
    }
    return fmt::format("#ttg.padded_shared<[{}] {{offset = {}, block = {}}}>", pads, lists(basesOf(e.layout, "offset")),
                       lists(block));
  }
  std::string operator()(const SharedLinear& e) const {
    const Bases& block = basesOf(e.layout, "block");
    return fmt::format("#ttg.shared_linear<{{offset = {}{}}}, alignment = {}>", lists(basesOf(e.layout, "offset")),
                       block.empty() ? "" : ", block = " + lists(block), e.alignment);
  }
  std::string operator()(const PartitionedShared& e) const {
    return fmt::format(
        "#ttg.partitioned_shared<{{numPartitions = {}, numGroups = {}, partitionDim = {}, partitionLayout = {}}}>",
        e.numPartitions, e.numGroups, e.partitionDim, print(*e.layout));
  }
  std::string operator()(const TensorMemory& e) const {
    return fmt::format("#ttng.tensor_memory_encoding<blockM = {}, blockN = {}, colStride = {}{}{}{}>", e.blockM,
                       e.blockN, e.colStride, cga(e.cga), e.twoCtas ? ", twoCTAs = true" : "",
                       e.fp4Padded ? ", fp4Padded = true" : "");
  }
  std::string operator()(const TensorMemoryScales& e) const {
    return fmt::format("#ttng.tensor_memory_scales_encoding<{}>", e.cga.empty() ? "" : "CGALayout = " + lists(e.cga));
  }
  std::string operator()(const MemorySpace& e) const {
    return e.tensorMemory ? "#ttng.tensor_memory" : "#ttg.shared_memory";
  }
};

}  // namespace

bool Parent::operator==(const Parent& other) const {
  if (encoding == other.encoding) return true;
  return encoding != nullptr && other.encoding != nullptr && *encoding == *other.encoding;
}

std::string print(const Encoding& encoding) { return std::visit(Printer{}, encoding.value); }

std::string mnemonic(const Encoding& encoding) {
  const std::string text = print(encoding);
  const std::size_t dot = text.find('.'), end = text.find('<');
  return text.substr(dot + 1, end == std::string::npos ? end : end - dot - 1);
}

int elementBits(const std::string& element) {
  const std::size_t digits = element.find_first_of("0123456789");
  if (digits == std::string::npos || element.find('<') != std::string::npos) return 0;
  int bits = 0;
  for (std::size_t k = digits; k < element.size() && element[k] >= '0' && element[k] <= '9' && bits < 1000; ++k)
    bits = bits * 10 + (element[k] - '0');
  return bits > 128 ? 0 : bits;
}

bool isElementType(std::string_view element) {
  static constexpr std::string_view kNamed[] = {"index",     "bf16",       "f16",        "tf32",          "f32",
                                                "f64",       "f80",        "f128",       "f8E5M2",        "f8E4M3",
                                                "f8E4M3FN",  "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E3M4",
                                                "f8E8M0FNU", "f4E2M1FN",   "f6E2M3FN",   "f6E3M2FN"};
  if (std::find(std::begin(kNamed), std::end(kNamed), element) != std::end(kNamed)) return true;
  if (element.starts_with('!') || element.starts_with("complex<") || element.starts_with("vector<")) return true;
  if (element.starts_with('s') || element.starts_with('u')) element.remove_prefix(1);  // si8, ui8
  if (element.size() < 2 || element.size() > 9 || element.front() != 'i') return false;
  return std::all_of(element.begin() + 1, element.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string print(const Type& type) {
  if (type.element.empty())
    return print(*type.encoding) + (type.shape.empty() ? "" : fmt::format(" over ({})", fmt::join(type.shape, ",")));
  std::string text = type.memdesc ? "!ttg.memdesc<" : type.descriptor ? "!tt.tensordesc<" : "tensor<";
  for (const i64 e : type.shape) text += fmt::format("{}x", e);
  text += type.element;
  if (type.encoding) text += ", " + print(*type.encoding);
  if (type.memorySpace) text += ", " + print(*type.memorySpace);
  if (type.isMutable) text += ", mutable";
  if (!type.allocShape.empty()) text += fmt::format(", {}", fmt::join(type.allocShape, "x"));
  return text + ">";
}

}  // namespace tessera::triton
