// The syntax of PTX, statement by statement, and the laws of read() and print() on a text that uses all of it.
#include "core/ptx/read.h"

#include <bit>
#include <catch2/catch.hpp>

#include "text.h"

using namespace tessera;
using Kind = ptx::Operand::Kind;

namespace {

const std::string kHead = ".version 8.0\n.target sm_90a\n.address_size 64\n";
const std::string kRegisters =
    ".reg .pred %p<4>, q; .reg .b32 %r<20>; .reg .b64 %rd<10>; .reg .f32 %f<9>; .reg .v4 .f32 v; .reg .b32 %r1<3>;\n";

ptx::Module moduleOf(const std::string& text) {
  auto module = ptx::read(text);
  INFO(text);
  INFO((module ? "" : module.error().message));
  REQUIRE(module.ok());
  const auto again = ptx::read(ptx::print(*module));
  INFO(ptx::print(*module));
  REQUIRE(again.ok());
  CHECK((*again == *module));
  return *module;
}

// A function with these statements.
ptx::Module bodyOf(const std::string& statements) {
  return moduleOf(kHead + ".global .b32 table[8];\n.entry f() {\n" + kRegisters + statements + "\n}");
}

ptx::Operand operandOf(const std::string& operand) {
  const ptx::Module m = bodyOf("any.b32 %r0, " + operand + ";");
  return m.functions[0].instructions[0].operands[1];
}

Diag refusalOf(const std::string& text) {
  const auto module = ptx::read(text);
  INFO(text);
  REQUIRE(!module.ok());
  CHECK(module.error().span.end <= text.size() + 1);
  return module.error();
}
Diag refusalOfBody(const std::string& statements) {
  return refusalOf(kHead + ".entry f() {\n" + kRegisters + statements + "\n}");
}

std::string opcodeOf(const std::string& statement) {
  return bodyOf(statement).functions[0].instructions[0].opcode.text;
}

}  // namespace

TEST_CASE("the text with the whole syntax reads, prints and reads again") {
  const ptx::Module m = moduleOf(ptx::test::everySyntax());
  CHECK(m.major == 9);
  CHECK(m.minor == 0);
  CHECK(m.target == "sm_100a");
  CHECK(m.files.at(1) == "a.cu");
  const ptx::Function* k = m.function("k");
  REQUIRE(k != nullptr);
  CHECK(k->entry);
  CHECK(k->linkage == ".visible");
  CHECK(k->parameters.size() == 3);
  CHECK(k->parameters[1].bytes() == 128);
  CHECK(k->parameters[1].alignment() == 64);
  CHECK(k->directives[0] == ".maxntid 128, 1, 1");
  CHECK(k->directives[3] == ".explicitcluster");
  // Of a prototype and a definition, the definition is found.
  REQUIRE(m.function("sum") != nullptr);
  CHECK(m.function("sum")->defined);
  CHECK(ptx::print(m) == ptx::print(*ptx::read(ptx::print(m))));
}

TEST_CASE("registers are found in ranges, by name and in the innermost block") {
  const ptx::Module m = bodyOf(
      "a.b32 %r0; a.b32 %r19; a.b32 %r2; a.b32 %r12; a.pred q; { .reg .b32 %r<5>, q; a.b32 %r4, q; a.b32 %r5; } a.pred "
      "q;");
  const ptx::Function& f = m.functions[0];
  const auto name = [&](std::size_t k, std::size_t n = 0) {
    return f.registerName(f.instructions[k].operands[n].index);
  };
  const auto index = [&](std::size_t k, std::size_t n = 0) { return f.instructions[k].operands[n].index; };
  // %p0 to %p3 are 0 to 3, q is 4, %r0 is 5.
  CHECK(index(0) == 5);
  CHECK(index(1) == 24);
  CHECK(index(2) == 7);
  CHECK(name(3) == "%r12");
  CHECK(index(4) == 4);
  CHECK(index(5) > 24);
  CHECK(name(5) == "%r4");
  CHECK(name(5, 1) == "q");
  CHECK(index(5, 1) == index(5) + 1);
  CHECK(index(6) == 10);
  CHECK(index(7) == 4);
  CHECK(f.declaration(4).type == ptx::Type::Pred);
  // The law for every register.
  for (int k = 0; k < f.registerCount; ++k) {
    CHECK(f.declaration(k).first <= k);
    CHECK(k < f.declaration(k).first + std::max(f.declaration(k).count, 1));
  }
}

TEST_CASE("registers as parameters of a function come first") {
  const ptx::Module m =
      moduleOf(kHead + ".func (.reg .u32 %o) f(.reg .u32 %i, .reg .u32 %i2) { add.u32 %o, %i, %i2; }");
  const ptx::Function& f = m.functions[0];
  CHECK(f.declarations.size() == 3);
  CHECK(f.body.size() == 1);
  for (int k = 0; k < 3; ++k) CHECK(f.instructions[0].operands[static_cast<std::size_t>(k)].index == k);
}

TEST_CASE("operands") {
  CHECK(operandOf("-5").bits == ~u64{4});
  CHECK(operandOf("0x1F").bits == 31);
  CHECK(operandOf("0b101").bits == 5);
  CHECK(operandOf("017").bits == 15);
  CHECK(operandOf("0xFFFFFFFFU").bits == 0xFFFFFFFFu);
  CHECK(operandOf("18446744073709551615").bits == ~u64{0});
  CHECK(operandOf("0f3F800000").type == ptx::Type::F32);
  CHECK(operandOf("-0f3F800000").bits == 0xBF800000u);
  CHECK(operandOf("1.5").bits == std::bit_cast<u64>(1.5));
  CHECK(operandOf("-2e3").bits == std::bit_cast<u64>(-2000.0));
  CHECK(operandOf("WARP_SZ").name == "WARP_SZ");
  CHECK(operandOf("WARP_SZ - 1").bits == 31);
  CHECK(operandOf("_").kind == Kind::Sink);
  CHECK(operandOf("!%p2").negated);
  CHECK(operandOf("-%f1").negated);
  CHECK(operandOf("v.y").component == 1);
  CHECK(operandOf("%tid.z").component == 2);
  CHECK(operandOf("%laneid").component == -1);
  CHECK(operandOf("%r3.b7610").name == "b7610");
  CHECK(operandOf("table").name == "table");
  CHECK(operandOf("table+2*4").offset == 8);
  CHECK(operandOf("table[3]").offset == 12);
  CHECK(operandOf("%r1|%p1").kind == Kind::Pair);
  CHECK(operandOf("_|%p1").parts[0].kind == Kind::Sink);
  CHECK(operandOf("{%r1, {_, 3}}").parts.size() == 2);
  const ptx::Operand address = operandOf("[ %rd1 + -16 ]");
  CHECK(address.kind == Kind::Address);
  CHECK(address.offset == -16);
  CHECK(address.parts[0].kind == Kind::Register);
  CHECK(operandOf("[table+4*3-4]").offset == 8);
  CHECK(operandOf("[table+4*3-4]").parts[0].offset == 0);
  CHECK(operandOf("[table[1]+4]").offset == 8);
  CHECK(operandOf("[64]").parts[0].bits == 64);
  const ptx::Operand tensor = operandOf("[%rd1, {%r1, %r2}]");
  CHECK(tensor.parts.size() == 2);
  CHECK(tensor.parts[1].kind == Kind::Vector);
}

TEST_CASE("opcodes keep their modifiers, with and without blanks") {
  CHECK(opcodeOf("ld .shared::cta .b32 %r1, [table];") == "ld.shared::cta.b32");
  const ptx::Opcode tma("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint");
  CHECK(tma.base() == "cp");
  CHECK(tma.has("mbarrier::complete_tx::bytes"));
  CHECK(tma.has("L2::cache_hint"));
  CHECK_FALSE(tma.has("cp"));
  CHECK(ptx::Opcode("cvt.rn.f16.f32").type() == ptx::Type::F32);
  CHECK(ptx::Opcode("cvt.rn.f16.f32").type(1) == ptx::Type::F16);
  CHECK(ptx::Opcode("cvt.rn.f16.f32").type(2) == ptx::Type::None);
  CHECK(ptx::Opcode("ret").type() == ptx::Type::None);
  // Short and long texts survive copies and moves.
  for (const char* text : {"ret", "add.s32", "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16"}) {
    std::vector<ptx::Opcode> all;
    for (int k = 0; k < 9; ++k) all.emplace_back(text);
    ptx::Opcode moved = std::move(all[0]);
    all[1] = moved;
    all[2] = std::move(moved);
    for (std::size_t k = 1; k < all.size(); ++k) {
      CHECK(all[k].parts == ptx::Opcode(text).parts);
      for (const std::string_view part : all[k].parts)
        CHECK((part.data() >= all[k].text.data() && part.data() < all[k].text.data() + all[k].text.size()));
    }
  }
}

TEST_CASE("labels of blocks, tables of branches and prototypes") {
  const ptx::Module m = bodyOf(
      "L: a.b32 %r0; { L: bra L; } ts: .branchtargets L, M; p: .callprototype (.param .b32 _) _ (.param .b64 _);\n"
      "M: call (%r1), %rd1, (%rd2), p;");
  const ptx::Function& f = m.functions[0];
  CHECK(f.labels == std::vector<std::string>{"L", "L", "M"});
  CHECK(f.directives ==
        std::vector<std::string>{"ts: .branchtargets L, M", "p: .callprototype (.param .b32 _) _ (.param .b64 _)"});
  const auto& call = f.instructions.back().operands;
  REQUIRE(call.size() == 4);
  CHECK(call[0].kind == Kind::Group);
  CHECK(call[1].kind == Kind::Register);
  CHECK(call[3].name == "p");
}

TEST_CASE("an instruction has its line and the .loc before it") {
  const ptx::Module m =
      bodyOf("a.b32 %r0;\n.loc 1 7 3\nb.b32 %r0;\n\n.loc 1 8 3, function_name $L+4, inlined_at 1 7 3\nc;");
  const auto& i = m.functions[0].instructions;
  CHECK(i[0].line == 7);
  CHECK(i[0].location == -1);
  CHECK(i[1].line == 9);
  CHECK(m.locations[static_cast<std::size_t>(i[1].location)].line == 7);
  CHECK(i[2].line == 12);
  const ptx::Location& l = m.locations[static_cast<std::size_t>(i[2].location)];
  CHECK(l.function == "$L");
  CHECK(l.functionOffset == 4);
  CHECK(l.inlinedAt == std::array<int, 3>{1, 7, 3});
}

TEST_CASE("variables: sizes, alignments and initial values") {
  const ptx::Module m = moduleOf(kHead +
                                 ".global .b32 cube[2][2][3] = {{{1}, {2, 3}}, {{4}}};\n"
                                 ".global .v2 .f32 pair[2] = {{1, 2.5}, {0f3F800000}};\n"
                                 ".global .b8 open[] = {1, 2, 300};\n"
                                 ".global .b8 word[] = \"ab\";\n"
                                 ".extern .shared .align 128 .b8 dynamic[];\n"
                                 ".global .u64 where[2] = {generic(word)+1, word};\n"
                                 ".global .b64 bar<2>;\n");
  const auto bits = [&](std::size_t k) {
    std::vector<u64> out;
    for (const auto& i : m.variables[k].initial) out.push_back(i.bits);
    return out;
  };
  CHECK(bits(0) == std::vector<u64>{1, 0, 0, 2, 3, 0, 4});
  CHECK(m.variables[0].bytes() == 48);
  CHECK(bits(1) == std::vector<u64>{0x3F800000, 0x40200000, 0x3F800000});
  CHECK(m.variables[1].bytes() == 16);
  CHECK(m.variables[1].alignment() == 8);
  CHECK(bits(2) == std::vector<u64>{1, 2, 300 % 256});
  CHECK(m.variables[2].bytes() == 3);
  CHECK(bits(3) == std::vector<u64>{'a', 'b', 0});
  CHECK(m.variables[4].bytes() == 0);
  CHECK(m.variables[4].alignment() == 128);
  CHECK(m.variables[4].linkage == ".extern");
  CHECK(m.variables[5].initial[0].generic);
  CHECK(m.variables[5].initial[0].symbol == "word");
  CHECK(m.variables[7].name == "bar1");
}

TEST_CASE("every type has a name and its name is read") {
  for (int k = 1; k <= static_cast<int>(ptx::Type::SurfRef); ++k) {
    const auto type = static_cast<ptx::Type>(k);
    CHECK(ptx::typeNamed(ptx::nameOf(type)) == type);
    CHECK(ptx::bitsOf(type) > 0);
  }
  CHECK(ptx::typeNamed("shared") == ptx::Type::None);
  CHECK(ptx::typeNamed("") == ptx::Type::None);
}

TEST_CASE("a refusal names the place and the edit that helps") {
  CHECK(refusalOf("").message == "this text is empty");
  CHECK(refusalOf("__global__ void f() {}").hint == "nvcc -arch=sm_90a -ptx kernel.cu");
  CHECK(refusalOf(".version 10.1\n.target sm_120").message == "this is PTX 10.1; versions to 9.x are read");
  CHECK(refusalOfBody("add.s32 %r1, %r77, 1;").message == "the register %r77 is not declared");
  CHECK(refusalOfBody("add.s32 %r1, %rr, 1;").hint.find("did you mean") == 0);
  CHECK(refusalOfBody("add.s32 %r1, %r2 1;").message == "`;` is missing before `1`, after add.s32");
  CHECK(refusalOfBody("ld.b32 %r1, [%rd1+%r2];").message == "the offset of an address is a constant");
  CHECK(refusalOfBody("ld.b32 %r1, [%rd1;").message == "`]` is missing before `;`");
  CHECK(refusalOfBody("mov.b32 %r1, 12x;").message == "`12x` is not a number");
  CHECK(refusalOfBody("mov.b32 %r1, 0f123;").message == "this number has 3 hexadecimal digits");
  CHECK(refusalOfBody("mov.b32 %r1, 99999999999999999999;").message == "this number does not fit in 64 bits");
  CHECK(refusalOfBody("mov.b32 %r1, 1/0;").message == "this divides by zero");
  CHECK(refusalOfBody("{ add.s32 %r1, %r2, 1;").hint == "the text may be truncated");
  CHECK(refusalOf(kHead + ".entry f() { .reg .b32 %r<2>; add.s32 %r0, %r1").hint == "the text may be truncated");
  CHECK(refusalOfBody(".reg .b33 x;").message == ".b33 is not a type");
  CHECK(refusalOf(kHead + ".visble .entry f() { ret; }").hint == "did you mean visible?");
  CHECK(refusalOf(kHead + ".global .b8 x[2] = {1, 2, 3};").message == "x has 3 values, but room for 2");
  // Found by random changes: what would print as something else is refused.
  CHECK(refusalOfBody("mov.b32 %r1, +%r2;").message == "%r2 is not a constant");
  CHECK(refusalOfBody("mov.pred %p1, +q;").message == "the register q is not a constant");
  CHECK(refusalOfBody(".weak . a;").message == "a variable is missing after .weak");
  CHECK_FALSE(ptx::read(kHead + ".entry f() { .other \"a\nb\" 1; }").ok());
  CHECK(refusalOf(kHead + "/* open").message == "this comment is never closed");
}
