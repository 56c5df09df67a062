#include "core/ptx/reader/declarations.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "core/base/arith.h"
#include "core/base/nearest.h"
#include "core/ptx/reader/constant.h"
#include "core/ptx/reader/tokens.h"

namespace tessera::ptx {

namespace {

constexpr int kMostRegisters = 1 << 20;        // of one declaration
constexpr std::size_t kMostInitial = 1 << 22;  // values of one variable, with those skipped by inner braces
constexpr std::size_t kMostExtents = 64;
constexpr i64 kMostBytes = i64{1} << 48;

constexpr std::array<std::pair<std::string_view, Space>, 7> kSpaces = {{{"reg", Space::Register},
                                                                        {"param", Space::Param},
                                                                        {"local", Space::Local},
                                                                        {"shared", Space::Shared},
                                                                        {"global", Space::Global},
                                                                        {"const", Space::Const},
                                                                        {"tex", Space::Global}}};

// The bits of a constant as a value of this type.
u64 bitsAs(const Constant& c, Type type) {
  using Kind = Constant::Kind;
  const auto asDouble = [&] {
    if (c.kind == Kind::Single) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(c.bits)));
    if (c.kind == Kind::Double) return std::bit_cast<double>(c.bits);
    return c.isUnsigned ? static_cast<double>(c.bits) : static_cast<double>(static_cast<i64>(c.bits));
  };
  if (type == Type::F32)
    return c.kind == Kind::Single ? c.bits : u64{std::bit_cast<std::uint32_t>(static_cast<float>(asDouble()))};
  if (type == Type::F64) return c.kind == Kind::Double ? c.bits : std::bit_cast<u64>(asDouble());
  const int bits = bitsOf(type);
  return bits >= 64 ? c.bits : c.bits & ((u64{1} << bits) - 1);
}

}  // namespace

std::optional<Space> spaceNamed(std::string_view word) {
  for (const auto& [name, space] : kSpaces)
    if (name == word) return space;
  return std::nullopt;
}

bool isLinkage(std::string_view word) {
  return word == "visible" || word == "extern" || word == "weak" || word == "common";
}

struct Declarations::Head {
  Type type = Type::None;
  int vector = 1;
  i64 align = 0;
  std::vector<std::string> attributes;
};

// .ptr .global .align 16
Result<void> Declarations::pointer(Head& head) {
  std::string text = ".ptr";
  if (const std::string_view word = peekDirective(in_); spaceNamed(word)) {
    takeDirective(in_, word);
    text += fmt::format(" .{}", word);
  }
  if (const std::string_view word = peekDirective(in_); word == "align") {
    takeDirective(in_, word);
    TESSERA_TRY(const i64 bytes, integerConstant(in_, "an alignment"));
    text += fmt::format(" .align {}", bytes);
  }
  head.attributes.push_back(std::move(text));
  return {};
}

Result<Declarations::Head> Declarations::head() {
  Head out;
  while (true) {
    const std::string_view word = peekDirective(in_);
    if (word.empty()) break;
    const std::size_t begin = in_.position();
    takeDirective(in_, word);
    if (word == "align") {
      TESSERA_TRY(out.align, integerConstant(in_, "an alignment"));
      if (out.align < 1 || out.align > kMostBytes || !std::has_single_bit(static_cast<u64>(out.align)))
        return in_.failFrom(begin, "an alignment is a power of two", ".align 16");
    } else if (word == "v2" || word == "v4" || word == "v8") {
      out.vector = word[1] - '0';
    } else if (word == "ptr") {
      TESSERA_CHECKED(pointer(out));
    } else if (word == "attribute") {
      TESSERA_CHECKED(in_.expect("(", "after .attribute"));
      std::string text = keptText(in_, ")");
      TESSERA_CHECKED(in_.expect(")", "after an attribute"));
      out.attributes.push_back(fmt::format(".attribute({})", text));
    } else if (const Type type = typeNamed(word); type != Type::None) {
      out.type = type;
    } else {
      const bool type2 = out.type == Type::None;
      return in_.failFrom(begin, fmt::format(".{} is not a type", word), type2 ? "a type such as .b32" : "a name");
    }
  }
  if (out.type == Type::None) return in_.fail("the type of this declaration is missing", "a type such as .b32");
  return out;
}

// The count of "<count>"; 0 if there is none.
Result<int> Declarations::range() {
  if (!in_.accept('<')) return 0;
  const std::size_t begin = in_.start();
  TESSERA_TRY(const i64 count, integerConstant(in_, "a number of registers", true));
  if (count < 0 || count > kMostRegisters)
    return in_.failFrom(begin, fmt::format("{} registers of one name are too many", count),
                        fmt::format("at most {}", kMostRegisters));
  TESSERA_CHECKED(in_.expect(">", "after the number of registers"));
  return count == 0 ? -1 : static_cast<int>(count);
}

Result<std::vector<RegisterDeclaration>> Declarations::registers() {
  TESSERA_TRY(const Head head, this->head());
  std::vector<RegisterDeclaration> out;
  do {
    const std::string_view name = takeName(in_);
    if (name.empty()) return in_.fail("the name of a register is missing here", "a name such as %r<8>");
    TESSERA_TRY(const int count, range());
    // <0> declares nothing.
    if (count >= 0) out.push_back({std::string(name), head.type, head.vector, count, 0});
  } while (in_.accept(','));
  TESSERA_CHECKED(in_.expect(";", "after a declaration of registers"));
  return out;
}

Result<Variable> Declarations::named(const Head& head, Space space, int line) {
  Variable out;
  out.space = space;
  out.type = head.type;
  out.vector = head.vector;
  out.align = head.align;
  out.attributes = head.attributes;
  out.line = line;
  const std::size_t begin = in_.start();
  out.name = takeName(in_);
  if (out.name.empty()) return in_.fail("the name of a variable is missing here", "a name");
  std::optional<i64> bytes = i64{head.vector} * 16;
  while (in_.accept('[')) {
    i64 extent = 0;
    if (in_.peek() != ']') {
      TESSERA_TRY(extent, integerConstant(in_, "an extent"));
    }
    TESSERA_CHECKED(in_.expect("]", "after an extent"));
    if (extent > 0 && bytes) bytes = checkedMul(*bytes, extent);
    if (extent < 0 || !bytes || *bytes > kMostBytes || out.extents.size() >= kMostExtents)
      return in_.failFrom(begin, fmt::format("the array {} is too large", out.name), "at most 2^44 elements");
    out.extents.push_back(extent);
  }
  return out;
}

Result<std::vector<Variable>> Declarations::variables(Space space, std::string_view linkage, int line) {
  if (space == Space::Const && in_.accept('[')) {  // .const[2] of PTX 2: a bank
    TESSERA_TRY([[maybe_unused]] const i64 bank, integerConstant(in_, "a bank"));
    TESSERA_CHECKED(in_.expect("]", "after a bank"));
  }
  TESSERA_TRY(const Head head, this->head());
  std::vector<Variable> out;
  do {
    TESSERA_TRY(Variable v, named(head, space, line));
    v.linkage = linkage;
    TESSERA_TRY(const int count, range());
    if (count != 0) {
      constexpr int kMostVariables = 4096;
      if (count > kMostVariables) return in_.fail("these are too many variables", fmt::format("<{}>", kMostVariables));
      for (int k = 0; k < count; ++k) {
        out.push_back(v);
        out.back().name += std::to_string(k);
      }
      continue;
    }
    if (in_.accept('=')) TESSERA_CHECKED(initial(v));
    out.push_back(std::move(v));
  } while (in_.accept(','));
  TESSERA_CHECKED(in_.expect(";", fmt::format("after the declaration of {}", out.empty() ? "" : out.back().name)));
  return out;
}

Result<Variable> Declarations::parameter(int line) {
  const std::string_view word = peekDirective(in_);
  const auto space = spaceNamed(word);
  if (!space || (*space != Space::Param && *space != Space::Register))
    return in_.fail("a parameter begins with .param or .reg", ".param .u64 name");
  takeDirective(in_, word);
  TESSERA_TRY(const Head head, this->head());
  return named(head, *space, line);
}

Result<void> Declarations::initial(Variable& v) {
  if (in_.peek() == '"') {
    TESSERA_TRY(const std::string text, quoted(in_));
    for (const char c : text) v.initial.emplace_back().bits = static_cast<unsigned char>(c);
    v.initial.emplace_back();  // NUL
  } else if (in_.accept('{')) {
    TESSERA_CHECKED(values(v, 0, kMostInitial));
  } else {
    TESSERA_CHECKED(value(v));
  }
  i64 inner = v.vector;
  for (std::size_t k = 1; k < v.extents.size(); ++k) inner *= v.extents[k];
  const i64 count = static_cast<i64>(v.initial.size());
  if (!v.extents.empty() && v.extents[0] == 0 && inner > 0) v.extents[0] = ceilDiv(count, inner);
  const i64 all = v.extents.empty() ? inner : inner * v.extents[0];
  if (count > all)
    return in_.fail(fmt::format("{} has {} values, but room for {}", v.name, count, all), "fewer values");
  return {};
}

// The values inside braces; each inner brace fills one element of the extent.
Result<void> Declarations::values(Variable& v, std::size_t level, std::size_t end) {
  const Nesting nesting;
  if (nesting.tooDeep()) return nesting.refusal(in_);
  if (in_.accept('}')) return {};
  do {
    if (in_.peek() == '{') {
      i64 size = level < v.extents.size() ? i64{v.vector} : 1;
      for (std::size_t k = level + 1; k < v.extents.size(); ++k) size *= v.extents[k];
      const std::size_t block = static_cast<std::size_t>(std::max<i64>(size, 1));
      const std::size_t begin = (v.initial.size() + block - 1) / block * block;
      if (begin + block > end)
        return in_.fail("these braces hold more values than the variable", fmt::format("at most {}", end));
      in_.advance();
      v.initial.resize(begin);
      TESSERA_CHECKED(values(v, level + 1, begin + block));
      // A later element is placed after this one; trailing zeros are implied.
      if (in_.peek() == ',') v.initial.resize(begin + block);
      continue;
    }
    if (v.initial.size() >= end) return in_.fail("these are more values than the braces hold", "fewer values");
    TESSERA_CHECKED(value(v));
  } while (in_.accept(','));
  return in_.expect("}", "after the initial values");
}

Result<void> Declarations::value(Variable& v) {
  TESSERA_TRY(Constant c, constant(in_));
  Variable::Initial out;
  if (c.kind == Constant::Kind::Symbol) {
    out.bits = c.bits;
    out.symbol = std::move(c.symbol);
    out.generic = c.generic;
    out.mask = c.mask;
  } else {
    out.bits = bitsAs(c, v.type);
  }
  v.initial.push_back(std::move(out));
  return {};
}

}  // namespace tessera::ptx
