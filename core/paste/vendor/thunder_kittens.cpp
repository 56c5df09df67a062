// ThunderKittens: tiles and vectors of shared memory, tiles of registers, global layouts.
//
//     st_bf<64, 128>     Sw<3,3,3> o (64,(64,2)):(64,(1,4096))   subtiles as wide as the swizzle, in sequence
//     rt_fl<32, 32>      ((4,8),(2,2,2,2,2)):((64,1),(32,8,256,512,16))   (thread, value) -> row + 32 * column
//     sv_fl<64>          (64):(1)
//     gl<bf16, 1, 1, 64, 32>    (1,1,64,32):(2048,2048,32,1)
//
// The swizzle of st<T, R, C>: 128 bytes if a row of C elements is a multiple of 128 bytes, else 64, else 32; at byte
// x it is x ^ (((x mod 8 s) / 128) * 16), s its bytes: Sw<log2(s/16), 4, 3> on bytes.
// A register tile is a grid of 16x16 tiles as mma.m16n8k16 holds them; `col` layouts exchange rows and columns.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/paste/dialects.h"
#include "core/paste/vendor/source.h"

namespace tessera::paste {
namespace {

using code::Tree;
using vendor::Source;

// st_bf, rt_fl, sv_hf ...: the family, the bytes of an element.
struct TileType {
  std::string_view family;  // "st" "rt" "sv" "rv" "gl"
  i64 bytes = 0;            // 0: the first template argument is the type
};
std::optional<TileType> tileType(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kFamilies = {"st", "rt", "sv", "rv", "crt", "cst", "gl", "pgl"};
  const std::size_t underscore = name.find('_');
  const std::string_view family = name.substr(0, underscore);
  if (std::ranges::find(kFamilies, family) == kFamilies.end()) return std::nullopt;
  const std::string_view base = family.starts_with('c') ? family.substr(1) : family == "pgl" ? "gl" : family;
  if (underscore == std::string_view::npos) return TileType{base, 0};
  const std::string_view type = name.substr(underscore + 1);
  if (type == "bf" || type == "hf" || type == "bf_2" || type == "hf_2") return TileType{base, 2};
  if (type == "fl" || type == "int" || type == "fl_2") return TileType{base, 4};
  if (type.starts_with("fl8") || type.starts_with("fp8") || type == "int8" || type == "uint8") return TileType{base, 1};
  return std::nullopt;
}

class KittensReader {
 public:
  explicit KittensReader(Source& source) : source_(source) {}
  Result<void> all() {
    for (const Tree* statement : source_.statements()) TESSERA_CHECKED(read(*statement));
    return {};
  }

 private:
  Result<void> read(const Tree& statement);
  Result<void> bindType(std::string_view name, const Tree& type, i64 stages, Span span);
  Result<std::string> shared(const std::vector<Tree>& arguments, i64 bytes, Span span);
  Result<std::string> registers(const std::vector<Tree>& arguments, Span span);
  Result<std::string> vector(const std::vector<Tree>& arguments, bool inRegisters, Span span);
  Result<std::string> global(const std::vector<Tree>& arguments, Span span);
  std::optional<std::pair<i64, i64>> extents(const std::vector<Tree>& arguments, i64 tile);

  Source& source_;
  std::string stages_;  // ",2" and its stride, for an array of tiles
};

// Rows and columns. Old versions count them in tiles of 16, which no size below 16 could mean today.
std::optional<std::pair<i64, i64>> KittensReader::extents(const std::vector<Tree>& arguments, i64 tile) {
  const auto rows = source_.integer(arguments[0], "the rows of a tile"),
             columns = source_.integer(arguments[1], "the columns of a tile");
  if (!rows || !columns) return std::nullopt;
  if (*rows > 0 && *columns > 0 && *rows < 16 && *columns < 16) {
    source_.out().note("sizes below 16 count tiles of 16 rows and columns, as in old versions");
    return std::pair(*rows * tile, *columns * tile);
  }
  return std::pair(*rows, *columns);
}

Result<std::string> KittensReader::shared(const std::vector<Tree>& arguments, i64 bytes, Span span) {
  const auto sizes = extents(arguments, 16);
  if (!sizes) return std::string();
  const auto [rows, columns] = *sizes;
  const auto row = checkedMul(columns, bytes);
  const auto area = checkedMul(rows, columns);
  if (rows < 1 || columns < 1 || !row || !area || *area > (i64{1} << 40))
    return Diag{"a tile has at least one row and column", "st_bf<64, 64>", "", span};
  bool swizzled = true;
  i64 span128 = *row % 128 == 0 ? 128 : *row % 64 == 0 ? 64 : 32;
  if (arguments.size() > 2 && code::lastName(arguments[2]) != "swizzle") {
    const std::string_view word = code::lastName(arguments[2]);
    if (word == "naive" || word == "false") swizzled = false;
    if (word.starts_with("wgmma") || word.ends_with("interleave"))
      return Diag{fmt::format("the layout {} of old versions is not read", word), "a tile without it", "", span};
    if (arguments[2].value) swizzled = *arguments[2].value != 0;
  }
  if (arguments.size() > 3) {
    const auto forced = source_.integer(arguments[3], "the bytes of the swizzle");
    if (!forced) return std::string();
    if (*forced != 0) span128 = *forced;
    if (span128 != 32 && span128 != 64 && span128 != 128)
      return Diag{"the swizzle of a tile has 32, 64 or 128 bytes", "", "", span};
  }
  if (!swizzled)
    return fmt::format("({},{}{}):({},1{})", rows, columns, stages_.empty() ? "" : ",@N", columns,
                       stages_.empty() ? "" : fmt::format(",{}", *area));
  if (*row % span128 != 0)
    return Diag{fmt::format("a row of {} bytes is no multiple of the swizzle's {}", *row, span128),
                "columns that are a multiple of 16", "", span};
  const i64 width = span128 / bytes, subtiles = columns / width;
  const int bits = span128 == 128 ? 3 : span128 == 64 ? 2 : 1;
  const int base = 5 - static_cast<int>(std::bit_width(static_cast<u64>(bytes)));
  const std::string column = subtiles == 1 ? std::to_string(columns) : fmt::format("({},{})", width, subtiles);
  const std::string stride = subtiles == 1 ? "1" : fmt::format("(1,{})", rows * width);
  return fmt::format("Sw<{},{},3> o ({},{}{}):({},{}{})", bits, base, rows, column, stages_.empty() ? "" : ",@N", width,
                     stride, stages_.empty() ? "" : fmt::format(",{}", *area));
}

// (thread, value) -> row + rows * column. A value's digits: two neighbours, the other 8 rows, the other 8 columns,
// tiles along the columns, tiles along the rows.
Result<std::string> KittensReader::registers(const std::vector<Tree>& arguments, Span span) {
  const auto sizes = extents(arguments, 16);
  if (!sizes) return std::string();
  const auto [rows, columns] = *sizes;
  if (rows < 16 || columns < 16 || rows % 16 != 0 || columns % 16 != 0 || rows > (1 << 20) || columns > (1 << 20))
    return Diag{"a register tile has multiples of 16 rows and columns", "rt_fl<16, 64>", "", span};
  const bool byColumn = arguments.size() > 2 && Source::spelled(arguments[2]).find("col") != std::string::npos;
  // Along a row of the 16x16 tile, and across it; exchanged for a column layout.
  const i64 along = byColumn ? 1 : rows, across = byColumn ? rows : 1;
  return fmt::format("((4,8),(2,2,2,{},{})):(({},{}),({},{},{},{},{}))", columns / 16, rows / 16, 2 * along, across,
                     along, 8 * across, 8 * along, 16 * rows, 16);
}

Result<std::string> KittensReader::vector(const std::vector<Tree>& arguments, bool inRegisters, Span span) {
  const auto n = source_.integer(arguments[0], "the length of a vector");
  if (!n) return std::string();
  if (*n < 1) return Diag{"a vector has at least one element", "sv_bf<64>", "", span};
  if (!inRegisters) return fmt::format("({}):(1)", *n);
  const std::string layout = arguments.size() > 1 ? code::print(arguments[1], code::Language::Cpp) : "naive";
  if (layout.find("naive") == std::string::npos || *n % 32 != 0)
    return Diag{fmt::format("a register vector of layout {} is not read", layout), "rv_fl<64>, a multiple of 32", "",
                span};
  source_.out().note("a naive register vector: element lane + 32 * value");
  return fmt::format("(32,{}):(1,32)", *n / 32);
}

// gl<T, b, d, r, c>: row-major.
Result<std::string> KittensReader::global(const std::vector<Tree>& arguments, Span span) {
  static constexpr std::array<std::string_view, 4> kNames = {"b", "d", "r", "c"};
  std::array<i64, 4> sizes{};
  bool asked = false;
  for (std::size_t k = 0; k < 4; ++k) {
    auto size = source_.integer(arguments[k], "an extent of a global layout");
    if (size && *size < 0) size = source_.out().number(kNames[k], "an extent that is known at run time", "64", span);
    asked = asked || !size;
    sizes[k] = size.value_or(1);
  }
  if (asked) return std::string();
  std::array<i64, 4> strides{1, 1, 1, 1};
  for (std::size_t k = 4; k-- > 1;) {
    const auto next = checkedMul(strides[k], sizes[k]);
    if (!next || sizes[k] < 1) return Diag{"an extent of the global layout is out of range", "", "", span};
    strides[k - 1] = *next;
  }
  return fmt::format("({}):({})", fmt::join(sizes, ","), fmt::join(strides, ","));
}

void replaceAll(std::string& text, std::string_view piece, std::string_view by) {
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + by.size()))
    text.replace(at, piece.size(), by);
}

Result<void> KittensReader::bindType(std::string_view name, const Tree& written, i64 stages, Span span) {
  const Tree& type = source_.resolved(written);
  if (type.kind != Tree::Kind::Name || !type.isTemplate) return {};
  auto kind = tileType(code::lastName(type));
  std::vector<Tree> arguments = type.templateArguments;
  if (!kind) return {};
  if (kind->bytes == 0 || kind->family == "gl") {  // st<bf16, 64, 64>
    if (arguments.empty()) return {};
    if (kind->family != "gl") {
      const auto bytes = source_.elementBytes(arguments[0]);
      if (!bytes) return {};
      kind->bytes = *bytes;
    }
    arguments.erase(arguments.begin());
  }
  const std::size_t needs = kind->family == "gl" ? 4 : kind->family.ends_with('v') ? 1 : 2;
  if (arguments.size() < needs)
    return Diag{fmt::format("{} needs {}", code::lastName(type), counted(needs, "extent")), "st_bf<64, 64>", "", span};
  stages_ = stages > 1 ? "@" : "";
  Result<std::string> layout = kind->family == "st"   ? shared(arguments, kind->bytes, span)
                               : kind->family == "rt" ? registers(arguments, span)
                               : kind->family == "gl" ? global(arguments, span)
                                                      : vector(arguments, kind->family == "rv", span);
  if (!layout) return layout.error();
  if (layout->empty()) return {};
  if (kind->family == "rt") source_.out().note("a register tile is (thread, value) of a warp -> row + rows * column");
  replaceAll(*layout, "@N", std::to_string(stages));
  source_.out().bind(name, *layout, span);
  return {};
}

Result<void> KittensReader::read(const Tree& statement) {
  using Kind = Tree::Kind;
  if (statement.children.empty() || !statement.templateParameters.empty()) return {};
  if (statement.kind == Kind::Alias || statement.kind == Kind::Expression)
    return bindType(statement.text, statement.children[0], 1, statement.span);
  if (statement.kind != Kind::Declare) return {};
  i64 stages = 1;
  for (const Tree& extent : statement.extents) {
    const auto n = extent.kind == Kind::Empty ? std::optional<i64>(1) : source_.integer(extent, "the number of tiles");
    if (!n || *n < 1 || *n > 1'000'000) return {};
    stages *= *n;
  }
  if (code::lastName(statement.children[0]) == "auto" && statement.children.size() > 1) {
    // auto &tile = al.allocate<st_bf<64, 64>, 2>();
    const Tree& value = statement.children[1];
    if (value.kind != Kind::Call || value.children[0].templateArguments.empty()) return {};
    const auto& arguments = value.children[0].templateArguments;
    for (std::size_t k = 1; k < arguments.size(); ++k)
      stages *= std::max<i64>(source_.integer(arguments[k]).value_or(1), 1);
    return bindType(statement.text, arguments[0], stages, statement.span);
  }
  return bindType(statement.text, statement.children[0], stages, statement.span);
}

// st_bf< and its like.
int recognizesKittens(std::string_view whole) {
  const std::string_view text = whole.substr(0, 65536);
  int best = 0;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    spend();
    std::size_t begin = at;
    while (begin > 0 && isNamePart(text[begin - 1])) --begin;
    const auto type = tileType(text.substr(begin, at - begin));
    if (!type) continue;
    if (type->bytes != 0) return 2;
    best = text.find("kittens") != std::string_view::npos ? 2 : 1;  // st<bf16, 64, 64>
  }
  return best;
}

Result<Reading> readKittens(std::string_view text, const Given& given) {
  Bindings out(given);
  TESSERA_TRY(Source source, Source::read(text, out));
  KittensReader reader(source);
  TESSERA_CHECKED(reader.all());
  return out.reading("ThunderKittens");
}

}  // namespace

const Dialect kThunderKittens{"ThunderKittens", recognizesKittens, readKittens};

}  // namespace tessera::paste
