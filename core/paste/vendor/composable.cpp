// Composable Kernel: descriptors and their transforms, tile distributions. composable.h has the meaning.
#include "core/paste/vendor/composable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/work.h"
#include "core/paste/dialects.h"

namespace tessera::paste {
namespace {

using code::Tree;
using vendor::Descriptor;
using vendor::Source;
using vendor::Transform;
using Ints = std::vector<i64>;
using MaybeDescriptor = Result<std::optional<Descriptor>>;

class ComposableReader {
 public:
  explicit ComposableReader(Source& source) : source_(source) {
    source_.call = [this](const Tree& call) { return lengthOf(call); };
  }

  Result<void> all() {
    for (const Tree* statement : source_.statements()) TESSERA_CHECKED(read(*statement));
    return {};
  }

 private:
  Result<void> read(const Tree& statement);
  Result<void> bindTree(const std::string& name, const Tree& tree);
  Result<void> bindBody(const std::string& name, const Tree& lambda);
  MaybeDescriptor descriptor(const Tree& tree);
  MaybeDescriptor naive(const Tree& call, std::string_view name);
  MaybeDescriptor transformed(const Tree& call);
  void bind(const std::string& name, const Descriptor& d, Span span);
  std::optional<i64> lengthOf(const Tree& call);

  Source& source_;
  std::map<std::string, Descriptor, std::less<>> known_;
  std::string function_;  // whose `return` is read
};

// The value under pipes that change nothing: make_static_tile_distribution(encoding{}), a view of a descriptor.
const Tree* inner(const Tree& tree) {
  const std::string_view name = code::calledName(tree);
  if (name == "make_static_tile_distribution" && tree.children.size() > 1) return &tree.children[1];
  if ((name == "make_tensor_view" || name == "make_dynamic_buffer") && tree.children.size() > 2)
    return &tree.children[2];
  if (tree.kind == Tree::Kind::Braces && tree.children.size() == 1) return &tree.children[0];
  return nullptr;
}

bool isEncoding(const Tree& tree) {
  return tree.kind == Tree::Kind::Name && tree.isTemplate && code::lastName(tree) == "tile_distribution_encoding";
}

bool makesDescriptor(const Tree& tree) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "make_naive_tensor_descriptor",         "make_naive_tensor_descriptor_packed",
      "make_naive_tensor_descriptor_aligned", "make_naive_tensor_descriptor_with_offset",
      "transform_tensor_descriptor",          "make_naive_tensor_view"};
  const std::string_view name = code::calledName(tree);
  return std::ranges::find(kNames, name) != kNames.end() || name == "make_naive_tensor_view_packed";
}

std::optional<i64> ComposableReader::lengthOf(const Tree& call) {
  if (code::calledName(call) != "get_length" || call.children.empty()) return std::nullopt;
  const Tree& member = call.children[0];
  if (member.kind != Tree::Kind::Member || member.children.empty()) return std::nullopt;
  const auto found = known_.find(member.children[0].text);
  if (found == known_.end()) return std::nullopt;
  const Tree* which = call.children.size() > 1           ? &call.children[1]
                      : member.templateArguments.empty() ? nullptr
                                                         : &member.templateArguments[0];
  const auto k = which == nullptr ? std::nullopt : source_.integer(*which);
  if (!k || *k < 0 || *k >= static_cast<i64>(found->second.lengths.size())) return std::nullopt;
  return found->second.lengths[static_cast<std::size_t>(*k)];
}

std::string strided(const Ints& strides) {
  std::string sum;
  for (std::size_t k = 0; k < strides.size(); ++k)
    sum += fmt::format("{}{{{}}} * {}", k == 0 ? "" : " + ", k, strides[k]);
  return sum.empty() ? "0" : sum;
}

std::optional<Ints> packed(const Ints& lengths) {
  Ints strides(lengths.size(), 1);
  for (std::size_t k = lengths.size(); k-- > 1;) {
    const auto next = checkedMul(strides[k], lengths[k]);
    if (!next) return std::nullopt;
    strides[k - 1] = *next;
  }
  return strides;
}

MaybeDescriptor ComposableReader::naive(const Tree& call, std::string_view name) {
  const bool view = name.starts_with("make_naive_tensor_view");  // its first argument is the pointer
  const std::size_t first = view ? 2 : 1;
  if (call.children.size() <= first)
    return Diag{fmt::format("{} has no lengths", name), "make_tuple(4, 8)", "", call.span};
  const auto lengths = source_.integers(call.children[first], "the lengths of a descriptor");
  if (!lengths) return std::optional<Descriptor>();
  for (const i64 length : *lengths)
    if (length < 1) return Diag{"a length of the descriptor is not positive", "", "", call.children[first].span};
  std::optional<Ints> strides;
  if (name.ends_with("_packed")) {
    strides = packed(*lengths);
  } else if (name.ends_with("_aligned")) {
    const auto align = call.children.size() > 2 ? source_.integer(call.children[2]) : std::optional<i64>(1);
    if (!align) return std::optional<Descriptor>();
    Ints padded = *lengths;
    if (!padded.empty() && *align > 0) padded.back() = (padded.back() + *align - 1) / *align * *align;
    strides = packed(padded);
  } else {
    if (call.children.size() <= first + 1)
      return Diag{fmt::format("{} has no strides", name), "make_tuple(...) with a stride for each length",
                  "a second argument; make_naive_tensor_descriptor_packed(lengths) is contiguous", call.span};
    strides = source_.integers(call.children[first + 1], "the strides of a descriptor");
    if (!strides) return std::optional<Descriptor>();
  }
  if (!strides || strides->size() != lengths->size())
    return Diag{
        fmt::format("the descriptor has {} lengths and {} strides", lengths->size(), strides ? strides->size() : 0),
        "a stride for each length", "", call.span};
  Descriptor d{*lengths, strided(*strides), *strides, 0};
  if (name.ends_with("_with_offset") && call.children.size() > 3) {
    const auto start = source_.integer(call.children[3]);
    if (!start) return std::optional<Descriptor>();
    d.start = *start;
    d.offset = fmt::format("{} + {}", *start, d.offset);
  }
  return std::optional(std::move(d));
}

// transform_tensor_descriptor(desc, transforms, lower dimension ids, upper dimension ids)
MaybeDescriptor ComposableReader::transformed(const Tree& call) {
  if (call.children.size() < 5)
    return Diag{"transform_tensor_descriptor takes a descriptor, transforms, and the dimensions below and above", "",
                "", call.span};
  TESSERA_TRY(const std::optional<Descriptor> below, descriptor(call.children[1]));
  const auto transforms = source_.list(call.children[2]), lower = source_.list(call.children[3]),
             upper = source_.list(call.children[4]);
  if (!transforms || !lower || !upper)
    return Diag{"the transforms and dimensions are not written as make_tuple(...)", "make_tuple(sequence<0>{})", "",
                call.span};
  if (transforms->size() != lower->size() || transforms->size() != upper->size())
    return Diag{
        fmt::format("{} transforms, {} lower and {} upper lists", transforms->size(), lower->size(), upper->size()),
        "one list for each transform", "", call.span};
  bool asked = !below;
  std::vector<std::string> coordinates(below ? below->lengths.size() : 0);
  std::map<i64, i64> lengths;
  for (std::size_t k = 0; k < transforms->size(); ++k) {
    const Tree& tree = source_.resolved(*(*transforms)[k]);
    TESSERA_TRY(const std::optional<Transform> one, vendor::readTransform(tree, source_));
    const auto low = source_.integers(*(*lower)[k]), up = source_.integers(*(*upper)[k]);
    asked = asked || !one || !low || !up;
    if (asked) continue;
    if (low->size() != one->lower.size() || up->size() != one->upper.size())
      return Diag{fmt::format("transform {} has {} lower and {} upper dimensions, its lists have {} and {}", k,
                              one->lower.size(), one->upper.size(), low->size(), up->size()),
                  "a dimension for each", "", tree.span};
    std::vector<std::string> places;
    for (std::size_t u = 0; u < up->size(); ++u) {
      places.push_back(fmt::format("{{{}}}", (*up)[u]));
      lengths[(*up)[u]] = one->upper[u];
    }
    for (std::size_t l = 0; l < low->size(); ++l) {
      if ((*low)[l] < 0 || (*low)[l] >= static_cast<i64>(coordinates.size()))
        return Diag{fmt::format("the descriptor below has no dimension {}", (*low)[l]), "", "", tree.span};
      TESSERA_TRY(coordinates[static_cast<std::size_t>((*low)[l])], vendor::substituted(one->lower[l], places));
    }
  }
  if (asked) return std::optional<Descriptor>();
  for (const std::string& one : coordinates)
    if (one.empty()) return Diag{"a dimension of the descriptor below has no transform", "", "", call.span};
  Descriptor d;
  for (const auto& [dimension, length] : lengths) {
    if (dimension != static_cast<i64>(d.lengths.size()))
      return Diag{fmt::format("upper dimension {} is missing", d.lengths.size()), "", "", call.span};
    d.lengths.push_back(length);
  }
  for (std::string& one : coordinates) one = "(" + one + ")";
  TESSERA_TRY(d.offset, vendor::substituted(below->offset, coordinates));
  return std::optional(std::move(d));
}

MaybeDescriptor ComposableReader::descriptor(const Tree& tree) {
  const Nesting level;
  if (level.tooDeep()) return Diag{"this nests too deep", "", "", tree.span};
  if (tree.kind == Tree::Kind::Name)
    if (const auto found = known_.find(tree.text); found != known_.end()) return std::optional(found->second);
  const Tree& at = source_.resolved(tree);
  const std::string_view name = code::calledName(at);
  if (name == "transform_tensor_descriptor") return transformed(at);
  if (makesDescriptor(at)) return naive(at, name);
  if (const Tree* view = inner(at); view != nullptr && at.kind == Tree::Kind::Call) return descriptor(*view);
  return Diag{fmt::format("'{}' is no descriptor that the text declares", Source::spelled(tree).substr(0, 80)),
              "a descriptor made by make_naive_tensor_descriptor(...)", "paste its declaration as well", tree.span};
}

void ComposableReader::bind(const std::string& name, const Descriptor& d, Span span) {
  if (!d.strides.empty() && d.start == 0) {
    source_.out().bind(name, fmt::format("({}):({})", fmt::join(d.lengths, ","), fmt::join(d.strides, ",")), span);
    return;
  }
  std::vector<std::string> coordinates;
  for (std::size_t k = 0; k < d.lengths.size(); ++k) coordinates.push_back(fmt::format("i{}", k));
  const auto body = vendor::substituted(d.offset, coordinates);
  if (body && !coordinates.empty()) source_.out().formula(name, coordinates, *body, d.lengths, span);
}

// The descriptors that a lambda declares; the name is that of what it returns.
Result<void> ComposableReader::bindBody(const std::string& name, const Tree& lambda) {
  const Nesting level;
  if (level.tooDeep() || lambda.children.empty()) return {};
  for (const Tree& statement : lambda.children[0].children) {
    if (statement.kind == Tree::Kind::Declare && statement.children.size() > 1)
      TESSERA_CHECKED(bindTree(statement.text, statement.children[1]));
    if (statement.kind == Tree::Kind::Return && !statement.children.empty())
      TESSERA_CHECKED(bindTree(name, statement.children[0]));
  }
  return {};
}

// A descriptor, an encoding, or a transform alone.
Result<void> ComposableReader::bindTree(const std::string& name, const Tree& tree) {
  const Tree* at = &source_.resolved(tree);
  if (at->kind == Tree::Kind::Call && !at->children.empty() && at->children[0].kind == Tree::Kind::Lambda)
    at = &at->children[0];  // [&]() { ...; return desc; }()
  if (at->kind == Tree::Kind::Lambda) return bindBody(name, *at);
  for (int k = 0; k < 4 && !isEncoding(*at) && !makesDescriptor(*at); ++k) {
    const Tree* next = inner(*at);
    if (next == nullptr) break;
    at = &source_.resolved(*next);
  }
  if (isEncoding(*at)) {
    TESSERA_TRY(const bool bound, vendor::bindDistribution(name, *at, source_));
    (void)bound;
    return {};
  }
  if (makesDescriptor(*at)) {
    TESSERA_TRY(const auto d, descriptor(*at));
    if (!d) return {};
    if (!name.empty()) known_.insert_or_assign(name, *d);
    bind(name, *d, tree.span);
    return {};
  }
  const std::string_view called = code::calledName(*at);
  if (!called.starts_with("make_") || !called.ends_with("_transform")) return {};
  if (!name.empty()) return {};  // used by a later transform_tensor_descriptor
  TESSERA_TRY(const auto one, vendor::readTransform(*at, source_));
  if (!one) return {};
  // Its lower coordinates, counted row-major, are the offset.
  const auto strides = packed(one->lowerLengths);
  if (!strides || std::ranges::find(one->lowerLengths, 0) != one->lowerLengths.end() || one->upper.empty())
    return Diag{"this transform alone has no offsets", "a transform_tensor_descriptor(...)", "", at->span};
  TESSERA_TRY(std::string offset, vendor::substituted(strided(*strides), one->lower));
  source_.out().note("the transform's lower coordinates are counted row-major");
  bind(name, Descriptor{one->upper, std::move(offset), {}, 0}, at->span);
  return {};
}

Result<void> ComposableReader::read(const Tree& statement) {
  using Kind = Tree::Kind;
  if (statement.kind == Kind::Function) function_ = statement.text;
  if (statement.kind == Kind::Declare && statement.children.size() > 1)
    return bindTree(statement.text, statement.children[1]);
  if (statement.kind == Kind::Alias && !statement.children.empty())
    return bindTree(statement.text, statement.children[0]);
  if (statement.kind == Kind::Expression && !statement.children.empty()) return bindTree("", statement.children[0]);
  if (statement.kind == Kind::Return && !statement.children.empty() && statement.children[0].kind != Kind::Name)
    return bindTree(function_, statement.children[0]);
  return {};
}

constexpr std::array<std::string_view, 7> kComposableMarks = {
    "make_naive_tensor_descriptor", "make_naive_tensor_view", "transform_tensor_descriptor",
    "tile_distribution_encoding",   "make_xor_transform",     "make_unmerge_transform",
    "make_merge_transform"};

int recognizesComposable(std::string_view whole) {
  const std::string_view text = whole.substr(0, 65536);
  spend(static_cast<Work>(text.size() / 32));
  const auto has = [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; };
  return std::ranges::any_of(kComposableMarks, has) || has("make_pass_through_transform") || has("_pad_transform") ? 2
                                                                                                                   : 0;
}

Result<Reading> readComposable(std::string_view text, const Given& given) {
  Bindings out(given);
  TESSERA_TRY(Source source, Source::read(text, out));
  ComposableReader reader(source);
  TESSERA_CHECKED(reader.all());
  return out.reading("Composable Kernel");
}

}  // namespace

const Dialect kComposable{"Composable Kernel", recognizesComposable, readComposable};

}  // namespace tessera::paste
