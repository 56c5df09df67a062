// Partitions: over all threads of a tiled mma or copy they cover the tensor; one thread's part is its slice of thrfrg.
#include "core/atlas/partition.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "core/atlas/thread_slice.h"

using namespace tessera;

namespace {

cute::Layout layout(const std::string& text) {
  auto l = cute::parseLayout(text);
  INFO(text);
  REQUIRE(l.ok());
  return *l;
}

struct Atom {
  const char* name;
  const char* atoms;
};
constexpr Atom kAtoms[] = {{"SM80_16x8x16_F32F16F16F32_TN", "(2,2,1)"},
                           {"SM80_16x8x16_F32F16F16F32_TN", "(1,4,2):(0,1,4)"},
                           {"SM75_8x8x16_S32S8S8S32_TN", "(4,1,1)"},
                           {"SM70_8x8x4_F32F16F16F32_TN", "(2,2,1):(2,1,0)"},
                           {"UniversalFMA<float>", "(4,8,1):(8,1,0)"}};

TiledMma mmaOf(const Atom& atom) {
  auto mma = makeTiledMma(*findInstruction(atom.name), layout(atom.atoms));
  REQUIRE(mma.ok());
  return *mma;
}

constexpr std::array<std::size_t, 2> modesOf(char operand) {
  return operand == 'A'   ? std::array<std::size_t, 2>{0, 2}
         : operand == 'B' ? std::array<std::size_t, 2>{1, 2}
                          : std::array<std::size_t, 2>{0, 1};
}

// How many (thread, value) hold each offset of the tensor.
template <typename Part>
std::map<i64, int> holders(i64 threads, const Part& part) {
  std::map<i64, int> count;
  for (i64 t = 0; t < threads; ++t) {
    const Result<cute::Tensor> mine = part(t);
    REQUIRE(mine.ok());
    const cute::IntTuple start = unwrapped(mine->offset);
    for (i64 v = 0; v < mine->layout.size(); ++v) ++count[start.value() + mine->layout(v)];
  }
  return count;
}

}  // namespace

TEST_CASE("the partitions of all threads cover the tensor") {
  for (const Atom& atom : kAtoms) {
    const TiledMma mma = mmaOf(atom);
    for (const char operand : {'A', 'B', 'C'}) {
      INFO(atom.name << " " << operand);
      const auto modes = modesOf(operand);
      const i64 rows = 2 * mma.tile[modes[0]], columns = 3 * mma.tile[modes[1]];
      const cute::Tensor tensor = cute::tensorOf(layout(fmt::format("({},{}):({},1)", rows, columns, columns)));
      const auto count = holders(threadsOf(mma), [&](i64 t) { return partition(mma, operand, t, tensor); });
      CHECK(static_cast<i64>(count.size()) == rows * columns);
      const std::size_t other = 3 - modes[0] - modes[1];  // the mode along which warps repeat the operand
      const i64 copies = mma.threads.mode(static_cast<int>(other) + 1).size();
      for (const auto& [offset, n] : count) {
        CHECK(offset < rows * columns);
        CHECK(n == copies);
      }
    }
  }
}

TEST_CASE("one thread's partition is its slice of thrfrg") {
  std::mt19937 random(5);
  for (const Atom& atom : kAtoms) {
    const TiledMma mma = mmaOf(atom);
    const cute::Layout tensor =
        layout(fmt::format("({},{},3):(1,{},4096)", 2 * mma.tile[0], mma.tile[1], 2 * mma.tile[0]));
    const auto whole = thrfrg(mma, 'C', tensor);
    REQUIRE(whole.ok());
    for (int trial = 0; trial < 20; ++trial) {
      const i64 t = static_cast<i64>(random() % static_cast<unsigned>(threadsOf(mma)));
      const auto part = partition(mma, 'C', t, cute::tensorOf(tensor));
      const auto at = threadCoordinate(mma, t);
      REQUIRE((part.ok() && at.ok()));
      const i64 v = static_cast<i64>(random() % static_cast<unsigned>(part->layout.size()));
      const auto who = cute::IntTuple::tuple({at->mode(0), cute::IntTuple::tuple({at->mode(1), at->mode(2)})});
      const auto value = whole->crd2idx(cute::IntTuple::tuple({who, cute::IntTuple(v)}));
      REQUIRE(value.ok());
      CHECK(value->value() == unwrapped(part->offset).value() + part->layout(v));
    }
  }
}

TEST_CASE("a copy's source and destination cover the tensor once") {
  for (const char* name : {"UniversalCopy<uint128_t>", "SM75_U32x4_LDSM_N", "SM90_U32x4_STSM_N"}) {
    INFO(name);
    const auto copy = makeTiledCopy(*findInstruction(name), 16, layout("(32,4):(4,1)"), layout("(1,8)"));
    REQUIRE(copy.ok());
    const cute::Tensor tensor = cute::tensorOf(layout("(64,64):(64,1)"));
    for (const CopySide side : {CopySide::Source, CopySide::Destination}) {
      const auto count = holders(threadsOf(*copy), [&](i64 t) { return partition(*copy, side, t, tensor); });
      CHECK(count.size() == 64 * 64);
      for (const auto& [offset, n] : count) CHECK(n == 1);
    }
  }
}

TEST_CASE("retiled registers are the same registers, in the copy's order") {
  const TiledMma mma = mmaOf(kAtoms[0]);
  const auto copy = makeTiledCopy(*findInstruction("SM75_U32x4_LDSM_N"), 16, mma.a, {mma.tile[0], mma.tile[2]});
  REQUIRE(copy.ok());
  const cute::Tensor tensor = cute::tensorOf(layout("(64,64):(64,1)"));
  for (const i64 t : {0, 5, 77}) {
    const auto part = partition(mma, 'A', t, tensor);
    const auto held = partition(*copy, CopySide::Destination, t, tensor);
    REQUIRE((part.ok() && held.ok()));
    const auto registers = fragment(mma, 'A', part->layout);
    REQUIRE(registers.ok());
    const auto retiled = retile(*copy, *registers);
    REQUIRE(retiled.ok());
    REQUIRE(retiled->size() == held->layout.size());
    std::map<i64, i64> elementOf;  // register -> offset in the tensor, through the mma
    for (i64 v = 0; v < registers->size(); ++v)
      elementOf[(*registers)(v)] = unwrapped(part->offset).value() + part->layout(v);
    for (i64 v = 0; v < retiled->size(); ++v)
      CHECK(elementOf[(*retiled)(v)] == unwrapped(held->offset).value() + held->layout(v));
  }
}

TEST_CASE("threads and tensors that do not fit are refused") {
  const TiledMma mma = mmaOf(kAtoms[0]);
  const cute::Tensor tensor = cute::tensorOf(layout("(64,64):(64,1)"));
  CHECK(!partition(mma, 'A', 128, tensor).ok());
  CHECK(!partition(mma, 'A', -1, tensor).ok());
  CHECK(!partition(mma, 'D', 0, tensor).ok());
  CHECK(!partition(mma, 'A', 0, cute::tensorOf(layout("64:1"))).ok());
  CHECK(!partition(mma, 'A', 0, cute::tensorOf(layout("(?,64):(64,1)"))).ok());
  CHECK(!threadSlice(mma, 128).ok());
  CHECK(*threadSlice(mma, 3) == *threadSlice(mma, 3));
  CHECK(!(*threadSlice(mma, 3) == *threadSlice(mma, 4)));
  CHECK(Layout(*threadSlice(mma, 3)).kind() == "thr_mma");
  CHECK(!Layout(*threadSlice(mma, 3)).arrow().ok());
}
