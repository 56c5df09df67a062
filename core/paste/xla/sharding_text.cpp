// The spellings of shardings: HLO's tile assignments, Shardy's attributes, JAX's objects and their constructors.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/paste/xla/readers.h"
#include "core/paste/xla/sharding_parts.h"
#include "core/paste/xla/tiling.h"

namespace tessera::paste::xla_text {
namespace {

using Spec = std::vector<std::vector<std::string>>;

struct Shardings {
  std::string_view text;
  Bindings& out;
  Mesh mesh = {};
  bool bound = false;
  Span meshSpan = {};

  Result<bool> all();
  Result<bool> one(Cursor& in);
  Result<void> hlo(Cursor& in);
  Result<void> shardy(Cursor& in, std::size_t begin);
  Result<void> shardyMesh(std::string_view inside, Span span);
  Result<void> jaxMesh(Cursor& in, std::size_t begin);
  Result<void> jaxSpec(Cursor& in, std::size_t begin);
  Result<void> positional(Cursor& in, std::size_t begin);
  Result<void> whole(std::size_t begin, std::size_t end, std::optional<i64> device);
  Result<void> bindSpec(const Spec& spec, Span span);
  [[nodiscard]] std::string nameAt(std::size_t begin) const;
};

// The name in `NAME = ...` on the line; "sharding" inside a longer line, "" for a text that begins here.
std::string Shardings::nameAt(std::size_t begin) const {
  const std::size_t line = text.rfind('\n', begin) == std::string_view::npos ? 0 : text.rfind('\n', begin) + 1;
  const std::string_view before = stripped(text.substr(line, begin - line));
  Cursor in(before);
  const std::string_view word = in.peekWord();
  in.advance(word.size());
  if (!word.empty() && in.accept('=') && in.raw() != '=' && word != "sharding") return std::string(word);
  return before.find_first_not_of("{<#(") == std::string_view::npos ? "" : "sharding";
}

// One sharding that the whole array has: all devices, or a single one.
Result<void> Shardings::whole(std::size_t begin, std::size_t end, std::optional<i64> device) {
  bound = true;
  Tiling t;
  const Span span{begin, end};
  if (device) {
    t.devices = {*device};
  } else {
    const auto count = out.number("devices", "the number of devices of a replicated sharding", "8", span);
    if (!count) return {};
    TESSERA_TRY(t.devices, transposedIota({*count}, {}, span));
    t.copies = *count;
  }
  t.tiles = {1};
  return bindTiling(nameAt(begin), t, span, out);
}

Result<void> Shardings::hlo(Cursor& in) {
  const std::size_t begin = in.position() - std::string_view("devices=").size();
  TESSERA_TRY(Assignment a, assignment(in));
  const Span span = in.spanFrom(begin);
  TESSERA_TRY(const Tiling t, tilingOf(std::move(a), span));
  bound = true;
  return bindTiling(nameAt(begin), t, span, out);
}

// ["x"=4, "y"=2]
Result<void> Shardings::shardyMesh(std::string_view inside, Span span) {
  mesh = {};
  meshSpan = span;
  Cursor in(inside);
  const bool quoted = inside.find('"') != std::string_view::npos;
  (void)in.accept('<');
  (void)in.accept('[');
  while (quoted ? in.accept('"') : isNameStart(in.peek())) {
    const std::string name(in.peekWord());
    in.advance(name.size());
    if (quoted) TESSERA_CHECKED(in.expect("\"", "after the name of an axis"));
    TESSERA_CHECKED(in.expect("=", "after the name of an axis"));
    TESSERA_TRY(const i64 size, in.integer("the size of the axis"));
    mesh.axes.emplace_back(name, size);
    if (!in.accept(',')) break;
  }
  return {};
}

Result<void> Shardings::bindSpec(const Spec& spec, Span span) {
  bound = true;
  if (const std::string* given = out.given().let("mesh"); mesh.axes.empty() && given != nullptr)
    TESSERA_CHECKED(placedIn(span, shardyMesh(*given, span)));
  if (mesh.axes.empty()) {
    for (const auto& [name, value] : out.given().lets)
      if (const auto size = integerText(value); size && name != "devices") mesh.axes.emplace_back(name, *size);
    for (const auto& axes : spec)
      for (const std::string& axis : axes) {
        if (std::ranges::find(mesh.axes, axis, &std::pair<std::string, i64>::first) != mesh.axes.end()) continue;
        out.ask({axis, "the size of an axis of the mesh", fmt::format("--let {}=4", axis), span});
      }
    if (out.asked()) return {};
    out.note("the axes of the mesh are those of --let, in this order");
  }
  TESSERA_TRY(const Tiling t, tilingOver(mesh, spec, span));
  if (mesh.devices.empty()) out.note("the devices of the mesh are counted row-major");
  return bindTiling(nameAt(span.begin), t, span, out);
}

// <@mesh, [{"x"}, {?}, {}], replicated={"y"}>
Result<void> Shardings::shardy(Cursor& in, std::size_t begin) {
  TESSERA_TRY(const std::string_view inside, bracketed(in, true));
  const Span span{begin, in.position()};
  const std::vector<std::string> parts = splitCommas(inside);
  if (parts.empty()) return in.failFrom(begin, "a sharding has a mesh and a list", "<@mesh, [{\"x\"}, {}]>");
  if (parts[0].starts_with("mesh<"))
    TESSERA_CHECKED(placedIn(span, shardyMesh(std::string_view(parts[0]).substr(5, parts[0].size() - 6), span)));
  const auto list = std::ranges::find_if(parts, [](const std::string& part) { return part.starts_with('['); });
  if (list == parts.end()) return in.failFrom(begin, "the sharding has no list of dimensions", "[{\"x\"}, {}]");
  Spec spec;
  for (const std::string& dimension : splitCommas(std::string_view(*list).substr(1, list->size() - 2))) {
    if (dimension.find(":(") != std::string::npos)
      return in.failFrom(begin, "parts of an axis, as in \"x\":(1)2, are not read", "whole axes");
    spec.push_back(quotedWords(dimension));
  }
  return bindSpec(spec, span);
}

// Mesh('x': 4, 'y': 2), Mesh(device_ids=array([[0, 1]]), axis_names=('x', 'y')), make_mesh((4, 2), ('x', 'y'))
Result<void> Shardings::jaxMesh(Cursor& in, std::size_t begin) {
  TESSERA_TRY(const std::string_view inside, bracketed(in, false));
  meshSpan = {begin, in.position()};
  mesh = {};
  Ints sizes = sizesIn(text.substr(begin, in.position() - begin));
  std::vector<std::string> names;
  for (const std::string& part : splitCommas(inside)) {
    const std::size_t colon = part.find(':');
    const auto size = colon == std::string::npos ? std::nullopt : integerText(std::string_view(part).substr(colon + 1));
    const std::vector<std::string> words = quotedWords(part);
    if (size && words.size() == 1) {
      mesh.axes.emplace_back(words[0], *size);
    } else if (const std::size_t array = part.find("[["); array != std::string::npos && words.empty()) {
      Cursor list(part, {}, array);
      TESSERA_TRY(Nested ids, placedIn(meshSpan, nestedList(list)));
      sizes = std::move(ids.dims);
      mesh.devices = std::move(ids.numbers);
    } else if (!words.empty() && part.find("axis_types") == std::string::npos) {
      names.insert(names.end(), words.begin(), words.end());
    } else if (sizes.empty() && part.starts_with('(')) {
      Cursor list(part, {}, 1);
      if (list.atInteger()) {
        TESSERA_TRY(sizes, placedIn(meshSpan, intList(list, ')')));
      }
    }
  }
  for (std::size_t k = 0; k < names.size() && mesh.axes.size() < names.size(); ++k) {
    std::optional<i64> size;
    if (k < sizes.size()) size = sizes[k];
    if (!size) size = out.number(names[k], "the size of an axis of the mesh", "4", meshSpan);
    if (size) mesh.axes.emplace_back(names[k], *size);
  }
  return {};
}

// PartitionSpec('x', None, ('y', 'z'))
Result<void> Shardings::jaxSpec(Cursor& in, std::size_t begin) {
  TESSERA_TRY(const std::string_view inside, bracketed(in, false));
  Spec spec;
  for (const std::string& part : splitCommas(inside))
    if (part.find('=') == std::string::npos) spec.push_back(quotedWords(part));
  if (out.asked()) return {};
  return bindSpec(spec, {begin, in.position()});
}

// PositionalSharding([[{TPU 0} {TPU 1}] [{TPU 2} {TPU 3}]])
Result<void> Shardings::positional(Cursor& in, std::size_t begin) {
  TESSERA_CHECKED(in.expect("(", "after PositionalSharding"));
  TESSERA_TRY(Nested list, nestedList(in));
  Tiling t{std::move(list.dims), std::max<i64>(list.copies, 1), std::move(list.numbers)};
  i64 count = t.copies;
  for (const i64 dim : t.tiles) count *= dim;
  if (count != static_cast<i64>(t.devices.size()))
    return in.failFrom(begin, "the tiles have different numbers of devices", "one set of devices for each tile");
  bound = true;
  return bindTiling(nameAt(begin), t, in.spanFrom(begin), out);
}

// The sharding or mesh at the cursor; false: none begins here.
Result<bool> Shardings::one(Cursor& in) {
  const std::size_t begin = in.position();
  const bool inWord = begin > 0 && isNamePart(text[begin - 1]);
  const auto done = [](const Result<void>& read) { return read ? Result<bool>(true) : Result<bool>(read.error()); };
  if (inWord) return false;
  if (in.accept("devices=")) return done(hlo(in));
  if (in.accept("{replicated}")) return done(whole(begin, in.position(), std::nullopt));
  if (in.accept("{maximal device=")) {
    TESSERA_TRY(const i64 device, in.integer("a device"));
    return done(whole(begin, in.position(), device));
  }
  if (in.accept("sdy.mesh")) {
    (void)in.accept('@');
    in.advance(in.peekWord().size());
    TESSERA_CHECKED(in.expect("=", "after the name of the mesh"));
    TESSERA_TRY(const std::string_view inside, bracketed(in, true));
    return done(placedIn({begin, in.position()}, shardyMesh(inside, {begin, in.position()})));
  }
  (void)(in.accept("#sdy.sharding") || in.accept("#sdy.sharding_per_value"));
  if (in.raw() == '<' && (in.raw(1) == '@' || in.text().substr(in.position() + 1, 5) == "mesh<"))
    return done(shardy(in, begin));
  in.seek(begin);
  if (in.acceptWord("mesh") && in.accept('=') && in.peek() == '{') return done(jaxMesh(in, begin));
  in.seek(begin);
  for (const std::string_view head : {"AbstractMesh", "Mesh", "make_mesh"})
    if (in.acceptWord(head) && in.raw() == '(') return done(jaxMesh(in, begin));
  for (const std::string_view head : {"PartitionSpec", "P"})
    if (in.acceptWord(head) && in.raw() == '(') return done(jaxSpec(in, begin));
  if (in.accept("PositionalSharding")) return done(positional(in, begin));
  if (in.accept("SingleDeviceSharding(")) {
    const std::size_t close = std::min(text.find(')', in.position()), text.size());
    const std::size_t id = text.substr(0, close).find("id=", in.position());
    if (id == std::string_view::npos) return false;
    in.seek(id + 3);
    TESSERA_TRY(const i64 device, in.integer("a device"));
    return done(whole(begin, in.position(), device));
  }
  in.seek(begin);
  return false;
}

Result<bool> Shardings::all() {
  Cursor in(text);
  while (!in.atEnd()) {
    TESSERA_TRY(const bool read, one(in));
    if (!read) in.advance(std::max<std::size_t>(in.peekWord().size(), 1));
  }
  if (!bound && !mesh.axes.empty()) {
    std::string sizes;
    for (const auto& [name, size] : mesh.axes) sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", size);
    if (!mesh.devices.empty()) return true;
    out.bind(nameAt(meshSpan.begin), fmt::format("mesh ({})", sizes), meshSpan);
    bound = true;
  }
  return bound || out.asked();
}

}  // namespace

Result<bool> readShardings(std::string_view text, Bindings& out) {
  Shardings reader{text, out};
  return reader.all();
}

}  // namespace tessera::paste::xla_text
