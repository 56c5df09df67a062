// XLA and MLIR: which reader a text needs. readers.h lists them.
#include <fmt/format.h>

#include <array>

#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/notation/xla/shape.h"
#include "core/paste/blocks.h"
#include "core/paste/dialects.h"
#include "core/paste/xla/readers.h"

namespace tessera::paste {
namespace {

constexpr std::size_t kLookedAt = 65536;

bool containsAny(std::string_view text, std::span<const std::string_view> words) {
  spend(static_cast<Work>(words.size() * text.size() / 256));
  for (const std::string_view word : words)
    if (text.find(word) != std::string_view::npos) return true;
  return false;
}

constexpr std::array<std::string_view, 19> kXlaMarks = {"{ lambda ",
                                                        "to_apply=",
                                                        ", dimensions={",
                                                        "HloModule ",
                                                        "entry_computation_layout={",
                                                        "XLA label:",
                                                        "XLA Label:",
                                                        "Unpadded size:",
                                                        "Allocation type:",
                                                        "maybe-live-out",
                                                        "BufferAssignment",
                                                        "Entry Parameter Subshape:",
                                                        "calls=%",
                                                        "kind=kLoop",
                                                        "kind=kInput",
                                                        "kind=kOutput",
                                                        "kind=kCustom",
                                                        "metadata={op_",
                                                        "Extra memory due to"};
constexpr std::array<std::string_view, 14> kMlirMarks = {
    "affine_map<", "affine_set<", "indexing_map<",  "stablehlo.",    "mhlo.",      "chlo.",           "#tpu.",
    "\"tpu.",      "= tpu.",      "linalg.generic", "linalg.matmul", "#stablehlo", "vector.transfer", "memref."};
constexpr std::array<std::string_view, 9> kShardingMarks = {
    "devices=[", "NamedSharding(", "PositionalSharding(",  "GSPMDSharding(", "PartitionSpec(", "#sdy.",
    "sdy.mesh",  "<@mesh",         "SingleDeviceSharding("};
constexpr std::array<std::string_view, 12> kOthers = {"#ttg",  "#triton", "ttg.",   "triton_gpu",  "tt.func", "tt.load",
                                                      "nvvm.", "nvgpu.",  "rocdl.", "amdgpu.mfma", "!cute",   "cute."};

// tensor<4x8xf32>, memref<?xf32>, vector<8xf32>; not std::vector<int>.
bool hasShapedType(std::string_view text) {
  for (const std::string_view kind : {"tensor<", "memref<", "vector<"})
    for (std::size_t at = text.find(kind); at != std::string_view::npos; at = text.find(kind, at + 1)) {
      spend();
      if (at > 0 && (isNamePart(text[at - 1]) || text[at - 1] == ':')) continue;
      const std::size_t inside = at + kind.size();
      const std::string_view first = text.substr(inside, text.find_first_of("x>,", inside) - inside);
      const bool dimension =
          !first.empty() && (isDigit(first[0]) || first[0] == '?' || first[0] == '*' || first[0] == '[');
      if (dimension || (kind != "vector<" && xla::findType(first) != nullptr)) return true;
    }
  return false;
}

// f32[8,128]{1,0 somewhere, or a shape or an instruction at the very beginning.
int shapeMarks(std::string_view text) {
  int best = 0;
  for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    spend();
    std::size_t begin = at;
    while (begin > 0 && isNamePart(text[begin - 1])) --begin;
    if (xla::findType(text.substr(begin, at - begin)) == nullptr) continue;
    const std::size_t close = text.find_first_not_of("0123456789,<=? ", at + 1);
    if (close == std::string_view::npos || text[close] != ']') continue;
    const char next = close + 1 < text.size() ? text[close + 1] : '\0';
    const char after = close + 2 < text.size() ? text[close + 2] : '\0';
    if (next == '{' && (isDigit(after) || after == ':')) return 2;
    const bool leads = stripped(text.substr(0, begin)).empty() || (begin > 0 && text[begin - 1] == ':') ||
                       stripped(text.substr(0, begin)).ends_with('=');
    if (leads && text.find(';') == std::string_view::npos) best = 1;
  }
  return best;
}

bool looksLikeSharding(std::string_view text) {
  const std::string_view whole = stripped(text);
  return containsAny(text, kShardingMarks) || whole.starts_with("Mesh(") || whole == "{replicated}" ||
         whole.starts_with("{maximal ") || whole.starts_with("sharding={");
}

bool hasMlir(std::string_view text) { return containsAny(text, kMlirMarks) || hasShapedType(text); }

int recognizesXla(std::string_view whole) {
  const std::string_view text = whole.substr(0, kLookedAt);
  if (isModuleText(whole) && xla_text::hasComputation(whole)) return 0;  // kHloModule
  if (containsAny(text, kXlaMarks) || looksLikeSharding(text)) return 2;
  if (hasMlir(text)) return containsAny(text, kOthers) ? 0 : 2;
  return xla_text::isBareMap(whole) ? 1 : shapeMarks(text);
}

Result<Reading> readXlaText(std::string_view text, const Given& given) {
  Bindings out(given);
  const std::string_view head = text.substr(0, kLookedAt);
  TESSERA_TRY(const bool module, xla_text::readModule(text, out));
  if (module) return out.reading("XLA");
  if (looksLikeSharding(head)) {
    TESSERA_TRY(const bool sharding, xla_text::readShardings(text, out));
    if (sharding && shapeMarks(head) == 0 && !hasMlir(head)) return out.reading("a sharding");
  }
  if (xla_text::isBareMap(text)) {
    TESSERA_TRY(const bool map,
                xla_text::bindAttribute("", fmt::format("affine_map<{}>", stripped(text)), {0, text.size()}, out));
    if (map) return out.reading("MLIR");
  }
  const bool mlir = hasMlir(head) && shapeMarks(head) < 2;
  TESSERA_TRY(const bool read, mlir ? xla_text::readMlir(text, out) : xla_text::readLines(text, out));
  if (!read) return Diag{"this text has no shape", "an HLO line, a type such as tensor<128x8xf32>, a sharding"};
  return out.reading(mlir ? "MLIR" : "XLA");
}

}  // namespace

const Dialect kXla{"XLA", recognizesXla, readXlaText};

}  // namespace tessera::paste
