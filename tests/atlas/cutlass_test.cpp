// CUTLASS's own spellings: every declaration of its headers is found, with any namespace, type name and default.
// What its compiler would refuse is refused.
#include "core/atlas/cutlass.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "core/atlas/atlas.h"

using namespace tessera;

namespace {

std::string found(const std::string& name) {
  const auto row = findInstruction(name);
  return row ? row->name : "refused: " + row.error().message;
}

Diag refused(const std::string& name) {
  INFO(name);
  const auto row = findInstruction(name);
  REQUIRE(!row.ok());
  return row.error();
}

// The names of a type: CUTLASS's, with and without namespaces, and the table's.
const std::vector<std::pair<std::string, std::vector<std::string>>> kNames = {
    {"f16", {"half_t", "cutlass::half_t", "cute::half_t", "f16", "__half"}},
    {"bf16", {"bfloat16_t", "cutlass::bfloat16_t", "bf16"}},
    {"tf32", {"tfloat32_t", "cutlass::tfloat32_t", "tf32"}},
    {"f32", {"float", "f32"}},
    {"s8", {"int8_t", "s8"}},
    {"u8", {"uint8_t", "u8"}},
    {"s32", {"int32_t", "int", "s32"}},
    {"e4m3", {"float_e4m3_t", "cutlass::float_e4m3_t", "e4m3"}},
    {"e5m2", {"float_e5m2_t", "cute::float_e5m2_t", "e5m2"}},
    {"e2m3", {"float_e2m3_t", "cutlass::detail::float_e2m3_unpacksmem_t"}},
    {"e3m2", {"float_e3m2_t", "detail::float_e3m2_unpacksmem_t"}},
    {"e2m1", {"float_e2m1_t", "cutlass::float_e2m1_t", "e2m1"}},
    {"ue8m0", {"float_ue8m0_t", "ue8m0"}},
    {"ue4m3", {"float_ue4m3_t", "cutlass::float_ue4m3_t"}},
};

class Speller {
 public:
  explicit Speller(unsigned seed) : random_(seed) {}
  std::string one(const std::vector<std::string>& of) { return of[random_() % of.size()]; }
  std::string type(std::string_view name) {
    for (const auto& [known, spelled] : kNames)
      if (known == name) return one(spelled);
    FAIL("no spelling of " << name);
    return "";
  }
  std::string integer(i64 n) {
    return fmt::format(fmt::runtime(one({"{}", "_{}", "Int<{}>", "cute::C<{}>", "cute::Int<{}>{{}}"})), n);
  }
  std::string major() { return one({"UMMA::Major::K", "UMMA::Major::MN", "cute::UMMA::Major::MN"}); }
  std::string sign() { return one({"UMMA::ScaleIn::One", "cute::UMMA::ScaleIn::Neg"}); }
  std::string blank() { return one({"", " "}); }

 private:
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("CUTLASS's spellings of the issue") {
  CHECK(found("SM120_16x8x32_TN<float_e4m3_t,float_e4m3_t,float>") == "mma.m16n8k32.kind::f8f6f4.f32.e4m3.e4m3.f32");
  CHECK(found("SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256,UMMA::Major::K,UMMA::Major::K>") ==
        "tcgen05.mma.cta_group::1.kind::f16.m128n256k16.ss");
  CHECK(found("SM90::GMMA::SPARSE::GMMA_64x8x32_F16F16F16_SS") == "wgmma.sp.m64n8k32.f16.f16.f16.ss");
}

TEST_CASE("a plain atom under its namespaces and in CuTe's wrappers") {
  const std::string ampere = "mma.m16n8k16.f32.f16.f16.f32";
  for (const char* name :
       {"SM80_16x8x16_F32F16F16F32_TN", "cute::SM80_16x8x16_F32F16F16F32_TN", "SM80_16x8x16_F32F16F16F32_TN{}",
        "MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>", "cute::MMA_Atom<cute::SM80_16x8x16_F32F16F16F32_TN>{}",
        "MMA_Atom<MMA_Traits<SM80_16x8x16_F32F16F16F32_TN>>"})
    CHECK(found(name) == ampere);
  CHECK(found("Copy_Atom<SM75_U32x4_LDSM_N, half_t>") == "ldmatrix.x4");
  CHECK(found("Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<cute::uint128_t>, cutlass::half_t>") == "cp.async.cg.16");
  CHECK(found("SM80_CP_ASYNC_CACHEALWAYS<uint64_t, uint64_t>") == "cp.async.ca.8");
  CHECK(found("copy_atom<cute::sm75_u32x4_ldsm_n, HALF_T>") == "ldmatrix.x4");
  CHECK(found("sm90::gmma::sparse::gmma_64x8x32_f16f16f16_ss<gmma::major::k,gmma::major::mn>") ==
        "wgmma.sp.m64n8k32.f16.f16.f16.ss");
  CHECK(found("UniversalCopy<float>") == "copy.32");
  CHECK(found("UniversalCopy<uint_bit_t<64>>") == "copy.64");
  CHECK(found("UniversalFMA<float,float,float,float>") == "fma.f32");
  CHECK(found("cute::UniversalFMA<half_t>") == "fma.f16");
  CHECK(found("cute::UniversalFMA") == "fma.f32");
  CHECK(found("SM100::TMEM::LOAD::SM100_TMEM_LOAD_32dp32b8x") == "tcgen05.ld.32x32b.x8");
  CHECK(found("SM90::MMA_16x8x16_F64F64F64F64_TN") == "mma.m16n8k16.f64.f64.f64.f64");
  CHECK(found("SM90_TMA_LOAD_MULTICAST_3D") == "cp.async.bulk.tensor.3d.load");
  CHECK(found("SM100_STORE_256bit_CACHE_NOALLOCATION") == "st.global.v8");
  CHECK(found("SM120::BLOCKSCALED::SM120_16x8x32_TN_VS<float_e5m2_t,float_e2m1_t,float,float_ue8m0_t,32>") ==
        "mma.m16n8k32.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e5m2.e2m1.f32.ue8m0");
  // mma_sm120.hpp emits kind::mxf4nvf4 for both.
  for (const auto& [scale, of] : {std::pair{"ue8m0", 32}, std::pair{"ue4m3", 16}})
    CHECK(found(fmt::format("SM120_16x8x64_TN_VS<float_e2m1_t,float_e2m1_t,float,float_{}_t,{}>", scale, of)) ==
          fmt::format("mma.m16n8k64.kind::mxf4nvf4.block_scale.scale_vec::{}X.f32.e2m1.e2m1.f32.{}", 64 / of, scale));
}

TEST_CASE("every warpgroup atom of CUTLASS's headers") {
  // mma_sm90_gmma{,_ext,_sparse,_sparse_ext}.hpp: MMA_64xNxK_DAB_SS, sparse ones GMMA_... with twice the K.
  struct Types {
    const char *d, *a, *b;
    int k;
  };
  constexpr Types kTypes[] = {{"f16", "f16", "f16", 16},   {"f32", "f16", "f16", 16},   {"f32", "bf16", "bf16", 16},
                              {"f32", "tf32", "tf32", 8},  {"f32", "e4m3", "e5m2", 32}, {"f16", "e5m2", "e4m3", 32},
                              {"f32", "e4m3", "e4m3", 32}, {"s32", "s8", "u8", 32},     {"s32", "u8", "u8", 32}};
  const auto up = [](std::string s) {
    for (char& c : s) c = static_cast<char>(std::toupper(c));
    return s;
  };
  int asked = 0;
  for (const Types& t : kTypes)
    for (const bool sparse : {false, true})
      for (const bool registers : {false, true})
        for (i64 n = 8; n <= 256; n += 8) {
          const bool integer = std::string_view(t.d) == "s32", wide = t.k == 16;
          const int k = sparse ? 2 * t.k : t.k;
          const char* side = registers ? "RS" : "SS";
          const std::string atom = fmt::format("{}MMA_64x{}x{}_{}{}{}_{}{}", sparse ? "G" : "", n, k, up(t.d), up(t.a),
                                               up(t.b), side, wide ? "" : "_TN");
          const std::string scope = sparse ? "SM90::GMMA::SPARSE::" : "SM90::GMMA::";
          const bool exists = !integer || n <= 32 || n % 16 == 0;
          const std::string row = fmt::format("wgmma{}.m64n{}k{}.{}.{}.{}.{}", sparse ? ".sp" : "", n, k, t.d, t.a, t.b,
                                              registers ? "rs" : "ss");
          std::vector<std::string> spelled = {atom, scope + atom, "cute::" + scope + atom};
          const std::string selector = sparse ? ",GMMA::SparseSel::One" : "";
          const std::string majors = fmt::format("<GMMA::Major::K,GMMA::Major::{}", registers ? "MN" : "K");
          if (wide) spelled.push_back(scope + atom + majors + ">");
          if (wide)
            spelled.push_back(scope + atom + majors + ",GMMA::ScaleIn::One,GMMA::ScaleIn::Neg" + selector + ">");
          if (!wide && !integer) spelled.push_back(atom + "<GMMA::ScaleIn::Neg, GMMA::ScaleIn::One" + selector + ">");
          if (integer) spelled.push_back(scope + atom + "_SATURATE");
          if (integer && sparse) spelled.push_back(scope + atom + "<GMMA::SparseSel::Zero>");
          for (const std::string& name : spelled) {
            INFO(name);
            if (exists)
              CHECK(found(name) == row);
            else
              CHECK(refused(name).message.ends_with(fmt::format("has no N = {}", n)));
            ++asked;
          }
        }
  CHECK(asked > 4000);
}

TEST_CASE("tcgen05 atoms: every type, extent, and way of writing them") {
  // mma_sm100_umma.hpp. The kind's K is 256 bits of the storage type.
  struct Atom {
    const char* name;
    const char* kind;
    int k;
    std::vector<const char*> types, accumulators;
  };
  const std::vector<Atom> atoms = {{"F16BF16", "f16", 16, {"f16", "bf16"}, {"f32"}},
                                   {"TF32", "tf32", 8, {"tf32"}, {"f32"}},
                                   {"F8F6F4", "f8f6f4", 32, {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"}, {"f32", "f16"}},
                                   {"S8", "i8", 32, {"s8", "u8"}, {"s32"}}};
  Speller say(1);
  for (const Atom& atom : atoms)
    for (const int ctas : {1, 2})
      for (const bool tensor : {false, true})
        for (const i64 m : {64 * ctas, 128 * ctas})
          for (i64 n = 8; n <= 264; n += 8) {
            const char* a = atom.types[static_cast<std::size_t>(n / 8) % atom.types.size()];
            const char* b = atom.types[static_cast<std::size_t>(n / 16) % atom.types.size()];
            const char* d = atom.accumulators[static_cast<std::size_t>(n / 24) % atom.accumulators.size()];
            // PTX ISA, tcgen05: Matrix Shape.
            const bool integer = std::string_view(atom.kind) == "i8";
            const i64 step = ctas == 1 ? (integer && n > 32 ? 16 : 8) : integer ? 32 : 16;
            const bool legal = n <= 256 && n % step == 0;
            const std::string op =
                fmt::format("SM100_MMA_{}{}_{}", atom.name, ctas == 2 ? "_2x1SM" : "", tensor ? "TS" : "SS");
            const std::string types =
                fmt::format("{},{}{},{}{}", say.type(a), say.blank(), say.type(b), say.blank(), say.type(d));
            const std::string extents = fmt::format("{},{}{}", say.integer(m), say.blank(), say.integer(n));
            const std::string ofA = tensor ? "UMMA::Major::K" : say.major();
            const std::string tail = integer && !tensor ? ", UMMA::Saturate::True"
                                     : tensor ? fmt::format(",{},{}, UMMA::Saturate::False", say.sign(), say.sign())
                                              : fmt::format(", {},{}", say.sign(), say.sign());
            const std::string majors = fmt::format("{},{}{}", ofA, say.blank(), say.major());
            const std::string row = fmt::format("tcgen05.mma.cta_group::{}.kind::{}.m{}n{}k{}.{}", ctas, atom.kind, m,
                                                n, atom.k, tensor ? "ts" : "ss");
            for (const std::string& name :
                 {fmt::format("{}<{},{}>", op, types, extents),
                  fmt::format("cute::{}<{},{},{}>", op, types, extents, majors),
                  fmt::format("{}<{},{},{}{}>", op, types, extents, majors, tail),
                  fmt::format("MMA_Atom<{}<{},{},{}>>", op, types, extents, majors),
                  fmt::format("cute::MMA_Traits<cute::{}, {}, {}, cute::integral_constant<UMMA::Major, {}>>", op, types,
                              extents, ofA)}) {
              INFO(name);
              if (legal)
                CHECK(found(name) == row);
              else
                CHECK(refused(name).message.ends_with(fmt::format("has no N = {}", n)));
            }
          }
}

TEST_CASE("a scaled accumulator is the same atom") {
  CHECK(found("SM100_MMA_F16BF16_SS_SCALED<half_t,half_t,float,128,64,UMMA::Major::K,UMMA::Major::K,4>") ==
        "tcgen05.mma.cta_group::1.kind::f16.m128n64k16.ss");
  CHECK(
      found("SM100_MMA_F16BF16_2x1SM_TS_SCALED<bfloat16_t,bfloat16_t,float,256,64,UMMA::Major::K,UMMA::Major::MN,4>") ==
      "tcgen05.mma.cta_group::2.kind::f16.m256n64k16.ts");
}

TEST_CASE("what CUTLASS does not compile is refused, with its reason") {
  const Diag major = refused("SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256,UMMA::Major::N,UMMA::Major::K>");
  CHECK(major.message == "template argument 6 of SM100_MMA_F16BF16_SS is UMMA::Major::N");
  CHECK(major.expected == "Major::K or Major::MN");
  // A from tensor memory, or from registers, lies along K.
  CHECK(refused("SM100_MMA_F16BF16_TS<half_t,half_t,float,128,256,UMMA::Major::MN,UMMA::Major::K>").expected ==
        "Major::K");
  CHECK(refused("SM90::GMMA::MMA_64x8x16_F16F16F16_RS<GMMA::Major::MN,GMMA::Major::K>").expected == "Major::K");
  CHECK(refused("SM100_MMA_TF32_SS<tfloat32_t,tfloat32_t,float,128>").message ==
        "SM100_MMA_TF32_SS is given 4 template arguments");
  CHECK(refused("SM100_MMA_TF32_SS").message == "SM100_MMA_TF32_SS is given 0 template arguments");
  CHECK(refused("SM100_MMA_TF32_SS<banana,tfloat32_t,float,128,64>").message ==
        "template argument 1 of SM100_MMA_TF32_SS is banana");
  for (const char* name :
       {"SM90::GMMA::MMA_64x8x16_F16F16F16_SS<banana>", "SM90::GMMA::MMA_64x8x32_S32S8S8_SS_TN<GMMA::ScaleIn::One>",
        "SM90::GMMA::MMA_64x8x8_F32TF32TF32_SS_TN<GMMA::Major::K,GMMA::Major::K>",
        "SM90::GMMA::SPARSE::MMA_64x8x16_F16F16F16_SS", "SM90::GMMA::MMA_64x8x32_F16F16F16_SS",
        "boost::SM80_16x8x16_F32F16F16F32_TN", "SM80_16x8x16_F32F16F16F32_TN<float>", "UniversalCopy<>",
        "UniversalCopy<uint128_t,uint64_t>", "UniversalFMA<float,double>",
        "SM100_MMA_F16BF16_SS<half_t,half_t,float,96,256>", "SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256",
        "SM100_MMA_F16BF16_SS<bfloat16_t,bfloat16_t,half_t,128,256>", "SM100_MMA_F16BF16_SS<float,float,float,128,256>",
        "SM120_16x8x32_TN<half_t,half_t,float>"})
    CHECK(!refused(name).message.empty());
}

TEST_CASE("atoms that the table lacks are named as such, with what is nearest") {
  for (const auto& [name, what] :
       {std::pair{"SM100_MMA_MXF8F6F4_SS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,128,128,UMMA::Major::K,UMMA::"
                  "Major::K>",
                  "block-scaled tcgen05.mma"},
        std::pair{"SM100_MMA_F16BF16_SS_SPARSE<half_t,half_t,float,128,128,UMMA::Major::K,UMMA::Major::K>",
                  "sparse tcgen05.mma"},
        std::pair{"SM120::SPARSE::SM120_SPARSE_16x8x64_TN<float_e4m3_t,float_e4m3_t,float>", "sparse mma of sm_120"},
        std::pair{"SM100_TMA_2SM_LOAD_2D", "TMA with cta_group::2"},
        std::pair{"SM90_TMA_LOAD_IM2COL_4D", "TMA in im2col mode"}}) {
    const Diag diag = refused(name);
    CHECK(diag.message.starts_with(fmt::format("the atlas has no rows for {}, ", what)));
    CHECK(diag.hint.starts_with("nearest: "));
  }
}

TEST_CASE("element types by CUTLASS's names") {
  for (const auto& [name, spelled] : kNames)
    for (const std::string& text : spelled) {
      INFO(text);
      REQUIRE(elementType(text).has_value());
      CHECK(elementType(text)->name == name);
      CHECK(*elementBits(text) == *elementBits(name));
    }
  CHECK(!elementType("").has_value());
  CHECK(!elementType("half_t2").has_value());
}

TEST_CASE("no C++ text crashes the reader") {
  std::mt19937 random(11);
  const std::vector<std::string> tokens = {"SM100_MMA_F16BF16_SS",
                                           "MMA_Atom",
                                           "MMA_Traits",
                                           "<",
                                           "<",
                                           ">",
                                           ">",
                                           ",",
                                           ",",
                                           "::",
                                           "half_t",
                                           "float",
                                           "128",
                                           "_64",
                                           "Int",
                                           "integral_constant",
                                           "{}",
                                           "UMMA",
                                           "Major",
                                           "K",
                                           "uint_byte_t",
                                           "99999999999999999999",
                                           "UniversalCopy",
                                           " "};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (unsigned i = 0, n = random() % 16; i < n; ++i) text += tokens[random() % tokens.size()];
    const auto key = cutlassKey(text);
    CHECK((key.ok() || !key.error().message.empty()));
    if (round % 400 == 0) CHECK((findInstruction(text).ok() || !findInstruction(text).error().message.empty()));
  }
  CHECK(!findInstruction(std::string(500, '<')).ok());
  std::string deep = "float";
  for (int i = 0; i < 200; ++i) deep = "C<" + deep + ">";
  CHECK(!findInstruction(deep).ok());
}
