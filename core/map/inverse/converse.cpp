#include "core/map/inverse/converse.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/map/inverse/inverse_methods.h"

namespace tessera {
namespace {

using namespace back;

bool onlyUnmoved(const StridedBack& back) {
  return std::all_of(back.free.begin(), back.free.end(), [&](std::size_t k) {
    return std::all_of(back.forms.begin(), back.forms.end(), [&](const Strided& s) { return s.strides[k] == 0; });
  });
}

// Without guards only the Index digits' values matter, so the kernel is restricted to their bits.
std::vector<u64> kernelOf(const Map& f, const F2Matrix& matrix) {
  std::vector<u64> kernel = kernelBasis(matrix);
  if (!f.guards().empty()) return kernel;
  u64 index = 0;
  int at = 0;
  for (const Digit& d : f.digits()) {
    if (d.kind == DigitKind::Index) index |= (static_cast<u64>(d.extent) - 1) << at;
    at += std::countr_zero(static_cast<u64>(d.extent));
  }
  for (u64& k : kernel) k &= index;
  return spanBasis(kernel);
}

std::optional<BackFormula> backwardOf(const Map& f) {
  std::optional<StridedBack> strided;
  if (auto forms = stridedForms(f)) {
    strided = stridedBack(f, *std::move(forms));
    if (onlyUnmoved(*strided)) return formulaOf(f, *strided);
  }
  if (const auto form = asF2(f); form.ok())
    return formulaOf(f, *form, pseudoInverse(form->matrix), kernelOf(f, form->matrix));
  if (strided) return formulaOf(f, *strided);
  const auto parts = partsOf(f);
  if (!parts) return std::nullopt;
  auto forms = stridedForms(parts->inner);
  if (!forms) return std::nullopt;
  const auto inner = formulaOf(parts->inner, stridedBack(parts->inner, *std::move(forms)));
  return inner ? lifted(*parts, *inner) : std::nullopt;
}

// Names k0, k1 ... that no axis of f has.
void nameChoices(const Map& f, BackFormula& back) {
  int next = 0;
  for (Digit& choice : back.choices) {
    const auto taken = [&](const Axis& a) { return a.name == choice.name; };
    do {
      choice.name = fmt::format("k{}", next++);
    } while (std::any_of(f.axes().begin(), f.axes().end(), taken));
  }
}

}  // namespace

Result<BackFormula> backFormula(const Map& f) {
  if (f.axes().empty()) return Diag{"a map without axes has no places to come back from", "at least one axis"};
  if (!f.params().empty()) return Diag{"a way back wants numbers, not symbolic sizes", "concrete sizes"};
  auto back = backwardOf(f);
  if (!back)
    return Diag{
        "its axes are neither sums of strides (of digits or of their parts, under a swizzle or not) nor linear "
        "over bits",
        "strides, tiles, swizzles or a bit matrix"};
  nameChoices(f, *back);
  return *std::move(back);
}

Result<Map> converse(const Map& f) {
  TESSERA_TRY(const BackFormula back, backFormula(f));
  return mapOf(f, back, f.indexDigits());
}

}  // namespace tessera
