#include "core/paste/printed/print_lines.h"

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/notation/cute/text/parser.h"
#include "core/notation/cute/text/text.h"

namespace tessera::paste {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 14;
constexpr int kMostStarts = 64;  // places in a line at which a value may begin

constexpr std::array<std::string_view, 23> kPrintedWords = {
    "Sw<",          "S<",      "Swizzle<",      "smem_ptr",       "gmem_ptr",        "rmem_ptr",        "ptr[",
    "tmem_[",       "subptr",  "SW_",           "counting_iter(", "ArithTuple",      "ArithmeticTuple", "tensor(",
    "tensor<",      "Tensor<", "tensor_value<", "Layout<",        "ComposedLayout<", "cute::",          "!cute.",
    "!cute_nvgpu.", "E<"};

bool beginsValue(std::string_view line, std::size_t at) {
  const char c = line[at], before = at == 0 ? ' ' : line[at - 1];
  if (isNamePart(before) || before == '.' || before == '@' || before == '[') return false;
  if (c == '(') return true;
  if (isDigit(c) || c == '?' || (c == '_' && at + 1 < line.size() && isDigit(line[at + 1]))) return true;
  return std::ranges::any_of(kPrintedWords, [&](std::string_view word) { return line.substr(at).starts_with(word); });
}

// smem_ptr[16b](SMEM_ADDR_A), of comments: an address that is a word is unset.
void unsetWords(std::string& line) {
  for (std::size_t at = line.find("b]("); at != std::string::npos; at = line.find("b](", at + 3)) {
    const std::size_t begin = at + 3, end = line.find(')', begin);
    if (end == std::string::npos) return;
    const std::string_view word = std::string_view(line).substr(begin, end - begin);
    const bool name = !word.empty() && isNameStart(word[0]) && std::ranges::all_of(word, isNamePart);
    if (name && word != "unset" && word != "nil" && word != "nullptr") line.replace(begin, end - begin, "unset");
  }
}

// Older printers: smem_ptr_[16b](..), smem_ptr_flag.. ; pointers in DSL tensors.
std::string normalized(std::string_view line) {
  std::string out(line);
  unsetWords(out);
  for (const std::string_view older : {"mem_ptr_[", "mem_ptr_ptr["})
    for (std::size_t at = out.find(older); at != std::string::npos; at = out.find(older))
      out.replace(at, older.size(), "mem_ptr[");
  for (std::size_t at = out.find("ArithmeticTuple"); at != std::string::npos; at = out.find("ArithmeticTuple"))
    out.replace(at, 15, "ArithTuple");
  return out;
}

struct FoundValue {
  cute::Value value;
  std::size_t end = 0;
  std::string note;
};

std::optional<FoundValue> chainAt(std::string_view line, std::size_t at) {
  cute::Parser parser(line, at);
  Result<cute::Value> value = parser.chain();
  if (!value) return std::nullopt;
  return FoundValue{*std::move(value), parser.cursor().position(), {}};
}

// tensor(raw_ptr(..) o L, data=  without its end: L, unless the pointer has a swizzle.
std::optional<FoundValue> cutTensor(std::string_view line, std::size_t at) {
  const std::size_t o = line.find(" o ", at), swizzle = line.find(" S<", at);
  if (o == std::string_view::npos) return std::nullopt;
  auto inner = chainAt(line, o + 3);
  if (!inner || swizzle > o) return inner;
  const std::string whole = "tensor<" + std::string(line.substr(at + 7, o - at - 7)) + " o " +
                            std::string(stripped(line.substr(o + 3, inner->end - o - 3))) + ">";
  auto tensor = chainAt(whole, 0);
  if (tensor) tensor->end = inner->end;
  return tensor;
}

// POINTER o Sw<..> o 0 o L: a tensor over a composed layout. The pointer is left out.
std::optional<FoundValue> withoutPointer(std::string_view line, std::size_t at) {
  const std::size_t o = line.find(" o ", at);
  if (o == std::string_view::npos || line.substr(at, o - at).find("ptr") == std::string_view::npos) return std::nullopt;
  auto inner = chainAt(line, o + 3);
  if (inner) inner->note = "the pointer " + std::string(line.substr(at, o - at)) + " is left out: values are offsets";
  return inner;
}

std::optional<FoundValue> valueAt(std::string_view line, std::size_t at) {
  const std::string_view rest = line.substr(at);
  if (rest.starts_with("tensor_value<")) return cutTensor(line, at);
  if (rest.starts_with("tensor(") || rest.starts_with("Tensor<")) {
    if (rest.starts_with("tensor("))
      if (auto whole = chainAt(line, at)) return whole;
    return cutTensor(line, at);
  }
  if (auto found = chainAt(line, at)) return found;
  return withoutPointer(line, at);
}

// What may follow a value: nothing, punctuation, data, a word in brackets or a remark.
bool endsWell(std::string_view line, std::size_t end) {
  const std::string_view rest = stripped(line.substr(std::min(end, line.size())));
  if (rest.empty()) return true;
  constexpr std::string_view kEnds = ",;:.)]}>\"'|`";
  return kEnds.find(rest[0]) != std::string_view::npos || rest.starts_with("//") || rest.starts_with("#") ||
         (end < line.size() && isBlank(line[end])) || (end > 0 && isBlank(line[end - 1]));
}

// Whether the value is one of several arguments of a call: zipped_divide(L, T) is an expression, not a print of L.
bool isArgument(std::string_view line, std::size_t at, std::size_t end) {
  const std::string_view before = stripped(line.substr(0, at)),
                         after = stripped(line.substr(std::min(end, line.size())));
  const bool opens = before.size() > 1 && before.back() == '(' && isNamePart(before[before.size() - 2]);
  return opens && after.starts_with(',');
}

std::string_view withoutSeparators(std::string_view before) {
  before = stripped(before);
  while (!before.empty() && std::string_view(":=-> \t\"'(").find(before.back()) != std::string_view::npos)
    before.remove_suffix(1);
  if (before.ends_with("()")) before.remove_suffix(2);
  return before;
}

std::string labelOf(std::string_view before) {
  before = withoutSeparators(before);
  // UMMA::DescriptorIterator o: an iterator that CuTe prints without a value.
  if (before.ends_with(" o")) {
    before = stripped(before.substr(0, before.size() - 2));
    before = withoutSeparators(before.substr(0, before.find_last_of(" \t=") + 1));
  }
  // A mark, a thread, the name of an object before the last word.
  const std::size_t mark = before.find_last_of("]>|?\t,;\"'");
  if (mark != std::string_view::npos) before.remove_prefix(mark + 1);
  if (const std::size_t colon = before.rfind(": "); colon != std::string_view::npos) before.remove_prefix(colon + 2);
  before = stripped(before);
  while (before.ends_with(" is") || before.ends_with(" ->")) before = stripped(before.substr(0, before.size() - 3));
  return before.size() > 60 ? std::string() : std::string(before);
}

// DSL pointers are left out, their swizzle is kept; (0,0) o L, coordinates without a name, are ArithTuple(0,0) o L.
std::string textOf(const cute::Value& value) {
  const auto* composed = std::get_if<cute::ComposedLayout>(&value);
  const std::string text = cute::print(value);
  if (composed == nullptr) return text;
  if (composed->engine().kind == cute::Engine::Kind::Dsl && !composed->needsElementType()) {
    const cute::Swizzle swizzle = composed->elementSwizzle();
    const std::string inner = cute::print(composed->inner());
    return swizzle.isIdentity() ? inner : cute::print(swizzle) + " o 0 o " + inner;
  }
  return text.starts_with('(') && text.find(") o ") < text.find("):") ? "ArithTuple" + text : text;
}

std::optional<PrintedValue> printed(std::string_view line, std::size_t at, FoundValue found) {
  PrintedValue out;
  out.layout =
      std::holds_alternative<cute::Layout>(found.value) || std::holds_alternative<cute::ComposedLayout>(found.value);
  out.layout = out.layout || line.substr(at).starts_with("tensor_value<");  // of which only the shape is printed
  out.swizzle = std::holds_alternative<cute::Swizzle>(found.value);
  if (const auto* tuple = std::get_if<cute::IntTuple>(&found.value); tuple != nullptr && tuple->isPlain())
    return std::nullopt;  // a number
  if (std::holds_alternative<cute::Engine>(found.value)) return std::nullopt;
  out.text = textOf(found.value);
  out.name = labelOf(line.substr(0, at));
  out.note = std::move(found.note);
  return out;
}

}  // namespace

std::vector<PrintedValue> valuesInLine(std::string_view written, std::size_t begin) {
  std::vector<PrintedValue> values;
  if (written.size() > kLongestLine) return values;
  const std::string line = normalized(written);
  std::optional<PrintedValue> tuple;
  int starts = 0;
  std::size_t from = 0;  // where the name of the next value begins
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!beginsValue(line, at)) continue;
    if (++starts > kMostStarts) break;
    auto found = valueAt(line, at);
    if (!found || !endsWell(line, found->end)) continue;
    if (isArgument(line, at, found->end)) return {};
    const std::size_t end = found->end;
    auto value = printed(std::string_view(line).substr(from), at - from, *std::move(found));
    if (!value) continue;
    value->span = {begin + std::min(at, written.size()), begin + std::min(end, written.size())};
    if (value->layout || value->swizzle) {
      values.push_back(*std::move(value));
      from = end;
      at = std::max(at, end - 1);
    } else if (!tuple) {
      tuple = std::move(value);
    }
  }
  if (values.empty() && tuple) values.push_back(*std::move(tuple));
  return values;
}

std::vector<PrintedValue> valuesIn(std::string_view text) {
  std::vector<PrintedValue> values;
  std::string announced;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    spend(1 + static_cast<Work>(line.size() / 16));
    std::vector<PrintedValue> found = valuesInLine(line, at);
    if (!found.empty()) {
      if (found.front().name.empty()) found.front().name = announced;
      announced.clear();
      std::ranges::move(found, std::back_inserter(values));
    } else if (!stripped(line).empty()) {
      announced = stripped(line).ends_with(':') ? labelOf(line) : std::string();
    }
    at = end + 1;
  }
  return values;
}

}  // namespace tessera::paste
