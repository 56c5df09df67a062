#include "core/paste/printed/cute_mlir.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/notation/cute/text/text.h"
#include "core/notation/triton/module.h"
#include "core/paste/meaning.h"
#include "core/paste/printed/print_tiled.h"

namespace tessera::paste {
namespace {

constexpr std::size_t kMostMlirValues = 4096;

bool isCuteType(std::string_view type) { return type.starts_with("!cute.") || type.starts_with("!cute_nvgpu."); }

// "(2,2,1):(1,2,0)" of atom_layout_MNK = <"(2,2,1):(1,2,0)">; "": it is not there.
std::string_view quotedOf(std::string_view type, std::string_view parameter) {
  const std::size_t at = type.find(parameter);
  const std::size_t open = at == std::string_view::npos ? at : type.find('"', at);
  const std::size_t close = open == std::string_view::npos ? open : type.find('"', open + 1);
  return close == std::string_view::npos ? std::string_view() : type.substr(open + 1, close - open - 1);
}

// [32:1;(4,2):(1,8);_], a tile of the DSL, as (32:1,(4,2):(1,8),_).
std::string tileOfModes(std::string_view modes) {
  std::string out(modes);
  std::ranges::replace(out, '[', '(');
  std::ranges::replace(out, ']', ')');
  std::ranges::replace(out, ';', ',');
  return out;
}

std::string elementOf(std::string_view mlir) {
  constexpr auto kNames = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"f8E4M3FN", "e4m3"}, {"f8E5M2", "e5m2"}, {"i8", "s8"}, {"si8", "s8"}, {"ui8", "u8"}, {"i32", "s32"}});
  for (const auto& [name, element] : kNames)
    if (mlir == name) return std::string(element);
  return std::string(mlir);
}

// The instruction of sm80.mma<16x8x16, elem_type = (f16, f16, f32) -> f32>; "": none that is known.
std::string instructionOf(std::string_view type) {
  const std::size_t mma = type.find(".mma<"), fma = type.find("universal_fma<");
  const std::size_t types = type.find('('), arrow = type.find("->", types);
  if (types == std::string_view::npos || arrow == std::string_view::npos) return {};
  const auto in = wordsIn(type.substr(types, arrow - types), "(), ");
  const auto out = wordsIn(type.substr(arrow + 2), "<>, ");
  if (in.size() < 2 || out.empty()) return {};
  const std::string d = elementOf(out[0]);
  if (fma != std::string_view::npos) return "fma." + d;
  const std::size_t begin = mma == std::string_view::npos ? mma : mma + 5;
  const auto shape = begin == std::string_view::npos
                         ? std::vector<std::string_view>()
                         : wordsIn(type.substr(begin, type.find_first_of(",>", begin) - begin), "x");
  if (shape.size() != 3) return {};
  const std::string c = in.size() > 2 ? elementOf(in[2]) : d,
                    sizes = fmt::format("m{}n{}k{}", shape[0], shape[1], shape[2]);
  if (type.find("sm90.mma<") != std::string_view::npos)
    return fmt::format("wgmma.{}.{}.{}.{}", sizes, d, elementOf(in[0]), elementOf(in[1]));
  return fmt::format("mma.{}.{}.{}.{}.{}", sizes, d, elementOf(in[0]), elementOf(in[1]), c);
}

bool hasValue(const std::string& expression) {
  Reading trial;
  trial.statements.push_back({"X", "X = " + expression, {}});
  return lastValue(trial).ok();
}

// !cute.tiled_mma<ATOM, atom_layout_MNK = <"..">, permutation_MNK = <"[..]">> and !cute.tiled_copy<ATOM,
// layout_copy_tv = <"..">, tiler_mn = <"[..]">>; of a copy whose atom is not known, the layout (thread, value).
std::optional<std::string> textOfTiled(std::string_view type) {
  if (type.starts_with("!cute.tiled_mma<")) {
    const std::string atom = instructionOf(type);
    const std::string_view layout = quotedOf(type, "atom_layout_MNK"), tile = quotedOf(type, "permutation_MNK");
    if (atom.empty() || layout.empty()) return std::nullopt;
    const std::string text = tiledMmaText(atom, layout, tile == "[_;_;_]" ? "" : tileOfModes(tile));
    return hasValue(text) ? std::optional(text) : std::nullopt;
  }
  if (!type.starts_with("!cute.tiled_copy<")) return std::nullopt;
  const std::string_view layout = quotedOf(type, "layout_copy_tv"), tile = quotedOf(type, "tiler_mn");
  if (layout.empty()) return std::nullopt;
  const std::size_t copy = type.find("universal_copy<");
  const auto words = copy == std::string_view::npos
                         ? std::vector<std::string_view>()
                         : wordsIn(type.substr(copy + 15, type.find('>', copy) - copy - 15), ", ");
  if (!words.empty() && !tile.empty()) {
    const std::string element = elementOf(words[0]);
    const std::string text =
        fmt::format("make_tiled_copy_impl(UniversalCopy<{0}>, {0}, {1}, {2})", element, layout, tileOfModes(tile));
    if (hasValue(text)) return text;
  }
  return std::string(layout);
}

// The layout or tuple of a type; nullopt: it has none, as !cute.ptr.
std::optional<std::string> textOfType(std::string_view type) {
  if (type.find('"') == std::string_view::npos) return std::nullopt;
  if (type.starts_with("!cute.tiled_")) return textOfTiled(type);
  std::string whole(type);
  // The coordinates of a tensor are its first text, its layout the last.
  if (type.starts_with("!cute.coord_tensor<")) {
    const std::size_t end = type.rfind('"'), begin = type.rfind('"', end == 0 ? 0 : end - 1);
    if (begin == std::string_view::npos || begin == end) return std::nullopt;
    whole = "!cute.layout<" + std::string(type.substr(begin, end + 1 - begin)) + ">";
  }
  const auto value = cute::parse(whole);
  if (!value || std::holds_alternative<cute::Engine>(*value)) return std::nullopt;
  return cute::print(*value);
}

}  // namespace

void bindCuteMlir(std::string_view text, Bindings& bindings) {
  std::map<std::string, std::string, std::less<>> aliases;
  for (std::size_t at = text.find('!'); at != std::string_view::npos; at = text.find('!', at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const std::size_t line = std::min(text.find('\n', at), text.size()), equals = text.find(" = ", at);
    if (equals > line) continue;
    const std::string_view type = stripped(text.substr(equals + 3, line - equals - 3));
    const std::string_view name = text.substr(at, equals - at);
    if (!isCuteType(type) || name.find('<') != std::string_view::npos) continue;
    aliases.insert_or_assign(std::string(name), std::string(type));
    if (const auto layout = textOfType(type)) bindings.bind(name.substr(1), *layout, {at, line});
  }
  std::size_t values = 0;
  for (const triton::ModuleValue& value : triton::outlineOf(text).values) {
    const auto alias = aliases.find(value.type);
    const std::string& type = alias == aliases.end() ? value.type : alias->second;
    if (!isCuteType(type) || ++values > kMostMlirValues) continue;
    if (const auto layout = textOfType(type))
      bindings.bind(std::string_view(value.name).substr(1), *layout, value.span);
  }
  if (!bindings.empty()) return;
  // Types without a value.
  for (std::size_t at = text.find("!cute"); at != std::string_view::npos; at = text.find("!cute", at + 1)) {
    const std::size_t open = text.find('<', at);
    if (open == std::string_view::npos) return;
    constexpr std::size_t kLongestType = 8192;
    Cursor in(text.substr(0, open + kLongestType), {}, open);
    if (!in.acceptBracketed() || ++values > kMostMlirValues) continue;
    const std::string_view type = text.substr(at, in.position() - at);
    if (const auto layout = textOfType(type)) bindings.bind("", *layout, {at, in.position()});
    at = in.position() - 1;
  }
}

}  // namespace tessera::paste
