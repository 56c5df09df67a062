// From attribute trees (mlir.h) to encodings: one function per mnemonic, listed in kReaders.
#include "core/notation/triton/readers.h"

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
    const Node* node = take(key);
    if (node == nullptr && otherwise) return *otherwise;
    if (node == nullptr)
      return at(where_, fmt::format("{} has no {}", where_.name, key), fmt::format("`{} = ..`", key));
    if (node->kind != Kind::Integer) return at(*node, fmt::format("{} is not an integer", key));
    return node->integer;
  }
  [[nodiscard]] Result<bool> boolean(const std::string& key, std::optional<bool> otherwise = {}) {
    const Node* node = take(key);
    if (node == nullptr && otherwise) return *otherwise;
    if (node == nullptr)
      return at(where_, fmt::format("{} has no {}", where_.name, key), fmt::format("`{} = ..`", key));
    if (node->kind != Kind::Boolean) return at(*node, fmt::format("{} is not true or false", key));
    return node->integer != 0;
  }
  [[nodiscard]] Result<std::vector<i64>> list(const std::string& key) {
    TESSERA_TRY(const Node* node, need(key));
    return integers(*node, key);
  }
  [[nodiscard]] Result<Bases> bases(const std::string& key) {
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
  const auto has = [&](const char* key) {
    return std::any_of(entries_.begin(), entries_.end(), [&](const auto& e) { return e.key == key; });
  };
  if (has("CTAsPerCGA") || has("CTASplitNum") || has("CTAOrder")) return olderCga(*this, rank, where_);
  return Bases{};
}

Result<Parent> parentOf(Fields& in, const std::string& key, const Aliases& aliases) {
  TESSERA_TRY(const Node* node, in.need(key));
  if (node->kind != Kind::Attribute)
    return at(*node, fmt::format("{} is not an attribute", key), "#ttg... or an alias");
  TESSERA_TRY(Encoding parent, encodingOf(*node, aliases));
  return Parent{std::make_shared<const Encoding>(std::move(parent))};
}

// {k = v} of #name<{k = v}>.
Result<Fields> dictionary(const Node& node) {
  if (node.items.size() != 1 || node.items[0].kind != Kind::Dictionary)
    return at(node, fmt::format("{} is not followed by <{{key = value, ..}}>", node.name));
  return Fields(node, node.items[0].entries);
}

Result<Encoding> readBlocked(const Node& node, const Aliases&) {
  TESSERA_TRY(Fields in, dictionary(node));
  Blocked e;
  TESSERA_TRY(e.sizePerThread, in.list("sizePerThread"));
  TESSERA_TRY(e.threadsPerWarp, in.list("threadsPerWarp"));
  TESSERA_TRY(e.warpsPerCta, in.list("warpsPerCTA"));
  TESSERA_TRY(e.order, in.list("order"));
  TESSERA_TRY(e.cga, in.cga(e.order.size()));
  TESSERA_CHECKED(in.done());
  return Encoding{std::move(e)};
}

Result<Encoding> readNvidiaMma(const Node& node, const Aliases&) {
  TESSERA_TRY(Fields in, dictionary(node));
  NvidiaMma e;
  TESSERA_TRY(e.versionMajor, in.integer("versionMajor"));
  TESSERA_TRY(e.versionMinor, in.integer("versionMinor", 0));
  TESSERA_TRY(e.warpsPerCta, in.list("warpsPerCTA"));
  TESSERA_TRY(e.instrShape, in.list("instrShape"));
  TESSERA_TRY(e.cga, in.cga(e.warpsPerCta.size()));
  TESSERA_CHECKED(in.done());
  return Encoding{std::move(e)};
}

Result<Encoding> readMfma(const Node& node, const Aliases&) {
  TESSERA_TRY(Fields in, dictionary(node));
  Mfma e;
  TESSERA_TRY(e.version, in.integer("version"));
  TESSERA_TRY(e.warpsPerCta, in.list("warpsPerCTA"));
  TESSERA_TRY(e.instrShape, in.list("instrShape"));
  TESSERA_TRY(e.isTransposed, in.boolean("isTransposed"));
  TESSERA_TRY(e.cga, in.cga(e.warpsPerCta.size()));
  e.tilesPerWarp.assign(e.warpsPerCta.size(), 1);
  if (const Node* tiles = in.take("tilesPerWarp")) {
    TESSERA_TRY(e.tilesPerWarp, integers(*tiles, "tilesPerWarp"));
  }
  TESSERA_TRY(e.elementBitWidth, in.integer("elementBitWidth", 32));
  TESSERA_CHECKED(in.done());
  return Encoding{std::move(e)};
}

Result<Encoding> readWmma(const Node& node, const Aliases&) {
  TESSERA_TRY(Fields in, dictionary(node));
  Wmma e;
  TESSERA_TRY(e.version, in.integer("version"));
  TESSERA_TRY(e.isTranspose, in.boolean("isTranspose", false));
  TESSERA_TRY(const Node* layout, in.need("ctaLayout"));
  if (layout->kind != Kind::Dictionary) return at(*layout, "ctaLayout is not {warp = [..]}");
  Fields cta(*layout, layout->entries);
  // The compiler omits empty bases: `ctaLayout = {}` is one warp and one tile.
  if (const Node* registers = cta.take("register")) {
    TESSERA_TRY(e.ctaRegister, basesFrom(*registers, "register"));
  }
  if (const Node* warps = cta.take("warp")) {
    TESSERA_TRY(e.ctaWarp, basesFrom(*warps, "warp"));
  }
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
  if (const Node* shape = in.take("instrShape")) {
    TESSERA_TRY(e.instrShape, integers(*shape, "instrShape"));
  }
  TESSERA_TRY(e.cga, in.cga(static_cast<std::size_t>(e.rank)));
  TESSERA_CHECKED(in.done());
  return Encoding{std::move(e)};
}

Result<Encoding> readDotOp(const Node& node, const Aliases& aliases) {
  TESSERA_TRY(Fields in, dictionary(node));
  DotOp e;
  TESSERA_TRY(e.opIdx, in.integer("opIdx"));
  TESSERA_TRY(e.parent, parentOf(in, "parent", aliases));
  TESSERA_TRY(e.kWidth, in.integer("kWidth", 0));
  TESSERA_CHECKED(in.done());
  return Encoding{std::move(e)};
}

Result<Encoding> readSlice(const Node& node, const Aliases& aliases) {
  TESSERA_TRY(Fields in, dictionary(node));
  Slice e;
  TESSERA_TRY(e.dim, in.integer("dim"));
  TESSERA_TRY(e.parent, parentOf(in, "parent", aliases));
  TESSERA_CHECKED(in.done());
  return Encoding{std::move(e)};
}

// Names -> a layout onto dim0 .., sizes inferred; an error has the node's place.
Result<linear::Layout> inferred(const Node& node, std::vector<linear::In> ins) {
  std::size_t rank = 0;
  for (const linear::In& in : ins)
    for (const linear::Basis& basis : in.bases) rank = std::max(rank, basis.size());
  if (rank == 0) return at(node, "there is no basis, so the rank is not known", "at least one basis");
  std::vector<std::string> outs;
  for (std::size_t k = 0; k < rank; ++k) outs.push_back(fmt::format("dim{}", k));
  auto made = linear::Layout::createInferred(std::move(ins), std::move(outs));
  if (!made) made.error().span = node.span;
  return made;
}

Result<Encoding> readLinear(const Node& node, const Aliases&) {
  TESSERA_TRY(Fields in, dictionary(node));
  std::vector<linear::In> ins;
  for (const char* name : {"register", "lane", "warp", "block"}) {
    TESSERA_TRY(Bases bases, in.bases(name));
    ins.push_back({name, std::move(bases)});
  }
  TESSERA_CHECKED(in.done());
  TESSERA_TRY(linear::Layout layout, inferred(node, std::move(ins)));
  return Encoding{Linear{node.name == "#ttg.generic_linear", std::move(layout)}};
}

Result<Encoding> readSwizzledShared(const Node& node, const Aliases&) {
  TESSERA_TRY(Fields in, dictionary(node));
  SwizzledShared e;
  e.rotating = node.name == "#ttg.amd_rotating_shared";
  TESSERA_TRY(e.vec, in.integer("vec"));
  TESSERA_TRY(e.perPhase, in.integer("perPhase"));
  TESSERA_TRY(e.maxPhase, in.integer("maxPhase"));
  TESSERA_TRY(e.order, in.list("order"));
  TESSERA_TRY(e.cga, in.cga(e.order.size()));
  TESSERA_CHECKED(in.done());
  return Encoding{std::move(e)};
}

Result<Encoding> readNvmmaShared(const Node& node, const Aliases&) {
  TESSERA_TRY(Fields in, dictionary(node));
  NvmmaShared e;
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
  TESSERA_CHECKED(in.done());
  return Encoding{std::move(e)};
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
  Bases block;
  if (const Node* blocks = in.take("block")) {
    TESSERA_TRY(block, basesFrom(*blocks, "block"));
  }
  TESSERA_CHECKED(in.done());
  SharedLinear e;
  TESSERA_TRY(e.alignment, outer.integer("alignment"));
  TESSERA_CHECKED(outer.done());
  TESSERA_TRY(e.layout, inferred(node, {{"offset", std::move(offset)}, {"block", std::move(block)}}));
  return Encoding{std::move(e)};
}

Result<Encoding> readPartitionedShared(const Node& node, const Aliases& aliases) {
  TESSERA_TRY(Fields in, dictionary(node));
  PartitionedShared e;
  TESSERA_TRY(e.numPartitions, in.integer("numPartitions"));
  TESSERA_TRY(e.numGroups, in.integer("numGroups"));
  TESSERA_TRY(e.partitionDim, in.integer("partitionDim"));
  TESSERA_TRY(e.layout, parentOf(in, "partitionLayout", aliases));
  TESSERA_CHECKED(in.done());
  return Encoding{std::move(e)};
}

Result<Encoding> readTensorMemory(const Node& node, const Aliases&) {
  Fields in(node, node.entries);
  TensorMemory e;
  TESSERA_TRY(e.blockM, in.integer("blockM"));
  TESSERA_TRY(e.blockN, in.integer("blockN"));
  TESSERA_TRY(e.colStride, in.integer("colStride"));
  TESSERA_TRY(e.cga, in.cga(2));
  TESSERA_TRY(e.twoCtas, in.boolean("twoCTAs", false));
  TESSERA_TRY(e.fp4Padded, in.boolean("fp4Padded", false));
  TESSERA_CHECKED(in.done());
  return Encoding{std::move(e)};
}

Result<Encoding> readTensorMemoryScales(const Node& node, const Aliases&) {
  Fields in(node, node.entries);
  TensorMemoryScales e;
  TESSERA_TRY(e.cga, in.cga(2));
  TESSERA_CHECKED(in.done());
  return Encoding{std::move(e)};
}

Result<Encoding> readSpace(const Node& node, const Aliases&) {
  if (!node.items.empty() || !node.entries.empty()) return at(node, fmt::format("{} takes no parameters", node.name));
  return Encoding{MemorySpace{node.name == "#ttng.tensor_memory"}};
}

struct NamedReader {
  const char* name;
  Result<Encoding> (*read)(const Node&, const Aliases&);
};
constexpr NamedReader kReaders[] = {
    {"#ttg.blocked", readBlocked},
    {"#ttg.nvidia_mma", readNvidiaMma},
    {"#ttg.amd_mfma", readMfma},
    {"#ttg.amd_wmma", readWmma},
    {"#ttg.dot_op", readDotOp},
    {"#ttg.slice", readSlice},
    {"#ttg.linear", readLinear},
    {"#ttg.generic_linear", readLinear},
    {"#ttg.swizzled_shared", readSwizzledShared},
    {"#ttg.amd_rotating_shared", readSwizzledShared},
    {"#ttg.nvmma_shared", readNvmmaShared},
    {"#ttg.padded_shared", readPaddedShared},
    {"#ttg.shared_linear", readSharedLinear},
    {"#ttg.partitioned_shared", readPartitionedShared},
    {"#ttng.tensor_memory_encoding", readTensorMemory},
    {"#ttng.tensor_memory_scales_encoding", readTensorMemoryScales},
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
