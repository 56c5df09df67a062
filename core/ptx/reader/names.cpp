#include "core/ptx/reader/names.h"

#include <algorithm>
#include <array>

#include "core/base/chars.h"

namespace tessera::ptx {

namespace {

// PTX ISA 9.0, chapter 10.
constexpr std::array<std::string_view, 45> kSpecial = {
    "%tid",
    "%ntid",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%ctaid",
    "%nctaid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%is_explicit_cluster",
    "%clusterid",
    "%nclusterid",
    "%cluster_ctaid",
    "%cluster_nctaid",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%clock",
    "%clock_hi",
    "%clock64",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_0",
    "%reserved_smem_offset_1",
    "%total_smem_size",
    "%aggr_smem_size",
    "%dynamic_smem_size",
    "%current_graph_exec",
    "%pm0_64",
    "%pm1_64",
    "%pm2_64",
    "%pm3_64",
    "%pm4_64",
    "%pm5_64",
    "%pm6_64",
    "%pm7_64",
};

bool numbered(std::string_view name, std::string_view prefix, int most) {
  if (name.substr(0, prefix.size()) != prefix) return false;
  const std::string_view digits = name.substr(prefix.size());
  if (digits.empty() || digits.size() > 2 || !std::all_of(digits.begin(), digits.end(), isDigit)) return false;
  const int number = digits.size() == 1 ? digits[0] - '0' : (digits[0] - '0') * 10 + digits[1] - '0';
  return number <= most;
}

}  // namespace

void Names::declare(std::string_view name, int count, int first) {
  Range& range = scopes_.back().registers[name];
  if (count == 0) {
    range.single = first;
  } else {
    range.first = first;
    range.count = count;
  }
}

int Names::find(std::string_view name) const {
  std::size_t digits = 0;  // that end the name
  while (digits < name.size() && digits < 9 && isDigit(name[name.size() - 1 - digits])) ++digits;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (scope->registers.empty()) continue;
    if (const auto at = scope->registers.find(name); at != scope->registers.end() && at->second.single >= 0)
      return at->second.single;
    // "%r12" may be 12 of "%r<20>", or 2 of "%r1<5>".
    for (std::size_t n = digits; n > 0; --n) {
      const std::size_t split = name.size() - n;
      if (n > 1 && name[split] == '0') continue;
      const auto at = scope->registers.find(name.substr(0, split));
      if (at == scope->registers.end()) continue;
      int number = 0;
      for (const char c : name.substr(split)) number = number * 10 + (c - '0');
      if (number < at->second.count) return at->second.first + number;
    }
  }
  return -1;
}

i64 Names::elementBytes(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto at = scope->elements.find(std::string(name)); at != scope->elements.end()) return at->second;
  return 0;
}

std::vector<std::string> Names::all() const {
  constexpr std::size_t kMost = 1000;
  std::vector<std::string> out;
  for (const Scope& scope : scopes_)
    for (const auto& [name, range] : scope.registers) {
      if (out.size() >= kMost) break;
      if (range.single >= 0) out.emplace_back(name);
      if (range.count > 0) out.push_back(std::string(name) + "0");
      if (range.count > 1) out.push_back(std::string(name) + std::to_string(range.count - 1));
    }
  std::sort(out.begin(), out.end());
  return out;
}

bool isSpecial(std::string_view name) {
  if (name.size() < 4 || name[0] != '%') return false;
  if (std::find(kSpecial.begin(), kSpecial.end(), name) != kSpecial.end()) return true;
  return numbered(name, "%envreg", 31) || numbered(name, "%pm", 7);
}

}  // namespace tessera::ptx
