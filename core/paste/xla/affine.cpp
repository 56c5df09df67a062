// Affine maps and sets of MLIR, and XLA's indexing maps as attributes.
//
//     affine_map<(d0)[s0] -> (d0 * 8 + s0)>       (d0)[s0] -> (d0 * 8 + s0), domain: d0 in [0, 65535], s0 in [0, 65535]
//     affine_set<(d0, d1) : (d0 - d1 >= 0)>       (d0, d1) -> (d0, d1), domain: ..., d0 - d1 in [0, ...]
//     #xla.indexing_map<"(d0) -> (d0), domain: d0 in [0, 7]">     its text
//
// An affine map has no domain: --let d0=64 gives a variable's extent.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/paste/xla/readers.h"

namespace tessera::paste::xla_text {
namespace {

constexpr i64 kAssumedExtent = 65536;

Result<std::vector<std::string>> nameList(Cursor& in, char close) {
  std::vector<std::string> names;
  while (!in.accept(close)) {
    TESSERA_TRY(std::string one, in.identifier("a variable of the map"));
    names.push_back(std::move(one));
    if (!in.accept(',') && in.peek() != close)
      return in.fail("a list of variables is not closed", std::string(1, close));
  }
  return names;
}

// Reads `(a, b)` and gives its pieces.
Result<std::vector<std::string>> resultList(Cursor& in) {
  const std::size_t open = in.start();
  if (in.raw() != '(' || !in.acceptBracketed(false)) return in.fail("the results are missing", "(d0, d1)");
  return splitCommas(in.text().substr(open + 1, in.position() - open - 2));
}

std::string domainOf(const AffineMap& map, Bindings& out) {
  std::string domain;
  for (const auto* names : {&map.dims, &map.symbols})
    for (const std::string& name : *names) {
      const std::string* given = out.given().let(name);
      const auto extent = given == nullptr ? std::nullopt : integerText(*given);
      if (!extent)
        out.note(fmt::format("an affine map has no domain: {} is assumed to be in [0, {}]; --let {}=64 sets its extent",
                             name, kAssumedExtent - 1, name));
      domain += fmt::format("{}{} in [0, {}]", domain.empty() ? "" : ", ", name, extent.value_or(kAssumedExtent) - 1);
    }
  return domain;
}

// "d0 - 1 >= 0" as "d0 - 1 in [0, 4294967295]".
Result<std::string> constraintText(std::string_view one) {
  for (const std::string_view sign : {">=", "<=", "=="}) {
    const std::size_t at = one.find(sign);
    if (at == std::string_view::npos) continue;
    const std::string left(stripped(one.substr(0, at))), right(stripped(one.substr(at + 2)));
    const std::string difference = right == "0" ? left : fmt::format("{} - ({})", left, right);
    const i64 far = kAssumedExtent * kAssumedExtent;
    if (sign == "==") return fmt::format("{} in [0, 0]", difference);
    return sign == ">=" ? fmt::format("{} in [0, {}]", difference, far)
                        : fmt::format("{} in [{}, 0]", difference, -far);
  }
  return Diag{fmt::format("'{}' is no constraint", one), "an expression, >= or ==, and 0"};
}

Result<std::string> mapText(const AffineMap& map, Bindings& out) {
  std::string text = fmt::format("({})", fmt::join(map.dims, ", "));
  if (!map.symbols.empty()) text += fmt::format("[{}]", fmt::join(map.symbols, ", "));
  text += fmt::format(" -> ({})", fmt::join(map.results, ", "));
  std::string domain = domainOf(map, out);
  for (const std::string& one : splitCommas(map.constraints)) {
    TESSERA_TRY(const std::string constraint, constraintText(one));
    domain += (domain.empty() ? "" : ", ") + constraint;
  }
  return domain.empty() ? text : text + ", domain: " + domain;
}

// The text inside quotes, and without them if there are none.
std::string unquoted(std::string_view text) {
  text = stripped(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      out += text[i] == 'n' || text.substr(i, 2) == "0A" ? ' ' : text[i];
      if (text.substr(i, 2) == "0A") ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Past the `>` that closes the `<` at `open`; `->`, `>=` and quoted text close nothing. npos: it is never closed.
std::size_t pastAngle(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '"') {
      i = text.find('"', i + 1);
      if (i == std::string_view::npos) return i;
    } else if (text[i] == '<' && text[i + 1 < text.size() ? i + 1 : i] != '=') {
      ++depth;
    } else if (text[i] == '>' && text[i - 1] != '-' && (i + 1 >= text.size() || text[i + 1] != '=') && --depth == 0) {
      spend(static_cast<Work>((i - open) / 16));
      return i + 1;
    }
  }
  return std::string_view::npos;
}

Result<bool> bindIndexingMap(std::string_view name, std::string_view inside, Span span, Bindings& out) {
  const std::string text = unquoted(inside);
  if (text.find("domain:") == std::string::npos && text.find("KNOWN EMPTY") == std::string::npos) {
    TESSERA_TRY(const AffineMap map, placedIn(span, readAffine(text)));
    TESSERA_TRY(const std::string whole, placedIn(span, mapText(map, out)));
    out.bind(name, whole, span);
  } else {
    out.bind(name, text, span);
  }
  return true;
}

}  // namespace

std::vector<std::string> splitCommas(std::string_view text) {
  std::vector<std::string> out;
  Cursor in(text);
  std::size_t begin = 0;
  for (; !in.atEnd();) {
    if (in.raw() == ',') {
      out.emplace_back(stripped(text.substr(begin, in.position() - begin)));
      in.advance();
      begin = in.position();
    } else if (in.raw() == '"') {
      const std::size_t close = text.find('"', in.position() + 1);
      in.seek(close == std::string_view::npos ? text.size() : close + 1);
    } else if (std::string_view("([{<").find(in.raw()) == std::string_view::npos || in.raw(1) == '=' ||
               !in.acceptBracketed()) {
      in.advance();
    }
  }
  if (!stripped(text.substr(std::min(begin, text.size()))).empty()) out.emplace_back(stripped(text.substr(begin)));
  return out;
}

Result<AffineMap> readAffine(std::string_view inside) {
  Cursor in(inside, {.plus = false});
  AffineMap map;
  if (!in.accept('(')) return in.fail("an affine map begins with its dimensions", "(d0, d1) -> (d1, d0)");
  TESSERA_TRY(map.dims, nameList(in, ')'));
  if (in.accept('[')) {
    TESSERA_TRY(map.symbols, nameList(in, ']'));
  }
  if (in.accept(':')) {  // an affine set
    TESSERA_TRY(const std::vector<std::string> constraints, resultList(in));
    map.constraints = fmt::format("{}", fmt::join(constraints, ", "));
    map.results = map.dims;
    return map;
  }
  if (!in.accept("->")) return in.fail("`->` is missing after the variables", "(d0, d1) -> (d1, d0)");
  TESSERA_TRY(map.results, resultList(in));
  return map;
}

bool isBareMap(std::string_view text) {
  text = stripped(text);
  if (!text.starts_with('(') || text.size() > 4096 || text.find("->") == std::string_view::npos) return false;
  if (text.find(':') != std::string_view::npos || !text.ends_with(')')) return false;
  const Result<AffineMap> map = readAffine(text);
  return map && !map->results.empty();
}

std::string_view acceptAttribute(Cursor& in) {
  const std::size_t begin = in.start();
  if (begin > 0 && isNamePart(in.text()[begin - 1])) return {};
  for (const std::string_view head :
       {"affine_map<", "affine_set<", "#xla.indexing_map<", "#xla_gpu.indexing_map<", "#tpu.vpad<", "#tpu.tiled<"}) {
    if (in.text().substr(begin, head.size()) != head) continue;
    const std::size_t end = pastAngle(in.text(), begin + head.size() - 1);
    if (end == std::string_view::npos) continue;
    in.seek(end);
    return in.text().substr(begin, end - begin);
  }
  return {};
}

Result<bool> bindAttribute(std::string_view name, std::string_view text, Span span, Bindings& out) {
  const std::size_t open = text.find('<');
  if (open == std::string_view::npos || !text.ends_with('>')) return false;
  const std::string_view head = text.substr(0, open), inside = text.substr(open + 1, text.size() - open - 2);
  if (head == "#xla.indexing_map" || head == "#xla_gpu.indexing_map") return bindIndexingMap(name, inside, span, out);
  if (isMosaic(head)) return bindMosaic(name, head, unquoted(inside), span, out);
  if (head != "affine_map" && head != "affine_set") return false;
  TESSERA_TRY(const AffineMap map, placedIn(span, readAffine(inside)));
  TESSERA_TRY(const std::string whole, placedIn(span, mapText(map, out)));
  out.bind(name, whole, span);
  return true;
}

}  // namespace tessera::paste::xla_text
