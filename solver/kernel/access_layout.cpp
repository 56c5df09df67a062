#include "solver/kernel/access_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/notation/cute/notation.h"
#include "core/notation/inverse.h"

namespace tessera::kernel {

namespace {

std::optional<AccessTable> recordedTable(const AccessLine& line) {
  if (line.samples.empty()) return std::nullopt;
  // Executions of each (block, warp), in order.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const AccessLine::Sample*>> by;
  const auto activeLanes = [](const AccessLine::Sample& s) {
    return std::find_if(s.at.begin(), s.at.end(), [](i64 a) { return a < 0; }) - s.at.begin();
  };
  const auto lanes = activeLanes(line.samples.front());
  for (const AccessLine::Sample& s : line.samples) {
    if (activeLanes(s) != lanes || lanes == 0) return std::nullopt;
    if (std::any_of(s.at.begin() + lanes, s.at.end(), [](i64 a) { return a >= 0; })) return std::nullopt;
    by[{s.block, s.warp}].push_back(&s);
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> warps;
  for (const auto& [key, samples] : by) warps[key.first].push_back(key.second);
  const auto& firstWarps = warps.begin()->second;
  std::size_t visits = by.begin()->second.size();
  // The record ends somewhere: whole blocks of it are used, or of the only block whole visits.
  const bool all = static_cast<i64>(line.samples.size()) == line.warps;
  if (!all) {
    if (warps.size() > 1) {
      warps.erase(std::prev(warps.end()));
    } else {
      for (const auto& [key, samples] : by) visits = std::min(visits, samples.size());
    }
  }
  for (const auto& [block, of] : warps) {
    if (of != firstWarps) return std::nullopt;
    for (const std::uint32_t w : of)
      if (by[{block, w}].size() < visits || (all && by[{block, w}].size() != visits)) return std::nullopt;
  }
  AccessTable out;
  AccessTable::Part part;
  i64 lowest = INT64_MAX;
  for (const auto& [block, of] : warps)
    for (std::size_t v = 0; v < visits; ++v)
      for (const std::uint32_t w : of)
        for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
          const i64 a = by[{block, w}][v]->at[static_cast<std::size_t>(lane)];
          part.table.values.push_back(a);
          lowest = std::min(lowest, a);
        }
  for (i64& v : part.table.values) v -= lowest;
  out.offset = lowest;
  out.lanes = lanes;
  const std::pair<i64, const char*> modes[] = {{lanes, "lane"},
                                               {static_cast<i64>(firstWarps.size()), "warp"},
                                               {static_cast<i64>(visits), "visit"},
                                               {static_cast<i64>(warps.size()), "block"}};
  for (const auto& [extent, name] : modes)
    if (extent > 1) {
      part.table.extents.push_back(extent);
      part.modes.emplace_back(name);
    }
  out.parts.push_back(std::move(part));
  return out;
}

// The form of a sum of tables, in units of `element` bytes.
struct Form {
  Swizzled form;
  std::vector<i64> extents;
  std::vector<std::string> modes;
};
Result<Form> formOf(const AccessTable& table, i64 element) {
  Form out;
  for (const AccessTable::Part& part : table.parts) {
    Table here = part.table;
    if (static_cast<i64>(here.values.size()) > kMostTablePoints)
      return Diag{"more addresses were recorded than are searched for a closed form"};
    for (i64& v : here.values) v /= element;
    if (here.extents.empty()) here.extents = {1};  // one lane, once
    const TableForms forms = formsOfTable(here);
    if (forms.forms.empty())
      return Diag{fmt::format("the addresses have no closed form: {} swizzles were tried", forms.swizzles)};
    const Swizzled& form = forms.forms.front();
    // What is added after a swizzle may be added before it if it leaves the bits that the swizzle reads and writes.
    const i64 free = i64{1} << std::min(62, out.form.base + std::abs(out.form.shift) + out.form.bits);
    const auto leaves = [&](const SwizzleLeaf& leaf) { return leaf.stride % free == 0; };
    const bool moves = std::all_of(form.digits.begin(), form.digits.end(), [&](const std::vector<SwizzleLeaf>& digit) {
      return std::all_of(digit.begin(), digit.end(), leaves);
    });
    if (out.modes.empty()) {
      out.form = form;
    } else if (form.bits > 0 || (out.form.bits > 0 && (!moves || form.offset % free != 0))) {
      return Diag{"the addresses have no closed form: they are a sum with a swizzle"};
    } else {
      out.form.offset += form.offset;
      out.form.digits.insert(out.form.digits.end(), form.digits.begin(), form.digits.end());
    }
    out.extents.insert(out.extents.end(), here.extents.begin(), here.extents.end());
    out.modes.insert(out.modes.end(), part.modes.begin(), part.modes.end());
  }
  if (table.parts.empty()) {  // one address
    out.form.digits = {{{1, 0}}};
    out.extents = {1};
  }
  return out;
}

// The elements that one lane moves: ".v4", or a row of 16 bytes of a matrix.
i64 perLaneOf(const AccessLine& line) {
  if (line.op.find("matrix") != std::string::npos) return 8;
  for (const i64 n : {2, 4, 8})
    if (line.op.find(".v" + std::to_string(n)) != std::string::npos) return n;
  return 1;
}

}  // namespace

std::optional<AccessTable> accessTable(const AccessLine& line) {
  return line.proved ? line.whole : recordedTable(line);
}

Result<AccessMap> accessMap(const AccessLine& line) {
  if (line.samples.empty()) return Diag{"it moves a tile as a whole, and has no address of each lane"};
  const std::optional<AccessTable> found = accessTable(line);
  if (!found) return Diag{"the lanes that access memory, or the number of executions, differ from warp to warp"};
  AccessMap out;
  i64 offset = line.space == ptx::Space::Shared ? found->offset : found->offset % 128;
  const i64 per = perLaneOf(line);
  i64 element = line.width > 0 && line.width % per == 0 ? line.width / per : 1;
  const auto divides = [&](i64 v) { return v % element == 0; };
  const bool whole = std::all_of(found->parts.begin(), found->parts.end(), [&](const AccessTable::Part& part) {
    return std::all_of(part.table.values.begin(), part.table.values.end(), divides);
  });
  if (element > 1 && divides(offset) && whole) {
    offset /= element;
    out.elementBytes = static_cast<int>(element);
    out.perLane = per;
  } else {
    element = 1;
    out.perLane = std::max(1, line.width);
  }
  TESSERA_TRY(const Form sum, formOf(*found, element));
  const Swizzled& form = sum.form;
  const std::vector<std::string>& modes = sum.modes;
  const bool laneLeftOut = modes.empty() || modes.front() != "lane";
  std::vector<Digit> digits{{"lane", 32, DigitKind::Index, 0}};
  Expr value = Expr::constant(form.offset);
  for (std::size_t k = 0; k < form.digits.size(); ++k) {
    const bool isLane = !modes.empty() && k == 0 && !laneLeftOut;
    if (!isLane && !modes.empty()) digits.push_back({modes[k], sum.extents[k], DigitKind::Index, 0});
    const Expr digit = Expr::digit(isLane ? 0 : static_cast<int>(digits.size()) - 1);
    i64 below = 1;
    for (const SwizzleLeaf& leaf : form.digits[k]) {
      const bool last = below * leaf.extent == sum.extents[k] && !isLane;
      const Expr part = below == 1 ? digit : floorDiv(digit, below);
      value = value + (last ? part : mod(part, leaf.extent)) * leaf.stride;
      below *= leaf.extent;
    }
  }
  if (form.bits > 0) {
    const auto swizzle = cute::Swizzle::make(form.bits, form.base, form.shift);
    if (!swizzle) return swizzle.error();
    value = cute::swizzled(*swizzle, value);
  }
  std::vector<Guard> guards;
  if (found->lanes < 32) guards.push_back({Expr::digit(0), 0, found->lanes - 1});
  TESSERA_TRY(out.map, Map::create(std::move(digits), {{"offset", value + offset, std::nullopt}}, std::move(guards)));
  return out;
}

std::string AccessLayouts::of(const AccessTable& table) {
  for (const auto& [parts, text] : known_)
    if (parts == table.parts) return text;
  std::string text;
  if (const auto form = formOf(table, 1))
    if (const auto layout = layoutOfForm(form->form)) text = layout->text();
  known_.emplace_back(table.parts, text);
  return text;
}

}  // namespace tessera::kernel
