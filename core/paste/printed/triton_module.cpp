// Triton's MLIR: attributes with or without an alias, lines of operations, whole modules. Each layout alias is bound
// under its own name, and each value whose type has a layout under the name of the value:
//
//     #blocked = #triton_gpu.blocked<{...}>            #blocked = #ttg.blocked<{...}>
//     %3 = tt.load %2 : tensor<64x!tt.ptr<f32>, #blocked>
//                                                      v3 = tensor<64xf32, #blocked>
//     #blocked is defined nowhere                      asks: #blocked, "a layout alias"
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/base/chars.h"
#include "core/notation/triton/attr.h"
#include "core/notation/triton/module.h"
#include "core/paste/bindings.h"
#include "core/paste/dialects.h"
#include "core/paste/printed/next_of.h"

namespace tessera::paste {
namespace {

using triton::Encoding;
using triton::Module;
using triton::ModuleAlias;
using triton::ModuleValue;

constexpr std::size_t kRecognizedBytes = std::size_t{64} << 10;
constexpr std::size_t kMostValues = 4096;   // bindings of one module
constexpr std::size_t kMostAliases = 1024;  // layouts of one module

int recognizesTriton(std::string_view text) {
  text = text.substr(0, kRecognizedBytes);
  constexpr std::array<std::string_view, 16> kMarks = {"#ttg.",     "#ttng.",   "#triton_gpu.", "#triton_nvidia_gpu.",
                                                       "!ttg.",     "!ttng.",   "!triton_gpu.", "!tt.memdesc",
                                                       "!tt.",      " ttg.",    " ttng.",       "tt.func",
                                                       " tt.load ", " tt.dot ", "tt.reduce",    "triton_gpu."};
  if (text.find("gl.") != std::string_view::npos && text.find("import ") != std::string_view::npos) return 0;
  for (const std::string_view mark : kMarks)
    if (text.find(mark) != std::string_view::npos) return 2;
  const std::size_t tensor = text.find("tensor<");
  return tensor != std::string_view::npos && text.find(", #", tensor) != std::string_view::npos ? 1 : 0;
}

bool isLayoutAttribute(std::string_view text) {
  for (const char* dialect : {"#ttg.", "#ttng.", "#triton_gpu.", "#triton_nvidia_gpu."})
    if (text.starts_with(dialect)) return true;
  return false;
}

bool isOlderSpelling(std::string_view text) {
  return text.starts_with("#triton_") || text.starts_with("#ttg.shared<") ||
         text.find("unpacked") != std::string_view::npos;
}

class TritonReader {
 public:
  TritonReader(std::string_view text, const Given& given)
      : text_(text), given_(given), module_(triton::outlineOf(text)), bindings_(given) {
    if (module_.aliases.size() > kMostAliases) module_.aliases.resize(kMostAliases);
    for (const auto& [name, value] : given.lets)
      if (name.starts_with('#')) module_.aliases.insert(module_.aliases.begin(), {name, value, {}});
  }

  Result<Reading> read() {
    // In the order of the text: a file of several modules defines an alias again for each.
    std::size_t next = 0;
    const auto aliasesBefore = [&](std::size_t place) {
      for (; next < module_.aliases.size() && module_.aliases[next].span.begin <= place; ++next)
        if (isLayoutAttribute(module_.aliases[next].text)) bindAlias(module_.aliases[next]);
    };
    for (const ModuleValue& value : module_.values) {
      aliasesBefore(value.span.begin);
      bindValue(value);
    }
    aliasesBefore(std::string::npos);
    if (!bound() && bindings_.empty() && !bindings_.asked()) bindBare();
    if (skipped_ > 0) bindings_.note(fmt::format("{} more values are left out", skipped_));
    return reading();
  }

 private:
  [[nodiscard]] bool bound() const { return !aliases_.empty(); }

  std::optional<Encoding> encodingOf(const std::string& name) const {
    const auto found = known_.find(name);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }

  // The widest element of a memdesc with this alias; 32 if there is none.
  int elementBitsOf(const std::string& alias) const {
    for (const ModuleValue& value : module_.values) {
      const std::vector<std::string> names = triton::aliasesIn(value.type);
      if (std::ranges::find(names, alias) == names.end()) continue;
      const std::size_t end = value.type.find(','), begin = value.type.rfind('x', end);
      if (end == std::string::npos || begin == std::string::npos) continue;
      const int bits = triton::elementBits(value.type.substr(begin + 1, end - begin - 1));
      if (bits > 0) return bits;
    }
    return 32;
  }

  // unpacked = true: each element has a column of 32 bits, which is a colStride only for a known element.
  std::string withColumnStride(const ModuleAlias& alias) {
    std::string text = alias.text;
    const std::size_t at = text.find("unpacked");
    const std::size_t value = at == std::string::npos ? at : text.find_first_of("tf", at + 8);
    if (value == std::string::npos) return text;
    const bool unpacked = text[value] == 't';
    const int bits = elementBitsOf(alias.name);
    const int stride = unpacked ? std::max(1, 32 / bits) : 1;
    text.replace(at, value + (unpacked ? 4 : 5) - at, fmt::format("colStride = {}", stride));
    bindings_.note(fmt::format("unpacked = {} of {} is read as colStride = {}, for elements of {} bits",
                               unpacked ? "true" : "false", alias.name, stride, bits));
    return text;
  }

  void bindAlias(const ModuleAlias& alias) {
    const std::string text = withColumnStride(alias);
    Cursor in(text);
    auto read = triton::parsePrefix(in, [this](const std::string& name) { return encodingOf(name); });
    if (!read || !*read || !(*read)->encoding) {
      const std::string why = read ? "no layout attribute" : read.error().message;
      if (!fault_) fault_ = Diag{alias.name + ": " + why, read ? "" : read.error().expected, "", alias.span};
      for (const std::string& name : triton::aliasesIn(text)) askFor(name, alias.span);
      bindings_.note(fmt::format("{} is left out: {}", alias.name, why));
      unread_.insert(alias.name);
      return;
    }
    known_.insert_or_assign(alias.name, *(*read)->encoding);
    unread_.erase(alias.name);
    if (isOlderSpelling(alias.text)) bindings_.note(alias.name + " has the spelling of an older version of Triton");
    aliases_.push_back({alias.name, fmt::format("{} = {}", alias.name, print(*(*read)->encoding)), alias.span});
  }

  // A definition below its use counts as if it stood above.
  void bindEarly(const std::string& name, Span span) {
    if (known_.contains(name) || unread_.contains(name)) return;
    for (ModuleAlias alias : module_.aliases)
      if (alias.name == name && isLayoutAttribute(alias.text)) {
        alias.span = span;
        bindAlias(alias);
        return;
      }
  }

  void askFor(const std::string& alias, Span span) {
    if (known_.contains(alias) || unread_.contains(alias) || alias.starts_with("#loc")) return;
    for (const ModuleAlias& other : module_.aliases)
      if (other.name == alias) return;
    const bool memory = alias.find("smem") != std::string::npos;
    bindings_.ask({alias, "a layout alias that no line of the text defines",
                   memory
                       ? fmt::format("--let '{}=#ttg.shared_memory'", alias)
                       : fmt::format("--let '{}=#ttg.blocked<{{..}}>', or its line `{} = #ttg...` above", alias, alias),
                   span});
  }

  // "#dpas is #ttig.dpas, which is not read".
  std::string unreadLayoutIn(const std::string& type) const {
    for (const std::string& name : triton::aliasesIn(type)) {
      if (known_.contains(name)) continue;
      for (const ModuleAlias& alias : module_.aliases)
        if (alias.name == name)
          return fmt::format("{} is {}, which is not read", name,
                             alias.text.substr(0, alias.text.find_first_of("<( ")));
    }
    return "its layout is not read";
  }

  void bindValue(const ModuleValue& value) {
    const std::size_t hash = value.type.find('#');
    if (hash == std::string::npos || value.type.find("tensor") > hash) {
      if (hash == std::string::npos || value.type.find("memdesc") > hash) return;
    }
    bool complete = true;
    for (const std::string& alias : triton::aliasesIn(value.type)) {
      bindEarly(alias, value.span);
      askFor(alias, value.span);
      complete = complete && known_.contains(alias);
    }
    if (!complete) {
      if (!bindings_.asked()) bindings_.note(fmt::format("{} is left out: {}", value.name, unreadLayoutIn(value.type)));
      return;
    }
    if (++values_ > kMostValues) {
      ++skipped_;
      return;
    }
    Cursor in(value.type);
    const auto read = triton::parsePrefix(in, [this](const std::string& name) { return encodingOf(name); });
    if (!read || !*read || !in.atEnd()) {
      bindings_.note(fmt::format("{} is left out: {}", value.name, read ? "its type" : read.error().message));
      return;
    }
    bindings_.bind(std::string_view(value.name).substr(1), value.type, value.span);
  }

  // Attributes and types without a name, with any text around them.
  void bindBare() {
    constexpr std::array<std::string_view, 7> kBegins = {"tensor<", "!ttg.",    "!tt.",  "!triton_gpu.",
                                                         "#ttg.",   "#triton_", "#ttng."};
    constexpr std::size_t kLongestAttribute = 8192;
    NextOf begins(text_, kBegins);
    for (std::size_t at = 0, tries = 0; at < text_.size() && tries < kMostValues; ++tries) {
      const std::size_t next = begins.from(at);
      if (next == std::string_view::npos) break;
      Cursor in(text_.substr(0, next + kLongestAttribute), {}, next);
      const auto read = triton::parsePrefix(in, [this](const std::string& name) { return encodingOf(name); });
      const bool layout = read && *read && ((*read)->encoding || !(*read)->types.empty());
      if (layout && (*read)->encoding)
        bindings_.bind("", text_.substr(next, in.position() - next), {next, in.position()});
      else if (!read && !fault_)
        fault_ = read.error();
      at = layout ? std::max(in.position(), next + 1) : next + 1;
    }
    if (!bindings_.empty()) return;
    for (const std::string& alias : triton::aliasesIn(text_)) askFor(alias, {0, text_.size()});
  }

  // Aliases and values in the order of the text.
  Result<Reading> reading() {
    Reading out;
    if (!bindings_.empty() || bindings_.asked()) {
      TESSERA_TRY(out, bindings_.reading(kTritonModule.name));
    } else if (aliases_.empty()) {
      if (fault_) return *fault_;
      return Diag{"no value and no alias of this text has a layout",
                  "#name = #ttg..., or a type tensor<64xf32, #name>"};
    } else {
      bindings_.bind("X", "1", {});  // for the notes
      TESSERA_TRY(out, bindings_.reading(kTritonModule.name));
      out.statements.clear();
    }
    out.statements.insert(out.statements.begin(), aliases_.begin(), aliases_.end());
    std::ranges::stable_sort(out.statements, {}, [](const Statement& s) { return s.span.begin; });
    if (out.statements.empty()) return out;
    Statement& last = out.statements.back();
    if (!given_.name.empty() && last.name.starts_with('#')) {
      last.text = given_.name + last.text.substr(last.name.size());
      last.name = given_.name;
    }
    return out;
  }

  std::string_view text_;
  const Given& given_;
  Module module_;
  Bindings bindings_;
  std::map<std::string, Encoding> known_;
  std::set<std::string> unread_;  // defined in a way that is not read
  std::vector<Statement> aliases_;
  std::optional<Diag> fault_;
  std::size_t values_ = 0, skipped_ = 0;
};

Result<Reading> readTriton(std::string_view text, const Given& given) { return TritonReader(text, given).read(); }

}  // namespace

const Dialect kTritonModule{"Triton's MLIR", recognizesTriton, readTriton};

}  // namespace tessera::paste
