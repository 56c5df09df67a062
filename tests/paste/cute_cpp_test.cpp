// CuTe C++ as in source: what each form binds, its values, questions and refusals. The values were checked
// against CuTe C++ of CUTLASS 4.2.
#include <catch2/catch.hpp>
#include <random>

#include "core/paste/dialects.h"
#include "core/paste/paste.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"

using namespace tessera;
using paste::Given;
using paste::Reading;

namespace {

Result<Reading> readIt(std::string_view text, Given given = {}) { return paste::kCuteCpp.read(text, given); }

Given lets(std::vector<std::pair<std::string, std::string>> list) {
  Given given;
  given.lets = std::move(list);
  return given;
}

// The value of an expression after the statements of a reading, whose last is also X.
std::string valueOf(const Reading& reading, std::string_view expression) {
  Scope scope;
  for (const paste::Statement& statement : reading.statements)
    for (const tessera::Statement& parsed : splitStatements(statement.text)) {
      const Evaluated outcome = evaluate(parsed, scope);
      INFO(statement.text);
      REQUIRE_FALSE(outcome.diag);
    }
  if (!reading.statements.empty() && reading.statements.back().name != "X")
    (void)evaluate(splitStatements("X = " + reading.statements.back().name)[0], scope);
  const Evaluated outcome = evaluate(splitStatements(expression)[0], scope);
  if (outcome.diag) return "error: " + outcome.diag->message;
  std::string text = print(*outcome.value);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool isStatic = text[i] == '_' && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9';
    if (!isStatic) out += text[i];
  }
  return out;
}

struct Case {
  std::string text;
  std::vector<std::pair<std::string, std::string>> lets;
  std::vector<std::pair<std::string, std::string>> values;
};

void check(const Case& c) {
  INFO(c.text);
  CHECK(paste::kCuteCpp.recognizes(c.text) > 0);
  const auto reading = readIt(c.text, lets(c.lets));
  if (!reading) FAIL(reading.error().message);
  for (const auto& question : reading->questions) INFO("asks " << question.name);
  CHECK(reading->questions.empty());
  for (const auto& [expression, value] : c.values) {
    INFO(expression);
    CHECK(valueOf(*reading, expression) == value);
  }
}

constexpr std::string_view kTraits = R"(
// A kernel's constants and layouts, in the manner of attention kernels.
template <int kDim_, int kRows_, int kWarps_, typename T_ = cutlass::half_t>
struct BaseTraits {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  using Element = T_;
  static constexpr bool kAsync = true;
#else
  using Element = cutlass::half_t;
  static constexpr bool kAsync = false;
#endif
  using Mma = std::conditional_t<std::is_same_v<T_, cutlass::half_t>, MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>,
                                 MMA_Atom<SM80_16x8x16_F32BF16BF16F32_TN>>;
};

template <int kDim_, int kRows_, int kWarps_, bool kShared_ = false, typename T_ = cutlass::half_t,
          typename Base = BaseTraits<kDim_, kRows_, kWarps_, T_>>
struct ForwardTraits : public Base {
  using Element = typename Base::Element;
  static constexpr int kDim = kDim_;
  static constexpr int kThreads = kWarps_ * 32;
  static constexpr int kInner = kDim % 64 == 0 ? 64 : 32;
  static constexpr int kBits = kInner == 32 ? 2 : 3;
  static constexpr bool kKeeps = kShared_ || Base::kAsync;
  static_assert(kDim % 32 == 0, "the dimension is a multiple of 32");

  using TiledMma = TiledMMA<typename Base::Mma, Layout<Shape<Int<kWarps_>, _1, _1>>, Tile<Int<16 * kWarps_>, _16, _16>>;
  using Atom = decltype(composition(Swizzle<kBits, 3, 3>{},
                                    // eight rows
                                    Layout<Shape<_8, Int<kInner>>, Stride<Int<kInner>, _1>>{}));
  using SmemQ = decltype(tile_to_shape(Atom{}, Shape<Int<kRows_>, Int<kDim>>{}));
  using SmemQt = decltype(composition(SmemQ{}, make_layout(Shape<Int<kDim>, Int<kRows_>>{}, GenRowMajor{})));
  using SmemQtPlain = decltype(get_nonswizzle_portion(SmemQt{}));
  static constexpr int kBytes = size(SmemQ{}) * sizeof(Element);
  static constexpr int kPerLoad = sizeof(cute::uint128_t) / sizeof(Element);
  static constexpr int kPerRow = kInner / kPerLoad;
  using GmemAtom = Layout<Shape<Int<kThreads / kPerRow>, Int<kPerRow>>, Stride<Int<kPerRow>, _1>>;
  using CopyOp = std::conditional_t<Base::kAsync, SM80_CP_ASYNC_CACHEGLOBAL<cute::uint128_t>,
                                    AutoVectorizingCopyWithAssumedAlignment<128>>;
  using GmemCopy = decltype(make_tiled_copy(Copy_Atom<CopyOp, Element>{}, GmemAtom{}, Layout<Shape<_1, _8>>{}));
  struct SharedStorage {
    cute::array_aligned<Element, cute::cosize_v<SmemQ>> q;
  };
};
)";

}  // namespace

TEST_CASE("declarations bind their names") {
  for (const Case& c : std::vector<Case>{
           {"using A = decltype(composition(Swizzle<kB, 3, 3>{}, Layout<Shape<_8, Int<kN>>, Stride<Int<kN>, _1>>{}));",
            {{"kB", "3"}, {"kN", "64"}},
            {{"A(3,9)", "209"}, {"size(A)", "512"}, {"X(7,63)", "455"}}},
           {"auto a = make_layout(make_shape(Int<32>{}, Int< 8>{}));   // (m,k)", {}, {{"X", "(32,8):(1,32)"}}},
           {"Layout b = make_layout(make_shape(Int<2>{}, 4), LayoutRight{});", {}, {{"b", "(2,4):(4,1)"}}},
           {"using D = Layout<Shape<_32, Shape<_32, _4>>, Stride<_32, Stride<_1, _1024>>>;", {}, {{"D(3,33)", "1121"}}},
           {"constexpr int n = 4;\nauto t = Int<n * 16 / 2>{};\nauto s = make_shape(t, n);\nauto l = make_layout(s);",
            {},
            {{"n", "4"}, {"t", "32"}, {"s", "(32,4)"}, {"l", "(32,4):(1,32)"}}},
           {"typedef Layout<Shape<_4, _8>, cute::GenRowMajor> Row;", {}, {{"Row", "(4,8):(8,1)"}}},
           {"cute::Layout<cute::Shape<cute::_2, cute::Int<3>>, cute::Stride<cute::_3, cute::_1>> x;",
            {},
            {{"x", "(2,3):(3,1)"}}},
           {"#define TILE 16\nusing L = Layout<Shape<Int<TILE>, Int<TILE>>>;", {}, {{"L", "(16,16):(1,16)"}}},
           {"Layout<Shape<_8,_8>, Stride<_8,_1>>{}", {}, {{"X", "(8,8):(8,1)"}}},
           {"Layout<Shape<int, _8>, Stride<_1, int>>{}", {}, {{"X", "(?,8):(1,?)"}}},
           {"print(logical_divide(Layout<Shape<_16>>{}, Layout<_4, _1>{}));", {}, {{"size(X)", "16"}}},
           {"auto m = make_ordered_layout(make_shape(Int<4>{}, Int<8>{}), Step<_1, _0>{});",
            {},
            {{"m", "(4,8):(8,1)"}}},
           {"auto v = select<1, 0>(Layout<Shape<_4, _8>>{}); auto w = layout<1>(v);",
            {},
            {{"v", "(8,4):(4,1)"}, {"w", "4:1"}}},
           {"auto u = upcast<4>(Layout<Shape<_8, _64>, Stride<_64, _1>>{});", {}, {{"u", "(8,16):(16,1)"}}},
           {"auto u = recast_layout<half_t, uint128_t>(Layout<Shape<_8, _64>, Stride<_64, _1>>{});",
            {},
            {{"u", "(8,8):(8,1)"}}},
           {"template <int N> using Square = Layout<Shape<Int<N>, Int<N>>>;\nusing S = Square<kSide>;",
            {{"kSide", "4"}},
            {{"S", "(4,4):(1,4)"}}},
           {"constexpr auto make() { return Layout<Shape<_4, _2>>{}; }\nusing M = decltype(make());",
            {},
            {{"M", "(4,2):(1,4)"}}},
           {"template <int N> constexpr auto pick() { if constexpr (N % 64 == 0) { return Layout<_64, _1>{}; } else { "
            "return "
            "Layout<_32, _1>{}; } }\nusing P = decltype(pick<96>());",
            {},
            {{"P", "32:1"}}},
           {"int n = size<1>(Layout<Shape<_4, _6>>{}) * 2; auto y = make_layout(n);", {}, {{"n", "12"}, {"y", "12:1"}}},
           {"auto s = tuple_cat(make_shape(_1{}, _2{}), make_shape(_3{})); auto l = make_layout(take<1, 3>(s));",
            {},
            {{"l", "(2,3):(1,2)"}}},
       })
    check(c);
}

TEST_CASE("a swizzle's shift is as long as its mask unless it is given") {
  check({"using A = Swizzle<2, 3>;\nusing B = Swizzle<1, 4>;", {}, {{"A", "Sw<2,3,2>"}, {"B", "Sw<1,4,1>"}}});
}

TEST_CASE("members of base classes are members") {
  check(
      {"template <int N> struct Base { static constexpr int kN = N; using L = Layout<Shape<Int<N>, _4>>; };\n"
       "struct D : public Base<8> { using M = decltype(make_layout(typename Base<8>::L{}, Layout<_2, _0>{})); };\n"
       "using L = typename D::L;\nusing M = typename D::M;\nconstexpr int n = D::kN;",
       {},
       {{"L", "(8,4):(1,8)"}, {"M", "((8,4),2):((1,8),0)"}, {"n", "8"}}});
}

TEST_CASE("template parameters of a function follow from its arguments") {
  check(
      {"template <class A, class B> constexpr auto swapped(Layout<A, B> const&) { return make_layout(B{}, A{}); }\n"
       "template <int N> constexpr auto row(Int<N> n) { return Layout<Shape<_2, Int<N>>>{}; }\n"
       "auto s = swapped(Layout<Shape<_2, _4>, Stride<_4, _1>>{});\nauto r = row(_8{});",
       {},
       {{"s", "(4,1):(2,4)"}, {"r", "(2,8):(1,2)"}}});
}

TEST_CASE("parameter packs and folds") {
  check(
      {"template <int... Ns> constexpr int kSum = (Ns + ... + 1);\n"
       "template <int... Ns> constexpr int kDown = (... - Ns);\ntemplate <int... Ns> constexpr int kUp = (Ns - ...);\n"
       "template <int... Ns> constexpr bool kAll = ((Ns > 1) && ...);\n"
       "template <class... Ls> constexpr auto all(Ls const&... ls) { return make_layout(ls...); }\n"
       "constexpr int a = kSum<1, 2, 3>; constexpr int b = kDown<9, 2, 3>; constexpr int c = kUp<9, 2, 3>;\n"
       "constexpr int d = kAll<4, 2>; constexpr int e = kAll<>;\nauto l = all(Layout<_2>{}, Layout<_4, _2>{});",
       {},
       {{"a", "7"}, {"b", "4"}, {"c", "10"}, {"d", "1"}, {"e", "1"}, {"l", "(2,4):(1,2)"}}});
}

TEST_CASE("functions of tuples") {
  check(
      {"auto a = ceil_div(make_shape(_16{}, _8{}, make_shape(_4{}, _2{})), _32{});\n"
       "auto b = round_up(make_shape(_10{}, _7{}), make_shape(_4{}, _4{}));\n"
       "auto c = append<3>(Layout<_4, _2>{}); auto d = prepend<3>(Shape<_4, _2>{}, _1{});\n"
       "auto e = insert<1>(Shape<_4, _2>{}, _9{}); auto f = repeat<3>(_2{});\n"
       "auto g = replace<1>(Layout<Shape<_4, _2>>{}, Layout<_8, _16>{});",
       {},
       {{"a", "(1,4,(4,2))"},
        {"b", "(12,8)"},
        {"c", "(4,1,1):(2,0,0)"},
        {"d", "(1,4,2)"},
        {"e", "(4,9,2)"},
        {"f", "(2,2,2)"},
        {"g", "(4,8):(1,16)"}}});
}

TEST_CASE("a declaration without its semicolon, and the layout of a cluster") {
  check({"using A = decltype(make_layout(Shape<_4, _8>{}, LayoutRight{}))", {}, {{"A", "(4,8):(8,1)"}}});
  check(
      {"using M = decltype(make_tiled_mma(SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 128, UMMA::Major::K, "
       "UMMA::Major::K>{}));\nusing ClusterShape = Shape<_4, _2, _1>;\n"
       "auto vmnk = tiled_divide(make_layout(ClusterShape{}), make_tile(typename M::AtomThrID{}));",
       {},
       {{"vmnk", "((2),2,2,1):((1),2,4,0)"}}});
}

TEST_CASE("a descriptor of a tensor in global memory is refused, with the layout that has a meaning") {
  for (const char* made : {"make_tma_copy(SM90_TMA_LOAD{}, gA, SmemLayoutA{}(_, _, _0{}), cta_tile, Int<1>{})",
                           "make_tma_atom(SM90_TMA_LOAD{}, mA, sA_layout)",
                           "cute::make_tma_atom_A_sm100<T>(op, mA, sA_layout, tiler, mma, cluster)"}) {
    INFO(made);
    const auto refused = paste::read("auto tma = " + std::string(made) + ";");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.starts_with("read as CuTe C++: `make_tma_"));
    CHECK(refused.error().hint.starts_with("paste the layout in shared memory in its place: "));
    CHECK(refused.error().hint.find(made[9] == 'c' ? "SmemLayoutA{}" : "sA_layout") != std::string::npos);
  }
  const auto reading = paste::read(
      "auto sA_layout = make_layout(Shape<_64, _32>{}, GenRowMajor{});\n"
      "auto tma = make_tma_copy(SM90_TMA_LOAD{}, gA, sA_layout);");
  REQUIRE(reading);
  CHECK(reading->questions.empty());
  CHECK(valueOf(*reading, "sA_layout") == "(64,32):(32,1)");
  REQUIRE(reading->notes.size() == 1);
  CHECK(reading->notes[0].find("sA_layout") != std::string::npos);
}

TEST_CASE("canonical layouts of shared memory") {
  for (const Case& c : std::vector<Case>{
           {"tile_to_shape(GMMA::Layout_K_SW128_Atom<bf16>{}, Shape<Int<64>, Int<576>>{}, Step<_1, _2>{})",
            {},
            {{"X(9,70)", "4686"}, {"X(63,575)", "36807"}}},
           {"auto s = tile_to_shape(GMMA::Layout_MN_SW128_Atom<half_t>{}, Shape<_256,_64,_3>{}, Step<_2,_1,_3>{});",
            {},
            {{"s(65,9,1)", "21065"}}},
           {"using L = GMMA::Layout_K_SW64_Atom<T>;",
            {{"T", "half_t"}},
            {{"size(L)", "256"}, {"L", "Sw<2,4,3> o smem_ptr[16b](unset) o (8,32):(32,1)"}}},
           {"using L = GMMA::Layout_SW32_Atom<tfloat32_t, GMMA::Major::MN>;", {}, {{"shape(L)", "(8,8)"}}},
           {"using L = UMMA::Layout_K_INTER_Atom<cutlass::float_e4m3_t>;", {}, {{"shape(L)", "(8,16)"}}},
           {"auto l = UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<A>{}, shape_a);",
            {{"A", "half_t"}, {"shape_a", "((128,16),1,4)"}},
            {{"l((3,0),0,1)", "200"}, {"size(l)", "8192"}}},
           {"using Atom = decltype(cutlass::gemm::collective::detail::ss_smem_selector<GMMA::Major::K, Element, "
            "decltype(get<0>(Tile{})), "
            "decltype(get<2>(Tile{}))>());",
            {{"Element", "half_t"}, {"Tile", "(128,64,96)"}},
            {{"shape(Atom)", "(8,32)"}}},
           {"using B = ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag, Layout<Shape<_8,_1024>,Stride<_1024,_1>>>;",
            {},
            {{"B(3,9)", "3465"}}},
       })
    check(c);
}

TEST_CASE("tiled instructions") {
  for (const Case& c : std::vector<Case>{
           {"using M = TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, Layout<Shape<Int<kW>,_1,_1>>, Tile<Int<16 * "
            "kW>, _16, _16>>;",
            {{"kW", "4"}},
            {{"size(M)", "128"}, {"tile_shape(M)", "(64,16,16)"}}},
           {"TiledMMA m = make_tiled_mma(SM80_16x8x8_F16F16F16F16_TN{}, Layout<Shape<_2,_2>>{}, "
            "Tile<_32,_32,_16>{});\nprint_latex(m);",
            {},
            {{"size(X)", "128"}}},
           {"TiledMMA m = make_tiled_mma(UniversalFMA<float,float,float>{}, Layout<Shape<_16,_16,_1>>{});",
            {},
            {{"size(m)", "256"}}},
           {"auto m = make_tiled_mma(GMMA::ss_op_selector<half_t, half_t, float, Shape<_128,_96,_64>>(), "
            "Layout<Shape<_2,_1,_1>>{});",
            {},
            {{"size(m)", "256"}, {"tile_shape(m)", "(128,96,16)"}}},
           {"TiledCopy c = make_tiled_copy(Copy_Atom<DefaultCopy, T>{}, Layout<Shape<_4,_8>>{}, "
            "Layout<Shape<_2,_1>>{});",
            {{"T", "float"}},
            {{"tile_shape(c)", "(8,8)"}}},
           {"using c = decltype(make_tiled_copy(some_atom{}, make_layout(make_shape(Int<32>{}, Int<4>{}), "
            "make_stride(Int<4>{}, Int<1>{})), "
            "make_layout(make_shape(Int<1>{}, Int<8>{}))));",
            {},
            {{"tile_shape(c)", "(32,32)"}}},
           {"using M = TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, Layout<Shape<_4,_1,_1>>, Tile<_64,_16,_16>>;\n"
            "using A = decltype(make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, M{}));",
            {},
            {{"tile_shape(A)", "(64,16)"}}},
           {"using op = SM80_16x8x16_F16F16F16F16_TN;\nusing traits = MMA_Traits<op>;\nusing shape = typename "
            "traits::Shape_MNK;\n"
            "constexpr int k = 2 * get<1>(shape{});",
            {},
            {{"k", "16"}}},
           {"using C = decltype(make_tiled_mma(SM100_MMA_F16BF16_2x1SM_SS<bf16, bf16, float, 128, 256, UMMA::Major::K, "
            "UMMA::Major::MN>{}, "
            "Layout<Shape<_1,_1,_1>>{}, Tile<Int<128>, Layout<Shape<_128,_2,_2>, Stride<_1,_256,_128>>, _16>{}));",
            {},
            {{"tile_shape(C)", "(128,512,16)"}}},
       })
    check(c);
}

TEST_CASE("a layout of values as the third argument of a tiled mma is a tile") {
  check(
      {"using M = decltype(make_tiled_mma(SM80_16x8x16_F16F16F16F16_TN{}, make_layout(make_shape(_2{}, _2{}, _1{})), "
       "make_layout(make_shape(_1{}, _2{}, _1{}))));\nusing S = typename M::TiledShape_MNK;",
       {},
       {{"S", "(32,32,16)"}, {"size(M)", "128"}}});
}

TEST_CASE("the traits of a kernel open as a list of named layouts") {
  const auto asking = readIt(kTraits);
  REQUIRE(asking);
  std::vector<std::string> asked;
  for (const auto& question : asking->questions) asked.push_back(question.name);
  CHECK(std::find(asked.begin(), asked.end(), "kDim_") != asked.end());
  CHECK(std::find(asked.begin(), asked.end(), "kWarps_") != asked.end());

  for (const auto& [dim, bits, inner] : {std::tuple("128", "3", "64"), std::tuple("96", "2", "32")}) {
    const auto reading = readIt(kTraits, lets({{"kDim_", dim}, {"kRows_", "64"}, {"kWarps_", "4"}}));
    REQUIRE(reading);
    CHECK(reading->questions.empty());
    CHECK(valueOf(*reading, "kBits") == bits);
    CHECK(valueOf(*reading, "shape(Atom)") == "(8," + std::string(inner) + ")");
    CHECK(valueOf(*reading, "size(TiledMma)") == "128");
    CHECK(valueOf(*reading, "kBytes") == std::to_string(64 * std::stoi(dim) * 2));
    CHECK(valueOf(*reading, "SmemQt(5,7) - SmemQ(7,5)") == "0");
  }
  const auto used = readIt(std::string(kTraits) + "using K = ForwardTraits<64, 128, 8>;\nusing L = typename K::SmemQ;");
  REQUIRE(used);
  CHECK(used->questions.empty());
  CHECK(used->statements.back().name == "L");
  CHECK(valueOf(*used, "size(L)") == "8192");
}

TEST_CASE("what has no value is asked for, once, with the edit that gives it") {
  const auto constant = readIt("using L = Layout<Shape<_8, Int<kN>>, Stride<Int<kN>, _1>>;");
  REQUIRE(constant);
  REQUIRE(constant->questions.size() == 1);
  CHECK(constant->questions[0].name == "kN");
  CHECK(constant->questions[0].suggests == "--let kN=64");
  const auto type = readIt("using L = GMMA::Layout_K_SW128_Atom<Element>;");
  REQUIRE(type);
  REQUIRE(type->questions.size() == 1);
  CHECK(type->questions[0].suggests == "--let Element=half_t");
  const auto member = readIt("using L = Layout<Shape<_8, Int<Traits::kN>>>;");
  REQUIRE(member);
  REQUIRE(member->questions.size() == 1);
  CHECK(member->questions[0].name == "Traits::kN");
  check({"using L = Layout<Shape<_8, Int<Traits::kN>>>;", {{"Traits::kN", "4"}}, {{"L", "(8,4):(1,8)"}}});
  check({"constexpr int kN = 4; using L = Layout<Shape<Int<kN>>>;", {{"kN", "8"}}, {{"size(L)", "8"}}});
}

TEST_CASE("what is no layout is refused with its place") {
  const auto refused = readIt("auto l = tile_to_shape(5, make_mystery(3));");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("make_mystery") != std::string::npos);
  CHECK_FALSE(readIt("auto l = Layout<Shape<_4>, Stride<_1, _2>>{};"));
  CHECK_FALSE(readIt("using A = Int<1 / 0>;"));
  CHECK_FALSE(readIt("// nothing"));
}

TEST_CASE("other formats are left to their dialects") {
  for (const char* text : {"", "(4,8):(8,1)", "cute.make_layout((4, 8), stride=(8, 1))", "int idx = blockIdx.x * 4;",
                           "#ttg.blocked<{sizePerThread = [1]}>", "As[row * 64 + col]"})
    CHECK(paste::kCuteCpp.recognizes(text) == 0);
}

TEST_CASE("endless templates and functions end") {
  CHECK_FALSE(readIt("template <int N> struct A { using L = typename A<N + 1>::L; };\nusing X1 = typename A<0>::L;"));
  CHECK_FALSE(readIt("template <int N> constexpr auto f() { return make_layout(f<N + 1>()); }\nauto l = f<0>();"));
  CHECK_FALSE(readIt("template <int N> using A = A<N + 1>;\nusing B = A<0>; Layout<B> l;"));
  std::string deep = "auto l = ";
  for (int i = 0; i < 5000; ++i) deep += "coalesce(";
  CHECK_FALSE(readIt(deep));
}

TEST_CASE("damaged source never crashes, and what it binds evaluates") {
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    std::string text(kTraits);
    for (unsigned k = 0; k < 1 + random() % 5; ++k) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text.erase(at, 1 + random() % 12);
          break;
        case 1:
          text.insert(at, std::string(1, "<>(){};,_0"[random() % 10]));
          break;
        default:
          text[at] = static_cast<char>(random());
      }
    }
    const auto reading = readIt(text, lets({{"kDim_", "64"}, {"kRows_", "64"}, {"kWarps_", "4"}}));
    if (reading && reading->questions.empty()) (void)valueOf(*reading, "1");
  }
}
