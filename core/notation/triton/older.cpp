// Attributes as older compilers printed them, rewritten to today's spelling before they are read.
//
//     #triton_gpu.shared<{vec = 16, perPhase = 4, maxPhase = 2, order = [1, 0], hasLeadingOffset = true}>
//       = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8}>
//     #triton_nvidia_gpu.tensor_memory_encoding<blockM = 128, blockN = 64, unpacked = true>
//       = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/arith.h"
#include "core/notation/triton/mlir.h"

namespace tessera::triton::detail {

using mlir::Entry;
using mlir::Node;

namespace {

using Kind = Node::Kind;
using Entries = std::vector<Entry>;

Node* entryOf(Entries& entries, std::string_view key) {
  const auto found = std::ranges::find_if(entries, [&](const Entry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}
void drop(Entries& entries, std::string_view key) {
  std::erase_if(entries, [&](const Entry& e) { return e.key == key; });
}
i64 integerOf(Entries& entries, std::string_view key, i64 otherwise) {
  const Node* node = entryOf(entries, key);
  return node == nullptr ? otherwise : node->integer;
}
Node numberNode(i64 value, const Node& like, Kind kind = Kind::Integer) {
  Node node;
  node.kind = kind;
  node.span = like.span;
  node.integer = value;
  return node;
}
Node listNode(const std::vector<i64>& values, const Node& like) {
  Node node = numberNode(0, like, Kind::List);
  for (const i64 value : values) node.items.push_back(numberNode(value, like));
  return node;
}

// hasLeadingOffset: rows of swizzlingByteWidth bytes, of which vec elements make 16 bytes.
Result<void> leadingOffset(Node& node, Entries& entries) {
  const i64 vec = integerOf(entries, "vec", 0), phase = integerOf(entries, "perPhase", 0),
            most = integerOf(entries, "maxPhase", 0);
  const bool plain = most == 1;
  if (vec < 1 || (!plain && (phase < 1 || phase * most != 8)))
    return Diag{
        fmt::format("vec = {}, perPhase = {}, maxPhase = {} is no swizzle of 32, 64 or 128 bytes", vec, phase, most),
        "perPhase * maxPhase = 8",
        {},
        node.span};
  const Node* order = entryOf(entries, "order");
  const bool transposed = order != nullptr && order->items.size() > 1 &&
                          order->items[0].integer != static_cast<i64>(order->items.size()) - 1;
  const std::size_t rank = order == nullptr ? 2 : order->items.size();
  for (const char* key : {"vec", "perPhase", "maxPhase", "order"}) drop(entries, key);
  entries.push_back({"swizzlingByteWidth", numberNode(plain ? 0 : 16 * most, node)});
  entries.push_back({"transposed", numberNode(transposed ? 1 : 0, node, Kind::Boolean)});
  entries.push_back({"elementBitWidth", numberNode(128 / vec, node)});
  if (rank != 2) entries.push_back({"rank", numberNode(static_cast<i64>(rank), node)});
  node.name = "#ttg.nvmma_shared";
  return {};
}

Result<void> olderShared(Node& node, Entries& entries) {
  const bool leading = integerOf(entries, "hasLeadingOffset", 0) != 0;
  drop(entries, "hasLeadingOffset");
  if (leading) return leadingOffset(node, entries);
  node.name = "#ttg.swizzled_shared";
  return {};
}

// Version 2 had one instruction.
Result<void> nvidiaMma(Node& node, Entries& entries) {
  node.name = "#ttg.nvidia_mma";
  if (entryOf(entries, "instrShape") == nullptr && integerOf(entries, "versionMajor", 0) == 2)
    entries.push_back({"instrShape", listNode({16, 8}, node)});
  return {};
}

// versionMajor instead of version; instrShape, or nonKDim, without the depth.
Result<void> mfma(Node& node, Entries& entries) {
  node.name = "#ttg.amd_mfma";
  if (entryOf(entries, "version") == nullptr)
    entries.push_back({"version", numberNode(integerOf(entries, "versionMajor", 3), node)});
  drop(entries, "versionMajor");
  drop(entries, "versionMinor");
  if (const i64 side = integerOf(entries, "nonKDim", 0); side != 0) {
    drop(entries, "nonKDim");
    entries.push_back({"instrShape", listNode({side, side}, node)});
  }
  Node* shape = entryOf(entries, "instrShape");
  if (shape != nullptr && shape->items.size() == 2)
    shape->items.push_back(numberNode(shape->items[0].integer == 32 ? 8 : 16, node));
  return {};
}

// warpsPerCTA instead of the bases of ctaLayout: the last dimension first.
Result<void> wmma(Node& node, Entries& entries) {
  node.name = "#ttg.amd_wmma";
  const Node* warps = entryOf(entries, "warpsPerCTA");
  if (warps == nullptr || entryOf(entries, "ctaLayout") != nullptr) return {};
  Node bases = numberNode(0, node, Kind::List);
  const std::size_t rank = warps->items.size();
  for (std::size_t k = rank; k-- > 0;)
    for (i64 b = 1; b < std::min<i64>(warps->items[k].integer, 1024); b *= 2)
      bases.items.push_back(listNode(linear::unitBasis(rank, k, b), node));
  Node layout = numberNode(0, node, Kind::Dictionary);
  if (!bases.items.empty()) layout.entries.push_back({"warp", std::move(bases)});
  if (layout.entries.empty() && rank == 3) entries.push_back({"rank", numberNode(3, node)});
  drop(entries, "warpsPerCTA");
  entries.push_back({"ctaLayout", std::move(layout)});
  return {};
}

// unpacked: one element in each column of 32 bits. The attribute does not know the element: 32 bits are assumed, where
// both are colStride 1; a reader that knows the type writes colStride itself.
Result<void> olderTensorMemory(Node&, Entries& entries) {
  const Node at = entries.empty() ? Node() : entries.front().value;
  if (entryOf(entries, "unpacked") != nullptr) {
    drop(entries, "unpacked");
    if (entryOf(entries, "colStride") == nullptr) entries.push_back({"colStride", numberNode(1, at)});
  }
  const i64 m = integerOf(entries, "CTASplitM", 1), n = integerOf(entries, "CTASplitN", 1);
  drop(entries, "CTASplitM");
  drop(entries, "CTASplitN");
  if (m < 1 || n < 1 || m > 16 || n > 16 || !isPowerOfTwo(m) || !isPowerOfTwo(n))
    return Diag{fmt::format("{} x {} blocks do not split tensor memory", m, n), "powers of two", {}, at.span};
  Node blocks = numberNode(0, at, Kind::List);
  for (i64 b = 1; b < m; b *= 2) blocks.items.push_back(listNode({b, 0}, at));
  for (i64 b = 1; b < n; b *= 2) blocks.items.push_back(listNode({0, b}, at));
  if (!blocks.items.empty()) entries.push_back({"CGALayout", std::move(blocks)});
  return {};
}

struct Older {
  std::string_view name;
  Result<void> (*rewrite)(Node&, Entries&);
  bool flat = false;  // <k = v> without braces
};
constexpr std::array<Older, 8> kOlder = {{
    {"#ttg.shared", olderShared},
    {"#ttg.mma", nvidiaMma},
    {"#ttg.nvidia_mma", nvidiaMma},
    {"#ttg.mfma", mfma},
    {"#ttg.amd_mfma", mfma},
    {"#ttg.wmma", wmma},
    {"#ttg.amd_wmma", wmma},
    {"#ttng.tensor_memory_encoding", olderTensorMemory, true},
}};

}  // namespace

Result<Node> todaysSpelling(Node node) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kDialects = {
      {{"#triton_gpu.", "#ttg."}, {"#triton_nvidia_gpu.", "#ttng."}}};
  for (const auto& [older, today] : kDialects)
    if (node.name.starts_with(older)) node.name.replace(0, older.size(), today);
  const auto row = std::ranges::find_if(kOlder, [&](const Older& r) { return r.name == node.name; });
  if (row == kOlder.end()) return node;
  const bool braces = node.items.size() == 1 && node.items[0].kind == Kind::Dictionary;
  if (!row->flat && !braces) return node;
  TESSERA_CHECKED(row->rewrite(node, row->flat ? node.entries : node.items[0].entries));
  return node;
}

}  // namespace tessera::triton::detail
