// Arrays of numpy and torch -> layouts in elements.
//
//     np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)      (4, 2, 3):(1, 12, 4)
//     assert_size_stride(arg0_1, (8, 64), (64, 1))           arg0_1 = (8, 64):(64, 1)
//     arg0_1: "f32[8, 64][64, 1]cuda:0"                      arg0_1 = (8, 64):(64, 1)
//     torch.Size([2, 3, 4]) (12, 4, 1)                       (2, 3, 4):(12, 4, 1), see printed_arrays.h
//     np.lib.stride_tricks.as_strided(x, (4, 3), (8, 4))     asks the type of x: strides of numpy are bytes
//
// A layout begins at element 0; the offset of a view is a note.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/paste/dialects.h"
#include "core/paste/python/array_evaluator.h"
#include "core/paste/python/array_item.h"
#include "core/paste/python/evaluator.h"
#include "core/paste/python/printed_arrays.h"

namespace tessera::paste {
namespace {

using python::Item;

Result<Reading> readPrinted(std::string_view text, const Given& given) {
  TESSERA_TRY(const auto arrays, python::printedArrays(text, given));
  if (arrays.empty()) return Diag{"the text has no shape with strides", "shape (2, 3), stride (3, 1)"};
  Reading out;
  out.dialect = "numpy or torch";
  for (const python::PrintedArray& array : arrays) {
    const std::string layout = python::print(array.strided);
    const bool named = python::isFreeName(array.name);
    out.statements.push_back({named ? array.name : "", named ? array.name + " = " + layout : layout, array.span});
    out.notes.insert(out.notes.end(), array.notes.begin(), array.notes.end());
    for (const Question& q : array.questions)
      if (std::ranges::find(out.questions, q.name, &Question::name) == out.questions.end()) out.questions.push_back(q);
  }
  return out;
}

// f32[8, 64][64, 1]cuda:0, alone or as an annotation.
bool hasAnnotation(std::string_view text) {
  for (std::size_t at = text.find("]["); at != std::string_view::npos; at = text.find("][", at + 1)) {
    const std::size_t open = text.rfind('[', at);
    if (open == std::string_view::npos || open == 0) continue;
    std::size_t begin = open;
    while (begin > 0 && isNamePart(text[begin - 1])) --begin;
    if (!python::wordOfType(text.substr(begin, open - begin)).empty()) return true;
  }
  return false;
}

int recognizesArrays(std::string_view text) {
  text = text.substr(0, std::size_t{64} << 10);
  if (text.find("T.Buffer") != std::string_view::npos || text.find("cute.") != std::string_view::npos) return 0;
  for (const std::string_view mark :
       {"assert_size_stride(", "empty_strided", "as_strided(",    "FixedLayout(",     "reinterpret_tensor(",
        "torch.empty(",        "torch.zeros(",  "torch.randn(",   "torch.rand(",      "torch.ones(",
        "torch.arange(",       "np.arange(",    "np.zeros(",      "np.ones(",         "np.empty(",
        "numpy.arange(",       "numpy.zeros(",  "numpy.empty(",   "np.ndarray(",      "aten.",
        "rearrange(",          "np.random.",    "torch.permute(", "torch.transpose(", "np.transpose(",
        "torch.full(",         "np.full("})
    if (text.find(mark) != std::string_view::npos) return 2;
  if (hasAnnotation(text)) return 2;
  const auto has = [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; };
  const bool blocks = has("tl.make_block_ptr(") || has("tl.make_tensor_descriptor(");
  if (blocks && !has("tl.arange(") && !has("tl.program_id(")) return 2;
  const bool cpp = text.find("::") != std::string_view::npos || text.find(";\n") != std::string_view::npos ||
                   text.find("operator") != std::string_view::npos;
  if (cpp) return 0;
  const int printed = python::recognizesPrintedArray(text);
  if (printed > 0) return printed;
  for (std::size_t at = text.find('.'); at != std::string_view::npos; at = text.find('.', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && isNamePart(text[end])) ++end;
    const std::string_view name = text.substr(at + 1, end - at - 1);
    if (name != "t" && end < text.size() && text[end] == '(' && python::isArrayView(name)) return 1;
  }
  for (const std::string_view mark : {".t()", ".stride(", ": \"f32[", ": \"f16[", ": \"bf16[", ": \"i64["})
    if (text.find(mark) != std::string_view::npos) return 1;
  return 0;
}

// f32[8, 64][64, 1]cuda:0 without quotes, alone or after a name and a colon: quoted.
std::optional<std::string> quotedAnnotation(std::string_view text) {
  const std::string_view whole = stripped(text);
  if (whole.find('\n') != std::string_view::npos || whole.find('"') != std::string_view::npos) return std::nullopt;
  std::size_t colon = 0;
  while (colon < whole.size() && isNamePart(whole[colon])) ++colon;
  const bool named = colon < whole.size() && whole[colon] == ':';
  const std::string_view type = named ? stripped(whole.substr(colon + 1)) : whole;
  const Result<std::optional<Item>> item =
      python::annotatedArray(type, [](std::string_view) { return Item::number(1); });
  if (!item || !*item) return std::nullopt;
  return fmt::format("{}: \"{}\"", named ? whole.substr(0, colon) : "X", type);
}

Result<Reading> readArrays(std::string_view text, const Given& given) {
  const bool printed = python::recognizesPrintedArray(text) > 0;
  if (const auto quoted = quotedAnnotation(text)) return readArrays(*quoted, given);
  Result<Reading> evaluated = python::evaluateArrays(text, given);
  if (evaluated && (evaluated->questions.empty() || !printed)) return evaluated;
  Result<Reading> read = readPrinted(text, given);
  const bool better = read && (!evaluated || read->questions.empty());
  return better || (!evaluated && printed) ? read : evaluated;
}

}  // namespace

const Dialect kArrays{"numpy or torch", recognizesArrays, readArrays};

}  // namespace tessera::paste
