#include "core/codegen/kernel/prelude.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/chars.h"
#include "core/codegen/kernel/scalar.h"

namespace tessera::codegen {
namespace {

using graphene::Atom;
using graphene::Spec;
using graphene::Tensor;

constexpr std::string_view kInline = "__device__ __forceinline__ ";

struct Fixed {
  std::string_view name, text;
  std::string_view parameters = {};  // of the template
};
constexpr Fixed kFixed[] = {
    {"shared_address",
     "unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }"},
    {"dynamic_shared",
     "unsigned char* dynamic_shared() {\n  extern __shared__ __align__(1024) unsigned char memory[];\n"
     "  return memory;\n}"},
    {"kept",
     "T* kept(T* p) {\n"
     "  const unsigned a = __shfl_sync(0xffffffffu, shared_address(p), threadIdx.x % 32);\n"
     "  return static_cast<T*>(__cvta_shared_to_generic(a));\n}",
     "typename T"},
    {"kept_global", "T* kept_global(T* p) {\n  asm volatile(\"\" : \"+l\"(p));\n  return p;\n}", "typename T"},
    {"cp_async_commit", "void cp_async_commit() { asm volatile(\"cp.async.commit_group;\" ::: \"memory\"); }"},
    {"cp_async_wait", "void cp_async_wait() { asm volatile(\"cp.async.wait_group %0;\" ::\"n\"(N) : \"memory\"); }",
     "int N"},
    {"matrix_descriptor",
     "unsigned long long matrix_descriptor(const void* p) {\n"
     "  return static_cast<unsigned long long>(shared_address(p) >> 4 & 0x3fff) | "
     "static_cast<unsigned long long>(kLeading) << 16 |\n"
     "         static_cast<unsigned long long>(kStride) << 32 | static_cast<unsigned long long>(kMode) << 62;\n}",
     "int kMode, int kLeading, int kStride"},
    {"fence_async", "void fence_async() { asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\"); }"},
    {"TensorMap", "struct __align__(128) TensorMap {\n  unsigned long long words[16];\n};"},
    {"mbarrier_init",
     "void mbarrier_init(unsigned long long* barrier, int arrivals) {\n"
     "  asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" ::\"r\"(shared_address(barrier)), \"r\"(arrivals) : "
     "\"memory\");\n}"},
    {"mbarrier_arrive",
     "void mbarrier_arrive(unsigned long long* barrier) {\n"
     "  asm volatile(\"mbarrier.arrive.shared::cta.b64 _, [%0];\" ::\"r\"(shared_address(barrier)) : \"memory\");\n}"},
    {"mbarrier_expect",
     "void mbarrier_expect(unsigned long long* barrier, int bytes) {\n"
     "  asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\" ::\"r\"(shared_address(barrier)), "
     "\"r\"(bytes)\n               : \"memory\");\n}"},
    {"mbarrier_wait",
     "void mbarrier_wait(unsigned long long* barrier, int parity) {\n"
     "  asm volatile(\n      \"{\\n.reg .pred over;\\nagain:\\n\"\n"
     "      \"mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\\n@over bra done;\\nbra again;\\ndone:\\n}\" "
     "::\"r\"(shared_address(barrier)),\n      \"r\"(parity)\n      : \"memory\");\n}"},
    {"wgmma_fence", "void wgmma_fence() { asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\"); }"},
    {"wgmma_commit", "void wgmma_commit() { asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\"); }"},
    {"wgmma_wait", "void wgmma_wait() { asm volatile(\"wgmma.wait_group.sync.aligned %0;\" ::\"n\"(N) : \"memory\"); }",
     "int N"},
    {"settled",
     "void settled(T* d) {\n#pragma unroll\n  for (int i = 0; i < N; ++i) {\n"
     "    if constexpr (sizeof(T) == 4)\n      asm volatile(\"\" : \"+f\"(d[i])::\"memory\");\n"
     "    else if (i % 2 == 0)\n      asm volatile(\"\" : \"+r\"(reinterpret_cast<unsigned*>(d)[i / "
     "2])::\"memory\");\n  }\n}",
     "int N, typename T"},
    {"exp2",
     "float exp2(float x) {\n  float y;\n  asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n  return "
     "y;\n}"},
    {"sigmoid", "float sigmoid(float x) { return __frcp_rn(1.0f + __expf(-x)); }"},
    {"sigmoid_double", "double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }"},
    {"infinity", "float infinity() { return __int_as_float(0x7f800000); }"},
    {"to_tf32",
     "float to_tf32(float x) {\n  unsigned bits;\n  asm(\"cvt.rna.tf32.f32 %0, %1;\" : \"=r\"(bits) : \"f\"(x));\n"
     "  return __uint_as_float(bits);\n}"},
    {"floor_div",
     "T floor_div(T a, long long b) { return static_cast<T>(a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0)); }",
     "typename T"},
    {"floor_mod", "T floor_mod(T a, long long b) { return static_cast<T>((a % b + b) % b); }", "typename T"},
    {"dp4a_s32",
     "void dp4a_s32(int* c, const void* a, const void* b) {\n"
     "  *c = __dp4a(*static_cast<const int*>(a), *static_cast<const int*>(b), *c);\n}"},
    {"dp2a_lo_s32",
     "void dp2a_lo_s32(int* c, const void* a, const void* b) {\n  const short* x = static_cast<const short*>(a);\n"
     "  const signed char* y = static_cast<const signed char*>(b);\n"
     "  *c = __dp2a_lo((x[0] & 0xffff) | x[1] << 16, (y[0] & 0xff) | (y[1] & 0xff) << 8, *c);\n}"},
};

// to_s8_f32, to_u16_f64; empty: another function.
std::string truncation(std::string_view name) {
  for (const std::string_view to : {"s8", "u8", "s16", "u16"})
    for (const auto& [from, type, constraint] : {std::array{"f32", "float", "f"}, std::array{"f64", "double", "d"}})
      if (name == fmt::format("to_{}_{}", to, from))
        return fmt::format(
            "int {}({} x) {{\n  int y;\n  asm(\"cvt.rzi.{}.{} %0, %1;\" : \"=r\"(y) : \"{}\"(x));\n  return y;\n}}",
            name, type, to, from, constraint);
  return "";
}

// {%0,%1}, numbered from `first`, which advances.
std::string registers(int& first, int count) {
  std::string out = "{";
  for (int i = 0; i < count; ++i) out += fmt::format("{}%{}", i == 0 ? "" : ",", first++);
  return out + "}";
}
// "=r"(d[0]), "=r"(d[1])
std::string constraints(std::string_view kind, std::string_view array, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += fmt::format("{}\"{}\"({}[{}])", i == 0 ? "" : ", ", kind, array, i);
  return out;
}

std::string opcode(const Atom& atom) { return atom.ptx.substr(0, atom.ptx.find_first_of(" {")); }

std::string matrixMove(const Atom& atom) {
  const bool load = atom.name.starts_with("ldmatrix");
  const int count = atom.slots[load ? 0 : 1] / 2;
  int first = load ? 0 : 1;
  const std::string list = registers(first, count);
  if (load)
    return fmt::format(
        "void {}(void* r, const void* row) {{\n  unsigned* d = static_cast<unsigned*>(r);\n"
        "  asm volatile(\"{} {}, [%{}];\" : {} : \"r\"(shared_address(row)) : \"memory\");\n}}",
        functionName(atom.name), opcode(atom), list, count, constraints("=r", "d", count));
  return fmt::format(
      "void {}(void* row, const void* r) {{\n  const unsigned* s = static_cast<const unsigned*>(r);\n"
      "  asm volatile(\"{} [%0], {};\" ::\"r\"(shared_address(row)), {} : \"memory\");\n}}",
      functionName(atom.name), opcode(atom), list, constraints("r", "s", count));
}

// The registers of a fragment: their number, C++ type and constraint.
struct Registers {
  int count = 0;
  std::string_view type, constraint;
};
Result<Registers> registersOf(const Tensor& tensor, int values) {
  const auto type = scalarType(tensor.element);
  if (!type)
    return Diag{fmt::format("values of type {} have no registers in generated code", tensor.element), "8 bits or more"};
  if (type->element == "f64") return Registers{values, "double", "d"};
  if (type->element == "f32") return Registers{values, "float", "f"};
  if (type->element == "s32") return Registers{values, "int", "r"};
  return Registers{std::max(1, values * type->bits / 32), "unsigned", "r"};
}

Result<std::string> multiply(const Atom& atom, const Spec& leaf) {
  TESSERA_TRY(const Registers c, registersOf(leaf.outputs[0], atom.slots[0]));
  TESSERA_TRY(const Registers a, registersOf(leaf.inputs[0], atom.slots[1]));
  TESSERA_TRY(const Registers b, registersOf(leaf.inputs[1], atom.slots[2]));
  int first = 0;
  const std::string lists[] = {registers(first, c.count), registers(first, a.count), registers(first, b.count)};
  return fmt::format(
      "void {}(void* c, const void* a, const void* b) {{\n  {}* d = static_cast<{}*>(c);\n"
      "  const {}* x = static_cast<const {}*>(a);\n  const {}* y = static_cast<const {}*>(b);\n"
      "  asm volatile(\"{} {}, {}, {}, {};\"\n      : {}\n      : {}, {});\n}}",
      functionName(atom.name), c.type, c.type, a.type, a.type, b.type, b.type, opcode(atom), lists[0], lists[1],
      lists[2], lists[0], constraints(fmt::format("+{}", c.constraint), "d", c.count),
      constraints(a.constraint, "x", a.count), constraints(b.constraint, "y", b.count));
}

// kA, kB: 1 if the matrix is MN-major.
Result<std::string> warpgroupProduct(const Atom& atom, const Spec& leaf) {
  TESSERA_TRY(const Registers c, registersOf(leaf.outputs[0], atom.slots[0]));
  int first = 0;
  const std::string list = registers(first, c.count);
  if (matrixOf(atom, 1) == nullptr) {  // A in registers is always K-major
    TESSERA_TRY(const Registers a, registersOf(leaf.inputs[0], atom.slots[1]));
    const std::string factors = registers(first, a.count);
    return fmt::format(
        "void {}(void* c, const void* a, unsigned long long b) {{\n  {}* d = static_cast<{}*>(c);\n"
        "  const {}* x = static_cast<const {}*>(a);\n"
        "  asm volatile(\"{{\\n.reg .pred p;\\nsetp.ne.b32 p, 1, 0;\\n{} {}, {}, %{}, p, 1, 1, %{};\\n}}\\n\"\n"
        "      : {}\n      : {}, \"l\"(b), \"n\"(kB));\n}}",
        functionName(atom.name), c.type, c.type, a.type, a.type, opcode(atom), list, factors, first, first + 1,
        constraints(fmt::format("+{}", c.constraint), "d", c.count), constraints(a.constraint, "x", a.count));
  }
  return fmt::format(
      "void {}(void* c, unsigned long long a, unsigned long long b) {{\n  {}* d = static_cast<{}*>(c);\n"
      "  asm volatile(\"{{\\n.reg .pred p;\\nsetp.ne.b32 p, 1, 0;\\n{} {}, %{}, %{}, p, 1, 1, %{}, %{};\\n}}\\n\"\n"
      "      : {}\n      : \"l\"(a), \"l\"(b), \"n\"(kA), \"n\"(kB));\n}}",
      functionName(atom.name), c.type, c.type, opcode(atom), list, first, first + 1, first + 2, first + 3,
      constraints(fmt::format("+{}", c.constraint), "d", c.count));
}

std::string asyncCopy(const Atom& atom) {
  const std::string bytes = atom.name.substr(atom.name.rfind('.') + 1);
  return fmt::format(
      "void {}(void* shared, const void* global) {{\n"
      "  asm volatile(\"cp.async.{}.shared.global [%0], [%1], {};\" ::\"r\"(shared_address(shared)), \"l\"(global) : "
      "\"memory\");\n}}",
      functionName(atom.name), atom.name.find(".cg.") != std::string::npos ? "cg" : "ca", bytes);
}

// Coordinates innermost first.
std::string bulkLoad(const Atom& atom) {
  const std::size_t rank = atom.box->sizes.size();
  std::string params, places, values;
  for (std::size_t d = 0; d < rank; ++d) {
    params += fmt::format("int c{}, ", d);
    places += fmt::format("{}%{}", d == 0 ? "" : ", ", d + 3);
    values += fmt::format(", \"r\"(c{})", d);
  }
  return fmt::format(
      "void {}(void* shared, const TensorMap& map, {}unsigned long long* barrier) {{\n"
      "  asm volatile(\"{} [%0], [%1, {{{}}}], [%2];\"\n"
      "               ::\"r\"(shared_address(shared)), \"l\"(&map), \"r\"(shared_address(barrier)){}\n"
      "               : \"memory\");\n}}",
      functionName(atom.name), params, opcode(atom), places, values);
}

}  // namespace

std::string functionName(std::string_view atom) {
  std::string out;
  for (const char c : atom) {
    if (isLetter(c) || isDigit(c))
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  return out;
}

std::string fixedFunction(std::string_view name) {
  if (const std::string text = truncation(name); !text.empty()) return std::string(kInline) + text;
  const auto* row = std::ranges::find(kFixed, name, &Fixed::name);
  if (row == std::end(kFixed)) return "";
  if (name == "TensorMap") return std::string(row->text);
  const std::string before = row->parameters.empty() ? "" : fmt::format("template <{}>\n", row->parameters);
  return fmt::format("{}{}{}", before, kInline, row->text);
}

Result<std::string> deviceFunction(const Atom& atom, const Spec& leaf) {
  if (atom.name == "dp4a.s32") return fixedFunction("dp4a_s32");
  if (atom.name == "dp2a.lo.s32") return fixedFunction("dp2a_lo_s32");
  std::string before(kInline), text;
  if (atom.name.starts_with("ldmatrix") || atom.name.starts_with("stmatrix")) {
    text = matrixMove(atom);
  } else if (atom.name.starts_with("mma.")) {
    TESSERA_TRY(text, multiply(atom, leaf));
  } else if (atom.async) {
    text = asyncCopy(atom);
  } else if (atom.box) {
    text = bulkLoad(atom);
  } else if (atom.deferred) {
    TESSERA_TRY(text, warpgroupProduct(atom, leaf));
    before.insert(0, matrixOf(atom, 1) == nullptr ? "template <int kB>\n" : "template <int kA, int kB>\n");
  }
  return text.empty() ? text : before + text;
}

std::string preludeText(const Used& used) {
  std::string out = "#if defined(__CUDACC__) || defined(__CUDACC_RTC__)\n";
  for (const std::string& header : used.headers) out += fmt::format("#include <{}>\n", header);
  if (!used.functions.empty()) {
    out += "namespace tessera {\n";
    const auto shared = used.functions.find("shared_address");
    if (shared != used.functions.end()) out += shared->second + "\n";
    for (const auto& [name, text] : used.functions)
      if (name != "shared_address") out += text + "\n";
    out += "}  // namespace tessera\n";
  }
  return out + "#else\n#include \"tessera_host.h\"\n#endif\n";
}

}  // namespace tessera::codegen
