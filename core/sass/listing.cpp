#include "core/sass/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/base/work_budget.h"

namespace tessera::sass {

namespace {

constexpr std::size_t kMostInstructions = std::size_t{1} << 20;

std::optional<std::uint64_t> hexNumber(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// A comment /*0070*/ or /* 0x0000000402027981 */ at `at`: its content, and `at` after it.
std::optional<std::string_view> comment(std::string_view line, std::size_t& at) {
  const std::size_t begin = line.find("/*", at);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = line.find("*/", begin + 2);
  if (end == std::string_view::npos) return std::nullopt;
  at = end + 2;
  return stripped(line.substr(begin + 2, end - begin - 2));
}

// The 64 bits of a comment with an encoding.
std::optional<std::uint64_t> encodingIn(std::string_view line, std::size_t at) {
  while (const auto inside = comment(line, at))
    if (inside->size() == 18 && inside->starts_with("0x")) return hexNumber(inside->substr(2));
  return std::nullopt;
}

// Separated by commas outside brackets, and by a space before a label: "R20 `(.L_x_2)".
std::vector<std::string> splitOperands(std::string_view text) {
  std::vector<std::string> out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t k = 0; k <= text.size(); ++k) {
    const char c = k < text.size() ? text[k] : ',';
    depth += c == '[' || c == '(' || c == '{' ? 1 : c == ']' || c == ')' || c == '}' ? -1 : 0;
    const bool label = c == ' ' && text.substr(k).starts_with(" `(");
    if ((c != ',' && !label) || (depth > 0 && k < text.size())) continue;
    if (const std::string_view one = stripped(text.substr(begin, k - begin)); !one.empty()) out.emplace_back(one);
    begin = k + 1;
  }
  return out;
}

std::optional<Guard> guardOf(std::string_view word) {
  Guard guard;
  word.remove_prefix(1);
  if (word.starts_with('!')) guard.negated = true, word.remove_prefix(1);
  if (word.starts_with('U')) guard.uniform = true, word.remove_prefix(1);
  if (!word.starts_with('P')) return std::nullopt;
  word.remove_prefix(1);
  if (word == "T") return Guard{};
  const auto number = wholeNumber(word);
  if (!number || *number < 0 || *number > 15) return std::nullopt;
  guard.number = static_cast<int>(*number);
  return guard;
}

class ListingReader {
 public:
  explicit ListingReader(std::string_view text) : text_(text) {}

  Result<Listing> all() {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      ++line_;
      spend(1 + static_cast<Work>(end - at_) / 16);
      TESSERA_CHECKED(line(text_.substr(at_, end - at_)));
      at_ = end + 1;
    }
    std::erase_if(out_.kernels, [](const Kernel& k) { return k.code.empty(); });
    if (out_.kernels.empty())
      return Diag{"there is no instruction in this text", "a listing of machine code", "nvdisasm -c -hex FILE.cubin"};
    for (Kernel& kernel : out_.kernels) {
      kernel.encoded = true;
      for (const Instruction& i : kernel.code) kernel.encoded = kernel.encoded && i.high != 0;
    }
    return std::move(out_);
  }

 private:
  Result<void> line(std::string_view all) {
    const std::string_view text = stripped(all);
    if (text.empty()) return {};
    if (text.starts_with("/*")) return instruction(all, text);
    if (text.starts_with("//## ")) return place(text), Result<void>();
    if (text.starts_with("//")) return {};
    if (text.starts_with(".target")) return architecture_ = std::string(wordAfter(text, 7)), Result<void>();
    if (text.starts_with(".section")) return section(text), Result<void>();
    if (text.starts_with("Function :")) return open(wordAfter(text, 10)), Result<void>();
    if (text.starts_with("code for sm_")) return architecture_ = std::string(wordAfter(text, 8)), Result<void>();
    const std::size_t colon = text.find(':');
    const bool label = colon != std::string_view::npos && text.substr(0, colon).find_first_of(" \t\"") == text.npos;
    if (label && inCode()) kernel().labels.emplace(text.substr(0, colon), static_cast<int>(kernel().code.size()));
    return {};
  }

  static std::string_view wordAfter(std::string_view text, std::size_t from) {
    const auto words = wordsIn(text.substr(from), " \t,\"");
    return words.empty() ? std::string_view() : words.front();
  }

  void section(std::string_view text) {
    if (text.starts_with(".sectioninfo")) {
      const std::size_t at = text.find("SHI_REGISTERS=");
      if (at == std::string_view::npos || !inCode()) return;
      const auto number = wholeNumber(wordAfter(text, at + 14));
      if (number && *number > 0 && *number < 1024) kernel().registers = static_cast<int>(*number);
      return;
    }
    const std::string_view name = wordAfter(text, 8);
    if (name.starts_with(".text.")) return open(name.substr(6));
    code_ = false;
  }

  void open(std::string_view name) {
    Kernel kernel;
    kernel.name = std::string(name);
    kernel.architecture = architecture_;
    out_.kernels.push_back(std::move(kernel));
    code_ = true;
    second_ = false;
    source_.clear();
  }
  [[nodiscard]] bool inCode() const { return code_ && !out_.kernels.empty(); }
  Kernel& kernel() { return out_.kernels.back(); }

  // //## File "/a/b.cu", line 12
  void place(std::string_view text) {
    const std::size_t begin = text.find('"'), end = text.find('"', begin + 1), line = text.find("line ");
    if (begin == text.npos || end == text.npos || line == text.npos) return;
    const std::string_view file = text.substr(begin + 1, end - begin - 1);
    source_ = fmt::format("{}:{}", file.substr(file.rfind('/') + 1), wordAfter(text, line + 5));
  }

  // /*0010*/ @P0 LDG.E R2, [R2.64] ; /* 0x... */, or the second half alone
  Result<void> instruction(std::string_view all, std::string_view text) {
    std::size_t at = 0;
    const auto first = comment(text, at);
    if (!first) return damaged("an address that does not end", all);
    if (first->starts_with("0x")) {
      if (const auto half = encodingIn(text, 0); half && second_ && inCode()) kernel().code.back().high = *half;
      second_ = false;
      return {};
    }
    const std::size_t end = text.find(';', at);
    if (!inCode() || end == std::string_view::npos) return {};  // data
    const auto address = hexNumber(*first);
    if (!address || *address > std::uint64_t{1} << 40) return damaged("an address that is not hexadecimal", all);
    if (kernel().code.size() >= kMostInstructions) return damaged("more than a million instructions", all);
    std::string_view body = stripped(text.substr(at, end - at));
    if (body.starts_with('{')) body = stripped(body.substr(1));
    Instruction one;
    one.address = static_cast<i64>(*address);
    one.line = line_;
    one.source = source_;
    if (body.starts_with('@')) {
      const std::size_t space = std::min(body.find(' '), body.size());
      const auto guard = guardOf(body.substr(0, space));
      if (!guard) return damaged("a guard that is no predicate", all);
      one.guard = *guard;
      body = stripped(body.substr(space));
    }
    const std::size_t space = std::min(body.find(' '), body.size());
    if (space == 0) return damaged("an instruction without an operation", all);
    one.operation = std::string(body.substr(0, space));
    one.operands = splitOperands(body.substr(space));
    if (const auto half = encodingIn(text, end)) one.low = *half;
    second_ = one.low != 0;
    kernel().code.push_back(std::move(one));
    return {};
  }

  Result<void> damaged(std::string_view what, std::string_view line) const {
    const auto begin = static_cast<std::size_t>(line.data() - text_.data());
    return Diag{fmt::format("line {} has {}", line_, what),
                "/*0010*/ LDG.E R2, [R2.64] ; /* 0x0000000402027981 */",
                "nvdisasm -c -hex FILE.cubin",
                {begin, begin + std::min<std::size_t>(line.size(), 200)}};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 0;
  bool code_ = false;    // in a section of code
  bool second_ = false;  // the next line may have the second half
  std::string architecture_, source_;
  Listing out_;
};

}  // namespace

std::string_view Instruction::unit() const { return std::string_view(operation).substr(0, operation.find('.')); }

bool Instruction::has(std::string_view word) const {
  const auto words = wordsIn(operation, ".");
  return std::find(words.begin() + (words.empty() ? 0 : 1), words.end(), word) != words.end();
}

std::string Instruction::text() const {
  std::string out;
  if (guard.number >= 0)
    out = fmt::format("@{}{}P{} ", guard.negated ? "!" : "", guard.uniform ? "U" : "", guard.number);
  out += operation;
  for (std::size_t k = 0; k < operands.size(); ++k) out += (k == 0 ? " " : ", ") + operands[k];
  return out;
}

bool isListing(std::string_view text) {
  text = text.substr(0, std::min<std::size_t>(text.size(), 1 << 16));
  if (text.find('\0') != std::string_view::npos) return false;
  return text.find(".text.") != text.npos ? text.find(".section") != text.npos && text.find("/*0000*/") != text.npos
                                          : text.find("Function :") != text.npos;
}

Result<Listing> read(std::string_view text) { return ListingReader(text).all(); }

}  // namespace tessera::sass
