#include "core/paste/python/printed_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/work.h"
#include "core/code/python/python_tokens.h"
#include "core/paste/python/array_item.h"
#include "core/paste/python/evaluator.h"

namespace tessera::paste::python {
namespace {

using code::PythonToken;
using Word = PythonToken::Kind;

constexpr std::size_t kMostTokens = 100'000;

enum class Label : unsigned char { None, Shape, Stride, Strides, Other };

// A list of extents or strides in brackets, and what is before it.
struct Group {
  Label label = Label::None;
  std::string object;               // x of x.shape
  std::size_t first = 0, last = 0;  // its brackets
  Item items;
};

Label labelOf(std::string_view word) {
  if (word == "shape" || word == "size" || word == "sizes" || word == "Size" || word == "dims") return Label::Shape;
  if (word == "stride") return Label::Stride;
  return word == "strides" ? Label::Strides : Label::Other;
}

class PrintedReader {
 public:
  PrintedReader(std::string_view text, const Given& given) : text_(text), given_(given) {
    for (const PythonToken& token : code::pythonTokens(text))
      if (token.kind == Word::Line)
        lines_.push_back(tokens_.size());
      else if (token.kind != Word::End && tokens_.size() < kMostTokens)
        tokens_.push_back(token);
  }

  [[nodiscard]] std::vector<Group> groups() const {
    std::vector<Group> out;
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
      spend();
      const std::size_t last = flatListAt(k);
      if (last == 0) continue;
      Group group{.label = Label::None, .object = {}, .first = k, .last = last, .items = itemsOf(k, last)};
      readLabel(group);
      k = last;
      if (group.label != Label::Other) out.push_back(std::move(group));
    }
    return out;
  }

  // Two lists side by side in a text about strides.
  [[nodiscard]] bool hasPair(const std::vector<Group>& all) const {
    for (std::size_t k = 0; k + 1 < all.size(); ++k)
      if (all[k].label == Label::None && isPair(all, k) && mentions("stride")) return true;
    return false;
  }

  // Two lists and nothing else but the name of a type.
  [[nodiscard]] bool isBarePair(const std::vector<Group>& all) const {
    if (all.size() != 2 || all[0].label != Label::None || !isPair(all, 0)) return false;
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
      const bool inside = (k >= all[0].first && k <= all[0].last) || (k >= all[1].first && k <= all[1].last);
      const std::string_view word = tokens_[k].text;
      const bool plain = is(k, ",") || is(k, "(") || is(k, ")") || is(k, ".") || word == "torch" || word == "np" ||
                         word == "numpy" || word == "dtype" || !wordOfType(word).empty();
      if (!inside && !plain) return false;
    }
    return true;
  }

  [[nodiscard]] Result<std::vector<PrintedArray>> arrays() const {
    std::vector<PrintedArray> out;
    const std::vector<Group> found = groups();
    std::size_t unused = 0;  // the first group that no array has
    for (std::size_t k = 0; k < found.size(); ++k) {
      const Group& shape = found[k];
      if (shape.label != Label::Shape && (shape.label != Label::None || !isPair(found, k))) continue;
      const Group* stride = isPair(found, k) ? &found[k + 1] : nullptr;
      if (stride != nullptr) {
        ++k;
      } else if (k > unused && isStrideBefore(found, k)) {
        stride = &found[k - 1];
      }
      unused = k + 1;
      TESSERA_TRY(PrintedArray array, arrayOfGroups(shape, stride));
      out.push_back(std::move(array));
    }
    return out;
  }

 private:
  [[nodiscard]] bool is(std::size_t k, std::string_view text) const {
    return k < tokens_.size() && tokens_[k].kind == Word::Operator && tokens_[k].text == text;
  }

  // The index of the closing bracket of a list of numbers, names and products that begins here; 0: none does.
  [[nodiscard]] std::size_t flatListAt(std::size_t k) const {
    if (!is(k, "(") && !is(k, "[")) return 0;
    const std::string_view close = is(k, "(") ? ")" : "]";
    bool any = false;
    for (std::size_t at = k + 1; at < tokens_.size(); ++at) {
      if (is(at, close)) return any ? at : 0;
      if (tokens_[at].kind == Word::Number) any = true;
      const bool fits = tokens_[at].kind == Word::Number || tokens_[at].kind == Word::Name || is(at, ",") ||
                        is(at, "-") || is(at, "*") || is(at, "+") || is(at, "//");
      if (!fits) return 0;
    }
    return 0;
  }

  // Each element is a number, a name of --let, or asked for.
  [[nodiscard]] Item itemsOf(std::size_t first, std::size_t last) const {
    std::vector<Item> items;
    std::size_t from = first + 1;
    for (std::size_t at = first + 1; at <= last; ++at) {
      if (at != last && !is(at, ",")) continue;
      if (at > from) {
        const Span span{tokens_[from].span.begin, tokens_[at - 1].span.end};
        const std::string written(text_.substr(span.begin, span.end - span.begin));
        const std::string* let = given_.let(written);
        const Item item = givenItem(let == nullptr ? written : *let);
        if (item.is(Item::Kind::Integer))
          items.push_back(item);
        else
          items.push_back(asked(written, span));
      }
      from = at + 1;
    }
    return Item::tuple(std::move(items));
  }

  static Item asked(const std::string& written, Span span) {
    Item out{.kind = Item::Kind::Missing, .text = written};
    out.questions.push_back({written, "an extent or a stride", "--let '" + written + "=64'", span});
    return out;
  }

  [[nodiscard]] bool beginsLine(std::size_t k) const { return std::ranges::binary_search(lines_, k); }

  // The line before is x.stride() or x.shape alone, and k begins its value.
  void readEcho(Group& group, std::size_t k) const {
    if (k > 1 && is(k - 1, ")") && is(k - 2, "(")) k -= 2;
    if (k < 3 || !is(k - 2, ".") || tokens_[k - 1].kind != Word::Name || !beginsLine(k - 3)) return;
    const Label label = labelOf(tokens_[k - 1].text);
    if (label == Label::Other) return;
    group.label = label;
    group.object = tokens_[k - 3].text;
  }

  // Before the bracket: shape=, 'strides':, x.stride() =, torch.Size(
  void readLabel(Group& group) const {
    std::size_t k = group.first;
    while (k > 0 && !beginsLine(k) && (is(k - 1, "=") || is(k - 1, ":") || is(k - 1, "(") || is(k - 1, "->"))) --k;
    if (beginsLine(k)) return readEcho(group, k);
    if (k > 1 && is(k - 1, ")") && is(k - 2, "(")) k -= 2;
    if (k == 0 || (tokens_[k - 1].kind != Word::Name && tokens_[k - 1].kind != Word::String)) return;
    std::string_view word = tokens_[k - 1].text;
    while (!word.empty() && (word.back() == '=' || word.back() == ':' || word.back() == ' ')) word.remove_suffix(1);
    if (k == group.first && wordOfType(word).size() > 0) return;  // a type between two lists
    group.label = labelOf(word);
    if (k < 2 || group.label == Label::Other) return;
    const bool size = word == "Size";
    std::size_t owner = k - 2;
    // x.shape=torch.Size(: go on before torch
    if (size && is(owner, ".") && owner >= 2 && tokens_[owner - 1].text == "torch") {
      owner -= 2;
      while (owner > 0 && (is(owner, "=") || is(owner, ":"))) --owner;
      if (owner > 1 && is(owner, ")") && is(owner - 1, "(")) owner -= 2;
      if (labelOf(tokens_[owner].text) == Label::Shape && owner > 0)
        --owner;
      else
        return;
    }
    if (is(owner, ".") && owner > 0 && tokens_[owner - 1].kind == Word::Name) group.object = tokens_[owner - 1].text;
  }

  // Group k is a shape and k + 1 its strides. Without labels nothing but brackets and commas is between them.
  [[nodiscard]] bool isPair(const std::vector<Group>& all, std::size_t k) const {
    if (k + 1 >= all.size() || all[k + 1].label == Label::Shape || all[k].label == Label::Stride ||
        all[k].label == Label::Strides || all[k].items.elements.size() != all[k + 1].items.elements.size())
      return false;
    if (all[k + 1].label != Label::None) return all[k].label == Label::Shape;
    for (std::size_t at = all[k].last + 1; at < all[k + 1].first; ++at)
      if (!is(at, ",") && !is(at, "(") && !is(at, ")")) return false;
    return true;
  }

  // The strides were printed before the shape: >>> x.stride() ... >>> x.shape
  [[nodiscard]] bool isStrideBefore(const std::vector<Group>& all, std::size_t k) const {
    return all[k - 1].label != Label::Shape && all[k - 1].items.elements.size() == all[k].items.elements.size() &&
           mentions("stride");
  }

  [[nodiscard]] bool mentions(std::string_view word) const { return text_.find(word) != std::string_view::npos; }

  // The element type: --let dtype=..., a name of one, or a typestr '<f4'.
  [[nodiscard]] std::optional<int> elementBytes() const {
    for (const std::string_view key : {"dtype", "the type of x", "type"})
      if (const std::string* given = given_.let(key)) {
        const auto bits = bitsOfType(given->substr(given->rfind('.') + 1));
        if (bits) return *bits / 8;
      }
    for (const PythonToken& token : tokens_) {
      if (token.kind != Word::Name && token.kind != Word::String) continue;
      if (const auto bits = bitsOfType(token.text)) return *bits / 8;
      const std::string_view t = token.text;
      const bool typestr =
          t.size() >= 3 && (t[0] == '<' || t[0] == '>' || t[0] == '|' || t[0] == '=') && t[2] >= '1' && t[2] <= '9';
      if (typestr && t.size() <= 4) return t.size() == 4 ? (t[2] - '0') * 10 + (t[3] - '0') : t[2] - '0';
    }
    return std::nullopt;
  }

  enum class Unit : unsigned char { Elements, Bytes, Unknown };
  [[nodiscard]] Unit unitOf(const Group& stride) const {
    if (const std::string* unit = given_.let("unit")) return unit->starts_with("byte") ? Unit::Bytes : Unit::Elements;
    if (stride.label == Label::Stride || mentions("torch") || mentions("tensor(") || mentions("Tensor") ||
        mentions("dlpack"))
      return Unit::Elements;
    if (mentions("__array_interface__") || mentions("typestr") || mentions("numpy") || mentions("np.") ||
        mentions("ndarray") || elementBytes())
      return Unit::Bytes;
    return stride.label == Label::Strides ? Unit::Unknown : Unit::Elements;
  }

  Result<PrintedArray> arrayOfGroups(const Group& shape, const Group* stride) const {
    PrintedArray out;
    out.name = shape.object;
    out.span = {tokens_[shape.first].span.begin, tokens_[stride == nullptr ? shape.last : stride->last].span.end};
    out.questions = shape.items.questions;
    if (stride == nullptr) {
      TESSERA_TRY(const std::vector<i64> extents, integersOf(shape.items, "the shape"));
      TESSERA_TRY(out.strided, contiguous(extents));
      out.notes.push_back("the text has no strides: they are those of a contiguous array");
      return out;
    }
    const Item both = Item{}.with(shape.items).with(stride->items);
    out.questions = both.questions;
    Result<Strided> strided = stridedOf(shape.items, stride->items);
    if (!strided) return placed(strided.error(), out.span);
    out.strided = *std::move(strided);
    const Unit unit = unitOf(*stride);
    if (unit == Unit::Elements) return out;
    const auto bytes = elementBytes();
    if (unit == Unit::Unknown || !bytes || *bytes == 0) {
      askUnit(out, unit);
      return out;
    }
    out.notes.push_back(fmt::format("strides are bytes, and an element has {}", *bytes));
    for (i64& s : out.strided.stride) {
      if (s % *bytes != 0)
        return placed(Diag{fmt::format("a stride of {} bytes is no multiple of the {} bytes of an element", s, *bytes),
                           "strides in bytes", "--let unit=element"},
                      out.span);
      s /= *bytes;
    }
    return out;
  }

  static void askUnit(PrintedArray& out, Unit unit) {
    if (unit == Unit::Unknown)
      out.questions.push_back({"the unit of the strides", "bytes, as in numpy, or elements, as in torch",
                               "--let dtype=float32 for bytes of that type, --let unit=element for elements",
                               out.span});
    else
      out.questions.push_back({"the type of an element", "the strides are bytes; the layout counts elements",
                               "--let dtype=float32", out.span});
  }

  static Diag placed(Diag diag, Span span) {
    diag.span = span;
    return diag;
  }

  std::string_view text_;
  const Given& given_;
  std::vector<PythonToken> tokens_;
  std::vector<std::size_t> lines_;  // their first tokens
};

}  // namespace

Result<std::vector<PrintedArray>> printedArrays(std::string_view text, const Given& given) {
  return PrintedReader(text, given).arrays();
}

int recognizesPrintedArray(std::string_view text) {
  const Given none;
  const PrintedReader reader(text, none);
  const std::vector<Group> groups = reader.groups();
  bool shape = false, stride = false;
  for (const Group& group : groups) {
    shape |= group.label == Label::Shape;
    stride |= group.label == Label::Stride || group.label == Label::Strides;
  }
  if (text.find("torch.Size(") != std::string_view::npos ||
      text.find("__array_interface__") != std::string_view::npos || text.find("typestr") != std::string_view::npos)
    return groups.empty() ? 0 : 2;
  if (shape &&
      (text.find("dtype=torch.") != std::string_view::npos || text.find("FakeTensor(") != std::string_view::npos ||
       text.find("device='meta'") != std::string_view::npos))
    return groups.empty() ? 0 : 2;
  const bool pair = reader.isBarePair(groups) || reader.hasPair(groups);
  return (shape && stride) || pair ? 1 : 0;
}

}  // namespace tessera::paste::python
