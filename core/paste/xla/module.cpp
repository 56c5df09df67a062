// HLO modules: the text becomes a block of the worksheet, and X the root of its entry computation.
#include <fmt/format.h>

#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/hlo/listing.h"
#include "core/paste/xla/readers.h"

namespace tessera::paste::xla_text {
namespace {

// The lines of the text with their first byte, blanks at the end cut.
template <typename F>
void eachLine(std::string_view text, F&& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    spend();
    if (!visit(stripped(text.substr(at, end - at)), at)) return;
    at = end + 1;
  }
}

// `%fused (p: f32[8]) -> f32[8] {`, `ENTRY main.3 {`, `region_0.5 {`: the line that begins a computation.
bool opensComputation(std::string_view line) {
  if (!line.ends_with('{')) return false;
  if (line.starts_with("ENTRY ")) return true;
  if (line.starts_with("func") || line.starts_with("module") || line.find('=') < line.find("->")) return false;
  return line.starts_with('%') && line.find("->") != std::string_view::npos;
}

// Where the module begins: lines of a log may precede it. npos: there is no module.
std::size_t moduleStart(std::string_view text) {
  std::size_t start = std::string_view::npos;
  eachLine(text, [&](std::string_view line, std::size_t at) {
    const std::size_t word = line.find("HloModule ");
    if (word != std::string_view::npos && (word == 0 || isBlank(line[word - 1])))
      start = text.find("HloModule ", at);
    else if (opensComputation(line))
      start = at;
    return start == std::string_view::npos;
  });
  return start;
}

// Braces that are open at the end: a module that was cut off.
int openBraces(std::string_view text) {
  Cursor in(text, {.lineComments = true, .blockComments = true});
  int open = 0;
  while (!in.atEnd()) {
    if (in.raw() == '"') {
      for (in.advance(); in.position() < text.size() && in.raw() != '"'; in.advance())
        if (in.raw() == '\\') in.advance();
    } else if (in.raw() == '{') {
      ++open;
    } else if (in.raw() == '}') {
      --open;
    }
    in.advance();
  }
  return open;
}

std::string moduleName(std::string_view text) {
  if (!text.starts_with("HloModule ")) return "m";
  Cursor in(text.substr(10), {.nameAlso = ".-"});
  const std::string_view word = in.peekWord();
  return word.empty() ? "m" : worksheetName(word);
}

// The computation whose root is X: the entry, else the last one.
int rootComputation(const hlo::Module& module) {
  return module.entry >= 0 ? module.entry : static_cast<int>(module.computations.size()) - 1;
}

}  // namespace

bool hasComputation(std::string_view text) {
  bool found = false;
  eachLine(text, [&](std::string_view line, std::size_t) {
    found = opensComputation(line) || (line.ends_with('{') && !line.starts_with("HloModule"));
    return !found;
  });
  return found;
}

bool beginsModule(std::string_view text) { return moduleStart(text) != std::string_view::npos; }

Result<bool> readModule(std::string_view text, Bindings& out) {
  const std::size_t start = moduleStart(text);
  if (start == std::string_view::npos) return false;
  std::string inside(stripped(text.substr(start)));
  const int open = openBraces(inside);
  if (open < 0)
    return Diag{"a '}' in this module has no '{'", "a whole module, or whole computations", "", {start, text.size()}};
  for (int k = 0; k < open && k < 8; ++k) inside += "\n}";
  if (open > 0) out.note("the module is cut off; its last computation is read up to there");
  const std::string name = moduleName(inside);
  Result<hlo::Listing> read = hlo::readListing(name, inside);
  if (!read && inside.find("entry_computation_layout=") != std::string::npos) return false;  // its head alone
  TESSERA_TRY(const hlo::Listing listing, placedIn({start, text.size()}, std::move(read)));
  const int computation = rootComputation(*listing.module);
  if (computation < 0) return Diag{"the module has no computation", "ENTRY main { ... }", "", {start, text.size()}};
  const std::string bound = out.block("hlo", name, inside, {start, text.size()});
  const hlo::Part whole{listing, computation, -1};
  if (!whole.hasInstruction()) return true;
  const std::string root(whole.itsInstruction().name);
  const bool entry = computation == listing.module->entry;
  out.bind(root, fmt::format("{}.{}%{}", bound, entry ? "" : fmt::format("%{}.", whole.name()), root),
           {start, text.size()});
  return true;
}

}  // namespace tessera::paste::xla_text
