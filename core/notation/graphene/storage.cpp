// The storage part of a type: the swizzle of an address, and what registers hold.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/notation/axe/layout.h"
#include "core/notation/cute/text/text.h"
#include "core/notation/graphene/operations.h"
#include "core/notation/graphene/reader.h"

namespace tessera::graphene {
namespace {

// 1 + the largest address of a register tensor; nullopt if unknown.
std::optional<i64> registersOf(const Tensor& tensor) {
  if (!tensor.offset.isConstant()) return std::nullopt;
  i64 most = tensor.offset.value();
  for (const Mode& m : allModes(tensor)) {
    if (!m.size.isConstant() || !m.stride.isConstant()) return std::nullopt;
    most += std::max<i64>((m.size.value() - 1) * m.stride.value(), 0);  // fits: checked by shape()
  }
  return most + 1;
}

}  // namespace

// Sw<bits,3,bits>, from the cursor: with its names replaced by numbers.
Result<std::string> Reader::swizzleText(std::string_view written) {
  const std::size_t open = written.find('<');
  if (open == std::string_view::npos || std::none_of(written.begin() + static_cast<std::ptrdiff_t>(open), written.end(),
                                                     [](char c) { return isNameStart(c) || c == '(' || c == '*'; }))
    return std::string(written);
  const std::size_t begin = cursor_.position();
  cursor_.advance(open + 1);
  std::string out(written.substr(0, open + 1));
  do {
    TESSERA_TRY(const Expr n, number());
    if (!n.isConstant()) return cursor_.failFrom(begin, "a swizzle of numbers that are not known", "Sw<3,3,3>");
    if (out.back() != '<') out += ',';
    out += fmt::format("{}", n.value());
  } while (cursor_.accept(','));
  if (cursor_.peek() != '>') return cursor_.fail("`>` is missing after the swizzle", "Sw<3,3,3>");
  return out + '>';
}

Result<void> Reader::swizzleBefore(Tensor& out) {
  const char first = cursor_.peek();
  if (first != 'S') return {};
  const std::size_t begin = cursor_.position();
  const std::size_t close = cursor_.text().find_first_of(">[\n", begin);
  if (close == std::string_view::npos || cursor_.text()[close] != '>')
    return cursor_.fail("the shape or the swizzle of the tensor is missing here", "[64,64], Sw<3,3,3> o [64,64]");
  TESSERA_TRY(const std::string written, swizzleText(cursor_.text().substr(begin, close + 1 - begin)));
  Result<cute::Swizzle> swizzle = cute::parseSwizzle(written);
  cursor_.seek(close + 1);
  if (!swizzle) {
    swizzle.error().span = cursor_.spanFrom(begin);
    return swizzle.error();
  }
  if (!cursor_.acceptWord("o")) return cursor_.fail("`o` is missing after the swizzle", "Sw<3,3,3> o [64,64:64,1]");
  if (out.threads) return cursor_.failFrom(begin, "threads have no swizzle", "#NAME:[..].thread");
  out.swizzle = *swizzle;
  return {};
}

// holds [16,16] as LAYOUT
Result<void> Reader::held(Tensor& out) {
  const Cursor before = cursor_;
  cursor_.skipBlanks();
  const std::size_t begin = cursor_.position();
  if (!cursor_.acceptWord("holds")) {
    cursor_ = before;  // blanks and comments after the tensor are not part of it
    return {};
  }
  if (out.threads || out.memory != Memory::Register)
    return cursor_.failFrom(
        begin, fmt::format("only registers hold a tile; {}{} is not in RF", out.threads ? '#' : '%', out.name),
        "%NAME:[..].fp16.RF holds [16,16] as LAYOUT");
  TESSERA_CHECKED(cursor_.expect("[", "before the tile that the registers hold"));
  std::vector<i64> extents;
  do {
    const std::size_t at = cursor_.position();
    TESSERA_TRY(const i64 n, cursor_.integer("an extent of the tile"));
    if (n < 1) return cursor_.failFrom(at, fmt::format("an extent of {}", n), "at least 1");
    extents.push_back(n);
  } while (cursor_.accept(','));
  TESSERA_CHECKED(cursor_.expect("]", "after the tile that the registers hold"));
  if (!cursor_.acceptWord("as")) return cursor_.fail("`as` is missing after the tile", "holds [16,16] as LAYOUT");
  cursor_.skipBlanks();
  const std::size_t layoutBegin = cursor_.position();
  TESSERA_TRY(Distribution distribution, placed(layoutOfHolds(std::move(extents)), layoutBegin));
  const std::optional<i64> registers = registersOf(out);
  if (!registers)
    return cursor_.failFrom(begin, fmt::format("%{} has no known number of registers", out.name),
                            "sizes that are numbers");
  if (distribution.registers > *registers)
    return cursor_.failFrom(
        layoutBegin,
        fmt::format("the layout needs {} registers a thread, %{} has {}", distribution.registers, out.name, *registers),
        fmt::format("a layout of at most {} registers", *registers));
  out.holds.is = std::make_shared<const Distribution>(std::move(distribution));
  return {};
}

// S[(..):(..)], (T,V):(DT,DV), mma.m16n8k16.f32.f16.f16.f32 A
Result<Distribution> Reader::layoutOfHolds(std::vector<i64> extents) {
  TESSERA_TRY(const std::optional<axe::Layout> axe, axe::parsePrefix(cursor_));
  if (axe) return distributionOf(std::move(extents), *axe);
  if (cursor_.peek() == '(' || isDigit(cursor_.raw())) {
    TESSERA_TRY(const std::optional<cute::Value> read, cute::parsePrefix(cursor_));
    if (const auto* layout = read ? std::get_if<cute::Layout>(&*read) : nullptr)
      return distributionOf(std::move(extents), *layout);
  }
  std::string name;
  for (char c = cursor_.peek(); isNamePart(c) || (c == '.' && !name.empty()); c = cursor_.raw()) {
    name += c;
    cursor_.advance();
  }
  if (name.empty())
    return cursor_.fail("a layout is missing here", "S[..] of Axe, (T,V):(DT,DV) of CuTe, or INSTRUCTION OPERAND",
                        "S[(8,4,2):(4@lane,1@lane,1@reg)]");
  const std::string operand(cursor_.peekWord());
  if (operand.empty())
    return cursor_.fail(fmt::format("which operand of {}?", name), "INSTRUCTION OPERAND",
                        fmt::format("{} A, {} B, {} C, {} D", name, name, name, name));
  cursor_.advance(operand.size());
  if (!fragments_) return Diag{"instructions are not known here", "S[..] of Axe, or (T,V):(DT,DV) of CuTe"};
  TESSERA_TRY(const Fragment fragment, fragments_(name, operand));
  return distributionOf(extents, fragment);
}

}  // namespace tessera::graphene
