#include "core/sass/uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/base/chars.h"
#include "core/base/words.h"

namespace tessera::sass {

namespace {

using std::string_view;

template <std::size_t N>
bool isOneOf(string_view word, const std::array<string_view, N>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// These write no register.
constexpr std::array<string_view, 38> kNoResult = {
    "ST",        "STG",          "STS",    "STL",    "STSM",     "RED",      "REDG",      "LDGSTS",
    "LDGDEPBAR", "BRA",          "BRX",    "BSSY",   "BSYNC",    "BAR",      "EXIT",      "CALL",
    "RET",       "NOP",          "DEPBAR", "MEMBAR", "FENCE",    "WARPSYNC", "UTMALDG",   "UTMASTG",
    "UTMAREDG",  "UTMACMDFLUSH", "UTMAPF", "UBLKCP", "CCTL",     "ERRBAR",   "NANOSLEEP", "YIELD",
    "WARPGROUP", "ARRIVES",      "BREAK",  "BPT",    "UTMACCTL", "UBLKPF"};
// These write two predicates and nothing else.
constexpr std::array<string_view, 10> kTwoPredicates = {"ISETP",  "FSETP",  "DSETP", "HSETP2", "PLOP3",
                                                        "UISETP", "UPLOP3", "PSETP", "UPSETP", "UFSETP"};
// These may have a carry or a condition after their result.
constexpr std::array<string_view, 12> kCarry = {"IADD3", "UIADD3", "LEA",  "ULEA",   "IMAD", "UIMAD",
                                                "LOP3",  "ULOP3",  "VOTE", "VIADD3", "IADD", "MATCH"};

struct Plain {
  Register first = -1;  // -1: RZ, PT ...
  char file = 0;        // 'R', 'P', 'U' (UR), 'Q' (UP)
};

// R2, P0, UR4, UP1, RZ, PT, URZ, UPT at the start of `text`; `end`: after it.
std::optional<Plain> registerAt(string_view text, std::size_t& end) {
  std::size_t at = 0;
  const bool uniform = text.starts_with('U');
  at += uniform ? 1 : 0;
  if (at >= text.size() || (text[at] != 'R' && text[at] != 'P')) return std::nullopt;
  const bool predicate = text[at] == 'P';
  ++at;
  Plain out;
  out.file = predicate ? (uniform ? 'Q' : 'P') : (uniform ? 'U' : 'R');
  if (at < text.size() && text[at] == (predicate ? 'T' : 'Z')) {
    end = at + 1;
    return end < text.size() && isNamePart(text[end]) ? std::nullopt : std::optional(out);
  }
  std::size_t digits = at;
  while (digits < text.size() && isDigit(text[digits])) ++digits;
  if (digits == at || digits > at + 3 || (digits < text.size() && isNamePart(text[digits]))) return std::nullopt;
  const auto number = static_cast<int>(*wholeNumber(text.substr(at, digits - at)));
  if (number >= (predicate ? 7 : 255)) return std::nullopt;
  end = digits;
  out.first = number + (out.file == 'P'   ? kFirstPredicate
                        : out.file == 'U' ? kFirstUniform
                        : out.file == 'Q' ? kFirstUniformPredicate
                                          : 0);
  return out;
}

// The register that is the whole operand, without sign, negation and suffix: "-R2.reuse", "|R4|", "!P0".
std::optional<Plain> plain(string_view operand) {
  while (!operand.empty() && string_view("-!~|+").find(operand.front()) != operand.npos) operand.remove_prefix(1);
  std::size_t end = 0;
  auto found = registerAt(operand, end);
  if (!found || (end < operand.size() && operand[end] != '.' && operand[end] != '|')) return std::nullopt;
  return found;
}

class Collector {
 public:
  explicit Collector(const Instruction& i) : i_(i), unit_(i.unit()) {}

  Uses all() {
    if (const Register guard = guardRegister(i_.guard); guard >= 0) uses_.reads.push_back(guard);
    const std::size_t results = resultCount();
    for (std::size_t k = 0; k < i_.operands.size(); ++k) {
      const string_view text = i_.operands[k];
      if (text == "PR") {
        predicates(k < results ? uses_.writes : uses_.reads);
      } else if (const auto p = plain(text); p && k < results) {
        add(uses_.writes, p->first, p->file == 'R' || p->file == 'U' ? resultWidth(*p) : 1);
      } else if (p) {
        add(uses_.reads, p->first, p->file == 'R' || p->file == 'U' ? sourceWidth(k, k - results, *p) : 1);
      } else {
        inside(text);
      }
    }
    for (std::vector<Register>* list : {&uses_.reads, &uses_.writes}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    return std::move(uses_);
  }

 private:
  static void add(std::vector<Register>& to, Register first, int width) {
    if (first < 0) return;
    const Register end = first < kFirstPredicate ? kFirstPredicate - 1 : kFirstUniformPredicate - 1;
    for (Register r = first; r < first + width && (width == 1 || r < end); ++r) to.push_back(r);
  }
  // R2P PR, R2, 0x7e and P2R R2, PR, RZ, 0x7e: the predicates of the mask.
  void predicates(std::vector<Register>& to) const {
    unsigned mask = 0x7f;
    const std::string& last = i_.operands.back();
    if (last.starts_with("0x")) std::from_chars(last.data() + 2, last.data() + last.size(), mask, 16);
    for (int p = 0; p < 7; ++p)
      if ((mask >> p & 1) != 0) to.push_back(kFirstPredicate + p);
  }

  [[nodiscard]] std::size_t resultCount() const {
    if (isOneOf(unit_, kNoResult)) return 0;
    if (isOneOf(unit_, kTwoPredicates)) return 2;
    std::size_t count = 0;
    const auto file = [&](std::size_t k) {
      const auto p = k < i_.operands.size() && i_.operands[k][0] != '!' ? plain(i_.operands[k]) : std::nullopt;
      return p ? p->file : '\0';
    };
    const auto isCondition = [&](std::size_t k) { return file(k) == 'P' || file(k) == 'Q'; };
    if (i_.operands.empty()) return 0;
    if (i_.operands[0] == "PR") return 1;
    if (isCondition(0)) {
      ++count;
      if (unit_ == "SYNCS" || unit_ == "FCHK" || unit_ == "VOTEU") return count;
      if (file(1) == 'R' || file(1) == 'U') ++count;
      return count;
    }
    if (file(0) != 'R' && file(0) != 'U') return 0;
    ++count;
    if (isOneOf(unit_, kCarry)) {
      const std::size_t most = unit_ == "VOTE" || unit_ == "MATCH" ? 1 : 2;
      while (count <= most && isCondition(count)) ++count;
    }
    return count;
  }

  [[nodiscard]] bool has(string_view word) const { return i_.has(word); }
  [[nodiscard]] int memoryWidth() const { return has("128") ? 4 : has("64") ? 2 : has("96") ? 3 : 1; }
  [[nodiscard]] bool isMemory() const {
    static constexpr std::array<string_view, 14> kMemory = {"LD", "LDG", "LDS", "LDL", "LDC",  "ULDC",  "LDCU",
                                                            "ST", "STG", "STS", "STL", "ATOM", "ATOMG", "RED"};
    return isOneOf(unit_, kMemory);
  }
  [[nodiscard]] bool isDouble() const { return unit_.size() >= 4 && unit_[0] == 'D' && unit_ != "DEPBAR"; }
  // "64x256x16" of HGMMA: columns, 256.
  [[nodiscard]] int groupColumns() const {
    for (const string_view word : wordsIn(i_.operation, ".")) {
      const auto sizes = wordsIn(word, "x");
      if (sizes.size() != 3) continue;
      const auto columns = wholeNumber(sizes[1]);
      if (columns && *columns > 0 && *columns <= 256) return static_cast<int>(*columns);
    }
    return 0;
  }
  // The registers of an accumulator and of the operands A and B of a product of a warp, by its shape.
  struct Fragments {
    int d = 4, a = 4, b = 2;
  };
  [[nodiscard]] Fragments fragments() const {
    Fragments f;
    const bool half = unit_ == "HMMA" && !has("F32");
    if (has("1688") || has("8816") || has("16816") || has("16832") || has("16864") || has("1684")) {
      const bool small = has("1688") || (unit_ == "IMMA" && has("16816"));
      f = {half ? 2 : 4, small ? 2 : 4, small ? 1 : 2};
      if (unit_ == "HMMA" && has("1688") && has("TF32")) f = {4, 4, 2};
      if (unit_ == "HMMA" && has("1684") && has("TF32")) f = {4, 2, 1};
      if (has("8816")) f = {2, 1, 1};
    }
    if (unit_ == "DMMA") f = {4, 2, 2};
    return f;
  }

  [[nodiscard]] int resultWidth(const Plain& p) const {
    if (unit_ == "HMMA" || unit_ == "IMMA" || unit_ == "DMMA" || unit_ == "BMMA" || unit_ == "QMMA")
      return fragments().d;
    if (unit_.ends_with("GMMA"))
      return std::max(1, has("F16") && !has("F32") ? groupColumns() / 4 : groupColumns() / 2);
    if (unit_ == "LDSM") return has("4") ? 4 : has("2") ? 2 : 1;
    if (isMemory()) return memoryWidth();
    if (unit_ == "LEPC") return 2;
    if (unit_ == "CS2R") return has("32") ? 1 : 2;
    if ((unit_ == "IMAD" || unit_ == "UIMAD") && has("WIDE")) return 2;
    if (unit_ == "MUFU") return 1;
    if (isDouble()) return 2;
    if (unit_ == "F2F" || unit_ == "I2F")
      return has("F64") && !i_.operation.ends_with(".F64") ? 2 : firstIs("F64") ? 2 : 1;
    if (unit_ == "F2I") return has("S64") || has("U64") ? 2 : 1;
    if (p.file == 'U' && has("64") && (unit_ == "ULDC" || unit_ == "UMOV")) return 2;
    return 1;
  }
  [[nodiscard]] bool firstIs(string_view word) const {
    const auto words = wordsIn(i_.operation, ".");
    return words.size() > 1 && words[1] == word;
  }

  // `source`: the position among the operands after the results.
  [[nodiscard]] int sourceWidth(std::size_t k, std::size_t source, const Plain& p) const {
    if (unit_ == "HMMA" || unit_ == "IMMA" || unit_ == "DMMA" || unit_ == "BMMA" || unit_ == "QMMA") {
      const Fragments f = fragments();
      return source == 0 ? f.a : source == 1 ? f.b : source == 2 ? f.d : 1;
    }
    if (unit_.ends_with("GMMA"))
      return p.file != 'R' ? 1 : k == 1 && source == 0 && i_.operands[k] != i_.operands[0] ? 4 : resultWidth(p);
    if (unit_ == "STS" || unit_ == "ST" || unit_ == "STG" || unit_ == "STL") return memoryWidth();
    if (unit_ == "STSM") return has("4") ? 4 : has("2") ? 2 : 1;
    if (unit_ == "ATOM" || unit_ == "ATOMG" || unit_ == "RED" || unit_ == "REDG") return memoryWidth();
    if ((unit_ == "IMAD" || unit_ == "UIMAD") && (has("WIDE") || has("HI"))) return source == 2 ? 2 : 1;
    if (unit_ == "RET" || unit_ == "BRX" || unit_ == "JMX") return 2;
    if (unit_ == "MUFU") return 1;
    if (isDouble()) return 2;
    if (unit_ == "F2F" || unit_ == "F2I") return i_.operation.ends_with(".F64") || has("F64") ? 2 : 1;
    if (unit_ == "I2F") return has("S64") || has("U64") ? 2 : 1;
    if (unit_ == "SYNCS" && has("EXCH") && p.file == 'U') return 2;
    return 1;
  }

  // The registers of an address: [R2.64+UR4+0x10], c[0x0][R4], desc[UR4][R2.64], gdesc[UR8].
  void inside(string_view text) {
    const bool descriptor = text.starts_with("desc[") || text.starts_with("cx[") || text.starts_with("descr[");
    const bool matrices = text.starts_with("gdesc[");
    bool first = true;
    for (std::size_t at = 0; at < text.size();) {
      if (!isNameStart(text[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && isNamePart(text[end])) ++end;
      std::size_t stop = 0;
      const auto found = registerAt(text.substr(at, end - at), stop);
      if (found) {
        int width = text.substr(end).starts_with(".64") || text.substr(end).starts_with(".U64") ? 2 : 1;
        if (found->file == 'R' && first && isWideAddress()) width = 2;
        if (found->file == 'U' && first && descriptor) width = 2;
        if (found->file == 'U' && matrices)
          width = i_.operands.size() > 1 && i_.operands[1].starts_with("gdesc") ? 4 : 2;
        if (found->file == 'U' && unit_ == "UTMALDG") width = first && text == i_.operands[0] ? tensorWidth() : 2;
        add(uses_.reads, found->first, width);
        first = false;
      }
      at = end;
    }
  }
  // ATOMG.E.ADD R2, [R4], R6: an address of 64 bits without a suffix.
  [[nodiscard]] bool isWideAddress() const {
    return has("E") && (unit_ == "ATOM" || unit_ == "ATOMG" || unit_ == "LD" || unit_ == "ST");
  }
  // UTMALDG.2D [UR8], ...: the place in shared memory, the barrier, and a coordinate for each dimension.
  [[nodiscard]] int tensorWidth() const {
    for (int dimensions = 1; dimensions <= 5; ++dimensions)
      if (has(fmt::format("{}D", dimensions))) return 2 + dimensions;
    return 3;
  }

  const Instruction& i_;
  string_view unit_;
  Uses uses_;
};

}  // namespace

std::string nameOf(Register r) {
  if (r < kFirstPredicate) return fmt::format("R{}", r);
  if (r < kFirstUniform) return fmt::format("P{}", r - kFirstPredicate);
  if (r < kFirstUniformPredicate) return fmt::format("UR{}", r - kFirstUniform);
  return fmt::format("UP{}", r - kFirstUniformPredicate);
}

Uses usesOf(const Instruction& instruction) { return Collector(instruction).all(); }

}  // namespace tessera::sass
