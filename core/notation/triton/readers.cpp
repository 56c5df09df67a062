// From attribute trees (mlir.h) to encodings: one function per mnemonic, listed in kReaders.

#include <fmt/format.h>

#include <algorithm>
#include <map>
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

Result<Bases> basesFrom(const Node& node, const std::string& key) {
  if (node.kind != Kind::List) return at(node, fmt::format("{} is not a list of bases", key), "[[0, 1], [0, 2]]");
  Bases bases;
  for (const Node& item : node.items) {
    TESSERA_TRY(linear::Basis basis, integers(item, key));
    bases.push_back(std::move(basis));
  }
  return bases;
}

// The entries of one dictionary; done() checks that every key was taken.
class Fields {
 public:
  Fields(const Node& where, const std::vector<Entry>& entries) : where_(where), entries_(entries) {}

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
  [[nodiscard]] Result<const Node*> need(const std::string& key) {
    if (const Node* node = take(key)) return node;
    return at(where_, fmt::format("{} has no {}", where_.name, key), fmt::format("`{} = ..`", key));
  }
  [[nodiscard]] Result<i64> integer(const std::string& key, std::optional<i64> otherwise = {}) {
    if (otherwise && peek(key) == nullptr) return *otherwise;
    TESSERA_TRY(const Node* node, need(key));
    if (node->kind != Kind::Integer) return at(*node, fmt::format("{} is not an integer", key));
    return node->integer;
  }
  [[nodiscard]] Result<bool> boolean(const std::string& key, std::optional<bool> otherwise = {}) {
    if (otherwise && peek(key) == nullptr) return *otherwise;
    TESSERA_TRY(const Node* node, need(key));
    if (node->kind != Kind::Boolean) return at(*node, fmt::format("{} is not true or false", key));
    return node->integer != 0;
  }
  [[nodiscard]] Result<std::vector<i64>> list(const std::string& key) {
    TESSERA_TRY(const Node* node, need(key));
    return integers(*node, key);
  }
  [[nodiscard]] Result<std::vector<i64>> list(const std::string& key, std::vector<i64> otherwise) {
    return peek(key) == nullptr ? std::move(otherwise) : list(key);
  }
  [[nodiscard]] Result<Bases> bases(const std::string& key, bool orNone = false) {
    if (orNone && peek(key) == nullptr) return Bases{};
    TESSERA_TRY(const Node* node, need(key));
    return basesFrom(*node, key);
  }
  [[nodiscard]] Result<Bases> cga(std::size_t rank);
  [[nodiscard]] Result<void> done() const {
    for (const auto& [name, node] : entries_)
      if (taken_.count(name) == 0) return at(node, fmt::format("{} has no key {}", where_.name, name));
    return {};
  }

 private:
  const Node& where_;
  const std::vector<Entry>& entries_;
  std::set<std::string> taken_;
};

// Older text gives the blocks per dimension instead of bases: order first, split blocks before broadcast ones.
Result<Bases> olderCga(Fields& in, std::size_t rank, const Node& where) {
  TESSERA_TRY(const auto counts, in.list("CTAsPerCGA"));
  TESSERA_TRY(const auto splits, in.list("CTASplitNum"));
  TESSERA_TRY(const auto order, in.list("CTAOrder"));
  if (counts.size() != rank || splits.size() != rank || order.size() != rank)
    return at(where, fmt::format("CTAsPerCGA, CTASplitNum and CTAOrder do not all have rank {}", rank));
  Bases bases;
  for (const i64 dim : order) {
    if (dim < 0 || dim >= static_cast<i64>(rank)) return at(where, fmt::format("CTAOrder names dimension {}", dim));
    const std::size_t k = static_cast<std::size_t>(dim);
    if (!isPowerOfTwo(counts[k]) || !isPowerOfTwo(splits[k]) || splits[k] > counts[k])
      return at(where, fmt::format("{} blocks cannot split dimension {} by {}", counts[k], dim, splits[k]));
    for (i64 b = 1; b < counts[k]; b *= 2) {
      linear::Basis basis(rank, 0);
      if (b < splits[k]) basis[k] = b;
      bases.push_back(std::move(basis));
    }
  }
  return bases;
}

Result<Bases> Fields::cga(std::size_t rank) {
  if (const Node* node = take("CGALayout")) {
    TESSERA_TRY(Bases bases, basesFrom(*node, "CGALayout"));
    for (const linear::Basis& basis : bases)
      if (basis.size() != rank)
        return at(*node,
                  fmt::format("a basis of CGALayout has {} coordinates, the layout has rank {}", basis.size(), rank));
    return bases;
  }
  for (const char* older : {"CTAsPerCGA", "CTASplitNum", "CTAOrder"})
    if (peek(older) != nullptr) return olderCga(*this, rank, where_);
  return Bases{};
}

Result<Parent> parentOf(Fields& in, const std::string& key, const Aliases& aliases) {
  TESSERA_TRY(const Node* node, in.need(key));
  if (node->kind != Kind::Attribute)
    return at(*node, fmt::format("{} is not an attribute", key), "#ttg... or an alias");
  TESSERA_TRY(Encoding parent, encodingOf(*node, aliases));
  return Parent{std::make_shared<const Encoding>(std::move(parent))};
}

Result<void> fieldsOf(Blocked& e, Fields& in, const Node&, const Aliases&) {
  TESSERA_TRY(e.sizePerThread, in.list("sizePerThread"));
  TESSERA_TRY(e.threadsPerWarp, in.list("threadsPerWarp"));
  TESSERA_TRY(e.warpsPerCta, in.list("warpsPerCTA"));
  TESSERA_TRY(e.order, in.list("order"));
  TESSERA_TRY(e.cga, in.cga(e.order.size()));
  return {};
}

Result<void> fieldsOf(NvidiaMma& e, Fields& in, const Node&, const Aliases&) {
  TESSERA_TRY(e.versionMajor, in.integer("versionMajor"));
  TESSERA_TRY(e.versionMinor, in.integer("versionMinor", 0));
  TESSERA_TRY(e.warpsPerCta, in.list("warpsPerCTA"));
  TESSERA_TRY(e.instrShape, in.list("instrShape"));
  TESSERA_TRY(e.cga, in.cga(e.warpsPerCta.size()));
  return {};
}

Result<void> fieldsOf(Mfma& e, Fields& in, const Node&, const Aliases&) {
  TESSERA_TRY(e.version, in.integer("version"));
  TESSERA_TRY(e.warpsPerCta, in.list("warpsPerCTA"));
  TESSERA_TRY(e.instrShape, in.list("instrShape"));
  TESSERA_TRY(e.isTransposed, in.boolean("isTransposed"));
  TESSERA_TRY(e.cga, in.cga(e.warpsPerCta.size()));
  e.tilesPerWarp.assign(e.warpsPerCta.size(), 1);
  TESSERA_TRY(e.tilesPerWarp, in.list("tilesPerWarp", e.tilesPerWarp));
  TESSERA_TRY(e.elementBitWidth, in.integer("elementBitWidth", 32));
  return {};
}

Result<void> fieldsOf(Wmma& e, Fields& in, const Node& node, const Aliases&) {
  TESSERA_TRY(e.version, in.integer("version"));
  TESSERA_TRY(e.isTranspose, in.boolean("isTranspose", false));
  TESSERA_TRY(const Node* layout, in.need("ctaLayout"));
  if (layout->kind != Kind::Dictionary) return at(*layout, "ctaLayout is not {warp = [..]}");
  Fields cta(*layout, layout->entries);
  // The compiler omits empty bases: `ctaLayout = {}` is one warp and one tile.
  TESSERA_TRY(e.ctaRegister, cta.bases("register", true));
  TESSERA_TRY(e.ctaWarp, cta.bases("warp", true));
  TESSERA_CHECKED(cta.done());
  const Bases& bases = e.ctaWarp.empty() ? e.ctaRegister : e.ctaWarp;
  if (!bases.empty()) e.rank = static_cast<i64>(bases[0].size());
  if (const Node* cga = bases.empty() ? in.take("CGALayout") : nullptr) {
    TESSERA_TRY(const Bases blocks, basesFrom(*cga, "CGALayout"));
    if (!blocks.empty()) e.rank = static_cast<i64>(blocks[0].size());
  }
  TESSERA_TRY(const i64 rank, in.integer("rank", e.rank));
  if (rank != e.rank && !bases.empty())
    return at(node, fmt::format("rank is {}, the bases of ctaLayout have rank {}", rank, e.rank));
  e.rank = rank;
  TESSERA_TRY(e.instrShape, in.list("instrShape", e.instrShape));
  TESSERA_TRY(e.cga, in.cga(static_cast<std::size_t>(e.rank)));
  return {};
}

Result<void> fieldsOf(DotOp& e, Fields& in, const Node&, const Aliases& aliases) {
  TESSERA_TRY(e.opIdx, in.integer("opIdx"));
  TESSERA_TRY(e.parent, parentOf(in, "parent", aliases));
  TESSERA_TRY(e.kWidth, in.integer("kWidth", 0));
  return {};
}

Result<void> fieldsOf(Slice& e, Fields& in, const Node&, const Aliases& aliases) {
  TESSERA_TRY(e.dim, in.integer("dim"));
  TESSERA_TRY(e.parent, parentOf(in, "parent", aliases));
  return {};
}

// Names -> a layout onto dim0 .., sizes inferred; an error has the node's place.
Result<linear::Layout> inferred(const Node& node, std::vector<linear::In> ins) {
  std::size_t rank = 0;
  for (const linear::In& in : ins)
    for (const linear::Basis& basis : in.bases) rank = std::max(rank, basis.size());
  if (rank == 0) return at(node, "there is no basis, so the rank is not known", "at least one basis");
  auto made = linear::Layout::createInferred(std::move(ins), linear::dimNames(rank));
  if (!made) made.error().span = node.span;
  return made;
}

Result<void> fieldsOf(Linear& e, Fields& in, const Node& node, const Aliases&) {
  std::vector<linear::In> ins;
  for (const char* name : {"register", "lane", "warp", "block"}) {
    TESSERA_TRY(Bases bases, in.bases(name));
    ins.push_back({name, std::move(bases)});
  }
  TESSERA_CHECKED(in.done());
  e.generic = node.name == "#ttg.generic_linear";
  TESSERA_TRY(e.layout, inferred(node, std::move(ins)));
  return {};
}

Result<void> fieldsOf(SwizzledShared& e, Fields& in, const Node& node, const Aliases&) {
  e.rotating = node.name == "#ttg.amd_rotating_shared";
  TESSERA_TRY(e.vec, in.integer("vec"));
  TESSERA_TRY(e.perPhase, in.integer("perPhase"));
  TESSERA_TRY(e.maxPhase, in.integer("maxPhase"));
  TESSERA_TRY(e.order, in.list("order"));
  TESSERA_TRY(e.cga, in.cga(e.order.size()));
  return {};
}

Result<void> fieldsOf(NvmmaShared& e, Fields& in, const Node& node, const Aliases&) {
  TESSERA_TRY(e.swizzlingByteWidth, in.integer("swizzlingByteWidth"));
  TESSERA_TRY(e.transposed, in.boolean("transposed", false));
  TESSERA_TRY(e.elementBitWidth, in.integer("elementBitWidth"));
  TESSERA_TRY(e.fp4Padded, in.boolean("fp4Padded", false));
  // With blocks, the rank is that of their bases, and the compiler prints no other.
  const Node* blocks = in.peek("CGALayout");
  const bool counted = blocks != nullptr && blocks->kind == Kind::List && !blocks->items.empty();
  TESSERA_TRY(e.rank, in.integer("rank", counted ? static_cast<i64>(blocks->items[0].items.size()) : 2));
  if (e.rank < 1 || e.rank > 16) return at(node, fmt::format("rank {} is not one of a tensor", e.rank));
  TESSERA_TRY(e.cga, in.cga(static_cast<std::size_t>(e.rank)));
  return {};
}

// offset bits fill the dimensions of `shape` in `order`.
Result<linear::Layout> plainOffsets(const Node& node, const std::vector<i64>& order, const std::vector<i64>& shape,
                                    const Bases& cga) {
  if (order.size() != shape.size())
    return at(node, fmt::format("order has {} dimensions, shape has {}", order.size(), shape.size()));
  std::vector<i64> sorted = order;
  std::sort(sorted.begin(), sorted.end());
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
      linear::Basis basis(shape.size(), 0);
      basis[k] = b;
      offset.bases.push_back(std::move(basis));
    }
  }
  for (linear::Basis basis : cga) {
    for (std::size_t k = 0; k < basis.size(); ++k) basis[k] *= std::max<i64>(shape[k] / split[k], 1);
    block.bases.push_back(std::move(basis));
  }
  std::vector<linear::Out> outs;
  for (std::size_t k = 0; k < shape.size(); ++k) outs.push_back({fmt::format("dim{}", k), shape[k]});
  auto made = linear::Layout::create({std::move(offset), std::move(block)}, std::move(outs), true);
  if (!made) made.error().span = node.span;
  return made;
}

Result<Encoding> readPaddedShared(const Node& node, const Aliases&) {
  if (node.items.size() != 2 || node.items[0].kind != Kind::List || node.items[1].kind != Kind::Dictionary)
    return at(node, "padded_shared is not followed by <[interval:+padding, ..] {..}>");
  PaddedShared e;
  for (const Node& item : node.items[0].items) {
    if (item.kind != Kind::Padding) return at(item, "this is not interval:+padding", "32:+4");
    e.intervals.push_back({item.integer, item.second});
  }
  Fields in(node, node.items[1].entries);
  const Node *order = in.take("order"), *shape = in.take("shape");
  if (order != nullptr || shape != nullptr) {
    if (order == nullptr || shape == nullptr) return at(node, "order and shape belong together");
    TESSERA_TRY(const auto orderList, integers(*order, "order"));
    TESSERA_TRY(const auto shapeList, integers(*shape, "shape"));
    if (const Node* blocks = in.peek("CGALayout"))
      return at(*blocks, "padded_shared has no key CGALayout", "`offset = .., block = ..` instead of order and shape");
    TESSERA_TRY(const Bases cga, in.cga(orderList.size()));
    TESSERA_CHECKED(in.done());
    TESSERA_TRY(e.layout, plainOffsets(node, orderList, shapeList, cga));
    return Encoding{std::move(e)};
  }
  TESSERA_TRY(Bases offset, in.bases("offset"));
  TESSERA_TRY(Bases block, in.bases("block"));
  TESSERA_CHECKED(in.done());
  TESSERA_TRY(e.layout, inferred(node, {{"offset", std::move(offset)}, {"block", std::move(block)}}));
  return Encoding{std::move(e)};
}

Result<Encoding> readSharedLinear(const Node& node, const Aliases&) {
  // <{offset = ..}, alignment = 16>: the dictionary is an item, the rest are entries.
  if (node.items.size() != 1 || node.items[0].kind != Kind::Dictionary)
    return at(node, "shared_linear is not followed by <{offset = [..]}, alignment = N>");
  Fields in(node, node.items[0].entries), outer(node, node.entries);
  TESSERA_TRY(Bases offset, in.bases("offset"));
  TESSERA_TRY(Bases block, in.bases("block", true));
  TESSERA_CHECKED(in.done());
  SharedLinear e;
  TESSERA_TRY(e.alignment, outer.integer("alignment"));
  TESSERA_CHECKED(outer.done());
  TESSERA_TRY(e.layout, inferred(node, {{"offset", std::move(offset)}, {"block", std::move(block)}}));
  return Encoding{std::move(e)};
}

Result<void> fieldsOf(PartitionedShared& e, Fields& in, const Node&, const Aliases& aliases) {
  TESSERA_TRY(e.numPartitions, in.integer("numPartitions"));
  TESSERA_TRY(e.numGroups, in.integer("numGroups"));
  TESSERA_TRY(e.partitionDim, in.integer("partitionDim"));
  TESSERA_TRY(e.layout, parentOf(in, "partitionLayout", aliases));
  return {};
}

Result<void> fieldsOf(TensorMemory& e, Fields& in, const Node&, const Aliases&) {
  TESSERA_TRY(e.blockM, in.integer("blockM"));
  TESSERA_TRY(e.blockN, in.integer("blockN"));
  TESSERA_TRY(e.colStride, in.integer("colStride"));
  TESSERA_TRY(e.cga, in.cga(2));
  TESSERA_TRY(e.twoCtas, in.boolean("twoCTAs", false));
  TESSERA_TRY(e.fp4Padded, in.boolean("fp4Padded", false));
  return {};
}

Result<void> fieldsOf(TensorMemoryScales& e, Fields& in, const Node&, const Aliases&) {
  TESSERA_TRY(e.cga, in.cga(2));
  return {};
}

Result<Encoding> readSpace(const Node& node, const Aliases&) {
  if (!node.items.empty() || !node.entries.empty()) return at(node, fmt::format("{} takes no parameters", node.name));
  return Encoding{MemorySpace{node.name == "#ttng.tensor_memory"}};
}

// #name<{k = v}>, or with `flat` #name<k = v>; every key must be taken.
template <class E, bool flat = false>
Result<Encoding> read(const Node& node, const Aliases& aliases) {
  if (!flat && (node.items.size() != 1 || node.items[0].kind != Kind::Dictionary))
    return at(node, fmt::format("{} is not followed by <{{key = value, ..}}>", node.name));
  Fields in(node, flat ? node.entries : node.items[0].entries);
  E e;
  TESSERA_CHECKED(fieldsOf(e, in, node, aliases));
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

Result<Encoding> encodingOf(const Node& node, const Aliases& aliases) {
  for (const NamedReader& reader : kReaders) {
    if (node.name != reader.name) continue;
    auto read = reader.read(node, aliases);
    if (!read) return read;
    if (auto fine = verify(*read); !fine) {
      Diag diag = fine.error();
      diag.span = node.span;
      return diag;
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
