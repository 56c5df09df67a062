#include "core/analysis/access/thread_fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/base/work.h"
#include "core/map/tabulate.h"
#include "core/notation/cute/notation.h"
#include "core/notation/indexing/map.h"

namespace tessera {
namespace {

// A piece of text that can be replaced, and what the whole then means.
struct Editable {
  std::string body;  // the expression of the offset
  std::function<std::optional<ThreadAccess>(const std::string& body)> read;
  std::function<std::string(const std::string& body)> line;        // the corrected line
  std::function<std::string(const std::string& body)> whole = {};  // the corrected text, if the line is its only change
  std::string text = {};                                           // the whole text as it is
};

ThreadFix fixBy(std::string what, const Editable& edit, const std::string& body) {
  ThreadFix out{std::move(what), edit.line(body)};
  if (edit.whole) {
    out.before = edit.text;
    out.after = edit.whole(body);
  }
  return out;
}

std::optional<std::vector<i64>> offsetsOf(const Map& map) {
  const auto points = map.pointCount();
  if (!points || *points > (i64{1} << 22)) return std::nullopt;
  std::vector<i64> values(static_cast<std::size_t>(*points));
  spend(*points);
  if (!tabulate(map, 0, LinearOrder::Colex, values)) return std::nullopt;
  return values;
}

// A name, a number, or one bracketed text.
bool isSimple(std::string_view text) {
  if (std::ranges::all_of(text, isNamePart)) return true;
  if (!text.starts_with('(')) return false;
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    if (depth == 0) return k + 1 == text.size();
  }
  return false;
}
std::string inBrackets(std::string_view text) { return isSimple(text) ? std::string(text) : fmt::format("({})", text); }

// The terms of a top-level sum; empty if an operator that binds less is outside brackets.
std::vector<std::string> termsOf(std::string_view body) {
  std::vector<std::string> terms;
  std::string term;
  int depth = 0;
  for (std::size_t k = 0; k < body.size(); ++k) {
    const char c = body[k];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth == 0 && std::string_view("^&|<>?-").find(c) != std::string_view::npos) return {};
    if (depth == 0 && c == '+') {
      terms.push_back(std::move(term));
      term.clear();
    } else {
      term += c;
    }
  }
  terms.push_back(std::move(term));
  for (std::string& t : terms) t = std::string(stripped(t));
  return terms;
}

// "row" and 64 of "row * 64" or "64 * row".
std::optional<std::pair<std::string, i64>> scaled(std::string_view term) {
  const auto number = [](std::string_view text) -> std::optional<i64> {
    if (text.empty() || text.size() > 12 || !std::ranges::all_of(text, isDigit)) return std::nullopt;
    i64 value = 0;
    for (const char c : text) value = value * 10 + (c - '0');
    return value;
  };
  const std::size_t last = term.rfind('*'), first = term.find('*');
  if (last == std::string_view::npos) return std::nullopt;
  if (const auto n = number(stripped(term.substr(last + 1))))
    return std::pair(std::string(stripped(term.substr(0, last))), *n);
  if (const auto n = number(stripped(term.substr(0, first))))
    return std::pair(std::string(stripped(term.substr(first + 1))), *n);
  return std::nullopt;
}

// ((of >> right) & mask) << left; without the mask if `masked` is false.
std::string shiftedBits(const std::string& of, int right, int bits, int left, bool masked) {
  std::string text = right > 0 ? fmt::format("({} >> {})", inBrackets(of), right) : inBrackets(of);
  if (masked) text = fmt::format("({} & {})", text, (i64{1} << bits) - 1);
  return left > 0 ? fmt::format("({} << {})", text, left) : text;
}

struct Bits {
  int bits = 0, base = 0, shift = 0;
};

// The bodies that write the swizzle into the line, the shortest reading first.
std::vector<std::string> swizzledBodies(const std::string& body, const Bits& s) {
  std::vector<std::string> out;
  const std::vector<std::string> terms = termsOf(body);
  for (std::size_t k = 0; k < terms.size() && terms.size() > 1; ++k) {
    const auto row = scaled(terms[k]);
    if (!row || !isPowerOfTwo(row->second)) continue;
    const int pitch = std::countr_zero(static_cast<u64>(row->second));
    if (s.base + s.shift < pitch || s.base + s.bits > pitch) continue;
    std::string column;
    for (std::size_t j = 0; j < terms.size(); ++j)
      if (j != k) column += (column.empty() ? "" : " + ") + terms[j];
    for (const bool masked : {false, true}) {
      const std::string whole = fmt::format("({} ^ {})", inBrackets(column),
                                            shiftedBits(row->first, s.base + s.shift - pitch, s.bits, s.base, masked));
      out.push_back(k == 0 ? fmt::format("{} + {}", terms[k], whole) : fmt::format("{} + {}", whole, terms[k]));
    }
  }
  out.push_back(fmt::format("{} ^ {}", inBrackets(body), shiftedBits(body, s.base + s.shift, s.bits, s.base, true)));
  return out;
}

// The access with its offset swizzled.
std::optional<ThreadAccess> swizzledAccess(const ThreadAccess& access, const cute::Swizzle& swizzle) {
  const auto map =
      Map::create(access.map.digits(), {{"offset", cute::swizzled(swizzle, access.map.axes()[0].value), std::nullopt}},
                  access.map.guards());
  if (!map) return std::nullopt;
  ThreadAccess made = access;
  made.map = *map;
  return made;
}
bool isFreeUnder(const ThreadAccess& access, const cute::Swizzle& swizzle) {
  const auto made = swizzledAccess(access, swizzle);
  return made && isConflictFree(*made);
}

// The fewest bits without conflicts, of this access and, if possible, of the others.
std::optional<Bits> swizzleWithoutConflicts(const ThreadAccess& access, const std::vector<i64>& offsets,
                                            const std::vector<ThreadAccess>& others) {
  const i64 top = *std::ranges::max_element(offsets);
  if (top <= 0 || *std::ranges::min_element(offsets) < 0) return std::nullopt;
  const int width = static_cast<int>(std::bit_width(static_cast<u64>(top)));
  std::optional<Bits> alone;
  for (int bits = 1; 2 * bits <= width; ++bits)
    for (int base = 0; base + 2 * bits <= width; ++base)
      for (int shift = bits; base + shift + bits <= width; ++shift) {
        const auto swizzle = cute::Swizzle::make(bits, base, shift);
        if (!swizzle || !isFreeUnder(access, *swizzle)) continue;
        const Bits found{bits, base, shift};
        if (std::ranges::all_of(others, [&](const ThreadAccess& o) { return isFreeUnder(o, *swizzle); })) return found;
        if (!alone) alone = found;
      }
  return alone;
}

std::string othersText(const std::vector<ThreadAccess>& others, const Bits& s) {
  if (others.empty()) return "";
  const cute::Swizzle swizzle = *cute::Swizzle::make(s.bits, s.base, s.shift);
  std::string conflicting;
  for (const ThreadAccess& o : others)
    if (!isFreeUnder(o, swizzle)) conflicting += (conflicting.empty() ? "" : ", ") + o.name;
  return conflicting.empty() ? "; swizzled alike, the other accesses to the array have no conflict, either"
                             : fmt::format("; swizzled alike, {} would conflict", conflicting);
}

// The first of the edited texts that is the swizzle of the old offset, everywhere.
std::optional<ThreadFix> swizzleFix(const std::vector<std::string>& bodies, const Editable& edit, const Bits& s,
                                    const std::vector<i64>& offsets) {
  const cute::Swizzle swizzle = *cute::Swizzle::make(s.bits, s.base, s.shift);
  for (const std::string& body : bodies) {
    const auto read = edit.read(body);
    const auto found = read ? offsetsOf(read->map) : std::nullopt;
    const auto same = [&](i64 a, i64 b) { return swizzle(a) == b; };
    if (!found || !std::ranges::equal(offsets, *found, same) || !isConflictFree(*read)) continue;
    return fixBy(fmt::format("{} on the offset, equal to it at all {} coordinates", print(swizzle), offsets.size()),
                 edit, body);
  }
  return std::nullopt;
}

// Numbers of the body that something is multiplied by, with their places; the largest number first.
std::map<i64, std::vector<std::size_t>, std::greater<>> factorsOf(std::string_view body) {
  std::map<i64, std::vector<std::size_t>, std::greater<>> out;
  for (const std::string_view word : namePartsIn(body)) {
    const auto begin = static_cast<std::size_t>(word.data() - body.data());
    const std::string_view before = stripped(body.substr(0, begin)), after = stripped(body.substr(begin + word.size()));
    if (!before.ends_with('*') && !after.starts_with('*')) continue;
    const i64 value = wholeNumber(word).value_or(0);
    if (value >= 4 && value < 1'000'000'000) out[value].push_back(begin);
  }
  return out;
}

// Equal offsets stay equal, different ones different.
bool renames(const std::vector<i64>& from, const std::vector<i64>& to) {
  std::unordered_map<i64, i64> forth, back;
  for (std::size_t n = 0; n < from.size(); ++n)
    if (forth.emplace(from[n], to[n]).first->second != to[n] || back.emplace(to[n], from[n]).first->second != from[n])
      return false;
  return true;
}

// The smallest padding, a multiple of `step`, of the number at these places.
std::optional<ThreadFix> paddedAt(const ThreadAccess& access, const Editable& edit, i64 number,
                                  const std::vector<std::size_t>& places, const std::vector<i64>& offsets, i64 step) {
  const i64 most = std::max<i64>(1, 1024 / access.elementBits);  // 128 bytes
  for (i64 padding = step; padding <= most; padding += step) {
    std::string body = edit.body;
    for (auto at = places.rbegin(); at != places.rend(); ++at)
      body.replace(*at, std::to_string(number).size(), std::to_string(number + padding));
    const auto made = edit.read(body);
    if (!made || !isConflictFree(*made)) continue;
    const auto found = offsetsOf(made->map);
    if (!found || !renames(offsets, *found)) continue;
    return fixBy(fmt::format("{} instead of {}: rows padded by {}", number + padding, number, padding), edit, body);
  }
  return std::nullopt;
}

std::optional<ThreadFix> paddingFix(const ThreadAccess& access, const Editable& edit, const std::vector<i64>& offsets,
                                    i64 step) {
  for (const auto& [factor, places] : factorsOf(edit.body))
    if (auto fix = paddedAt(access, edit, factor, places, offsets, step)) return fix;
  return std::nullopt;
}

// NAME(NAMES) = BODY over (EXTENTS), cut at the body.
std::optional<Editable> formulaOf(const ThreadAccess& access, const std::string& source) {
  if (!indexing::opensFormula(source)) return std::nullopt;
  const std::size_t equals = source.find('='), over = source.rfind("over");
  if (equals == std::string::npos || over == std::string::npos || over < equals) return std::nullopt;
  std::size_t begin = equals + 1, end = over;
  while (begin < end && isBlank(source[begin])) ++begin;
  while (end > begin && isBlank(source[end - 1])) --end;
  Editable edit;
  edit.body = source.substr(begin, end - begin);
  edit.line = [head = source.substr(0, begin), tail = source.substr(end)](const std::string& body) {
    return head + body + tail;
  };
  edit.whole = edit.line;
  edit.text = source;
  edit.read = [line = edit.line, &access](const std::string& body) -> std::optional<ThreadAccess> {
    const auto formula = indexing::parseFormula(line(body));
    if (!formula || formula->map.map.digits() != access.map.digits()) return std::nullopt;
    const auto map = Map::create(access.map.digits(), formula->map.map.axes(), access.map.guards());
    if (!map) return std::nullopt;
    ThreadAccess made = access;
    made.map = *map;
    return made;
  };
  return edit;
}

// --- a block of code ------------------------------------------------------------------------------------------------

struct Piece {
  std::size_t begin = 0, end = 0;  // in the block's text
};

// The insides of NAME[..][..] in the text of the access.
std::vector<Piece> subscriptsOf(const std::string& text, std::size_t from, std::size_t to, const std::string& name) {
  std::vector<Piece> out;
  std::size_t at = text.find(name, from);
  if (at == std::string::npos || at >= to) return out;
  at += name.size();
  while (at < text.size() && text[at] == '[') {
    int depth = 0;
    std::size_t k = at;
    for (; k < text.size(); ++k) {
      depth += text[k] == '[' ? 1 : text[k] == ']' ? -1 : 0;
      if (depth == 0) break;
    }
    if (k >= text.size()) return {};
    out.push_back({at + 1, k});
    at = k + 1;
  }
  return out;
}

std::string lineAround(const std::string& text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return std::string(
      stripped(std::string_view(text).substr(begin, std::min(text.find('\n', at), text.size()) - begin)));
}

// The piece of the block's text, replaced and read again.
Editable pieceOf(const ThreadAccess& access, const code::IndexCode& code, Piece piece) {
  Editable edit;
  edit.text = code.text;
  edit.body = code.text.substr(piece.begin, piece.end - piece.begin);
  const auto replaced = [text = code.text, piece](const std::string& body) {
    return std::string(text).replace(piece.begin, piece.end - piece.begin, body);
  };
  edit.line = [replaced, piece](const std::string& body) { return lineAround(replaced(body), piece.begin); };
  edit.read = [replaced, &access, &code](const std::string& body) -> std::optional<ThreadAccess> {
    const auto changed = code::indexCode(code.word, replaced(body), code.given);
    if (!changed || changed->values->size() != code.values->size()) return std::nullopt;
    const code::IndexValue& value = (*changed->values)[code.selected];
    if (value.fault || value.name != code.value().name || value.map.digits() != code.value().map.digits())
      return std::nullopt;
    const auto map = Map::create(access.map.digits(), value.map.axes(), access.map.guards());
    if (!map) return std::nullopt;
    ThreadAccess made = access;
    made.map = *map;
    return made;
  };
  return edit;
}

bool isAccessTo(const code::IndexValue& value, const std::string& array) {
  return value.kind == code::IndexValue::Kind::Access && value.name == array;
}

bool isOnlyAccess(const code::IndexCode& code) {
  return std::ranges::count_if(*code.values, [&](const auto& v) { return isAccessTo(v, code.value().name); }) == 1;
}

// tile[row][col ^ ((row & 7) << 3)]: the bodies of the last subscript.
std::vector<std::string> swizzledColumns(const std::string& row, const std::string& column, i64 pitch, const Bits& s) {
  if (!isPowerOfTwo(pitch)) return {};
  const int bits = std::countr_zero(static_cast<u64>(pitch));
  if (s.base + s.shift < bits || s.base + s.bits > bits) return {};
  std::vector<std::string> out;
  for (const bool masked : {false, true})
    out.push_back(
        fmt::format("{} ^ {}", inBrackets(column), shiftedBits(row, s.base + s.shift - bits, s.bits, s.base, masked)));
  return out;
}

// The bodies of the last subscript of an access that swizzle its offset.
std::vector<std::string> swizzledSubscripts(const code::IndexCode& code, const code::IndexValue& value,
                                            const std::vector<Piece>& pieces, const Bits& s) {
  const auto textOf = [&](const Piece& p) { return code.text.substr(p.begin, p.end - p.begin); };
  if (pieces.size() == 1) return swizzledBodies(textOf(pieces[0]), s);
  if (value.extents.empty()) return {};
  return swizzledColumns(textOf(pieces[pieces.size() - 2]), textOf(pieces.back()), value.extents.back(), s);
}

// The text with all accesses to the array swizzled: each offset of the new text is the swizzle of the old one.
std::optional<std::string> swizzledEverywhere(const code::IndexCode& code, const Bits& s) {
  const cute::Swizzle swizzle = *cute::Swizzle::make(s.bits, s.base, s.shift);
  const std::string array = code.value().name;
  const auto isSwizzled = [&](const code::IndexValue& old, const code::IndexValue& made) {
    const auto from = old.fault ? std::nullopt : offsetsOf(old.map);
    const auto to = made.fault || made.name != array ? std::nullopt : offsetsOf(made.map);
    return from && to && std::ranges::equal(*from, *to, [&](i64 a, i64 b) { return swizzle(a) == b; });
  };
  std::map<std::size_t, std::pair<Piece, std::string>, std::greater<>> edits;  // the last place first
  for (std::size_t k = 0; k < code.values->size(); ++k) {
    const code::IndexValue& value = (*code.values)[k];
    if (!isAccessTo(value, array)) continue;
    const std::vector<Piece> pieces = subscriptsOf(code.text, value.span.begin, code.text.size(), array);
    if (pieces.empty()) return std::nullopt;
    const Piece last = pieces.back();
    if (edits.contains(last.begin)) continue;
    bool found = false;
    for (const std::string& body : swizzledSubscripts(code, value, pieces, s)) {
      const std::string text = std::string(code.text).replace(last.begin, last.end - last.begin, body);
      const auto changed = code::indexCode(code.word, text, code.given);
      if (!changed || changed->values->size() != code.values->size() || !isSwizzled(value, (*changed->values)[k]))
        continue;
      edits[last.begin] = {last, body};
      found = true;
      break;
    }
    if (!found) return std::nullopt;
  }
  std::string text = code.text;
  for (const auto& [begin, edit] : edits) text.replace(begin, edit.first.end - begin, edit.second);
  const auto changed = code::indexCode(code.word, text, code.given);
  if (!changed || changed->values->size() != code.values->size()) return std::nullopt;
  for (std::size_t k = 0; k < code.values->size(); ++k)
    if (isAccessTo((*code.values)[k], array) && !isSwizzled((*code.values)[k], (*changed->values)[k]))
      return std::nullopt;
  return text;
}

// The last extent in the declaration of the array.
std::optional<Piece> lastExtentOf(const code::IndexCode& code) {
  for (const code::IndexValue& v : *code.values) {
    if (v.kind != code::IndexValue::Kind::Array || v.name != code.value().name) continue;
    const auto pieces = subscriptsOf(code.text, v.span.begin, code.text.size(), v.name);
    if (!pieces.empty()) return pieces.back();
  }
  return std::nullopt;
}

}  // namespace

std::vector<ThreadFix> fixesOf(const ThreadAccess& access, const std::string& source) {
  std::vector<ThreadFix> out;
  const auto edit = formulaOf(access, source);
  const auto offsets = edit ? offsetsOf(access.map) : std::nullopt;
  if (!offsets || offsets->empty() || isConflictFree(access)) return out;
  if (const auto s = swizzleWithoutConflicts(access, *offsets, {}))
    if (auto fix = swizzleFix(swizzledBodies(edit->body, *s), *edit, *s, *offsets)) out.push_back(*std::move(fix));
  if (auto fix = paddingFix(access, *edit, *offsets, access.perLane)) out.push_back(*std::move(fix));
  return out;
}

std::vector<ThreadFix> fixesOf(const ThreadAccess& access, const code::IndexCode& code,
                               const std::vector<ThreadAccess>& others) {
  std::vector<ThreadFix> out;
  const code::IndexValue& value = code.value();
  if (code.word == "kernel") return out;  // a run: its source is not read as index code
  const auto pieces = subscriptsOf(code.text, value.span.begin, code.text.size(), value.name);
  const auto offsets = pieces.empty() ? std::nullopt : offsetsOf(access.map);
  if (!offsets || offsets->empty() || isConflictFree(access)) return out;
  i64 step = access.perLane;  // rows must begin where every vector may
  for (const ThreadAccess& o : others) step = std::max(step, o.perLane);
  Editable column = pieceOf(access, code, pieces.back());
  const auto wholeOf = [&code](Piece piece) {
    return [&code, piece](const std::string& body) {
      return std::string(code.text).replace(piece.begin, piece.end - piece.begin, body);
    };
  };
  if (const auto s = swizzleWithoutConflicts(access, *offsets, others)) {
    if (auto fix = swizzleFix(swizzledSubscripts(code, value, pieces, *s), column, *s, *offsets)) {
      fix->what += othersText(others, *s);
      if (auto whole = swizzledEverywhere(code, *s)) {
        fix->before = code.text;
        fix->after = *std::move(whole);
      }
      out.push_back(*std::move(fix));
    }
  }
  if (pieces.size() == 1) {
    if (isOnlyAccess(code)) column.whole = wholeOf(pieces[0]);
    if (auto fix = paddingFix(access, column, *offsets, step)) out.push_back(*std::move(fix));
  } else if (const auto extent = lastExtentOf(code)) {
    Editable declared = pieceOf(access, code, *extent);
    declared.whole = wholeOf(*extent);
    if (!declared.body.empty() && declared.body.size() < 9 && std::ranges::all_of(declared.body, isDigit)) {
      if (auto fix = paddedAt(access, declared, std::stoll(declared.body), {0}, *offsets, step))
        out.push_back(*std::move(fix));
    } else if (value.extents.size() > 1) {  // a named extent: [BK] becomes [BK + 8]
      for (i64 padding = step; padding <= std::max<i64>(1, 1024 / access.elementBits); padding += step) {
        const std::string body = fmt::format("{} + {}", declared.body, padding);
        const auto made = declared.read(body);
        const auto found = made && isConflictFree(*made) ? offsetsOf(made->map) : std::nullopt;
        if (!found || !renames(*offsets, *found)) continue;
        out.push_back(fixBy(fmt::format("rows padded by {}", padding), declared, body));
        break;
      }
    }
  }
  return out;
}

std::optional<SharedSwizzle> swizzleFor(const std::vector<ThreadAccess>& accesses) {
  i64 top = 0;
  u64 perLane = 1;
  for (const ThreadAccess& a : accesses) {
    const auto offsets = offsetsOf(a.map);
    if (!offsets || *std::ranges::min_element(*offsets) < 0) return std::nullopt;
    top = std::max(top, *std::ranges::max_element(*offsets));
    perLane = std::max(perLane, static_cast<u64>(a.perLane));
  }
  const int width = static_cast<int>(std::bit_width(static_cast<u64>(top)));
  const int least = static_cast<int>(std::bit_width(perLane - 1));
  for (int bits = 1; 2 * bits <= width; ++bits)
    for (int base = least; base + 2 * bits <= width; ++base)
      for (int shift = bits; base + shift + bits <= width; ++shift) {
        const auto swizzle = cute::Swizzle::make(bits, base, shift);
        if (swizzle && std::ranges::all_of(accesses, [&](const ThreadAccess& a) { return isFreeUnder(a, *swizzle); }))
          return SharedSwizzle{*swizzle, i64{1} << width};
      }
  return std::nullopt;
}

}  // namespace tessera
