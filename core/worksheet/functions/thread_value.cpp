#include "core/worksheet/functions/thread_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/atlas/atlas.h"

namespace tessera {
namespace {

struct CudaType {
  std::string_view name;
  int bits;
};
constexpr std::array<CudaType, 26> kCudaTypes = {
    {{"float", 32},         {"int", 32},      {"uint", 32},          {"unsigned", 32},    {"half", 16},
     {"__half", 16},        {"half_t", 16},   {"double", 64},        {"char", 8},         {"uchar", 8},
     {"short", 16},         {"ushort", 16},   {"long", 64},          {"longlong", 64},    {"int8_t", 8},
     {"uint8_t", 8},        {"int16_t", 16},  {"uint16_t", 16},      {"int32_t", 32},     {"uint32_t", 32},
     {"int64_t", 64},       {"uint64_t", 64}, {"__nv_bfloat16", 16}, {"nv_bfloat16", 16}, {"bfloat16_t", 16},
     {"__nv_bfloat162", 32}}};

int bitsOfType(std::string_view name) {
  const auto* row = std::ranges::find(kCudaTypes, name, &CudaType::name);
  return row == kCudaTypes.end() ? 0 : row->bits;
}

// Barriers of the block before a place.
i64 phaseAt(std::string_view text, std::size_t end) {
  constexpr std::array<std::string_view, 6> kBarriers = {"__syncthreads(", "barrier_sync", "named_barrier",
                                                         ".sync()",        "s_barrier(",   "barrier("};
  i64 count = 0;
  for (std::size_t k = 0; k < std::min(end, text.size()); ++k)
    count += std::ranges::any_of(kBarriers, [&](std::string_view b) { return text.substr(k, b.size()) == b; }) ? 1 : 0;
  return count;
}

std::string plainLine(const ThreadAccess& access, std::optional<MemorySpace> space = std::nullopt) {
  const auto report = threadReport(access, space.value_or(MemorySpace::Shared));
  return report ? print(*report, access, space) : report.error().message;
}

// The memory of an access: a run knows it, and code if it declares the array; another array may be either.
std::optional<MemorySpace> spaceOf(const CodeAccess& access, const code::IndexCode& block) {
  if (access.isShared) return MemorySpace::Shared;
  return block.run != nullptr ? std::optional(MemorySpace::Global) : std::nullopt;
}

}  // namespace

std::optional<ElementsOfLane> elementsIn(std::string_view word) {
  if (const auto bits = elementBits(word)) return ElementsOfLane{*bits, 1};
  if (const int bits = bitsOfType(word); bits != 0) return ElementsOfLane{bits, 1};
  if (word.empty() || word.back() < '2' || word.back() > '8') return std::nullopt;
  const int bits = bitsOfType(word.substr(0, word.size() - 1));
  return bits == 0 ? std::nullopt : std::optional(ElementsOfLane{bits, word.back() - '0'});
}

Result<ThreadAccess> threadAccessIn(const Value& value, std::string name,
                                    const std::optional<ElementsOfLane>& elements) {
  TESSERA_TRY(const Layout layout, layoutOf(value));
  TESSERA_TRY(const Arrow arrow, layout.arrow());
  ElementsOfLane used = elements.value_or(ElementsOfLane{0, 1});
  if (const auto* code = layout.as<code::IndexCode>()) {
    if (code->value().kind == code::IndexValue::Kind::Array)
      return Diag{fmt::format("{} is an array, not an access", name), "an access: accesses(C) lists them"};
    if (code->value().kind == code::IndexValue::Kind::Access) {
      if (used.bits == 0) used.bits = code->value().elementBits;
      if (used.count == 1) used.count = code->value().vector;
    }
  }
  if (used.bits == 0) used.bits = arrow.to.elementBits;
  if (used.bits == 0)
    return Diag{fmt::format("the type of the elements of {} is not known", name), "f32, f16, float4 ...",
                fmt::format("a type as the second argument: {}, f32", name)};
  return threadAccess(arrow, std::move(name), used.bits, used.count);
}

Result<std::vector<CodeAccess>> accessesIn(const code::IndexCode& code, const std::optional<ElementsOfLane>& elements) {
  std::vector<CodeAccess> out;
  const std::vector<code::IndexValue>& values = *code.values;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const code::IndexValue& v = values[k];
    if (v.kind != code::IndexValue::Kind::Access || v.isRegister || v.fault) continue;
    code::IndexCode one = code;
    one.selected = k;
    const auto named = [&](auto begin, auto end) {
      return std::count_if(begin, end, [&](const auto& o) { return o.name == v.name; });
    };
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(k);
    const bool isLast = named(at + 1, values.end()) == 0;
    CodeAccess access;
    access.name = isLast ? v.name : fmt::format("{}.{}", v.name, named(values.begin(), at));
    access.array = v.name;
    access.store = v.direction == code::Direction::Store;
    access.isShared = v.isShared;
    access.variable = v.kernel.variable;
    access.line = v.line;
    access.phase = phaseAt(code.text, v.span.begin);
    auto read = threadAccessIn(Value(Layout(std::move(one))), access.name, elements);
    if (read)
      access.access = *std::move(read);
    else
      access.fault = read.error();
    out.push_back(std::move(access));
  }
  if (out.empty())
    return Diag{"the code has no access to shared or global memory", "a subscript, or a dereferenced pointer"};
  return out;
}

Result<std::optional<ShownAccess>> worstAccessOf(const Value& value) {
  const auto* code = as<code::IndexCode>(value);
  if (code == nullptr || code->value().kind != code::IndexValue::Kind::Access || code->value().elementBits == 0)
    return std::optional<ShownAccess>();
  TESSERA_TRY(const ThreadAccess access, threadAccessIn(value, code->value().name, std::nullopt));
  TESSERA_TRY(const ThreadReport report, threadReport(access, MemorySpace::Shared));
  const auto shown = report.worst ? report.worst : firstInstruction(access, MemorySpace::Shared);
  if (!shown) return Diag{"no thread is active in this access"};
  TESSERA_TRY(BankAccess banks, bankAccess(shown->access));
  return std::optional<ShownAccess>(ShownAccess{
      std::move(banks), fmt::format("{}: {}", placeOf(access, *shown), print(report, access, MemorySpace::Shared))});
}

Result<std::string> accessesText(const Value& value, const std::optional<ElementsOfLane>& elements) {
  const auto* block = as<code::IndexCode>(value);
  if (block == nullptr || block->value().kind != code::IndexValue::Kind::Access) {
    TESSERA_TRY(const ThreadAccess access, threadAccessIn(value, "the access", elements));
    const std::string note = access.asked.empty() ? "" : "; " + access.asked;
    return plainLine(access) + note;
  }
  TESSERA_TRY(const std::vector<CodeAccess> all, accessesIn(*block, elements));
  std::string text;
  for (const CodeAccess& one : all)
    text += fmt::format(
        "{}line {}, {} {}{}: {}", text.empty() ? "" : "\n", one.line, one.store ? "store to" : "load of", one.name,
        !one.isShared ? std::string() : " in shared memory" + (one.variable.empty() ? "" : " " + one.variable),
        one.fault ? one.fault->message : plainLine(one.access, spaceOf(one, *block)));
  return text;
}

}  // namespace tessera
