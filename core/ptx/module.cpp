#include "core/ptx/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "core/base/arith.h"

namespace tessera::ptx {

namespace {

struct TypeRow {
  std::string_view name;
  Type type;
  int bits;
};

// By value of Type.
constexpr std::array kTypes = {
    TypeRow{"", Type::None, 0},
    TypeRow{"pred", Type::Pred, 1},
    TypeRow{"b8", Type::B8, 8},
    TypeRow{"b16", Type::B16, 16},
    TypeRow{"b32", Type::B32, 32},
    TypeRow{"b64", Type::B64, 64},
    TypeRow{"b128", Type::B128, 128},
    TypeRow{"u8", Type::U8, 8},
    TypeRow{"u16", Type::U16, 16},
    TypeRow{"u32", Type::U32, 32},
    TypeRow{"u64", Type::U64, 64},
    TypeRow{"s8", Type::S8, 8},
    TypeRow{"s16", Type::S16, 16},
    TypeRow{"s32", Type::S32, 32},
    TypeRow{"s64", Type::S64, 64},
    TypeRow{"f16", Type::F16, 16},
    TypeRow{"bf16", Type::BF16, 16},
    TypeRow{"tf32", Type::TF32, 32},
    TypeRow{"f32", Type::F32, 32},
    TypeRow{"f64", Type::F64, 64},
    TypeRow{"f16x2", Type::F16x2, 32},
    TypeRow{"bf16x2", Type::BF16x2, 32},
    TypeRow{"f32x2", Type::F32x2, 64},
    TypeRow{"e4m3", Type::E4M3, 8},
    TypeRow{"e5m2", Type::E5M2, 8},
    TypeRow{"e4m3x2", Type::E4M3x2, 16},
    TypeRow{"e5m2x2", Type::E5M2x2, 16},
    TypeRow{"e2m3x2", Type::E2M3x2, 16},
    TypeRow{"e3m2x2", Type::E3M2x2, 16},
    TypeRow{"e2m1x2", Type::E2M1x2, 8},
    TypeRow{"ue8m0x2", Type::UE8M0x2, 16},
    TypeRow{"e4m3x4", Type::E4M3x4, 32},
    TypeRow{"e5m2x4", Type::E5M2x4, 32},
    TypeRow{"e2m1x4", Type::E2M1x4, 16},
    TypeRow{"e2m3x4", Type::E2M3x4, 32},
    TypeRow{"e3m2x4", Type::E3M2x4, 32},
    TypeRow{"u16x2", Type::U16x2, 32},
    TypeRow{"s16x2", Type::S16x2, 32},
    TypeRow{"u8x4", Type::U8x4, 32},
    TypeRow{"s8x4", Type::S8x4, 32},
    TypeRow{"texref", Type::TexRef, 64},
    TypeRow{"samplerref", Type::SamplerRef, 64},
    TypeRow{"surfref", Type::SurfRef, 64},
};

constexpr bool inOrder() {
  for (std::size_t k = 0; k < kTypes.size(); ++k)
    if (kTypes[k].type != static_cast<Type>(k)) return false;
  return kTypes.size() == static_cast<std::size_t>(Type::SurfRef) + 1;
}
static_assert(inOrder());

}  // namespace

Type typeNamed(std::string_view name) {
  if (name.empty() || name.size() > 10) return Type::None;
  for (const TypeRow& row : kTypes)
    if (row.name == name) return row.type;
  return Type::None;
}

std::string_view nameOf(Type type) { return kTypes[static_cast<std::size_t>(type)].name; }
int bitsOf(Type type) { return kTypes[static_cast<std::size_t>(type)].bits; }

Opcode::Opcode(std::string written) : text(std::move(written)) {
  parts.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '.')) + 1);
  const std::string_view all = text;
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find('.', begin), all.size());
    if (end > begin) parts.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
}

Opcode::Opcode(Opcode&& other) noexcept : parts(std::move(other.parts)) {
  // A short text is inside the object, so it moves and its parts with it.
  const char* const before = other.text.data();
  text = std::move(other.text);
  for (std::string_view& part : parts) part = {text.data() + (part.data() - before), part.size()};
  other.parts.clear();
}

Opcode& Opcode::operator=(Opcode other) noexcept {
  std::destroy_at(this);
  return *std::construct_at(this, std::move(other));
}

bool Opcode::has(std::string_view modifier) const {
  return std::find(parts.begin() + (parts.empty() ? 0 : 1), parts.end(), modifier) != parts.end();
}

Type Opcode::type(int fromLast) const {
  for (std::size_t k = parts.size(); k-- > 1;) {
    const Type type = typeNamed(parts[k]);
    if (type != Type::None && fromLast-- == 0) return type;
  }
  return Type::None;
}

std::vector<Type> Opcode::types() const {
  std::vector<Type> out;
  for (std::size_t k = 1; k < parts.size(); ++k)
    if (const Type type = typeNamed(parts[k]); type != Type::None) out.push_back(type);
  return out;
}

bool Variable::operator==(const Variable& o) const {
  const auto all = [](const Variable& v) {
    return std::tie(v.name, v.space, v.type, v.vector, v.extents, v.align, v.linkage, v.attributes, v.initial);
  };
  return all(*this) == all(o);
}

i64 Variable::bytes() const {
  std::optional<i64> bits = i64{bitsOf(type)} * vector;
  for (const i64 extent : extents)
    if (bits) bits = checkedMul(*bits, extent);
  // The reader refuses sizes beyond 64 bits.
  return bits ? (*bits + 7) / 8 : 0;
}

i64 Variable::alignment() const { return align > 0 ? align : std::max<i64>(1, i64{bitsOf(type)} * vector / 8); }

bool Function::operator==(const Function& o) const {
  const auto all = [](const Function& f) {
    return std::tie(f.name, f.linkage, f.entry, f.defined, f.results, f.parameters, f.directives, f.declarations,
                    f.registerCount, f.instructions, f.labels, f.variables, f.body);
  };
  return all(*this) == all(o);
}

const RegisterDeclaration& Function::declaration(int index) const {
  const auto next = std::upper_bound(declarations.begin(), declarations.end(), index,
                                     [](int at, const RegisterDeclaration& d) { return at < d.first; });
  return *(next - 1);
}

std::string Function::registerName(int index) const {
  const RegisterDeclaration& d = declaration(index);
  return d.count == 0 ? d.name : d.name + std::to_string(index - d.first);
}

const Function* Module::function(std::string_view name) const {
  const Function* found = nullptr;
  for (const Function& f : functions)
    if (f.name == name && (found == nullptr || (f.defined && !found->defined))) found = &f;
  return found;
}

}  // namespace tessera::ptx
