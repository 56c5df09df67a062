// The transforms of Composable Kernel (ck and ck_tile), each a row: which arguments it has, and its lower coordinates.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/paste/vendor/composable.h"

namespace tessera::paste::vendor {
namespace {

using code::Tree;
using Ints = std::vector<i64>;
using Read = Result<std::optional<Transform>>;

struct Arguments {
  const Tree& call;
  Source& source;
  [[nodiscard]] std::size_t count() const { return call.children.size() - 1; }
  [[nodiscard]] std::optional<i64> number(std::size_t k) const {
    return source.integer(call.children[k + 1], "a length of a transform");
  }
  // A tuple, or one number.
  [[nodiscard]] std::optional<Ints> numbers(std::size_t k) const {
    const Tree& tree = call.children[k + 1];
    if (source.list(tree) || source.out().given().let(Source::spelled(tree)) != nullptr)
      return source.integers(tree, "the lengths of a transform");
    const auto one = number(k);
    return one ? std::optional(Ints{*one}) : std::nullopt;
  }
};

std::optional<i64> productOf(const Ints& sizes) {
  i64 out = 1;
  for (const i64 size : sizes) {
    const auto next = checkedMul(out, size);
    if (size < 1 || !next) return std::nullopt;
    out = *next;
  }
  return out;
}

Read shifted(const Arguments& a, i64 before, i64 after) {
  const auto length = a.number(0);
  if (!length) return std::optional<Transform>();
  const auto whole = checkedAdd(*length, before + after);
  if (!whole || *whole < 1) return Diag{"the padded length is out of range", "", "", a.call.span};
  a.source.out().note("padding: coordinates outside the original length have no element");
  return std::optional(Transform{{*whole}, {before == 0 ? "{0}" : fmt::format("({{0}} - {})", before)}, {*length}});
}

Read merge(const Arguments& a) {
  const auto lengths = a.numbers(0);
  if (!lengths) return std::optional<Transform>();
  const auto whole = productOf(*lengths);
  if (!whole) return Diag{"the lengths of a merge are positive and fit 64 bits", "", "", a.call.span};
  Transform t{{*whole}, {}, *lengths};
  i64 below = *whole;
  for (std::size_t k = 0; k < lengths->size(); ++k) {
    below /= (*lengths)[k];
    std::string one = below == 1 ? "{0}" : fmt::format("({{0}} / {})", below);
    if (k > 0) one = fmt::format("({} % {})", one, (*lengths)[k]);
    t.lower.push_back(std::move(one));
  }
  return std::optional(std::move(t));
}

Read unmerge(const Arguments& a) {
  const auto lengths = a.numbers(0);
  if (!lengths) return std::optional<Transform>();
  const auto whole = productOf(*lengths);
  if (!whole) return Diag{"the lengths of an unmerge are positive and fit 64 bits", "", "", a.call.span};
  std::string sum;
  i64 below = *whole;
  for (std::size_t k = 0; k < lengths->size(); ++k) {
    below /= (*lengths)[k];
    sum += fmt::format("{}{{{}}} * {}", k == 0 ? "" : " + ", k, below);
  }
  return std::optional(Transform{*lengths, {"(" + sum + ")"}, {*whole}});
}

Read embed(const Arguments& a) {
  const auto lengths = a.numbers(0), coefficients = a.numbers(1);
  if (!lengths || !coefficients) return std::optional<Transform>();
  if (lengths->size() != coefficients->size())
    return Diag{"an embed has a coefficient for each length", "", "", a.call.span};
  std::string sum;
  for (std::size_t k = 0; k < lengths->size(); ++k)
    sum += fmt::format("{}{{{}}} * {}", k == 0 ? "" : " + ", k, (*coefficients)[k]);
  return std::optional(Transform{*lengths, {"(" + (sum.empty() ? "0" : sum) + ")"}, {0}});
}

// (a, b) -> (a, b ^ (a % B))
Read exclusiveOr(const Arguments& a) {
  const auto lengths = a.numbers(0);
  if (!lengths) return std::optional<Transform>();
  if (lengths->size() != 2) return Diag{"a xor transform has two lengths", "make_tuple(M, K)", "", a.call.span};
  if (a.count() > 1)
    a.source.out().note(
        "the second argument of make_xor_transform was a rotation in old versions and is ignored, as in the current "
        "ones");
  return std::optional(Transform{*lengths, {"{0}", fmt::format("({{1}} ^ ({{0}} % {}))", (*lengths)[1])}, *lengths});
}

Read slice(const Arguments& a) {
  const auto length = a.number(0), begin = a.number(1), end = a.number(2);
  if (!length || !begin || !end) return std::optional<Transform>();
  if (*begin < 0 || *end <= *begin || *end > *length)
    return Diag{"a slice is inside its dimension", "0 <= begin < end <= length", "", a.call.span};
  return std::optional(Transform{{*end - *begin}, {fmt::format("({{0}} + {})", *begin)}, {*length}});
}

// One number for the lower, one length for the upper coordinate.
Read single(const Arguments& a, std::string_view name) {
  const auto first = a.number(0);
  if (!first) return std::optional<Transform>();
  if (name == "pass_through") return std::optional(Transform{{*first}, {"{0}"}, {*first}});
  if (name == "freeze") return std::optional(Transform{{}, {std::to_string(*first)}, {0}});
  if (name == "insert") return std::optional(Transform{{*first}, {}, {}});
  const auto second = a.number(1);
  if (!second) return std::optional<Transform>();
  if (name == "offset") return std::optional(Transform{{*first}, {fmt::format("({{0}} + {})", *second)}, {0}});
  if (*first < 1) return Diag{"a modulus is at least 1", "", "", a.call.span};
  return std::optional(Transform{{*second}, {fmt::format("({{0}} % {})", *first)}, {*first}});  // modulo
}

Read pad(const Arguments& a, std::string_view name) {
  const auto before = name == "right_pad" ? std::optional<i64>(0) : a.number(1);
  const auto after = name == "left_pad" ? std::optional<i64>(0) : a.number(name == "pad" ? 2 : 1);
  if (!before || !after) return std::optional<Transform>();
  if (*before < 0 || *after < 0 || *before > 1'000'000'000 || *after > 1'000'000'000)
    return Diag{"the padding is out of range", "", "", a.call.span};
  return shifted(a, *before, *after);
}

}  // namespace

Result<std::string> substituted(std::string_view text, const std::vector<std::string>& pieces) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t close = text[i] == '{' ? text.find('}', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += text[i];
      continue;
    }
    const auto k = integerText(text.substr(i + 1, close - i - 1));
    if (k && *k >= 0 && *k < static_cast<i64>(pieces.size())) out += pieces[static_cast<std::size_t>(*k)];
    i = close;
    if (out.size() > 65536) return Diag{"the descriptor's offset grows beyond 64 KiB", "fewer transforms"};
  }
  spend(static_cast<Work>(out.size() / 16));
  return out;
}

Read readTransform(const Tree& call, Source& source) {
  std::string_view name = code::calledName(call);
  const auto unknown = [&] {
    return Diag{fmt::format("'{}' is no transform of Composable Kernel", name),
                "make_pass_through_transform, make_merge_transform, make_unmerge_transform, make_xor_transform ...", "",
                call.span};
  };
  if (!name.starts_with("make_") || name.find("_transform") == std::string_view::npos || call.children.size() < 2)
    return unknown();
  const Arguments a{call, source};
  name = name.substr(5, name.find("_transform") - 5);
  const auto needs = [&](std::size_t n) { return a.count() >= n; };
  if (name == "merge") return merge(a);
  if (name == "unmerge") return unmerge(a);
  if (name == "xor" || name == "xor_with_modulo") return exclusiveOr(a);
  if (name == "embed" && needs(2)) return embed(a);
  if (name == "slice" && needs(3)) return slice(a);
  if ((name == "pad" && needs(3)) || ((name == "left_pad" || name == "right_pad") && needs(2))) return pad(a, name);
  if (name == "pass_through" || name == "freeze" || name == "insert" ||
      ((name == "offset" || name == "modulo") && needs(2)))
    return single(a, name);
  if (name == "replicate") {
    const auto lengths = a.numbers(0);
    return lengths ? std::optional(Transform{*lengths, {}, {}}) : std::optional<Transform>();
  }
  return unknown();
}

}  // namespace tessera::paste::vendor
