// The pointers and tensors of parser.h: smem_ptr[16b](0x400), counting_iter(42), tensor<ptr<..> o ..>.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/notation/cute/text/parser.h"

namespace tessera::cute {

namespace {

struct EngineRow {
  const char* name;
  Engine::Kind kind;
  const char* space;
};
constexpr std::array<EngineRow, 6> kEngineRows = {{
    {"smem_ptr", Engine::Kind::Smem, "smem"},
    {"gmem_ptr", Engine::Kind::Gmem, "gmem"},
    {"rmem_ptr", Engine::Kind::Raw, "reg"},
    {"ptr", Engine::Kind::Raw, "reg"},
    {"tmem_", Engine::Kind::Tmem, "tmem"},
    {"subptr", Engine::Kind::Subbyte, "subbyte"},
}};

std::optional<i64> hexValue(std::string_view digits) {
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  if (digits.empty() || digits.size() > 15) return std::nullopt;
  u64 v = 0;
  const char* const end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, v, 16).ptr != end) return std::nullopt;
  return static_cast<i64>(v);
}

// 0x400, 0x400.1 (sub-byte index), 0x0010.0004 (tensor memory lane.column), unset, (nil).
Result<void> readAddress(std::string_view payload, Engine& e) {
  if (payload == "unset") return {};
  e.bound = true;
  if (payload == "(nil)" || payload == "nil" || payload == "nullptr") return {};
  const std::size_t dot = payload.find('.');
  const auto first = hexValue(payload.substr(0, dot));
  const auto second = dot == std::string_view::npos ? std::optional<i64>(0) : hexValue(payload.substr(dot + 1));
  if (!first || !second) return Diag{fmt::format("`{}` is not an address", payload), "0x..., unset or (nil)"};
  if (e.kind == Engine::Kind::Tmem) {
    e.address = dot == std::string_view::npos ? *first : (*first & 0xffff) << 16 | (*second & 0xffff);
  } else if (e.kind == Engine::Kind::Subbyte) {
    e.address = *first * 8 / std::max(1, e.elementBits) + *second;
  } else {
    e.address = *first;
  }
  return {};
}

}  // namespace

Result<Engine> Parser::engine(std::string_view name, std::size_t begin) {
  if (name == "ArithTuple") {
    if (cur_.peek() != '(') return expected("`(`");
    TESSERA_TRY(Value offset, list('(', ')', ",", true));
    const auto* tuple = std::get_if<IntTuple>(&offset);
    if (tuple == nullptr) return cur_.failFrom(begin, "ArithTuple takes integers", "ArithTuple(0,0)");
    return Engine{.kind = Engine::Kind::Arith, .text = "ArithTuple" + print(*tuple)};
  }
  if (name == "counting_iter") {
    if (!cur_.accept('(')) return expected("`(`");
    TESSERA_TRY(const i64 first, integer());
    if (!cur_.accept(')')) return expected("`)`");
    std::string text = fmt::format("counting_iter({})", first);
    return Engine{.kind = Engine::Kind::Counting, .text = std::move(text), .bound = true, .address = first};
  }
  const auto* row = std::ranges::find_if(kEngineRows, [&](const auto& r) { return name == r.name; });
  Engine e{.kind = row->kind, .memorySpace = row->space};
  if (!cur_.accept('[')) return expected("`[`");
  TESSERA_TRY(const i64 bits, integer());
  if (bits < 1 || bits > 1024) return cur_.failFrom(begin, "an element width of 1 to 1024 bits", "16b");
  e.elementBits = static_cast<int>(bits);
  if (!cur_.accept('b')) return expected("`b`");
  if (!cur_.accept(']')) return expected("`]`");
  if (!cur_.accept('(')) return expected("`(`");
  const std::size_t at = cur_.start();
  int open = 1;
  while (open > 0 && cur_.position() < cur_.text().size()) {
    if (cur_.raw() == '(') ++open;
    if (cur_.raw() == ')') --open;
    cur_.advance();
  }
  if (open > 0) return Diag{"the `(` of the address is not closed", "`)`", "", {at - 1, at}};
  const std::string_view payload = cur_.text().substr(at, cur_.position() - 1 - at);
  if (auto read = readAddress(payload, e); !read) {
    read.error().span = {at, at + payload.size()};
    return read.error();
  }
  e.text = fmt::format("{}[{}b]({})", name, bits, payload);
  return e;
}

// Letters, then digits.
int bitsNamedIn(std::string_view text) {
  int bits = 0;
  for (std::size_t k = 1; k + 1 < text.size() && bits == 0; ++k) {
    const bool wordStart =
        isLetter(text[k]) && !std::isalnum(static_cast<unsigned char>(text[k - 1])) && text[k - 1] != '_';
    if (!wordStart) continue;
    std::size_t d = k;
    while (d < text.size() && isLetter(text[d])) ++d;
    for (; d < text.size() && isDigit(text[d]) && bits < 1024; ++d) bits = bits * 10 + (text[d] - '0');
  }
  return bits;
}

// ptr<f16, smem, align<1024>, S<3,4,3>>: the swizzle of a DSL pointer.
Result<std::optional<Swizzle>> Parser::swizzleOfPointer(std::string_view text) {
  const std::size_t at = text.find(" S<");
  if (at == std::string_view::npos) return std::optional<Swizzle>();
  const std::size_t end = text.find('>', at);
  if (end == std::string_view::npos) return std::optional<Swizzle>();
  TESSERA_TRY(const Swizzle s, parseSwizzle(text.substr(at + 1, end - at)));
  return std::optional(s.withOnBytes(false));
}

// tensor<ptr<f32, gmem> o (4,3):(3,1)> and tensor(raw_ptr(0x400: f32, gmem, align<4>) o (4,3):(3,1), data=...).
Result<Value> Parser::dslTensor(std::size_t begin) {
  const char open = cur_.peek();
  if (open != '<' && open != '(') return expected("`<` or `(`");
  cur_.advance();
  const std::string_view text = cur_.text();
  const auto findAtTop = [&](std::size_t from, bool wantO) {
    int nest = 0;
    for (std::size_t k = from; k < text.size(); ++k) {
      const char c = text[k];
      if (wantO && nest == 0 && text.substr(k, 3) == " o ") return k;
      if (c == '<' || c == '(' || c == '[') ++nest;
      if (c == '>' || c == ')' || c == ']') {
        if (nest == 0) return wantO ? text.size() : k;
        --nest;
      }
    }
    return text.size();
  };
  const std::size_t o = findAtTop(cur_.position(), true);
  if (o >= text.size())
    return cur_.failFrom(begin, "a tensor without ` o layout`", "tensor<ptr<f32, gmem> o (4,3):(3,1)>");
  Engine e;
  e.kind = Engine::Kind::Dsl;
  e.text = std::string(text.substr(begin, o - begin));
  for (const char* space : {"gmem", "smem", "rmem", "tmem"})
    if (e.text.find(space) != std::string::npos) e.memorySpace = space;
  e.elementBits = bitsNamedIn(e.text);
  if (const std::size_t hex = e.text.find("0x"); hex != std::string::npos) {
    std::size_t end = hex + 2;
    while (end < e.text.size() && std::isxdigit(static_cast<unsigned char>(e.text[end])) != 0) ++end;
    if (const auto address = hexValue(std::string_view(e.text).substr(hex, end - hex))) {
      e.bound = true;
      e.address = *address;
    }
  }
  cur_.seek(o + 3);
  TESSERA_TRY(Value inner, element());
  const std::size_t after = cur_.position();
  const std::size_t closing = findAtTop(after, false);
  const char close = open == '<' ? '>' : ')';
  if (closing >= text.size() || text[closing] != close)
    return Diag{"the tensor is not closed", fmt::format("`{}`", close), "", cur_.here()};
  e.closing = std::string(text.substr(after, closing + 1 - after));
  cur_.seek(closing + 1);
  TESSERA_TRY(const std::optional<Swizzle> swizzle, swizzleOfPointer(e.text));
  if (!swizzle) return composeParts({Value(std::move(e)), std::move(inner)});
  return composeParts({Value(*swizzle), Value(std::move(e)), std::move(inner)});
}

}  // namespace tessera::cute
