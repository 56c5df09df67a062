// NVIDIA's instructions in MLIR (nvvm, nvgpu) and as intrinsics of LLVM.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/paste/vendor/instruction_text.h"

namespace tessera::paste::instruction {
namespace {

using Kind = Meaning::Kind;

// The operation: to the end of its line, and on while brackets are open.
std::string_view operation(std::string_view rest) {
  Cursor in(rest.substr(0, 8192));
  while (in.position() < in.text().size() && in.raw() != '\n') {
    if (in.raw() == '"' || std::string_view("([{").find(in.raw()) == std::string_view::npos ||
        !in.acceptBracketed(false))
      in.advance();
  }
  return in.text().substr(0, in.position());
}

// "key = 4", "key=4", "key = [16, 8, 16]": the text after `=`.
std::optional<std::string_view> valueOf(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at > 0 && isNamePart(text[at - 1])) continue;
    std::string_view after = stripped(text.substr(at + key.size()));
    if (!after.starts_with('=')) continue;
    return stripped(after.substr(1));
  }
  return std::nullopt;
}

std::optional<i64> numberOf(std::string_view text, std::string_view key) {
  const auto value = valueOf(text, key);
  if (!value) return std::nullopt;
  Cursor in(*value);
  const auto n = in.atInteger() ? in.integer() : Result<i64>(Diag{""});
  return n ? std::optional<i64>(*n) : std::nullopt;
}

// m16n8k16 of `shape = #nvvm.shape<m = 16, n = 8, k = 16>` or `mmaShape = [16, 8, 16]`.
std::string shapeOf(std::string_view text) {
  if (const auto list = valueOf(text, "mmaShape")) {
    Cursor in(*list);
    std::array<i64, 3> n{};
    if (!in.accept('[')) return {};
    for (i64& one : n) {
      const auto read = in.integer();
      if (!read) return {};
      one = *read;
      (void)in.accept(',');
    }
    return fmt::format("m{}n{}k{}", n[0], n[1], n[2]);
  }
  const std::size_t at = text.find("shape<m");
  if (at == std::string_view::npos) return {};
  const std::string_view inside = text.substr(at + 5, text.find('>', at) - at - 5);
  const auto m = numberOf(inside, "m"), n = numberOf(inside, "n"), k = numberOf(inside, "k");
  return m && n && k ? fmt::format("m{}n{}k{}", *m, *n, *k) : std::string();
}

// The element of the k-th `vector<..xT>` or scalar in the operand types; "" if there is none.
std::vector<std::string> elementTypes(std::string_view text) {
  const std::size_t colon = text.rfind(" : (");
  if (colon == std::string_view::npos) return {};
  std::vector<std::string> out;
  std::string types(text.substr(colon + 4));
  std::ranges::replace_if(
      types, [](char c) { return std::string_view("<>(),").find(c) != std::string_view::npos; }, ' ');
  std::string word;
  types += ' ';
  for (const char c : types) {
    if (c != ' ') {
      word += c;
      continue;
    }
    const std::size_t x = word.rfind('x');
    const std::string type = x != std::string::npos && x > 0 && isDigit(word[x - 1]) ? word.substr(x + 1) : word;
    if (!word.empty() && (x != std::string::npos || word[0] == 'f' || word[0] == 'i' || word[0] == 'b'))
      if (isLetter(type[0]) && type != "vector" && type != "x") out.push_back(type);
    word.clear();
  }
  return out;
}

// The PTX type of `multiplicandAPtxType = #nvvm.mma_type<s8>` or `A[<bf16>, ...]`.
std::string angled(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  const std::size_t open = text.find('<', at), close = text.find('>', at);
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return std::string(text.substr(open + 1, close - open - 1));
}

bool transposed(std::string_view text) {
  return text.find("mma_layout<col>") != std::string_view::npos ||
         text.find("transpose = true") != std::string_view::npos;
}

Meaning matrixLoad(std::string_view text, std::string_view name) {
  auto count = numberOf(text, "num");
  if (!count) count = numberOf(text, "numTiles");
  if (!count) {  // nvvm.stmatrix %p, %a, %b: a register for each matrix
    const std::string_view list = text.substr(0, text.find_first_of("{:"));
    count = std::ranges::count(list, ',');
  }
  return row(fmt::format("{}.x{}{}", name, *count, transposed(text) ? ".trans" : ""));
}

std::string ptxType(std::string type) {
  if (type == "i32") return "s32";
  if (type == "i8") return "s8";
  if (type == "i4") return "s4";
  if (type == "f8E4M3FN") return "e4m3";
  if (type == "f8E5M2") return "e5m2";
  return type;
}

// Types of the result and of A: from attributes where they are written, else from the operand types.
Meaning mmaSync(std::string_view text) {
  const std::string shape = shapeOf(text);
  if (shape.empty()) return {Kind::Unknown, "the operation has no shape: shape = #nvvm.shape<m = 16, n = 8, k = 16>"};
  const std::vector<std::string> types = elementTypes(text);
  std::string a = angled(text, "multiplicandAPtxType"), b = angled(text, "multiplicandBPtxType");
  if (a.empty() && !types.empty()) a = ptxType(types[0]);
  if (b.empty()) b = a;
  std::string d = types.empty() ? "" : ptxType(types.back());
  if (a == "f32") a = b = "tf32";
  if (a == "f16" && d.empty()) d = "f32";
  if (a.empty() || d.empty()) return {Kind::Unknown, "the operation has no operand types"};
  if (a == "s32") return {Kind::Unknown, "multiplicandAPtxType is missing"};
  return row(fmt::format("mma.{}.{}.{}.{}.{}", shape, d, a, b, d));
}

// %descA, %descB, %acc, #nvvm.shape<m = 64, ..>, D[<f32>, <zero>], A[<bf16>, ..], B[<bf16>, ..]
Meaning wgmmaAsync(std::string_view text) {
  const std::string shape = shapeOf(text);
  std::string types(text);
  for (std::size_t at = types.find(" ["); at != std::string::npos; at = types.find(" [", at)) types.erase(at, 1);
  const std::string d = angled(types, " D["), a = angled(types, " A["), b = angled(types, " B[");
  if (shape.empty() || d.empty() || a.empty() || b.empty())
    return {Kind::Unknown, "the operation needs its shape and D[..], A[..], B[..]"};
  return row(fmt::format("wgmma.{}.{}.{}.{}.ss", shape, d, a, b));
}

// nvvm.cp.async.shared.global %dst, %src, 16, cache = cg
Meaning cpAsyncOp(std::string_view text) {
  for (const int bytes : {16, 8, 4})
    if (text.find(fmt::format(", {}", bytes)) != std::string_view::npos)
      return row(fmt::format("cp.async.{}.{}", text.find("cg") != std::string_view::npos ? "cg" : "ca", bytes));
  return {Kind::Unknown, "the operation has no size of 4, 8 or 16 bytes"};
}

// llvm.nvvm.mma.m16n8k16.row.col.f32.f32: the types of D and C, or those of the inputs if they are not f16.
Meaning mmaIntrinsic(std::string name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kTypes = {
      {{"f32.f32", "f32.f16.f16.f32"},
       {"f16.f16", "f16.f16.f16.f16"},
       {"bf16", "f32.bf16.bf16.f32"},
       {"tf32", "f32.tf32.tf32.f32"},
       {"f64", "f64.f64.f64.f64"},
       {"s8", "s32.s8.s8.s32"},
       {"u8", "s32.u8.u8.s32"},
       {"s8.u8", "s32.s8.u8.s32"},
       {"u8.s8", "s32.u8.s8.s32"},
       {"s4", "s32.s4.s4.s32"},
       {"u4", "s32.u4.u4.s32"},
       {"f16.f32", "f16.f16.f16.f32"}}};
  for (const std::string_view drop : {".satfinite", ".sync", ".aligned"})
    if (const std::size_t at = name.find(drop); at != std::string::npos) name.erase(at, drop.size());
  for (const std::string_view order : {".row.col", ".row.row", ".col.row", ".col.col"}) {
    const std::size_t at = name.find(order);
    if (at == std::string::npos) continue;
    const std::string types = name.substr(std::min(at + order.size() + 1, name.size()));
    std::string shape = name.substr(0, at);
    if (shape == "mma.m8n8k4" && types != "f64") shape += order;
    for (const auto& [intrinsic, ours] : kTypes)
      if (types == intrinsic) return row(fmt::format("{}.{}", shape, ours));
    return row(fmt::format("{}.{}", shape, types));
  }
  return row(std::move(name));
}

Meaning intrinsic(std::string_view name, std::string_view rest, Span span, Bindings& out) {
  std::string text(name);
  if (const std::size_t p = text.rfind(".p"); p != std::string::npos && p + 3 == text.size()) text.erase(p);  // .p3
  if (text.starts_with("mma.")) return mmaIntrinsic(std::move(text));
  if (text.starts_with("cp.async.bulk.tensor.")) {
    const std::string rank = text.substr(text.rfind('.') + 1);
    return row(
        fmt::format("cp.async.bulk.tensor.{}.{}", rank, text.find(".s2g") != std::string::npos ? "store" : "load"));
  }
  return ptx(text, rest, span, out);
}

}  // namespace

Meaning nvvm(std::string_view word, std::string_view rest, Span span, Bindings& out) {
  if (word.starts_with("llvm.nvvm.")) return intrinsic(word.substr(10), rest, span, out);
  const bool gpu = word.starts_with("nvgpu.");
  if (!gpu && !word.starts_with("nvvm.")) return {};
  const std::string_view op = word.substr(gpu ? 6 : 5), text = operation(rest);
  if (op == "ldmatrix" || op == "stmatrix") return matrixLoad(text, op);
  if (op == "mma.sync") return mmaSync(text);
  if (op == "mma.sp.sync") {
    Meaning dense = mmaSync(text);
    if (dense.kind == Kind::Row) dense.name.insert(3, ".sp");
    return dense;
  }
  if (op == "wgmma.mma_async") return wgmmaAsync(text);
  if (op == "cp.async.shared.global") return cpAsyncOp(text);
  if (op.starts_with("cp.async.bulk.tensor")) {
    const std::size_t box = text.find("box");
    std::size_t open = text.find('[', box == std::string_view::npos ? 0 : box);
    if (open == std::string_view::npos) return {Kind::Unknown, "the operation has no coordinates"};
    const std::string_view list = text.substr(open, text.find(']', open) - open);
    return row(fmt::format("cp.async.bulk.tensor.{}d.{}", std::ranges::count(list, ',') + 1,
                           op.find("global.shared") != std::string_view::npos ? "store" : "load"));
  }
  if (op.starts_with("tcgen05.ld") || op.starts_with("tcgen05.st")) {
    const auto shape = valueOf(text, "shape");
    const std::string kind = shape ? angled(*shape, "<") : "";
    const std::size_t x = text.find("vector<");
    const auto registers = x == std::string_view::npos ? std::optional<i64>(1)
                                                       : integerText(text.substr(x + 7, text.find('x', x) - x - 7));
    std::string name = kind.starts_with("shape_") ? kind.substr(6) : kind;
    const i64 each = name == "16x256b" ? 4 : name == "16x128b" ? 2 : 1;
    if (name.empty() || !registers) return {Kind::Unknown, "the operation has no shape"};
    return row(fmt::format("tcgen05.{}.{}.x{}", op.substr(8, 2), name, *registers / each));
  }
  return {Kind::Control};
}

}  // namespace tessera::paste::instruction
