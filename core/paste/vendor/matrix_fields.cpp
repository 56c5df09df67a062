#include "core/paste/vendor/matrix_fields.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/chars.h"
#include "core/base/work.h"

namespace tessera::paste::vendor {
namespace {

using code::Tree;

struct Fields {
  std::string name;  // of the variable
  std::optional<i64> leading, stride, layoutType, start, base, version;
  std::string mode;  // if the text names it
  Span span;
  bool any = false;
};

// The name at the root of a.b.c, and the last name.
std::string rootOf(const Tree& tree) {
  const Tree* at = &tree;
  while ((at->kind == Tree::Kind::Member || at->kind == Tree::Kind::Subscript) && !at->children.empty())
    at = &at->children[0];
  return at->text;
}

std::string modeName(std::string_view text) {
  for (const std::string_view mode : {"128B_ATOM_32B", "128B", "64B", "32B", "NONE", "INTERLEAVE"})
    if (text.find(mode) != std::string_view::npos) return mode == "INTERLEAVE" ? "NONE" : std::string(mode);
  for (const auto& [word, mode] : {std::pair("B128", "128B"), {"B64", "64B"}, {"B32", "32B"}})
    if (text.find(word) != std::string_view::npos) return mode;
  return {};
}

std::string modeOf(i64 type, bool blackwell) {
  if (blackwell) return type == 0 ? "NONE" : type == 2 ? "128B" : type == 4 ? "64B" : type == 6 ? "32B" : "";
  return type == 0 ? "NONE" : type == 1 ? "128B" : type == 2 ? "64B" : type == 3 ? "32B" : "";
}

// All of the value's 64 bits.
std::optional<u64> wordOf(std::string_view text) {
  while (!text.empty() && (text.back() == 'u' || text.back() == 'l' || text.back() == 'U' || text.back() == 'L'))
    text.remove_suffix(1);
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  text.remove_prefix(2);
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void decode(u64 word, Fields& f) {
  const auto bits = [&](int low, int count) { return static_cast<i64>((word >> low) & ((u64{1} << count) - 1)); };
  f.start = bits(0, 14) * 16;
  f.leading = bits(16, 14);
  f.stride = bits(32, 14);
  f.base = bits(49, 3);
  f.version = bits(46, 3) == 1 ? 1 : 0;
  f.layoutType = *f.version == 1 ? bits(61, 3) : bits(62, 2);
  f.any = true;
}

class FieldReader {
 public:
  explicit FieldReader(Source& source) : source_(source) {}
  Result<void> all();

 private:
  void assigned(const Tree& target, std::string_view op, const Tree& value);
  void field(std::string_view name, const Tree& value);
  void shifted(const Tree& value);
  void shiftedBy(const Tree& value, i64 by);
  Result<void> bind();

  Source& source_;
  Fields f_;
};

void FieldReader::field(std::string_view name, const Tree& value) {
  const auto is = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
  if (is("start_address")) {
    f_.any = true;  // an address, known at run time
    return;
  }
  if (is("layout_type") || is("swizzle_mode")) {
    f_.mode = modeName(Source::spelled(value));
    f_.any = true;
    if (!f_.mode.empty()) return;
  }
  const bool known =
      is("layout_type") || is("leading") || is("stride_byte") || is("stride_dim") || is("base_offset") || is("version");
  if (!known) return;
  const auto n = source_.integer(value, "a field of a matrix descriptor");
  f_.any = true;
  if (!n) return;
  if (is("layout_type")) f_.layoutType = *n;
  if (is("leading")) f_.leading = *n;
  if (is("stride_byte") || is("stride_dim")) f_.stride = *n;
  if (is("base_offset")) f_.base = *n;
  if (is("version")) f_.version = *n;
}

// value << by, with the offsets in bytes inside matrix_descriptor_encode(..) or as (bytes >> 4).
void FieldReader::shiftedBy(const Tree& value, i64 by) {
  const Tree* at = &value;
  while (at->kind == Tree::Kind::Cast && at->children.size() == 2) at = &at->children[1];
  const bool encoded = at->kind == Tree::Kind::Call && code::calledName(*at).find("enc") != std::string_view::npos;
  if (encoded && at->children.size() == 2) at = &at->children[1];
  const auto n = source_.integer(*at, "a field of a matrix descriptor");
  if (!n) return;
  const i64 units = encoded ? (*n & 0x3ffff) >> 4 : *n;
  f_.any = true;
  if (by == 16) f_.leading = units;
  if (by == 32) f_.stride = units;
  if (by == 46) f_.version = units & 1;
  if (by == 49) f_.base = units;
  if (by == 61) f_.layoutType = units, f_.version = 1;
  if (by == 62) f_.layoutType = units;
}

void FieldReader::shifted(const Tree& value) {
  if (value.kind == Tree::Kind::Cast && value.children.size() == 2) return shifted(value.children[1]);
  if (value.kind != Tree::Kind::Binary || value.children.size() != 2) return;
  if (value.text == "|") {
    shifted(value.children[0]);
    shifted(value.children[1]);
  } else if (value.text == "<<" && value.children[1].value) {
    shiftedBy(value.children[0], *value.children[1].value);
  }
}

void FieldReader::assigned(const Tree& target, std::string_view op, const Tree& value) {
  if (target.kind == Tree::Kind::Member) {
    const bool before = f_.any;
    field(target.text, value);
    if (f_.any && !before) f_.name = rootOf(target);
  } else if (target.kind == Tree::Kind::Name && (op == "|=" || op == "=")) {
    const bool before = f_.any;
    if (value.kind == Tree::Kind::Number)
      if (const auto word = wordOf(value.text); word && *word >> 32 != 0) decode(*word, f_);
    shifted(value);
    if (f_.any && !before) f_.name = target.text;
  }
  if (f_.any) f_.span = f_.span.empty() ? target.span : Span{f_.span.begin, value.span.end};
}

Result<void> FieldReader::bind() {
  Bindings& out = source_.out();
  if (!f_.any || out.asked()) return {};
  const bool blackwell = f_.version.value_or(0) == 1;
  std::string mode = f_.mode.empty() ? modeOf(f_.layoutType.value_or(0), blackwell) : f_.mode;
  if (mode.empty())
    return Diag{fmt::format("layout type {} is no swizzle mode of {}", *f_.layoutType, blackwell ? "sm_100" : "sm_90"),
                blackwell ? "0, 2 (128B), 4 (64B) or 6 (32B)" : "0, 1 (128B), 2 (64B) or 3 (32B)", "", f_.span};
  const i64 leading = f_.leading.value_or(0), stride = f_.stride.value_or(0);
  if (leading < 0 || leading > 0x3fff || stride < 0 || stride > 0x3fff)
    return Diag{"an offset of a matrix descriptor has 14 bits", "0 to 16383 units of 16 bytes", "", f_.span};
  out.note("offsets of a matrix descriptor count 16 bytes");
  const i64 width = mode.starts_with("128B") ? 128 : mode == "64B" ? 64 : mode == "32B" ? 32 : 16;
  const int bits = width == 128 ? 3 : width == 64 ? 2 : width == 32 ? 1 : 0;
  const std::string name = f_.name.empty() ? "desc" : f_.name;
  if (stride > 0 && mode.find("ATOM") == std::string::npos) {
    out.note(fmt::format("{}_rows: byte offsets of 64 rows of {} bytes, if the operand is K-major", name, width));
    out.bind(name + "_rows",
             fmt::format("{}((8,8),{}):(({},{}),1)", bits == 0 ? "" : fmt::format("Sw<{},4,3> o ", bits), width, width,
                         stride * 16),
             f_.span);
  }
  out.bind(name, fmt::format("smem_descriptor(\"{}\", {}, {})", mode, leading * 16, stride * 16), f_.span);
  return {};
}

Result<void> FieldReader::all() {
  for (const Tree* statement : source_.statements()) {
    if (statement->kind == Tree::Kind::Expression && !statement->children.empty() &&
        statement->children[0].kind == Tree::Kind::Assign && statement->children[0].children.size() == 2) {
      const Tree& assign = statement->children[0];
      assigned(assign.children[0], assign.text, assign.children[1]);
    } else if (statement->kind == Tree::Kind::Declare && statement->children.size() > 1) {
      Tree name;
      name.kind = Tree::Kind::Name;
      name.text = statement->text;
      name.span = statement->span;
      const Tree* value = &statement->children[1];
      if (value->kind == Tree::Kind::Braces && value->children.size() == 2) value = &value->children[1];
      assigned(name, "=", *value);
    }
  }
  return bind();
}

}  // namespace

bool looksLikeMatrixDescriptor(std::string_view text) {
  const auto has = [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; };
  if (has("layout_type_") || has("leading_byte_offset") || has("stride_byte_offset") || has("matrix_descriptor_encode"))
    return true;
  return has("desc") &&
         (has("<< 62") || has("<< 61") || has("0x4000") || has("0x8000") || has("0xc000") || has("0xC000"));
}

Result<void> readMatrixFields(Source& source) { return FieldReader(source).all(); }

}  // namespace tessera::paste::vendor
