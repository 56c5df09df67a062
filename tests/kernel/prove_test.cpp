// Kernels with arbitrary arguments (data/prove.cu): the verdict; and what is proved runs without a fault for several
// values. Terms against arithmetic of 64-bit numbers.

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "solver/kernel/addresses/terms.h"
#include "solver/kernel/prove/prove_kernel.h"
#include "tests/kernel/kernels.h"

namespace tessera {
bool haveZ3();  // solver/prove/prove.h, whose Verdict is another one
}

using namespace tessera;
using namespace tessera::kernel;

namespace {

const ptx::Module& provable() { return test::kernelsOf("prove"); }

Launch launchOf(const std::string& entry, std::uint32_t blocks) {
  Launch launch;
  launch.entry = entry;
  launch.grid = {blocks, 1, 1};
  launch.block = {64, 1, 1};
  return launch;
}

struct ProofCase {
  const char* entry;
  std::uint32_t blocks;
  Verdict verdict;
};
constexpr ProofCase kProofCases[] = {
    {"grid_stride", 2, Verdict::Clean},     {"guarded", 2, Verdict::Clean},
    {"scaled", 1, Verdict::Race},           {"scaled_odd", 1, Verdict::Unknown},
    {"uniform_barrier", 1, Verdict::Clean}, {"divergent_barrier", 1, Verdict::Divergence},
    {"tiled", 2, Verdict::Clean},           {"tiled_race", 2, Verdict::Race},
    {"reduce", 1, Verdict::Clean},          {"reduce_race", 1, Verdict::Race},
    {"scatter", 1, Verdict::Race},          {"scatter_atomic", 2, Verdict::Clean},
    {"broadcast", 2, Verdict::Clean},       {"broadcast_race", 2, Verdict::Race},
    {"swap_buffers", 1, Verdict::Clean},    {"in_place", 1, Verdict::Race},
    {"count_down", 1, Verdict::Clean},      {"previous", 1, Verdict::Clean},
    {"previous_race", 1, Verdict::Race},
};

// The value of a term of the variables "x0", "x1".
u64 evaluated(const Terms& terms, Term t, const std::array<u64, 2>& x) {
  const TermNode& n = terms[t];
  using Op = TermNode::Op;
  std::vector<u64> a;
  for (const Term k : n.arguments) a.push_back(evaluated(terms, k, x));
  const int bits = n.arguments.empty() ? n.width : terms.width(n.arguments[0]);
  const auto mask = [](int w) { return w >= 64 ? ~u64{0} : (u64{1} << w) - 1; };
  const auto sign = [&](u64 v) { return static_cast<i64>(v << (64 - bits)) >> (64 - bits); };
  u64 out = 0;
  switch (n.op) {
    case Op::Constant:
      out = n.value;
      break;
    case Op::Variable:
      out = x[n.name == "x0" ? 0 : 1];
      break;
    case Op::Sum:
      out = n.value;
      for (std::size_t k = 0; k < a.size(); ++k) out += a[k] * n.factors[k];
      break;
    case Op::Mul:
      out = a[0] * a[1];
      break;
    case Op::DivU:
      out = a[1] == 0 ? ~u64{0} : a[0] / a[1];
      break;
    case Op::RemU:
      out = a[1] == 0 ? a[0] : a[0] % a[1];
      break;
    case Op::And:
      out = a[0] & a[1];
      break;
    case Op::Or:
      out = a[0] | a[1];
      break;
    case Op::Xor:
      out = a[0] ^ a[1];
      break;
    case Op::Not:
      out = ~a[0];
      break;
    case Op::Shl:
      out = a[1] >= static_cast<u64>(bits) ? 0 : a[0] << a[1];
      break;
    case Op::ShrU:
      out = a[1] >= static_cast<u64>(bits) ? 0 : a[0] >> a[1];
      break;
    case Op::ShrS:
      out = static_cast<u64>(sign(a[0]) >> std::min<u64>(a[1], static_cast<u64>(bits - 1)));
      break;
    case Op::Equal:
      out = a[0] == a[1];
      break;
    case Op::LessU:
      out = a[0] < a[1];
      break;
    case Op::LessS:
      out = sign(a[0]) < sign(a[1]);
      break;
    case Op::Select:
      out = a[0] != 0 ? a[1] : a[2];
      break;
    case Op::Widen:
      out = a[0];
      break;
    case Op::WidenSigned:
      out = static_cast<u64>(sign(a[0]));
      break;
    case Op::Bits:
      out = a[0] >> n.value;
      break;
    default:
      FAIL("a term of another kind");
  }
  return out & mask(n.width);
}

}  // namespace

TEST_CASE("Kernels are decided for every value of their arguments", "[kernel]") {
  const ProofCase c = GENERATE(from_range(std::begin(kProofCases), std::end(kProofCases)));
  const auto report = proveForAll(provable(), launchOf(c.entry, c.blocks));
  REQUIRE(report.ok());
  INFO(c.entry << ": " << report->reason << (report->findings.empty() ? "" : report->findings.front().message));
  if (haveZ3()) CHECK(std::string(nameOf(report->verdict)) == nameOf(c.verdict));
  if (report->verdict != Verdict::Clean && report->verdict != Verdict::Benign) return;
  // What is proved runs without a fault.
  for (const int n : {-1, 0, 1, 3, 64, 100, 256}) {
    Launch launch = launchOf(c.entry, c.blocks);
    const ptx::Function* entry = provable().function(c.entry);
    REQUIRE(entry != nullptr);
    launch.arguments.resize(entry->parameters.size());
    for (std::size_t k = 0; k < entry->parameters.size(); ++k) {
      if (entry->parameters[k].bytes() != 4) continue;
      launch.arguments[k].kind = Argument::Kind::Scalar;
      launch.arguments[k].bytes.resize(4);
      std::memcpy(launch.arguments[k].bytes.data(), &n, 4);
    }
    launch.seed = static_cast<u64>(n + 5);
    const auto ran = run(provable(), launch);
    REQUIRE(ran.ok());
    INFO(c.entry << " with " << n);
    for (const Finding& f : ran->findings) {
      INFO(f.message);
      CHECK(f.kind >= Verdict::Unknown);
    }
  }
}

TEST_CASE("Terms equal the operations that made them", "[kernel]") {
  std::mt19937_64 random(7);
  using Op = TermNode::Op;
  const auto below = [&](u64 n) { return random() % n; };
  for (int round = 0; round < 3000; ++round) {
    Terms terms;
    const int bits = std::array{1, 8, 16, 32, 64}[below(5)];
    const u64 mask = bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1;
    const std::array<u64, 2> x = {random() & mask & (random() | random()), random() & mask};
    std::vector<std::pair<Term, u64>> made = {{terms.variable("x0", bits, Terms::Scope::Thread), x[0]},
                                              {terms.variable("x1", bits, Terms::Scope::Thread), x[1]}};
    for (const u64 c : {u64{0}, u64{1}, u64{3}, u64{4}, ~u64{0}}) made.emplace_back(terms.constant(c, bits), c & mask);
    for (int k = 0; k < 12; ++k) {
      const auto [a, va] = made[below(made.size())];
      const auto [b, vb] = made[below(made.size())];
      const auto keep = [&](Term t, u64 value) {
        CHECK(evaluated(terms, t, x) == (value & mask));
        made.emplace_back(t, value & mask);
      };
      const auto shifts = [&](u64 by) { return by < static_cast<u64>(bits); };
      switch (below(12)) {
        case 0:
          keep(terms.add(a, b), va + vb);
          break;
        case 1:
          keep(terms.sub(a, b), va - vb);
          break;
        case 2:
          keep(terms.mul(a, b), va * vb);
          break;
        case 3:
          keep(terms.binary(Op::And, a, b), va & vb);
          break;
        case 4:
          keep(terms.binary(Op::Or, a, b), va | vb);
          break;
        case 5:
          keep(terms.binary(Op::Xor, a, b), va ^ vb);
          break;
        case 6:
          keep(terms.lnot(a), ~va);
          break;
        case 7:
          keep(terms.binary(Op::Shl, a, b), shifts(vb) ? va << vb : 0);
          break;
        case 8:
          keep(terms.binary(Op::ShrU, a, b), shifts(vb) ? va >> vb : 0);
          break;
        case 9:
          keep(terms.select(terms.binary(Op::LessU, a, b), a, b), va < vb ? va : vb);
          break;
        case 10:
          keep(terms.bits(terms.widen(a, 64, false), 0, bits), va);
          break;
        default:
          keep(terms.binary(Op::RemU, a, b), vb == 0 ? va : va % vb);
          break;
      }
    }
  }
}
