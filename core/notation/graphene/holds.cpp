#include "core/notation/graphene/holds.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/map/map.h"
#include "core/notation/axe/eval.h"
#include "core/notation/cute/text/text.h"
#include "core/notation/graphene/operations.h"
#include "core/notation/graphene/reader.h"

namespace tessera::graphene {
namespace {

constexpr i64 kMostElements = i64{1} << 20, kMostPlaces = i64{1} << 22;

Result<i64> tileSize(const std::vector<i64>& extents) {
  i64 size = 1;
  for (const i64 n : extents) {
    if (n < 1 || !mulInto(size, n) || size > kMostElements)
      return Diag{"the distribution of this tile cannot be listed", fmt::format("at most {} elements", kMostElements)};
  }
  return size;
}

// The row-major index of a colex index, row + rows * column, for any rank.
i64 rowMajor(i64 colex, const std::vector<i64>& extents) {
  return linearize(delinearize(colex, extents, LinearOrder::Colex), extents, LinearOrder::Lex);
}

std::string coordinateOf(i64 element, const std::vector<i64>& extents) {
  return fmt::format("({})", fmt::join(delinearize(element, extents, LinearOrder::Lex), ","));
}

// An empty distribution, all -1.
Result<Distribution> places(std::vector<i64> extents, std::string layout, i64 threads, i64 registers) {
  const auto all = checkedMul(threads, registers);
  if (!all || *all > kMostPlaces)
    return Diag{fmt::format("{} threads of {} registers are too many", threads, registers),
                fmt::format("at most {} registers in all", kMostPlaces)};
  Distribution out{std::move(extents), std::move(layout), threads, registers, {}};
  out.element.assign(static_cast<std::size_t>(*all), -1);
  return out;
}

// ---- Axe

struct AxisRow {
  std::string_view name;
  i64 threads;  // threads per step; 0: a register
};
constexpr AxisRow kAxes[] = {{"reg", 0}, {"lane", 1},  {"laneid", 1}, {"tid", 1},
                             {"tx", 1},  {"warp", 32}, {"warpid", 32}};

struct RegisterPlace {
  i64 thread = 0, reg = 0, lane = 0;
};

Result<RegisterPlace> placeOf(const axe::Place& place) {
  RegisterPlace out;
  for (const auto& [axis, value] : place) {
    const auto* row = std::ranges::find(kAxes, axis, &AxisRow::name);
    if (row == std::end(kAxes))
      return Diag{fmt::format("registers have no axis '{}'", axis), "reg, lane, warp or tid",
                  axis == axe::kMemoryAxis ? "name the axis of each stride: 4@reg, 1@lane" : ""};
    if (value < 0 || value > kMostPlaces)
      return Diag{fmt::format("{} {} is not a place of a register", axis, value), "0 or more"};
    if (row->threads == 0) out.reg = value;
    if (row->threads > 0) out.thread += value * row->threads;
    if (axis == "lane" || axis == "laneid") out.lane = value;
  }
  if (out.lane >= 32) return Diag{fmt::format("lane {} of a warp", out.lane), "lanes 0 to 31; tid counts further"};
  return out;
}

// All places of every element, replicas included.
Result<std::vector<std::pair<i64, RegisterPlace>>> allPlaces(const axe::Layout& layout) {
  const auto count = checkedMul(layout.size(), layout.replicaCount());
  if (!count || *count > kMostPlaces) return Diag{"the layout has too many places", "fewer replicas"};
  std::vector<std::pair<i64, RegisterPlace>> out;
  for (i64 x = 0; x < layout.size(); ++x) {
    for (i64 r = 0; r < layout.replicaCount(); ++r) {
      axe::Place place = basePlace(layout, x);
      i64 rest = r;
      for (const axe::Iter& iter : layout.replica()) {
        place[iter.axis] += rest % iter.extent * iter.stride;
        rest /= iter.extent;
      }
      TESSERA_TRY(const RegisterPlace one, placeOf(place));
      out.emplace_back(x, one);
    }
  }
  return out;
}

// The number of threads, from the largest thread number: whole warps, or below a warp a power of two.
i64 threadsFor(i64 most, bool perWarp) {
  if (perWarp || most >= 32) return (most / 32 + 1) * 32;
  i64 out = 1;
  while (out <= most) out *= 2;
  return out;
}

}  // namespace

Result<Distribution> distributionOf(std::vector<i64> extents, const axe::Layout& layout) {
  TESSERA_TRY(const i64 size, tileSize(extents));
  if (layout.size() != size)
    return Diag{fmt::format("the layout has {} elements, but the tile [{}] has {}", layout.size(),
                            fmt::join(extents, ","), size),
                fmt::format("a layout of {} elements", size)};
  TESSERA_TRY(const auto all, allPlaces(layout));
  const std::vector<std::string> axes = layout.axes();
  const bool perWarp = std::ranges::none_of(axes, [](const std::string& a) { return a == "tid" || a == "tx"; });
  i64 thread = 0, reg = 0;
  for (const auto& [x, place] : all) {
    thread = std::max(thread, place.thread);
    reg = std::max(reg, place.reg);
  }
  TESSERA_TRY(Distribution out,
              places(std::move(extents), axe::print(layout.withoutShape()), threadsFor(thread, perWarp), reg + 1));
  for (const auto& [x, place] : all) {
    i64& held = out.element[static_cast<std::size_t>(place.thread * out.registers + place.reg)];
    if (held >= 0 && held != x)
      return Diag{fmt::format("register {} of thread {} would hold {} and {}", place.reg, place.thread,
                              coordinateOf(held, out.extents), coordinateOf(x, out.extents)),
                  "a place for each element"};
    held = x;
  }
  return out;
}

Result<Distribution> distributionOf(std::vector<i64> extents, const cute::Layout& threadValue) {
  TESSERA_TRY(const i64 size, tileSize(extents));
  if (!threadValue.isPlain() || threadValue.rank() != 2)
    return Diag{"this is not a thread-value layout", "(T,V):(DT,DV): threads, then registers, to row + rows * column"};
  const cute::Layout threads = threadValue.mode(0), registers = threadValue.mode(1);
  TESSERA_TRY(Distribution out, places(std::move(extents), cute::print(threadValue), threads.size(), registers.size()));
  for (i64 t = 0; t < out.threads; ++t) {
    for (i64 r = 0; r < out.registers; ++r) {
      const i64 value = threads(t) + registers(r);
      if (value < 0 || value >= size)
        return Diag{fmt::format("register {} of thread {} would hold element {} of {}", r, t, value, size),
                    fmt::format("elements 0 to {}", size - 1)};
      out.element[static_cast<std::size_t>(t * out.registers + r)] = rowMajor(value, out.extents);
    }
  }
  return out;
}

Result<Distribution> distributionOf(const std::vector<i64>& extents, const Fragment& f) {
  const std::vector<i64> rowsFirst = {f.rows, f.columns};
  const std::vector<i64> written = f.transposed ? std::vector<i64>{f.columns, f.rows} : rowsFirst;
  if (extents != written)
    return Diag{fmt::format("{} is a tile of [{}], not [{}]", f.text, fmt::join(written, ","), fmt::join(extents, ",")),
                fmt::format("holds [{}] as {}", fmt::join(written, ","), f.text)};
  TESSERA_TRY(const Distribution own, distributionOf(rowsFirst, f.threadValue));
  i64 lanes = 0;
  for (i64 t = 0; t < f.threadId.size(); ++t) lanes = std::max(lanes, f.threadId(t) + 1);
  lanes = threadsFor(lanes - 1, true);
  TESSERA_TRY(Distribution out, places(extents, f.text, lanes, own.registers));
  const std::vector<cute::LayoutLeaf> digits = flatLeaves(f.threadId);
  for (i64 lane = 0; lane < lanes; ++lane) {
    i64 t = 0, place = 1;  // the digits of threadId for this lane; every quad pair holds a tile
    for (const cute::LayoutLeaf& d : digits) {
      t += lane / std::max<i64>(d.stride.value(), 1) % d.extent * place;
      place *= d.extent;
    }
    for (i64 r = 0; r < own.registers; ++r) {
      const i64 e = own.at(t, r);
      out.element[static_cast<std::size_t>(lane * out.registers + r)] =
          f.transposed ? e % f.columns * f.rows + e / f.columns : e;
    }
  }
  return out;
}

// The storage part of a type: the swizzle of addresses, and the elements that registers hold.

namespace {

// 1 + the largest address of a register tensor; nullopt if unknown.
std::optional<i64> registersOf(const Tensor& tensor) {
  if (!tensor.offset.isConstant()) return std::nullopt;
  i64 most = tensor.offset.value();
  for (const Mode& m : modesOf(tensor)) {
    if (!m.size.isConstant() || !m.stride.isConstant()) return std::nullopt;
    most += std::max<i64>((m.size.value() - 1) * m.stride.value(), 0);  // fits: checked by shape()
  }
  return most + 1;
}

}  // namespace

// Sw<bits,3,bits> at the cursor, with its names replaced by numbers.
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
    if (!n.isConstant()) return cursor_.failFrom(begin, "the numbers of the swizzle are unknown", "Sw<3,3,3>");
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
  const std::size_t begin = cursor_.start();
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
  const std::size_t layoutBegin = cursor_.start();
  TESSERA_TRY(Distribution distribution, placed(layoutOfHolds(std::move(extents)), layoutBegin));
  const std::optional<i64> registers = registersOf(out);
  if (!registers)
    return cursor_.failFrom(begin, fmt::format("the number of registers of %{} is unknown", out.name),
                            "sizes that are numbers");
  if (distribution.registers > *registers)
    return cursor_.failFrom(layoutBegin,
                            fmt::format("the layout needs {} registers per thread, but %{} has {}",
                                        distribution.registers, out.name, *registers),
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
    return cursor_.fail(fmt::format("the operand of {} is missing", name), "INSTRUCTION OPERAND",
                        fmt::format("{} A, {} B, {} C, {} D", name, name, name, name));
  cursor_.advance(operand.size());
  if (!fragments_) return Diag{"instructions cannot be used here", "S[..] of Axe, or (T,V):(DT,DV) of CuTe"};
  TESSERA_TRY(const Fragment fragment, fragments_(name, operand));
  return distributionOf(extents, fragment);
}

}  // namespace tessera::graphene
