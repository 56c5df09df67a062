#include "core/paste/xla/sharding_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/work.h"

namespace tessera::paste::xla_text {

Result<Ints> intList(Cursor& in, char close) {
  Ints out;
  while (!in.accept(close)) {
    TESSERA_TRY(const i64 one, in.integer());
    out.push_back(one);
    if (!in.accept(',') && in.peek() != close)
      return in.fail("a list of integers is not closed", std::string(1, close));
  }
  return out;
}

std::vector<std::string> quotedWords(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find_first_of("'\""); at != std::string_view::npos;) {
    const std::size_t close = text.find(text[at], at + 1);
    if (close == std::string_view::npos) break;
    out.emplace_back(text.substr(at + 1, close - at - 1));
    at = text.find_first_of("'\"", close + 1);
  }
  return out;
}

Result<std::string_view> bracketed(Cursor& in, bool angles) {
  const std::size_t open = in.start();
  if (!in.acceptBracketed(angles))
    return in.fail("a bracket is never closed", "its closing bracket", "if the text is cut off: copy all of it");
  return in.text().substr(open + 1, in.position() - open - 2);
}

Result<Assignment> assignment(Cursor& in) {
  Assignment out;
  const std::size_t begin = in.position();
  TESSERA_CHECKED(in.expect("[", "after devices="));
  TESSERA_TRY(out.dims, intList(in, ']'));
  if (in.accept("<=")) {
    Ints permutation;
    TESSERA_CHECKED(in.expect("[", "after <="));
    TESSERA_TRY(const Ints reshape, intList(in, ']'));
    if (in.accept("T(")) {
      TESSERA_TRY(permutation, intList(in, ')'));
    }
    TESSERA_TRY(out.devices, transposedIota(reshape, permutation, in.spanFrom(begin)));
  } else {
    while (in.atInteger()) {
      TESSERA_TRY(const i64 one, in.integer("a device"));
      out.devices.push_back(one);
      if (!in.accept(',')) break;
    }
  }
  if (in.acceptWord("last_tile_dim_replicate")) out.trailing = 1;
  if (in.accept("last_tile_dims={")) {
    while (!in.accept('}')) {
      TESSERA_TRY(const std::string kind, in.identifier("replicated or manual"));
      ++out.trailing;
      if (!in.accept(',') && in.peek() != '}') return in.fail("last_tile_dims is not closed", "}");
    }
  }
  return out;
}

Result<Tiling> tilingOf(Assignment a, Span span) {
  Tiling t;
  i64 count = 1;
  for (const i64 dim : a.dims) {
    const auto next = checkedMul(count, dim);
    if (dim < 1 || !next) return Diag{"the dimensions of a tile assignment are at least 1", "devices=[2,1]", "", span};
    count = *next;
  }
  if (count != static_cast<i64>(a.devices.size()))
    return Diag{fmt::format("the tiles need {}, and the text has {}",
                            counted(static_cast<std::size_t>(count), "device"), a.devices.size()),
                "a device for each tile", "", span};
  if (a.trailing > a.dims.size()) return Diag{"more trailing dimensions than dimensions", "", "", span};
  for (std::size_t k = 0; k < a.dims.size(); ++k) {
    if (k + a.trailing >= a.dims.size())
      t.copies *= a.dims[k];
    else
      t.tiles.push_back(a.dims[k]);
  }
  t.devices = std::move(a.devices);
  return t;
}

Ints sizesIn(std::string_view text) {
  for (const std::string_view head : {"reshape(", "create_device_mesh(", "create_hybrid_device_mesh("}) {
    const std::size_t at = text.find(head);
    if (at == std::string_view::npos) continue;
    Cursor in(text, {}, at + head.size());
    while (in.accept('(') || in.accept('[')) {
    }
    Ints out;
    while (in.atInteger()) {
      const auto one = in.integer();
      if (!one) break;
      out.push_back(*one);
      if (!in.accept(',')) break;
    }
    if (!out.empty()) return out;
  }
  return {};
}

Result<Nested> nestedList(Cursor& in) {
  Nested out;
  Ints lists;  // the lists, and then the places, of each depth
  std::size_t depth = 0;
  i64 places = 0;
  do {
    spend();
    if (in.accept('[')) {
      if (++depth > 8) return in.fail("lists nest more than 8 levels deep");
      lists.resize(std::max(lists.size(), depth));
      ++lists[depth - 1];
    } else if (in.accept(']')) {
      --depth;
    } else if (in.accept('{')) {
      ++places;
      (void)in.accept(in.peekWord());
      const std::size_t before = out.numbers.size();
      while (in.atInteger()) {
        TESSERA_TRY(const i64 one, in.integer());
        out.numbers.push_back(one);
        (void)in.accept(',');
      }
      out.copies = static_cast<i64>(out.numbers.size() - before);
      TESSERA_CHECKED(in.expect("}", "after the devices of one tile"));
    } else if (in.atInteger()) {
      TESSERA_TRY(const i64 one, in.integer());
      out.numbers.push_back(one);
      ++places;
    } else if (!in.accept(',')) {
      return in.fail("a list of devices is expected", "[[0, 1], [2, 3]]");
    }
  } while (depth > 0);
  lists.push_back(places);
  for (std::size_t k = 0; k + 1 < lists.size(); ++k) {
    if (lists[k] == 0 || lists[k + 1] % lists[k] != 0) return in.fail("the lists have different lengths");
    out.dims.push_back(lists[k + 1] / lists[k]);
  }
  return out;
}

}  // namespace tessera::paste::xla_text
