// First guesses work: a user who does not know the names gets the intended value, with a note that names the
// interpretation and the alternative. An ambiguous text is refused with the nearest names.
#include <catch2/catch.hpp>

#include "core/atlas/guess.h"
#include "worksheet/run.h"

using namespace tessera;

namespace {

// The notes of the last statement, "message / hint" each.
std::string notesOf(std::string_view document) {
  const std::vector<Ran> ran = runAll(document);
  std::string out;
  for (const Diag& note : ran.back().evaluated.notes) out += note.message + " / " + note.hint + "\n";
  return out;
}

std::string kindOfLast(std::string_view document) {
  const std::vector<Ran> ran = runAll(document);
  const Evaluated& e = ran.back().evaluated;
  if (const auto* asked = std::get_if<ShowRequest>(&e.request)) return kindOf(*asked->value);
  return e.value ? kindOf(*e.value) : e.diag ? "error: " + e.diag->message : "nothing";
}

}  // namespace

TEST_CASE("show of an instruction's name shows the instruction") {
  for (const char* text : {"show ldmatrix.x4", "ldmatrix.x4", "show mma.m16n8k16", "show SM75_U32x4_LDSM_N",
                           "show m16n8k16", "W = ldmatrix.x4\nshow W", "show mma.m16n8k16 as instruction thread 5"}) {
    INFO(text);
    CHECK(kindOfLast(text) == "instruction");
  }
  CHECK(notesOf("show ldmatrix.x4").empty());
  CHECK(last("W = ldmatrix.x4\nwavefronts((64,64):(64,1), W, fp16)") == "{wavefronts: 512, ideal: 64, excess: 448}");
  CHECK(kindOfLast("t = \"a text\"\nt") == "text");
  CHECK(kindOfLast("t = tma_mode(Sw<3,4,3>)\nt") == "text");
}

TEST_CASE("the common type comes first, and a note says so") {
  CHECK(last("atlas(mma.m16n8k16)") == last("atlas(mma.m16n8k16.f32.f16.f16.f32)"));
  CHECK(last("atlas(mma.m16n8k16, A)") == "((4,8),(2,2,2)):((32,1),(16,8,128))");
  const std::string notes = notesOf("atlas(mma.m16n8k16, A)");
  CHECK(notes.find("mma.m16n8k16 is read as mma.m16n8k16.f32.f16.f16.f32, the common one") == 0);
  CHECK(notes.find("mma.m16n8k16.f32.bf16.bf16.f32") != std::string::npos);
  CHECK(last("atlas(wgmma.m64n128k16)").find("wgmma.m64n128k16.f32.f16.f16.ss") == 0);
  CHECK(last("atlas(mma.m16n8k32)").find("mma.m16n8k32.s32.s8.s8.s32") == 0);
  CHECK(last("atlas(mma.m16n8k16.s8)").find("mma.m16n8k16.s32.s8.s8.s32") == 0);
  CHECK(last("atlas(mma.m16n8k16.bf)").find("mma.m16n8k16.f32.bf16.bf16.f32") == 0);
}

TEST_CASE("what may be several instructions names the nearest, the common one first") {
  const Complaint ldmatrix = complaint("show ldmatrix");
  CHECK(ldmatrix.diag.message.find("'ldmatrix' may be any of") == 0);
  CHECK(ldmatrix.diag.expected.find("ldmatrix.x4, ldmatrix.x2, ldmatrix.x1") == 0);
  CHECK(ldmatrix.diag.hint == "did you mean ldmatrix.x4?");
  CHECK(ldmatrix.piece == "ldmatrix");
  CHECK(complaint("atlas(ldmatrix.trans)").diag.hint == "did you mean ldmatrix.x4.trans?");
  CHECK(complaint("show mma").diag.hint == "did you mean mma.m16n8k16.f32.f16.f16.f32?");
  CHECK(complaint("show ldmatrix.x3").diag.message == "no instruction is called 'ldmatrix.x3'");
  CHECK(complaint("show ldmatrix.x3").piece == "ldmatrix.x3");
}

TEST_CASE("a forgotten name is a forgotten name") {
  for (const char* text : {"show A", "show ld", "show x", "B", "show f16"}) {
    INFO(text);
    CHECK(complaint(text).diag.message.find("is not defined") != std::string::npos);
  }
}

TEST_CASE("every name of the table is itself, and a guess leads to a name of the table") {
  for (const AtlasRow& family : atlas()) {
    const AtlasRow row = bind(family, family.parameter.empty() ? 0 : family.parameter.back());
    INFO(row.name);
    const auto exact = guessInstruction(row.name);
    REQUIRE(exact.ok());
    CHECK(exact->row == row);
    CHECK(exact->note.empty());
    for (std::size_t dot = row.name.rfind('.'); dot != std::string::npos && dot > 0;
         dot = row.name.rfind('.', dot - 1)) {
      const auto guess = guessInstruction(row.name.substr(0, dot));  // the last words left out
      if (!guess) {
        CHECK(guess.error().hint.find("did you mean ") == 0);
        continue;
      }
      CHECK(findInstruction(guess->row.name)->name == guess->row.name);
      CHECK((guess->note.empty() || guess->note.find(guess->row.name) != std::string::npos));
    }
  }
  for (const char* text :
       {"", ".", "..", "mma.", ".x4", "mma..f16", "{n}", "wgmma.m64n{N}k16", "m64n99999999999999999999k16"})
    CHECK_FALSE(guessInstruction(text).ok());
}

TEST_CASE("an access stands over a layout of any notation, with the type behind it") {
  const std::string s = "S = Sw<3,3,3> o (64,64):(64,1)\n";
  CHECK(kindOfLast(s + "show ldmatrix.x4 over S, fp16") == "access");
  CHECK(kindOfLast(s + "X = ldmatrix.x4 over S\nX") == "access");
  CHECK(notesOf(s + "show ldmatrix.x4 over S, fp16").empty());
  CHECK(notesOf(s + "show ldmatrix.x4 over S").find("the elements are assumed to be f16 / ") == 0);
  CHECK(notesOf("show ldmatrix.x4 over bf16[64,64]").empty());
  for (const char* text :
       {"ldmatrix.x4 over Sw<3,3,3> o (64,64):(64,1), fp16", "over(ldmatrix.x4, (64,64):(64,1), fp16)",
        "F(r, c) = r * 64 + (c ^ ((r & 7) << 3)) over (64,64)\nldmatrix.x4 over F, fp16",
        "ldmatrix.x4 over S[(64,64):(64,1)] over (64,64), fp16",
        "ldmatrix.x4 over #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}> over (64,64), "
        "fp16",
        "atlas(mma.m16n8k16, A) over (64,64):(64,1)", "mma.m16n8k16.B over (64,64):(64,1)",
        "make_tiled_copy(ldmatrix.x4, fp16, (16,2):(1,16), (1,8)) over (64,64):(64,1)",
        "tma.load over (64,64):(64,1), f16", "tcgen05.ld.32x32b.x8 over tmem_layout(f32, 128, 64)",
        "wgmma.m64n64k16.f16.A over tile_to_shape(smem_atom(K_SW128, f16), (64,64))",
        "T = ((4,8),(2,2)):((32,1),(16,8))\nT over (16,8):(8,1), f32", "(ldmatrix.x4 over (64,64):(64,1))"}) {
    INFO(text);
    CHECK(kindOfLast(text) == "access");
  }
  CHECK(last("ldmatrix.x4 over (16,16):(16,1), fp16").find("((4,8),(2,2,2)):((32,1),(16,8,128))") != std::string::npos);
  CHECK(last("X = S[(4,8):(8,1)] over (4,8)\nX").find("S[") == 0);
}

TEST_CASE("an access that does not fit says where and what would") {
  const std::string s = "S = (64,64):(64,1)\n";
  const Complaint size = complaint("ldmatrix.x4 over (60,60):(64,1), fp16");
  CHECK(size.diag.expected == "multiples of 16 rows and 16 columns");
  CHECK(size.piece == "(60,60):(64,1)");
  CHECK(complaint("ldmatrix.x4 over (64,64):(65,1), fp16").diag.hint.find("pad rows") != std::string::npos);
  CHECK(complaint(s + "ldmatrix.x4 over S, f64").diag.message.find("16-bit elements") != std::string::npos);
  CHECK(complaint(s + "ldmatrix.x4 over S, foo").piece == "foo");
  CHECK(complaint(s + "ldmatrix.x4 over 5").diag.message == "an integer is not a layout in memory");
  CHECK(complaint(s + "ldmatrix.x4 over T").diag.message == "'T' is not defined");
  CHECK(complaint("cp.async.bulk.tensor.2d.load over (64,64):(72,1)").diag.hint.find("smem_atom") != std::string::npos);
  CHECK(complaint(s + "wgmma.m64n64k16.f32.f16.f16.ss.A over S").diag.hint.find("smem_atom") != std::string::npos);
  CHECK(complaint(s + "mma.m16n8k16.A over S, f32").diag.message.find("has 16-bit elements") != std::string::npos);
  CHECK(complaint(s + "mma.m16n8k16.A over (24,24):(24,1)").diag.expected == "a multiple of 16 rows and 16 columns");
  CHECK(complaint("X = S[(4,8):(8,1)] over (4,8), f16").piece == "f16");
  CHECK(complaint("ldmatrix.x4 over").diag.message.empty() == false);
  std::string nested = "S";
  for (int k = 0; k < 5000; ++k) nested = "ldmatrix.x4 over " + nested;
  CHECK(complaint(nested).diag.message.empty() == false);
}

TEST_CASE("what a new user types next is taken, or told what to type") {
  const std::string s = "S = (64,64):(64,1)\n";
  CHECK(notesOf(s + "show S as banks").find("the elements are assumed to be f16 / for another type: as banks f32") ==
        0);
  CHECK(notesOf(s + "show S as banks, fp16, ldmatrix.x4").empty());
  CHECK(last(s + "show S as banks, ldmatrix.x4") == "show (64,64):(64,1) as banks");
  CHECK(notesOf("show bf16[64,64] as banks").empty());
  CHECK(complaint(s + "show S as ldmatrix.x4").diag.hint == "show ldmatrix.x4 over S");
  CHECK(complaint(s + "show S as ldmatrix.x4").piece == "ldmatrix.x4");
  CHECK(complaint(s + "show S over ldmatrix.x4").diag.hint == "ldmatrix.x4 over the layout");
  CHECK(complaint(s + "prove conflict_free(S, ldmatrix.x4)").diag.hint == "write conflict_free(S, ldmatrix.x4, fp16)");
  CHECK(complaint(s + "conflict_free(S)").diag.hint == "conflict_free(S, ldmatrix.x4, fp16)");
}
