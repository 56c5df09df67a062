#include "app/engine/program/program_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/base/chars.h"
#include "core/base/mapped.h"
#include "core/graphene/program.h"
#include "core/graphene/reader/definitions.h"

namespace tessera {
namespace {

constexpr std::size_t kMostBlock = 256 << 10;  // no help in longer programs

struct WordRow {
  std::string_view word, what, insert;
};
constexpr WordRow kKindRows[] = {
    {"Move", "out[c] = in[c]; <async> is cp.async, <bulk %f> TMA", "Move"},
    {"MatMul", "out[m,n] += the sum over k of A[m,k] * B[k,n]", "MatMul"},
    {"UnaryPointwise", "out[c] = op(in[c]): <exp> <relu> <neg> <rcp> ...", "UnaryPointwise<"},
    {"BinaryPointwise", "out[c] = a[c] op b[c]: <+> <*> <max> ...", "BinaryPointwise<"},
    {"Reduction", "out = op over axes of in: <+,1>", "Reduction<"},
    {"Shfl", "exchange inside a warp: <bfly 16> <down 1> <idx 0>", "Shfl<"},
    {"Init", "out[c] = the value: <0>", "Init<"},
    {"Allocate", "fresh storage, not defined yet", "Allocate"},
    {"Spec", "the function of its decomposition; Spec<MatMul> promises that of MatMul", "Spec"},
};
constexpr WordRow kStatementRows[] = {
    {"for", "for (k = 0; k < 1024; k += 16) { }", "for ("},
    {"if", "if (@i < 1023) { } else { }", "if ("},
    {"sync", "a barrier of the block", "sync"},
    {"syncwarp", "a barrier of the warp", "syncwarp"},
    {"commit", "makes the asynchronous moves since the last commit a group", "commit"},
    {"wait", "wait n: until all but the newest n groups have arrived", "wait "},
    {"wgmma",
     "wgmma.fence before products of a warpgroup, wgmma.commit after them, wgmma.wait n until they are complete",
     "wgmma."},
    {"fence", "fence.async: makes writes to shared memory visible to wgmma and TMA", "fence.async"},
    {"mbarrier",
     "mbarrier.init %f, 1, mbarrier.arrive %f, mbarrier.expect %f, %s, mbarrier.wait %f, 0: phases of arrivals and "
     "bytes",
     "mbarrier."},
    {"def", "def NAME<parameters>: a specification with its body, called by its name", "def "},
    {"param", "param BM = 128 in 64, 128: a number or word that sizes, bounds and operations can use", "param "},
    {"require", "require BM*BN <= 32768: a condition on the parameters", "require "},
    {"assume", "assume M % 128 == 0: a condition on the symbolic sizes", "assume "},
};
constexpr WordRow kOperationRows[] = {
    {"tile", "tiles of the outermost shape, one size per dimension; _ is the whole dimension", "tile("},
    {"reshape", "another shape of one level; row-major if no strides are given", "reshape(0, ["},
    {"indices", "the coordinates of a thread, (tid / stride) % size", "indices()"},
    {"scalar", "the tensor of one thread or block", "scalar()"},
};
constexpr WordRow kTypeRows[] = {
    {"fp16", "16-bit float", "fp16"},
    {"bf16", "16-bit float, 8 bits of exponent", "bf16"},
    {"fp32", "32-bit float", "fp32"},
    {"i32", "32-bit integer", "i32"},
    {"GL", "global memory", "GL"},
    {"SH", "shared memory, one per block", "SH"},
    {"RF", "registers, one copy per thread", "RF"},
    {"thread", "threads of a block", "thread"},
    {"block", "blocks of the grid", "block"},
};

bool isMark(char c) { return c == '%' || c == '#' || c == '@'; }

template <std::size_t N>
void addRows(std::vector<Completion>& out, const WordRow (&rows)[N], const char* kind) {
  for (const WordRow& r : rows) out.push_back({std::string(r.word), kind, std::string(r.what), std::string(r.insert)});
}

// %names, #names and @names of a text, each once, newest first.
void addNames(std::vector<Completion>& out, std::string_view text, char mark) {
  std::vector<std::string_view> seen;
  for (std::size_t k = text.size(); k-- > 0;) {
    if (text[k] != mark) continue;
    std::size_t end = k + 1;
    while (end < text.size() && isNamePart(text[end])) ++end;
    const std::string_view word = text.substr(k, end - k);
    if (word.size() < 2 || std::ranges::find(seen, word) != seen.end()) continue;
    seen.push_back(word);
    out.push_back({std::string(word), "name",
                   mark == '@'   ? "an index"
                   : mark == '%' ? "a tensor"
                                 : "threads",
                   std::string(word)});
  }
}

// "def NAME" in a text with its head; incomplete ones are omitted.
std::vector<graphene::Definition> ownDefinitions(std::string_view text) {
  std::vector<graphene::Definition> out;
  for (std::size_t at = 0; (at = text.find("def ", at)) != std::string_view::npos; at += 4) {
    if (at > 0 && isNamePart(text[at - 1])) continue;
    Cursor in(text, {.lineComments = true, .blockComments = true}, at + 4);
    if (auto one = graphene::definitionAt(in)) out.push_back(*std::move(one));
  }
  return out;
}

void addDefinitions(std::vector<Completion>& out, const std::vector<graphene::Definition>& definitions) {
  for (const graphene::Definition& d : definitions)
    out.push_back({d.name, "specification", d.comment.empty() ? d.signature : d.comment,
                   d.name + (d.parameters.empty() ? "" : "<")});
}

// The last line before `at` that starts with the word.
std::optional<std::size_t> blockHead(std::string_view text, std::size_t at) {
  constexpr std::string_view kWord = "graphene ";
  for (std::size_t from = at; from > 0;) {
    from = text.substr(0, from).rfind(kWord);
    if (from == std::string_view::npos || at - from > kMostBlock) return std::nullopt;
    if (from == 0 || text[from - 1] == '\n') return from;
  }
  return std::nullopt;
}

const WordRow* rowOf(std::string_view word) {
  using Rows = std::span<const WordRow>;
  for (const Rows rows : std::initializer_list<Rows>{kKindRows, kStatementRows, kOperationRows, kTypeRows})
    for (const WordRow& r : rows)
      if (r.word == word) return &r;
  return nullptr;
}

// The variable of that name visible at a byte: the last one above it.
std::optional<HoverInfo> indexInfo(const graphene::Program& program, std::string_view word) {
  std::vector<std::string> names = mapped<std::string>(program.variables, &graphene::Variable::name);
  for (const graphene::Variable& v : program.variables) {
    if (v.name != word) continue;
    HoverInfo info;
    info.title = v.name;
    switch (v.kind) {
      case graphene::Variable::Kind::Index:
        info.lines.emplace_back("an index of a thread or block");
        info.value = graphene::print(v.value, names);
        break;
      case graphene::Variable::Kind::Loop:
        info.lines.push_back(fmt::format("a loop from {} to below {} in steps of {}", graphene::print(v.lo, names),
                                         graphene::print(v.hi, names), v.step));
        break;
      default:
        info.lines.emplace_back("a size: a parameter of the kernel");
    }
    return info;
  }
  return std::nullopt;
}

// The program's own definition of a name, or the library's.
std::optional<HoverInfo> definitionInfo(std::string_view text, std::string_view word) {
  std::vector<graphene::Definition> all = ownDefinitions(text);
  const auto& library = graphene::libraryDefinitions();
  all.insert(all.end(), library.begin(), library.end());
  const auto at = std::ranges::find_if(all, [&](const auto& d) { return d.name == word; });
  if (at == all.end()) return std::nullopt;
  HoverInfo info{at->name,
                 {at->library ? "a specification of the library" : "a specification of this program"},
                 at->signature,
                 "",
                 false};
  if (!at->comment.empty()) info.lines.push_back(at->comment);
  return info;
}

}  // namespace

bool inComment(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line = before.rfind('\n');
  return before.substr(line == std::string_view::npos ? 0 : line + 1).find("//") != std::string_view::npos;
}

std::optional<std::size_t> blockAround(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  const auto head = blockHead(text, at);
  const std::size_t open = head ? text.find_first_of("{\n", *head) : std::string_view::npos;
  if (open == std::string_view::npos || text[open] != '{' || open >= at) return std::nullopt;
  int depth = 0;
  for (std::size_t k = open; k < at; ++k) {
    if (text.substr(k, 2) == "//") {
      k = text.find('\n', k);
      if (k == std::string_view::npos) break;
    }
    if (text[k] == '{') ++depth;
    if (text[k] == '}' && --depth == 0) return std::nullopt;
  }
  return open + 1;
}

std::optional<ProgramWords> programWordsAt(std::string_view text, std::size_t caret) {
  const auto begin = blockAround(text, caret);
  if (!begin) return std::nullopt;
  ProgramWords out;
  const std::string_view before = text.substr(*begin, caret - *begin);
  std::size_t word = before.size();
  while (word > 0 && isNamePart(before[word - 1])) --word;
  const char mark = word > 0 ? before[word - 1] : '\0';
  out.begin = *begin + word;
  if (inComment(text, caret) || (word < before.size() && isDigit(before[word]) && !isMark(mark))) return out;
  if (isMark(mark)) {
    --out.begin;
    addNames(out.items, before.substr(0, word - 1), mark);
    return out;
  }
  if (mark == '.') {
    addRows(out.items, kOperationRows, "operation");
    addRows(out.items, kTypeRows, "type");
    return out;
  }
  const std::size_t last = before.substr(0, word).find_last_not_of(" \t\r\n");
  const bool arrow = last != std::string_view::npos && last > 0 && before.substr(last - 1, 2) == "<-";
  if (arrow) {
    addRows(out.items, kKindRows, "specification");
    addDefinitions(out.items, ownDefinitions(before));
    addDefinitions(out.items, graphene::libraryDefinitions());
  }
  if (word == before.size() && !arrow) return out;  // without a letter everything would match
  if (!arrow) addRows(out.items, kStatementRows, "keyword");
  return out;
}

std::vector<Completion> programVocabulary() {
  std::vector<Completion> out;
  addRows(out, kKindRows, "specification");
  addRows(out, kStatementRows, "keyword");
  addRows(out, kOperationRows, "operation");
  addRows(out, kTypeRows, "type");
  return out;
}

std::optional<HoverInfo> programInfo(const graphene::Listing& listing, std::size_t byte) {
  const std::string_view text = listing.text;
  if (byte >= text.size()) return std::nullopt;
  std::size_t begin = byte, end = byte;
  if (isMark(text[byte])) end = byte + 1;
  while (begin > 0 && isNamePart(text[begin - 1]) && !isMark(text[byte])) --begin;
  while (end < text.size() && isNamePart(text[end])) ++end;
  if (begin > 0 && isMark(text[begin - 1])) --begin;
  const std::string_view word = text.substr(begin, end - begin);
  if (word.empty()) return std::nullopt;
  if (word[0] == '%' || word[0] == '#') {
    const auto tensor = graphene::findTensor(*listing.program, word);
    if (!tensor) return std::nullopt;
    return HoverInfo{
        std::string(word), {tensor->threads ? "threads" : "a tensor"}, graphene::print(*tensor), "", false};
  }
  if (auto index = indexInfo(*listing.program, word)) return index;
  const WordRow* row = rowOf(word);
  if (row == nullptr) return definitionInfo(text, word);
  return HoverInfo{std::string(word), {std::string(row->what)}, "", "", false};
}

}  // namespace tessera
