#include "core/graphene/reader/input_ranges.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/graphene/atoms/atom.h"

namespace tessera::graphene {
namespace {

constexpr std::string_view kExample = "|X| <= 4 or 0 <= W <= 0.5";

Result<std::string> inputName(Cursor& in) {
  TESSERA_TRY(std::string name, in.identifier("the name of an input, or `inputs` for all others,"));
  return name == "inputs" ? std::string() : std::move(name);
}

Result<InputRange> inputRange(Cursor& in) {
  const std::size_t begin = in.start();
  InputRange out;
  if (in.accept('|')) {
    TESSERA_TRY(out.name, inputName(in));
    TESSERA_CHECKED(in.expect("|", "after the name, |X| <= 4"));
    TESSERA_CHECKED(in.expect("<=", fmt::format("after |{}|", out.name.empty() ? "inputs" : out.name)));
    TESSERA_TRY(out.most, realNumber(in, "the largest magnitude"));
    out.least = -out.most;
  } else {
    TESSERA_TRY(out.least, realNumber(in, "the least number, or |X|,"));
    TESSERA_CHECKED(in.expect("<=", "after the least number, 0 <= W <= 1"));
    TESSERA_TRY(out.name, inputName(in));
    TESSERA_CHECKED(in.expect("<=", "after the name, 0 <= W <= 1"));
    TESSERA_TRY(out.most, realNumber(in, "the largest number"));
  }
  if (out.least > out.most) return in.failFrom(begin, "the range is empty", std::string(kExample));
  out.place = in.spanFrom(begin);
  return out;
}

}  // namespace

Result<double> realNumber(Cursor& in, std::string_view what) {
  const std::size_t begin = in.start();
  std::size_t end = begin;
  const std::string_view text = in.text();
  const auto digits = [&] {
    const std::size_t from = end;
    while (end < text.size() && isDigit(text[end])) ++end;
    return end - from;
  };
  if (end < text.size() && text[end] == '-') ++end;
  std::size_t count = digits();
  if (end < text.size() && text[end] == '.') ++end, count += digits();
  if (count > 0 && end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const std::size_t exponent = end++;
    if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
    if (digits() == 0) end = exponent;
  }
  const auto value = count == 0 ? std::nullopt : initialNumber(text.substr(begin, end - begin));
  if (!value) return in.fail(fmt::format("{} is missing here", what), "a number such as 0.5 or 1e-3");
  in.seek(end);
  if (in.atNamePart()) {
    while (in.atNamePart()) in.advance();
    return in.failFrom(begin, "this is no number", "a number such as 0.5 or 1e-3");
  }
  return *value;
}

Result<InputRanges> inputRanges(Cursor& in) {
  InputRanges out;
  do {
    TESSERA_TRY(InputRange range, inputRange(in));
    if (std::ranges::find(out, range.name, &InputRange::name) != out.end())
      return in.failFrom(range.place.begin,
                         fmt::format("the range of {} is given twice", range.name.empty() ? "inputs" : range.name));
    out.push_back(std::move(range));
  } while (in.accept(','));
  return out;
}

Result<InputRanges> inputRanges(std::string_view text) {
  Cursor in(text);
  TESSERA_TRY(InputRanges out, inputRanges(in));
  if (!in.atEnd()) return in.fail(fmt::format("{} follows the ranges", in.found()), std::string(kExample));
  return out;
}

const InputRange* rangeOf(const InputRanges& ranges, std::string_view name) {
  for (const std::string_view wanted : {name, std::string_view()})
    if (const auto at = std::ranges::find(ranges, wanted, &InputRange::name); at != ranges.end()) return &*at;
  return nullptr;
}

std::string print(const InputRanges& ranges) {
  std::string out;
  for (const InputRange& r : ranges) {
    const std::string name = r.name.empty() ? "inputs" : r.name;
    out += out.empty() ? "" : ", ";
    out += r.least == -r.most ? fmt::format("|{}| <= {}", name, r.most)
                              : fmt::format("{} <= {} <= {}", r.least, name, r.most);
  }
  return out;
}

}  // namespace tessera::graphene
