// Converts attribute trees (mlir.h) to encodings, one function per mnemonic, listed in kReaders.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/arith.h"
#include "core/notation/triton/mlir.h"

namespace tessera::triton::detail {

using mlir::Entry;
using mlir::Node;

namespace {

using Kind = Node::Kind;

Diag at(const Node& node, std::string message, std::string expected = {}) {
  return Diag{std::move(message), std::move(expected), {}, node.span};
}

Result<std::vector<i64>> integers(const Node& node, const std::string& key) {
  if (node.kind != Kind::List) return at(node, fmt::format("{} is not a list", key), "[1, 4]");
  std::vector<i64> values;
  for (const Node& item : node.items) {
    if (item.kind != Kind::Integer) return at(item, fmt::format("an entry of {} is not an integer", key));
    values.push_back(item.integer);
  }
  return values;
}

// The value of `key`, written as this node.
Result<void> readInto(i64& value, const Node& node, const std::string& key, const Aliases&) {
  if (node.kind != Kind::Integer) return at(node, fmt::format("{} is not an integer", key));
  value = node.integer;
  return {};
}
Result<void> readInto(bool& value, const Node& node, const std::string& key, const Aliases&) {
  if (node.kind != Kind::Boolean) return at(node, fmt::format("{} is not true or false", key));
  value = node.integer != 0;
  return {};
}
Result<void> readInto(std::vector<i64>& value, const Node& node, const std::string& key, const Aliases&) {
  TESSERA_TRY(value, integers(node, key));
  return {};
}
Result<void> readInto(Bases& value, const Node& node, const std::string& key, const Aliases&) {
  if (node.kind != Kind::List) return at(node, fmt::format("{} is not a list of bases", key), "[[0, 1], [0, 2]]");
  value.clear();
  for (const Node& item : node.items) {
    TESSERA_TRY(linear::Basis basis, integers(item, key));
    value.push_back(std::move(basis));
  }
  return {};
}
Result<void> readInto(Parent& value, const Node& node, const std::string& key, const Aliases& aliases) {
  if (node.kind != Kind::Attribute) return at(node, fmt::format("{} is not an attribute", key), "#ttg... or an alias");
  TESSERA_TRY(Encoding parent, encodingOf(node, aliases));
  value.encoding = std::make_shared<const Encoding>(std::move(parent));
  return {};
}

// The entries of one dictionary; done() checks that every key was taken.
class Fields {
 public:
  Fields(const Node& where, const std::vector<Entry>& entries, const Aliases& aliases)
      : where_(where), entries_(entries), aliases_(aliases) {}

  [[nodiscard]] const Node& where() const { return where_; }
  [[nodiscard]] const Node* peek(const std::string& key) const {
    for (const auto& [name, node] : entries_)
      if (name == key) return &node;
    return nullptr;
  }
  [[nodiscard]] const Node* take(const std::string& key) {
    const Node* node = peek(key);
    if (node != nullptr) taken_.insert(key);
    return node;
  }
  // Keys and the variables for their values; the order decides which fault is reported.
  template <class T, class... Rest>
  [[nodiscard]] Result<void> read(const std::string& key, T& value, Rest&&... rest) {
    const Node* node = take(key);
    if (node == nullptr)
      return at(where_, fmt::format("{} has no {}", where_.name, key), fmt::format("`{} = ..`", key));
    TESSERA_CHECKED(readInto(value, *node, key, aliases_));
    if constexpr (sizeof...(rest) > 0)
      return read(std::forward<Rest>(rest)...);
    else
      return {};
  }
  // A key that may be missing; the variable then keeps its value.
  template <class T>
  [[nodiscard]] Result<void> readIf(const std::string& key, T& value) {
    return peek(key) == nullptr ? Result<void>() : read(key, value);
  }
  // CGALayout, of this rank.
  [[nodiscard]] Result<void> cga(Bases& bases, std::size_t rank);
  [[nodiscard]] Result<void> done() const {
    for (const auto& [name, node] : entries_)
      if (taken_.count(name) == 0) return at(node, fmt::format("{} has no key {}", where_.name, name));
    return {};
  }

 private:
  const Node& where_;
  const std::vector<Entry>& entries_;
  const Aliases& aliases_;
  std::set<std::string> taken_;
};

// Older text gives the blocks per dimension instead of bases, in CTAOrder, split blocks before broadcast ones.
Result<void> olderCga(Bases& bases, Fields& in, std::size_t rank) {
  std::vector<i64> counts, splits, order;
  TESSERA_CHECKED(in.read("CTAsPerCGA", counts, "CTASplitNum", splits, "CTAOrder", order));
  if (counts.size() != rank || splits.size() != rank || order.size() != rank)
    return at(in.where(), fmt::format("CTAsPerCGA, CTASplitNum and CTAOrder do not all have rank {}", rank));
  for (const i64 dim : order) {
    if (dim < 0 || dim >= static_cast<i64>(rank))
      return at(in.where(), fmt::format("CTAOrder names dimension {}", dim));
    const std::size_t k = static_cast<std::size_t>(dim);
    if (!isPowerOfTwo(counts[k]) || !isPowerOfTwo(splits[k]) || splits[k] > counts[k])
      return at(in.where(), fmt::format("{} blocks cannot split dimension {} by {}", counts[k], dim, splits[k]));
    for (i64 b = 1; b < counts[k]; b *= 2) {
      bases.push_back(linear::unitBasis(rank, k, b < splits[k] ? b : 0));
    }
  }
  return {};
}

Result<void> Fields::cga(Bases& bases, std::size_t rank) {
  if (const Node* node = peek("CGALayout")) {
    TESSERA_CHECKED(read("CGALayout", bases));
    for (const linear::Basis& basis : bases)
      if (basis.size() != rank)
        return at(*node, fmt::format("a basis of CGALayout has {} coordinates, but the layout has rank {}",
                                     basis.size(), rank));
    return {};
  }
  for (const char* older : {"CTAsPerCGA", "CTASplitNum", "CTAOrder"})
    if (peek(older) != nullptr) return olderCga(bases, *this, rank);
  return {};
}

Result<void> fieldsOf(Blocked& e, Fields& in) {
  TESSERA_CHECKED(in.read("sizePerThread", e.sizePerThread, "threadsPerWarp", e.threadsPerWarp, "warpsPerCTA",
                          e.warpsPerCta, "order", e.order));
  return in.cga(e.cga, e.order.size());
}

Result<void> fieldsOf(NvidiaMma& e, Fields& in) {
  TESSERA_CHECKED(in.read("versionMajor", e.versionMajor));
  TESSERA_CHECKED(in.readIf("versionMinor", e.versionMinor));
  TESSERA_CHECKED(in.read("warpsPerCTA", e.warpsPerCta, "instrShape", e.instrShape));
  return in.cga(e.cga, e.warpsPerCta.size());
}

Result<void> fieldsOf(Mfma& e, Fields& in) {
  TESSERA_CHECKED(in.read("version", e.version, "warpsPerCTA", e.warpsPerCta, "instrShape", e.instrShape,
                          "isTransposed", e.isTransposed));
  TESSERA_CHECKED(in.cga(e.cga, e.warpsPerCta.size()));
  e.tilesPerWarp.assign(e.warpsPerCta.size(), 1);
  TESSERA_CHECKED(in.readIf("tilesPerWarp", e.tilesPerWarp));
  return in.readIf("elementBitWidth", e.elementBitWidth);
}

Result<void> fieldsOf(Wmma& e, Fields& in) {
  TESSERA_CHECKED(in.read("version", e.version));
  TESSERA_CHECKED(in.readIf("isTranspose", e.isTranspose));
  const Node* layout = in.take("ctaLayout");
  if (layout == nullptr) return at(in.where(), in.where().name + " has no ctaLayout", "`ctaLayout = ..`");
  if (layout->kind != Kind::Dictionary) return at(*layout, "ctaLayout is not {warp = [..]}");
  const Aliases none;
  Fields cta(*layout, layout->entries, none);
  // The compiler omits empty bases: `ctaLayout = {}` is one warp and one tile.
  TESSERA_CHECKED(cta.readIf("register", e.ctaRegister));
  TESSERA_CHECKED(cta.readIf("warp", e.ctaWarp));
  TESSERA_CHECKED(cta.done());
  const Bases& bases = e.ctaWarp.empty() ? e.ctaRegister : e.ctaWarp;
  if (!bases.empty()) e.rank = static_cast<i64>(bases[0].size());
  if (bases.empty() && in.peek("CGALayout") != nullptr) {
    Bases blocks;
    TESSERA_CHECKED(in.read("CGALayout", blocks));
    if (!blocks.empty()) e.rank = static_cast<i64>(blocks[0].size());
  }
  i64 rank = e.rank;
  TESSERA_CHECKED(in.readIf("rank", rank));
  if (rank != e.rank && !bases.empty())
    return at(in.where(), fmt::format("rank is {}, but the bases of ctaLayout have rank {}", rank, e.rank));
  e.rank = rank;
  TESSERA_CHECKED(in.readIf("instrShape", e.instrShape));
  return in.cga(e.cga, static_cast<std::size_t>(e.rank));
}

Result<void> fieldsOf(DotOp& e, Fields& in) {
  TESSERA_CHECKED(in.read("opIdx", e.opIdx, "parent", e.parent));
  return in.readIf("kWidth", e.kWidth);
}

Result<void> fieldsOf(Slice& e, Fields& in) { return in.read("dim", e.dim, "parent", e.parent); }

// A layout of these inputs onto dim0 .., with inferred sizes; an error has the node's place.
Result<linear::Layout> inferred(const Node& node, std::vector<linear::In> ins) {
  std::size_t rank = 0;
  for (const linear::In& in : ins)
    for (const linear::Basis& basis : in.bases) rank = std::max(rank, basis.size());
  if (rank == 0) return at(node, "there is no basis, so the rank is unknown", "at least one basis");
  auto made = linear::Layout::createInferred(std::move(ins), linear::dimNames(rank));
  if (!made) made.error().span = node.span;
  return made;
}

Result<void> fieldsOf(Linear& e, Fields& in) {
  std::vector<linear::In> ins = {{"register", {}}, {"lane", {}}, {"warp", {}}, {"block", {}}};
  for (linear::In& one : ins) TESSERA_CHECKED(in.read(one.name, one.bases));
  TESSERA_CHECKED(in.done());
  e.generic = in.where().name == "#ttg.generic_linear";
  TESSERA_TRY(e.layout, inferred(in.where(), std::move(ins)));
  return {};
}

Result<void> fieldsOf(SwizzledShared& e, Fields& in) {
  e.rotating = in.where().name == "#ttg.amd_rotating_shared";
  TESSERA_CHECKED(in.read("vec", e.vec, "perPhase", e.perPhase, "maxPhase", e.maxPhase, "order", e.order));
  return in.cga(e.cga, e.order.size());
}

Result<void> fieldsOf(NvmmaShared& e, Fields& in) {
  TESSERA_CHECKED(in.read("swizzlingByteWidth", e.swizzlingByteWidth));
  TESSERA_CHECKED(in.readIf("transposed", e.transposed));
  TESSERA_CHECKED(in.read("elementBitWidth", e.elementBitWidth));
  TESSERA_CHECKED(in.readIf("fp4Padded", e.fp4Padded));
  // With blocks, the rank is that of their bases, and the compiler prints no other.
  const Node* blocks = in.peek("CGALayout");
  if (blocks != nullptr && blocks->kind == Kind::List && !blocks->items.empty())
    e.rank = static_cast<i64>(blocks->items[0].items.size());
  TESSERA_CHECKED(in.readIf("rank", e.rank));
  if (e.rank < 1 || e.rank > 16) return at(in.where(), fmt::format("rank {} is not the rank of a tensor", e.rank));
  return in.cga(e.cga, static_cast<std::size_t>(e.rank));
}

// offset bits fill the dimensions of `shape` in `order`.
Result<linear::Layout> plainOffsets(const Node& node, const std::vector<i64>& order, const std::vector<i64>& shape,
                                    const Bases& cga) {
  if (order.size() != shape.size())
    return at(node, fmt::format("order has {} dimensions, but shape has {}", order.size(), shape.size()));
  std::vector<i64> sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t k = 0; k < sorted.size(); ++k)
    if (sorted[k] != static_cast<i64>(k)) return at(node, "order is not a permutation of the dimensions");
  std::vector<i64> split(shape.size(), 1);
  for (const linear::Basis& basis : cga)
    for (std::size_t k = 0; k < basis.size(); ++k)
      while (split[k] <= basis[k] && split[k] < (i64{1} << 40)) split[k] *= 2;
  linear::In offset{"offset", {}}, block{"block", {}};
  for (const i64 dim : order) {
    const std::size_t k = static_cast<std::size_t>(dim);
    if (!isPowerOfTwo(shape[k])) return at(node, fmt::format("the extent {} is not a power of two", shape[k]));
    for (i64 b = 1; b < shape[k] / split[k]; b *= 2) {
      offset.bases.push_back(linear::unitBasis(shape.size(), k, b));
    }
  }
  for (linear::Basis basis : cga) {
    for (std::size_t k = 0; k < basis.size(); ++k) basis[k] *= std::max<i64>(shape[k] / split[k], 1);
    block.bases.push_back(std::move(basis));
  }
  auto made = linear::Layout::create({std::move(offset), std::move(block)}, linear::dimOuts(shape), true);
  if (!made) made.error().span = node.span;
  return made;
}

Result<Encoding> readPaddedShared(const Node& node, const Aliases& aliases) {
  if (node.items.size() != 2 || node.items[0].kind != Kind::List || node.items[1].kind != Kind::Dictionary)
    return at(node, "padded_shared is not followed by <[interval:+padding, ..] {..}>");
  PaddedShared e;
  for (const Node& item : node.items[0].items) {
    if (item.kind != Kind::Padding) return at(item, "this is not interval:+padding", "32:+4");
    e.intervals.push_back({item.integer, item.second});
  }
  Fields in(node, node.items[1].entries, aliases);
  const Node *order = in.take("order"), *shape = in.take("shape");
  if (order != nullptr || shape != nullptr) {
    if (order == nullptr || shape == nullptr) return at(node, "order and shape belong together");
    TESSERA_TRY(const auto orderList, integers(*order, "order"));
    TESSERA_TRY(const auto shapeList, integers(*shape, "shape"));
    if (const Node* blocks = in.peek("CGALayout"))
      return at(*blocks, "padded_shared has no key CGALayout", "`offset = .., block = ..` instead of order and shape");
    Bases cga;
    TESSERA_CHECKED(in.cga(cga, orderList.size()));
    TESSERA_CHECKED(in.done());
    TESSERA_TRY(e.layout, plainOffsets(node, orderList, shapeList, cga));
    return Encoding{std::move(e)};
  }
  Bases offset, block;
  TESSERA_CHECKED(in.read("offset", offset, "block", block));
  TESSERA_CHECKED(in.done());
  TESSERA_TRY(e.layout, inferred(node, {{"offset", std::move(offset)}, {"block", std::move(block)}}));
  return Encoding{std::move(e)};
}

Result<Encoding> readSharedLinear(const Node& node, const Aliases& aliases) {
  // <{offset = ..}, alignment = 16>: the dictionary is an item, the rest are entries.
  if (node.items.size() != 1 || node.items[0].kind != Kind::Dictionary)
    return at(node, "shared_linear is not followed by <{offset = [..]}, alignment = N>");
  Fields in(node, node.items[0].entries, aliases), outer(node, node.entries, aliases);
  Bases offset, block;
  TESSERA_CHECKED(in.read("offset", offset));
  TESSERA_CHECKED(in.readIf("block", block));
  TESSERA_CHECKED(in.done());
  SharedLinear e;
  TESSERA_CHECKED(outer.read("alignment", e.alignment));
  TESSERA_CHECKED(outer.done());
  TESSERA_TRY(e.layout, inferred(node, {{"offset", std::move(offset)}, {"block", std::move(block)}}));
  return Encoding{std::move(e)};
}

Result<void> fieldsOf(PartitionedShared& e, Fields& in) {
  return in.read("numPartitions", e.numPartitions, "numGroups", e.numGroups, "partitionDim", e.partitionDim,
                 "partitionLayout", e.layout);
}

Result<void> fieldsOf(TensorMemory& e, Fields& in) {
  TESSERA_CHECKED(in.read("blockM", e.blockM, "blockN", e.blockN, "colStride", e.colStride));
  TESSERA_CHECKED(in.cga(e.cga, 2));
  TESSERA_CHECKED(in.readIf("twoCTAs", e.twoCtas));
  return in.readIf("fp4Padded", e.fp4Padded);
}

Result<void> fieldsOf(TensorMemoryScales& e, Fields& in) { return in.cga(e.cga, 2); }

Result<Encoding> readSpace(const Node& node, const Aliases&) {
  if (!node.items.empty() || !node.entries.empty()) return at(node, fmt::format("{} takes no parameters", node.name));
  return Encoding{MemorySpace{node.name == "#ttng.tensor_memory"}};
}

// #name<{k = v}>, or with `flat` #name<k = v>; every key must be taken.
template <class E, bool flat = false>
Result<Encoding> read(const Node& node, const Aliases& aliases) {
  if (!flat && (node.items.size() != 1 || node.items[0].kind != Kind::Dictionary))
    return at(node, fmt::format("{} is not followed by <{{key = value, ..}}>", node.name));
  Fields in(node, flat ? node.entries : node.items[0].entries, aliases);
  E e;
  TESSERA_CHECKED(fieldsOf(e, in));
  TESSERA_CHECKED(in.done());
  return Encoding{std::move(e)};
}

struct NamedReader {
  const char* name;
  Result<Encoding> (*read)(const Node&, const Aliases&);
};
constexpr NamedReader kReaders[] = {
    {"#ttg.blocked", read<Blocked>},
    {"#ttg.nvidia_mma", read<NvidiaMma>},
    {"#ttg.amd_mfma", read<Mfma>},
    {"#ttg.amd_wmma", read<Wmma>},
    {"#ttg.dot_op", read<DotOp>},
    {"#ttg.slice", read<Slice>},
    {"#ttg.linear", read<Linear>},
    {"#ttg.generic_linear", read<Linear>},
    {"#ttg.swizzled_shared", read<SwizzledShared>},
    {"#ttg.amd_rotating_shared", read<SwizzledShared>},
    {"#ttg.nvmma_shared", read<NvmmaShared>},
    {"#ttg.padded_shared", readPaddedShared},
    {"#ttg.shared_linear", readSharedLinear},
    {"#ttg.partitioned_shared", read<PartitionedShared>},
    {"#ttng.tensor_memory_encoding", read<TensorMemory, true>},
    {"#ttng.tensor_memory_scales_encoding", read<TensorMemoryScales, true>},
    {"#ttg.shared_memory", readSpace},
    {"#ttng.tensor_memory", readSpace},
};

}  // namespace

Result<Encoding> encodingOf(const Node& written, const Aliases& aliases) {
  TESSERA_TRY(const Node node, todaysSpelling(written));
  for (const NamedReader& reader : kReaders) {
    if (node.name != reader.name) continue;
    auto read = reader.read(node, aliases);
    if (!read) return read;
    if (auto fine = verify(*read); !fine) {
      fine.error().span = node.span;
      return fine.error();
    }
    return read;
  }
  const auto alias = aliases.find(node.name);
  if (alias != aliases.end() && node.items.empty() && node.entries.empty()) return alias->second;
  if (node.name.find('.') == std::string::npos)
    return at(node, fmt::format("the alias {} is not defined above", node.name),
              fmt::format("a line `{} = #ttg...`", node.name));
  return at(node, fmt::format("{} is not a layout attribute", node.name), "#ttg.blocked, #ttg.linear ...");
}

}  // namespace tessera::triton::detail
