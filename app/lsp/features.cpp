#include "app/lsp/features.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/engine/help/completions.h"
#include "app/engine/help/line_value.h"
#include "app/engine/help/method_info.h"
#include "app/engine/names/sheet_names.h"
#include "core/base/chars.h"
#include "core/worksheet/value.h"

namespace tessera::lsp {
namespace {

std::size_t byteIn(const Known& known, const Json& params) {
  return known.sheetByte(placeOf(memberOf(params, "position")));
}

// The byte of the name there: after the sigil of %s.
std::size_t nameByte(const Known& known, const Json& params) {
  const std::size_t byte = byteIn(known, params);
  const std::string& sheet = *known.sheet;
  const bool sigil = byte + 1 < sheet.size() && (sheet[byte] == '%' || sheet[byte] == '#' || sheet[byte] == '@');
  return sigil && isNamePart(sheet[byte + 1]) ? byte + 1 : byte;
}

// --- completion ------------------------------------------------------------------------------------------------------

// CompletionItemKind by the kind of an offer.
struct ItemKind {
  std::string_view kind;
  int number;
};
constexpr ItemKind kItemKinds[] = {
    {"function", 3}, {"claim", 2},   {"name", 6},     {"view", 13},         {"instruction", 12}, {"access", 12},
    {"type", 25},    {"method", 20}, {"keyword", 14}, {"specification", 7}, {"operation", 2},    {"operand", 5},
};

int itemKind(std::string_view kind) {
  const auto* const found = std::ranges::find(kItemKinds, kind, &ItemKind::kind);
  return found == std::end(kItemKinds) ? 1 : found->number;
}

// --- hover -----------------------------------------------------------------------------------------------------------

constexpr std::size_t kMostHover = 20'000;

// Prose as Markdown: its marks are shown, not read.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>#|~").find(c) != std::string_view::npos) out += '\\';
    out += c;
    if (c == '\n') out += "\n";
  }
  return out;
}

std::string fenced(std::string_view text) {
  std::string shown(text.substr(0, codePointStart(text, kMostHover)));
  if (shown.size() < text.size()) shown += fmt::format("\n... ({} of {} bytes)", shown.size(), text.size());
  const std::string fence = shown.find("```") == std::string::npos ? "```" : "`````";
  return fmt::format("{}tessera\n{}\n{}", fence, shown, fence);
}

std::string textOfHover(const HoverInfo& info, bool markdown) {
  std::vector<std::string> parts;
  if (!info.title.empty()) parts.push_back(markdown ? fenced(info.title) : info.title);
  for (const std::string& line : info.lines) parts.push_back(markdown ? escaped(line) : line);
  if (!info.value.empty()) parts.push_back(markdown ? fenced("= " + info.value) : "= " + info.value);
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : markdown ? "\n\n" : "\n") + part;
  return all;
}

// The answer of the statement at a byte: its verdict and what that rests on, or its value.
std::optional<HoverInfo> statementInfo(const Known& known, std::size_t byte) {
  for (const auto& o : known.outcomes()) {
    if (byte < o->statement.span.begin || byte >= o->statement.span.end) continue;
    if (o->verdict && !o->learner.task)
      return HoverInfo{"", {tessera::textOf(*o->verdict), methodInfo(*o->verdict)}, "", "", false};
    const bool value = o->statement.kind == StatementKind::Expression || o->statement.kind == StatementKind::Find;
    return value ? valueInfo(known.outcomes(), o->statement.line) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::string cutLine(std::string text, std::size_t most) {
  std::ranges::replace(text, '\n', ' ');
  if (text.size() <= most) return text;
  text.resize(codePointStart(text, most));
  return text + "\u2026";
}

Json completionOf(const Known& known, const Json& params) {
  const std::size_t byte = byteIn(known, params);
  // Names of an older text are better than none.
  const std::vector<BoundName> names = boundNames(known.snapshot->outcomes);
  const Completions found = completionsAt(*known.sheet, byte, names);
  Json items = Json::array();
  const auto replaced = known.inText({found.begin, found.end});
  for (std::size_t k = 0; replaced && k < found.items.size(); ++k) {
    const Completion& c = found.items[k];
    Json item = {{"label", c.text},
                 {"kind", itemKind(c.kind)},
                 {"sortText", fmt::format("{:03}", k)},
                 {"textEdit", {{"range", rangeOf(*replaced, *known.text)}, {"newText", c.insert}}}};
    if (!c.detail.empty()) item["detail"] = c.detail;
    items.push_back(std::move(item));
  }
  // Later letters choose among other words, too.
  return {{"isIncomplete", true}, {"items", std::move(items)}};
}

Json hoverOf(const Known& known, const Json& params) {
  const std::size_t byte = nameByte(known, params);
  auto info = hoverInfo(*known.sheet, byte, known.outcomes());
  if (!info) info = statementInfo(known, byte);
  if (!info) return nullptr;
  Json out = {{"contents",
               {{"kind", known.markdown ? "markdown" : "plaintext"}, {"value", textOfHover(*info, known.markdown)}}}};
  const auto word = known.inText(nameAt(*known.sheet, byte));
  if (word && !word->empty()) out["range"] = rangeOf(*word, *known.text);
  return out;
}

Json definitionAnswer(const Known& known, const Json& params) {
  const std::size_t byte = nameByte(known, params);
  const auto at = definitionOf(*known.sheet, byte);
  const Span word = nameAt(*known.sheet, byte);
  const auto place = at ? known.inText({*at, *at + word.end - word.begin}) : std::nullopt;
  if (!place) return nullptr;
  return {{"uri", known.uri}, {"range", rangeOf(*place, *known.text)}};
}

Json referencesOf(const Known& known, const Json& params) {
  const std::size_t byte = nameByte(known, params);
  const Json* const asked = findMember(params, "context.includeDeclaration");
  const auto declared = definitionOf(*known.sheet, byte);
  Json out = Json::array();
  for (const Span& use : usesOf(*known.sheet, byte)) {
    const auto place = known.inText(use);
    if (!place || (asked != nullptr && *asked == false && declared == use.begin)) continue;
    out.push_back({{"uri", known.uri}, {"range", rangeOf(*place, *known.text)}});
  }
  return out;
}

Json highlightsOf(const Known& known, const Json& params) {
  constexpr int kRead = 2, kWrite = 3;
  const std::size_t byte = nameByte(known, params);
  const auto declared = definitionOf(*known.sheet, byte);
  Json out = Json::array();
  for (const Span& use : usesOf(*known.sheet, byte))
    if (const auto place = known.inText(use))
      out.push_back({{"range", rangeOf(*place, *known.text)}, {"kind", declared == use.begin ? kWrite : kRead}});
  return out;
}

Json renamePlaceOf(const Known& known, const Json& params) {
  const std::size_t byte = nameByte(known, params);
  const auto word = known.inText(nameAt(*known.sheet, byte));
  if (!word || word->empty() || usesOf(*known.sheet, byte).empty()) return nullptr;
  return {{"range", rangeOf(*word, *known.text)},
          {"placeholder", known.text->bytes().substr(word->begin, word->end - word->begin)}};
}

Json renameOf(const Known& known, const Json& params) {
  const std::string name = textOf(params, "newName");
  const auto places = placesToRename(*known.sheet, nameByte(known, params), name);
  if (!places) throw Failure(Code::RequestFailed, places.error().message);
  Json edits = Json::array();
  for (const Span& use : *places) {
    const auto place = known.inText(use);
    if (!place) throw Failure(Code::RequestFailed, "this name is not of the document");
    edits.push_back({{"range", rangeOf(*place, *known.text)}, {"newText", name}});
  }
  return editOfDocument(known, std::move(edits));
}

Json inlayHintsOf(const Known& known, const Json& params) {
  constexpr std::size_t kMost = 60;
  const Span range = spanOf(memberOf(params, "range"), *known.text);
  Json out = Json::array();
  for (const auto& o : known.outcomes()) {
    const auto span = known.inText(o->statement.span);
    if (!span || span->end < range.begin || span->begin > range.end || o->diag) continue;
    std::string label, tooltip;
    const bool claim = o->statement.kind == StatementKind::Prove || o->statement.kind == StatementKind::Assert;
    if (o->learner.task && o->verdict) {
      label = o->solved() ? "solved" : "not yet";
    } else if (claim && o->verdict) {
      label = name(o->verdict->truth);
      tooltip = methodInfo(*o->verdict);
    } else if (const std::string value = lineValue(*o); !value.empty()) {
      label = (o->ran ? "" : "= ") + cutLine(value, kMost);
      if (value.size() > kMost) tooltip = value.substr(0, codePointStart(value, kMostHover));
    }
    if (label.empty()) continue;
    Json hint = {{"position", jsonOf(known.text->at(span->end))}, {"label", label}, {"paddingLeft", true}};
    if (!tooltip.empty()) hint["tooltip"] = tooltip;
    out.push_back(std::move(hint));
  }
  return out;
}

Json editOfDocument(const Known& known, Json edits) {
  Json changes = Json::object();
  changes[known.uri] = std::move(edits);
  return {{"changes", std::move(changes)}};
}

}  // namespace tessera::lsp
