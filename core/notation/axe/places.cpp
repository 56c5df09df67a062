#include "core/notation/axe/places.h"

#include <fmt/format.h>

#include "core/notation/axe/text/text.h"

namespace tessera::axe {

std::string print(const Places& places) {
  std::string out;
  for (const Place& place : places.places) out += (out.empty() ? "" : ", ") + print(place);
  return "[" + out + "]";
}

std::string print(const Coords& coords) {
  std::string out;
  for (const std::vector<i64>& coord : coords.coords) out += (out.empty() ? "" : ", ") + printShape(coord);
  return "[" + out + "]";
}

namespace {

Result<Place> readPlace(Cursor& in) {
  Place place;
  TESSERA_CHECKED(in.expect("{", "at the start of a place"));
  while (in.peek() != '}') {
    const std::size_t begin = in.position();
    TESSERA_TRY(const std::string axis, in.identifier("an axis name"));
    if (!in.accept(":")) TESSERA_CHECKED(in.expect("=", "after the axis name"));
    TESSERA_TRY(const i64 value, in.integer());
    if (!place.emplace(axis, value).second) return in.failFrom(begin, fmt::format("the axis {} appears twice", axis));
    if (!in.accept(",")) break;
  }
  TESSERA_CHECKED(in.expect("}", "at the end of a place"));
  return place;
}

}  // namespace

Result<std::optional<Place>> parsePlacePrefix(Cursor& cursor) {
  spelling::Scanner in(cursor.text(), cursor.position());
  spelling::Scanner ahead = in;
  if (!ahead.accept("{") || (ahead.peek() != '}' && ahead.peekWord().empty())) return std::optional<Place>();
  TESSERA_TRY(Place place, readPlace(in));
  cursor.seek(in.position());
  return std::optional(std::move(place));
}

}  // namespace tessera::axe
