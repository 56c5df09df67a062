// Lines of XLA's text without a module around them: instructions, the reports of XLA running out of memory, buffer
// assignments, the head of a module, jaxprs.
//
//     %copy.4 = s32[8,4]{1,0} copy(%x)                            copy_4 = s32[8,4]{1,0} copy(%x)
//       1. Size: 32.00G ... Shape: s32[8388608,8,4]{2,1,0:T(8,128)}   the shape, its size compared with the report's
//      value: <3 transpose.2 @0> (size=4096,offset=0): f32[128,8]{1,0}    transpose_2 = f32[128,8]{1,0}
//     entry_computation_layout={(f32[8]{0})->f32[8]{0}}           parameter0, result
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/notation/xla/address.h"
#include "core/notation/xla/instruction.h"
#include "core/paste/xla/readers.h"

namespace tessera::paste::xla_text {
namespace {

bool isHloName(char c) { return isNamePart(c) || c == '.' || c == '-'; }

// The last HLO name in the text: "XLA label: %fusion.3" -> "fusion.3".
std::string_view lastHloName(std::string_view text) {
  while (!text.empty() && !isHloName(text.back())) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && isHloName(text[begin - 1])) --begin;
  return text.substr(begin);
}

// "32.00G", "1.00GiB", "4096", "512 bytes": bytes. nullopt: no size.
std::optional<double> sizeIn(std::string_view text) {
  text = stripped(text);
  std::size_t end = 0;
  while (end < text.size() && (isDigit(text[end]) || text[end] == '.')) ++end;
  if (end == 0 || end > 20) return std::nullopt;
  double value = 0, place = 0;
  for (const char c : text.substr(0, end)) {
    if (c == '.') {
      if (place != 0) return std::nullopt;
      place = 1;
    } else {
      value = value * 10 + (c - '0');
      place *= 10;
    }
  }
  if (place > 1) value /= place;
  text = stripped(text.substr(end));
  constexpr std::string_view kUnits = "KMGTP";
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text[0]);
  return unit == std::string_view::npos ? value : std::ldexp(value, 10 * (static_cast<int>(unit) + 1));
}

// What a report says of the allocation whose lines are being read.
struct Allocation {
  std::string label;
  std::optional<double> size;
  std::string sizeText;
};

struct Lines {
  Bindings& out;
  Allocation allocation = {};
  int allocations = 0;
  std::string_view withoutShape = {};  // the first label without a shape, for the message
  std::size_t labelAt = 0;

  Result<void> read(std::string_view text);
  Result<void> line(std::string_view text, std::size_t begin, std::size_t end, std::size_t& next);
  [[nodiscard]] bool instruction(std::string_view text, std::size_t begin, std::size_t end, std::size_t& next);
  [[nodiscard]] bool heading(std::string_view line, std::string_view after, std::size_t at);
  Result<void> shapes(std::string_view text, std::size_t begin, std::size_t end);
  void bind(std::string_view name, const xla::Shape& shape, Span span);
  void compare(const xla::Shape& shape);
};

// Where a shape can begin: a type and `[`, not inside a longer name.
bool atShapeWord(std::string_view text, std::size_t at) {
  if (at > 0 && (isHloName(text[at - 1]) || text[at - 1] == '%')) return false;
  std::size_t end = at;
  while (end < text.size() && isNamePart(text[end])) ++end;
  return end < text.size() && text[end] == '[' && xla::findType(text.substr(at, end - at)) != nullptr;
}

void Lines::compare(const xla::Shape& shape) {
  if (!allocation.size || shape.isUnbounded()) return;
  const auto sizes = xla::sizesOf(shape);
  if (!sizes) return;
  const double real = static_cast<double>(sizes->bytes), said = *allocation.size;
  if (std::abs(real - said) > 0.006 * std::max(real, said) + 1)
    out.note(fmt::format("the report says {} for {}, but its shape with all tiles takes {} bytes", allocation.sizeText,
                         allocation.label.empty() ? "this allocation" : allocation.label, sizes->bytes));
}

void Lines::bind(std::string_view name, const xla::Shape& shape, Span span) { out.bind(name, xla::print(shape), span); }

// The instruction whose `NAME =` is on this line; it may end on a later line.
bool Lines::instruction(std::string_view text, std::size_t begin, std::size_t end, std::size_t& next) {
  const std::size_t equals = text.substr(0, end).find('=', begin);
  if (equals == std::string_view::npos) return false;
  const std::string_view name = lastHloName(text.substr(begin, equals - begin));
  if (name.empty()) return false;
  const std::size_t from = static_cast<std::size_t>(name.data() - text.data());
  Cursor in(text, {}, from);
  const auto read = xla::parsePrefix(in);
  if (!read || !*read) return false;
  const auto* line = std::get_if<xla::Instruction>(&**read);
  if (line == nullptr) return false;
  xla::Instruction unnamed = *line;
  unnamed.name.clear();
  unnamed.root = false;
  const Span span{from, in.position()};
  std::string expression = xla::print(unnamed);
  Cursor again(expression);
  const auto same = xla::parsePrefix(again);
  // `and` and `or` after a bare shape are operators of the worksheet.
  const bool whole = same && *same && again.atEnd() && std::holds_alternative<xla::Instruction>(**same);
  if (!whole) out.note(fmt::format("{} is bound as its shape only", name));
  out.bind(name, whole ? expression : xla::print(unnamed.shape), span);
  next = std::max(next, in.position());
  return true;
}

// The name after "XLA label:" in the lines of one allocation.
std::string_view labelIn(std::string_view lines) {
  lines = lines.substr(0, lines.find(" Size:"));
  std::size_t at = lines.find("XLA label:");
  if (at == std::string_view::npos) at = lines.find("XLA Label:");
  if (at == std::string_view::npos) return {};
  lines.remove_prefix(at + 10);
  lines = lines.substr(0, lines.find('\n'));
  return lastHloName(lines.substr(0, lines.find('=')));
}

// `key: value` of a report, and the lines after it. True: the line has no shape of its own.
bool Lines::heading(std::string_view line, std::string_view rest, std::size_t at) {
  const auto after = [&](std::string_view key) -> std::optional<std::string_view> {
    const std::size_t found = line.find(key);
    if (found == std::string_view::npos) return std::nullopt;
    return stripped(line.substr(found + key.size()));
  };
  if (const auto value = after("Size:"); value && line.find("size:") == std::string_view::npos) {
    allocation = {std::string(labelIn(rest)), sizeIn(*value),
                  std::string(value->substr(0, value->find_first_of(" \t\r")))};
    ++allocations;
    return true;
  }
  for (const std::string_view key : {"XLA label:", "XLA Label:"})
    if (const auto value = after(key)) {
      const std::size_t equals = value->find('=');
      if (withoutShape.empty()) withoutShape = *value, labelAt = at;
      return equals == std::string_view::npos;
    }
  return after("Operator:") || after("Unpadded size:") || after("Extra memory") || after("Allocation type:");
}

// <3 transpose.2 @0> of a buffer assignment, `b` of a jaxpr's `b:f32[8]`, or a report's label.
std::string nameBefore(std::string_view line, std::size_t at) {
  const std::size_t close = line.substr(0, at).rfind('>'), open = line.substr(0, at).rfind('<');
  if (close != std::string_view::npos && open != std::string_view::npos && open < close) {
    std::string_view value = line.substr(open + 1, close - open - 1);
    value = value.substr(0, value.find('@'));
    return std::string(lastHloName(value));
  }
  if (at > 0 && line[at - 1] == ':') return std::string(lastHloName(line.substr(0, at - 1)));
  return {};
}

Result<void> Lines::shapes(std::string_view text, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    spend();
    const bool tuple = text[at] == '(' && at + 1 < end && atShapeWord(text, at + 1);
    if (!tuple && !atShapeWord(text, at)) continue;
    xla::Reader in(text.substr(0, end), at);
    auto shape = xla::readShape(in);
    if (tuple && !shape) continue;  // (f32[8], %x): the shapes inside
    TESSERA_TRY(const xla::Shape read, std::move(shape));
    compare(read);
    if (at > begin && text[at - 1] == '|') continue;  // an allocation, whose values are on the next lines
    std::string name = nameBefore(text.substr(begin, at - begin), at - begin);
    if (name.empty()) name = allocation.label;
    if (name.empty() && allocations > 0) name = fmt::format("allocation{}", allocations);
    bind(name, read, {at, in.position()});
    at = in.position() - 1;
  }
  return {};
}

Result<void> Lines::line(std::string_view text, std::size_t begin, std::size_t end, std::size_t& next) {
  if (instruction(text, begin, end, next)) return {};
  const std::string_view rest = text.substr(std::min(end, text.size()));
  if (heading(stripped(text.substr(begin, end - begin)), rest, begin)) return {};
  return shapes(text, begin, end);
}

Result<void> Lines::read(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::size_t next = end + 1;
    TESSERA_CHECKED(line(text, at, end, next));
    at = next;
  }
  return {};
}

// entry_computation_layout={(f32[8,128]{1,0}, ...)->f32[128,8]{1,0}}
Result<bool> entryLayout(std::string_view text, Bindings& out) {
  constexpr std::string_view kKey = "entry_computation_layout={";
  const std::size_t at = text.find(kKey);
  if (at == std::string_view::npos) return false;
  xla::Reader in(text, at + kKey.size());
  TESSERA_CHECKED(in.expect("(", "before the parameters of the entry computation"));
  for (int k = 0; in.peek() != ')'; ++k) {
    const std::size_t begin = in.start();
    TESSERA_TRY(const xla::Shape shape, xla::readShape(in));
    out.bind(fmt::format("parameter{}", k), xla::print(shape), in.spanFrom(begin));
    if (!in.accept(',')) break;
  }
  TESSERA_CHECKED(in.expect(")", "after the parameters"));
  TESSERA_CHECKED(in.expect("->", "before the result"));
  const std::size_t begin = in.start();
  TESSERA_TRY(const xla::Shape result, xla::readShape(in));
  out.bind("result", xla::print(result), in.spanFrom(begin));
  return true;
}

}  // namespace

Result<bool> readLines(std::string_view text, Bindings& out) {
  TESSERA_TRY(const bool entry, entryLayout(text, out));
  if (entry) return true;
  Lines lines{out};
  TESSERA_CHECKED(lines.read(text));
  if (!out.empty()) return true;
  if (lines.withoutShape.empty()) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return false;
    lines.withoutShape = stripped(text.substr(0, text.find('\n')));
  }
  const std::string_view label = lines.withoutShape;
  const std::string_view name = lastHloName(label.substr(0, label.find('=')));
  return Diag{fmt::format("this line has no shape: it only names {} and its operands", name),
              "a shape, as in `NAME = bf16[8,128]{1,0} opcode(...)`",
              "paste the line `Shape: ...` of the same report, or the instruction's line of the HLO dump",
              {lines.labelAt, std::min(text.find('\n', lines.labelAt), text.size())}};
}

}  // namespace tessera::paste::xla_text
