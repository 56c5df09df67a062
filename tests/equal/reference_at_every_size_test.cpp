// References are compared at every size: programs of the gallery with theirs, and each operation of a reference with
// its evaluation on numbers.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "core/graphene/reader/parameters.h"
#include "solver/emulate/meaning_value.h"
#include "solver/graphene/equal/definitions.h"
#include "solver/graphene/equal/equal.h"
#include "solver/kernel/reference/formulas.h"

using namespace tessera;
using namespace tessera::graphene;
namespace reference = tessera::kernel::reference;

namespace {

Listing shippedProgram(const std::string& name) {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene" / (name + ".graphene"));
  std::stringstream out;
  out << in.rdbuf();
  auto read = readListing(name, out.str(), {});
  INFO(name << ": " << (read ? "" : read.error().message));
  REQUIRE(read.ok());
  return *std::move(read);
}

// Operands for every operation: two matrices that can be multiplied, vectors, four dimensions.
const std::string kOperands =
    "%A:[4*M,8*K].fp32.GL %B:[8*K,2*N].fp32.GL %u:[4*M].fp32.GL %w:[8*K].fp32.GL %T:[M,4,K,2].fp32.GL\n";
graphene::Program declared(const std::string& output) {
  const std::string text =
      kOperands + "%Y:" + output + ".fp32.GL\n#b:[M].block #t:[32].thread\n%u <- Move<<<#b,#t>>>(%u)\n";
  auto program = readProgram(text);
  INFO((program ? "" : program.error().message));
  REQUIRE(program.ok());
  return *std::move(program);
}

double elementOf(std::string_view name, i64 e) {
  u64 h = static_cast<u64>(name[0]) * 0x9e3779b97f4a7c15u + static_cast<u64>(e) + 1;
  for (int k = 0; k < 3; ++k) h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
  return 0.25 + static_cast<double>(h >> 40) / (1 << 24);
}

using Arrays = std::map<std::string, reference::Array, std::less<>>;

// The reference on numbers, at these sizes.
Arrays arraysAt(const graphene::Program& program, const Sizes& sizes) {
  Arrays out;
  std::vector<i64> values;
  for (const Variable& v : program.variables) values.push_back(sizes.count(v.name) != 0 ? sizes.at(v.name) : 1);
  for (const auto& [name, value] : sizes)
    out[name] = reference::scalarOf(static_cast<double>(value), reference::Array::Kind::Integer);
  for (const Tensor& t : program.operands) {
    if (t.threads) continue;
    reference::Array a;
    i64 count = 1;
    for (const Expr& e : t.extents) {
      a.shape.push_back(evaluate(e, {}, values));
      count *= a.shape.back();
    }
    for (i64 k = 0; k < count; ++k) a.data.push_back(elementOf(t.name, k));
    out[t.name] = std::move(a);
  }
  return out;
}

// The equations of a reference, evaluated at these sizes.
std::vector<double> evaluated(const graphene::Program& program, const Arrays& arrays, const Sizes& sizes) {
  const auto& spec = std::get<Spec>(program.specs.front().what);
  Numbers numbers;
  MeaningValue<Numbers>* self = nullptr;
  MeaningValue<Numbers> value(
      spec, numbers,
      [&](int p) -> std::optional<i64> {
        const auto found = sizes.find(program.variables[static_cast<std::size_t>(p)].name);
        return found == sizes.end() ? std::nullopt : std::optional(found->second);
      },
      [&](int port, i64 e) {
        const auto operand = static_cast<std::size_t>(self->ports()[static_cast<std::size_t>(port)].operand);
        return arrays.at(operandOf(spec, operand).name).data[static_cast<std::size_t>(e)];
      });
  self = &value;
  std::vector<double> out;
  for (i64 e = 0; e < value.output(0).count(); ++e) out.push_back(value.value(0, e));
  INFO(value.fault());
  REQUIRE(value.fault().empty());
  return out;
}

}  // namespace

TEST_CASE("the equations of a reference have its values, at each of many sizes") {
  struct Row {
    std::string output, text;
  };
  const Row rows[] = {
      {"[4*M,2*N]", "Y = A @ B"},
      {"[4*M,2*N]", "Y = relu(A @ B + 1) * 0.5 - u[:, None]"},
      {"[2*N,4*M]", "Y = (A @ B).T"},
      {"[4*M,8*K]", "Y = softmax(A)"},
      {"[4*M,8*K]", "Y = softmax(A, axis=0)"},
      {"[4*M,8*K]", "m = A.mean(1, keepdims=True); v = A.var(axis=1, keepdims=True); Y = (A - m) / np.sqrt(v + 1e-5)"},
      {"[4*M]", "Y = A.sum(1) / (8*K) + A.max(-1) - np.min(A, axis=1)"},
      {"[4*M]", "Y = A @ w"},
      {"[8*K]", "Y = u @ A"},
      {"[8*K]", "Y = A.T @ u * M"},
      {"[4*M,8*K]", "Y = np.outer(u, w)"},
      {"[4*M,8*K]", "Y = silu(A) + np.abs(A - 1) + np.log1p(A) + np.expm1(A) + np.log2(A) + sigmoid(A)"},
      {"[4*M,8*K]", "Y = A**2 + A**0.5 + A**-1 + np.square(A) + np.maximum(A, w) + np.minimum(A, 0.5) - -A"},
      {"[M,4,K,2]", "Y = T.transpose(0, 1, 2, 3) + A[:1, :1]"},
      {"[K,2,M,4]", "Y = np.transpose(T, (2, 3, 0, 1))"},
      {"[4*M,2*K]", "Y = T.reshape(4*M, 2*K)"},
      {"[M,8*K]", "Y = T.reshape(M, -1)"},
      {"[M*K*8]", "Y = T.ravel()"},
      {"[2*M,16*K]", "Y = A.reshape(2*M, 16*K)"},
      {"[8,M,4*K]", "Y = A.reshape(8, M, 4*K)"},
      {"[8*K,M,4]", "Y = A.reshape(M, 4, 8*K).transpose(2, 0, 1)"},
      {"[M,2]", "Y = T[:, 1, 0]"},
      {"[M,3,K]", "Y = T[:, 1:, :, -1]"},
      {"[M,2,K,2]", "Y = T[:, ::2]"},
      {"[M,4,K,2]", "Y = T[:, ::-1, :, ::-1]"},
      {"[4*M - 2,8*K]", "Y = A[1:-1]"},
      {"[4*M - M,8*K]", "Y = A[M:]"},
      {"[M,8*K]", "Y = A[2*M:3*M] - A[M]"},
      {"[8*M,8*K]", "Y = np.concatenate([A, 2*A], 0)"},
      {"[4*M,16*K]", "Y = np.concatenate([A, A + 1], axis=1)"},
      {"[2,4*M,8*K]", "Y = np.stack([A, A * A])"},
      {"[4*M,8*K]", "Y = np.where(np.arange(4*M)[:, None] >= np.arange(8*K), A, 0)"},
      {"[4*M,8*K]", "Y = np.where((np.arange(4*M)[:, None] // 2 == 1) & (np.arange(8*K) % 3 < 2), A, -1.0)"},
      {"[4*M,8*K]", "Y = np.tril(A) + np.triu(A, 1) * 2"},
      {"[4*M,8*K]", "Y = A.astype(np.float64) + np.zeros((4*M, 8*K)) + np.ones_like(A)"},
      {"[4*M,8*K]", "Y = np.clip(A, 0.3, 0.6) + A.shape[0] + np.float64(A)"},
      {"[4*M,8*K]", "Y = np.broadcast_to(w, (4*M, 8*K)) + np.std(A, 1, keepdims=True)"},
      {"[M,4,K,2]", "Y = (T.reshape(M, 4, 2*K) @ np.ones((2*K, 2*K))).reshape(M, 4, K, 2)"},
      {"[M,4,4]", "t = T.reshape(M, 4, 2*K); Y = t @ t.swapaxes(-1, -2)"},
      {"[4*M,1]", "Y = u"},
      {"[1,8*K]", "Y[i,j] = w[j] + K"},
      {"[4*M,2*N]", "Y[i,j] = sum(k < 8*K) A[i,k] * B[k,j]; "},
  };
  for (const Row& row : rows) {
    const graphene::Program program = declared(row.output);
    const auto equations = reference::referenceProgram(row.text, program);
    INFO(row.text << ": " << (equations ? "" : equations.error().message + " " + equations.error().expected));
    CHECK(equations.ok());
    if (!equations) continue;
    for (const Sizes& sizes :
         {Sizes{{"M", 1}, {"N", 1}, {"K", 1}}, {{"M", 2}, {"N", 1}, {"K", 3}}, {{"M", 3}, {"N", 2}, {"K", 2}}}) {
      const Arrays arrays = arraysAt(program, sizes);
      const auto wanted = reference::evaluate(row.text, arrays);
      INFO((wanted ? "" : wanted.error().message));
      REQUIRE(wanted.ok());
      const std::vector<double> got = evaluated(*equations, arrays, sizes);
      const auto y = std::find_if(wanted->begin(), wanted->end(), [](const auto& one) { return one.name == "Y"; });
      REQUIRE(got.size() == y->value.data.size());
      double most = 0;
      for (std::size_t e = 0; e < got.size(); ++e)
        most = std::max(most, std::fabs(got[e] - y->value.data[e]) / std::max(1.0, std::fabs(got[e])));
      CHECK(most < 1e-12);
      CHECK(std::isfinite(most));
    }
  }
}

TEST_CASE("a reference that has no equations for all sizes says why") {
  const std::pair<std::string, std::string> rows[] = {
      {"Y = np.cumsum(A)", "cumsum"},
      {"Y = np.sort(A)", "sort"},
      {"Y = np.argmax(A, 1)", "argmax"},
      {"Y = np.floor(A)", "floor"},
      {"Y = np.where(A > 0, A, 0)", "comparison of values"},
      {"Y = A + B", "do not fit each other"},
      {"Y = A @ u", "do not fit for @"},
      {"Y = A.reshape(3, -1)", "does not have the shape"},
      {"Y = A[5]", "not inside the extent"},
      {"Y = A[:100]", "does not fit the extent"},
      {"Y = A[np.arange(4)]", "as a subscript"},
      {"Y = A[::M]", "has no number without numbers for the sizes"},
      {"Y = sum([A[k] for k in range(M)])", "has no"},
      {"Y = A.astype(np.int32)", "astype(int32)"},
      {"Y = A.astype('bool')", "astype(bool)"},
      {"Y = A if M > 1 else 2*A", "integer"},
      {"Y = A ** 3.5", "**"},
      {"Y = A.size", "number of elements"},
      {"Y = np.pad(A, 1)", "pad"},
      {"Y = u", "Y has the shape"},
      {"Z = A", "assigns no output"},
      {"Y = A @", "operand is missing"},
      {"Y[i,j] = sum(k < 8*K) A[i,k] * Q[k,j]", "Q"},
  };
  for (const auto& [text, reason] : rows) {
    const auto made = reference::referenceProgram(text, declared("[4*M,8*K]"));
    INFO(text);
    REQUIRE(!made.ok());
    INFO(made.error().message);
    CHECK((made.error().message + made.error().expected).find(reason) != std::string::npos);
  }
}

TEST_CASE("damaged references get an answer") {
  const std::string texts[] = {
      "m = A.mean(1, keepdims=True); Y = (A - m) / np.sqrt(A.var(axis=1, keepdims=True) + 1e-5)",
      "Y = np.where((np.arange(4*M)[:, None] // 2 == 1) & (np.arange(8*K) % 3 < 2), A, -1.0)",
      "t = T.reshape(M, 4, 2*K); Y = np.concatenate([A[1:], A[:1]], axis=0) + (t @ t.swapaxes(-1, -2)).sum()",
      "Y[i,j] = where(i <= j, sum(k < 8*K) A[i,k] * w[k], [M*K + i / 2 % 3] / exp(A[i,j]))",
      "Y = softmax(A.transpose(1, 0)[::-1, ::2].T, axis=0) + np.tril(A, -1).max() * A.shape[0] ** 2",
  };
  const std::string pieces = "AKMNTYu()[],:;=*/%@+-<>. 0123np.arange shape None\n";
  std::mt19937 random(7);
  const graphene::Program program = declared("[4*M,8*K]");
  int read = 0;
  for (int k = 0; k < 1500; ++k) {
    std::string text = texts[random() % std::size(texts)];
    for (unsigned n = 0; n < 1 + random() % 3; ++n) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 4);
      else if (random() % 2 == 0)
        text[at] = pieces[random() % pieces.size()];
      else
        text.insert(at, text.substr(random() % text.size(), random() % 8));
      if (text.empty()) text = "Y";
    }
    INFO(text);
    const auto made = reference::referenceProgram(text, program);
    if (!made) {
      CHECK(!made.error().message.empty());
      continue;
    }
    ++read;
    Definitions definitions;
    const auto forms = definitions.of(*made);
    CHECK((forms.ok() || !forms.error().message.empty()));
  }
  CHECK(read > 50);
}

TEST_CASE("programs of the gallery equal their references at every size, and no wrong ones") {
  struct Row {
    std::string program, reference;
    Standing standing = Standing::Proved;
  };
  const std::string heads =
      "q = Q.transpose(0, 2, 1, 3); k = K.transpose(0, 2, 1, 3); v = V.transpose(0, 2, 1, 3); "
      "O = (softmax(q @ k.swapaxes(-1, -2) / 8) @ v).transpose(0, 2, 1, 3)";
  const std::string cell =
      "xh = np.concatenate([x, h0], 1); z = xh @ W.reshape(32*X + 32*U, 128*U) + bias.reshape(128*U)\n"
      "g = z.reshape(128*M, 4, 32*U)\n"
      "c1 = sigmoid(g[:, 1]) * c0 + sigmoid(g[:, 0]) * np.tanh(g[:, 2]); h1 = sigmoid(g[:, 3]) * np.tanh(c1)";
  const std::string layers =
      "x[l,i,j] = where(l == 0, X[i,j], max(bias[l - 1,j] + (sum(k < 128) W[128*l - 128 + k,j] * x[l - 1,i,k]), 0)); "
      "Y[i,j] = x[L,i,j]";
  const Row rows[] = {
      {"gemm_symbolic", "C = C + A @ B"},
      {"gemm_symbolic", "C = C + (B.T @ A.T).T"},
      {"gemm_symbolic", "C[i,j] = C[i,j] + sum(k < K) A[i,k] * B[k,j]"},
      {"gemm_symbolic", "C = A @ B", Standing::Refuted},
      {"gemm_symbolic", "C = C + 2 * (A @ B)", Standing::Refuted},
      {"gemm_symbolic", "C[i,j] = C[i,j] + sum(k < K) A[i,k] * B[k,i]", Standing::Refuted},
      {"gemm_partial", "C = C + A @ B"},
      {"attention_heads", heads},
      {"layernorm_rows", "y = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * gamma + beta"},
      {"layernorm_rows", "y = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True)) * gamma + beta",
       Standing::Refuted},
      {"lstm", cell},
      {"mlp", layers},
  };
  for (const Row& row : rows) {
    EqualQuestion q{shippedProgram(row.program)};
    q.reference = row.reference;
    const auto v = equalPrograms(q, {.budgetSeconds = 60});
    INFO(row.program << ": " << row.reference << ": " << (v ? v->reason : v.error().message + v.error().expected));
    REQUIRE(v.ok());
    CHECK(v->standing == row.standing);
    if (row.standing == Standing::Proved) CHECK(v->everySize);
    // What the program assumes is part of the answer.
    const bool assumes = std::string_view(row.program) == "layernorm_rows" && row.standing == Standing::Proved;
    CHECK((v->reason.find(" with C <= 512") != std::string::npos) == assumes);
    if (row.standing == Standing::Refuted) CHECK(!v->coordinate.empty());
  }
}

TEST_CASE("inputs of the second program are stated at every size") {
  const auto scaled = [](const std::string& rows, const std::string& at) {
    return "%x:[" + rows +
           "].fp32.GL %y:[64*M].fp32.GL\n#b:[M].block #t:[64].thread\n"
           "%y <- Spec<f><<<#b,#t>>>(%x) means { %y[i] = %x[" +
           at +
           "] + 1 } {\n"
           "  @b = #b.indices() @t = #t.indices() %xe = %x.tile([64:1])[" +
           (rows == "64*M" ? "@b" : "@b + M") +
           "][@t] %ye = %y.tile([64:1])[@b][@t]\n"
           "  %v:[].fp32.RF %one:[].fp32.RF %one <- Init<1>() %v <- Move(%xe) %v <- BinaryPointwise<+>(%v,%one)\n"
           "  %ye <- Move(%v)\n}\n";
  };
  const auto asked = [&](const std::string& where) {
    const auto first = readListing("halves", scaled("128*M", "i + 64*M")),
               second = readListing("plain", scaled("64*M", "i"));
    INFO((first ? "" : first.error().message) << (second ? "" : second.error().message));
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    EqualQuestion q{*first};
    q.second = *second;
    q.where = where;
    auto v = equalPrograms(q, {.budgetSeconds = 60});
    INFO((v ? v->reason : v.error().message));
    REQUIRE(v.ok());
    return *v;
  };
  const EqualVerdict v = asked("x = x[64*M:]");
  INFO(v.reason);
  CHECK(v.standing == Standing::Proved);
  CHECK(v.everySize);
  CHECK(asked("x = x.reshape(2, 64*M)[1]").everySize);
  CHECK(asked("x = x[:64*M]").standing == Standing::Refuted);
  CHECK(asked("x = 2 * x[64*M:]").standing == Standing::Refuted);
  CHECK(asked("x = np.sort(x)[64*M:]").standing != Standing::Proved);
}

TEST_CASE("some sizes as numbers, and others not") {
  EqualQuestion q{shippedProgram("gemm_symbolic")};
  q.reference = "C = C + A @ B * (M - 1)";
  q.sizes = {{"M", 2}};
  const auto v = equalPrograms(q, {.budgetSeconds = 60});
  INFO((v ? v->reason : v.error().message));
  REQUIRE(v.ok());
  CHECK(v->standing == Standing::Proved);
  CHECK(v->reason.find("for every K, N") != std::string::npos);
  q.reference = "C[i,j] = C[i,j] + [M - 1] * (sum(k < K) A[i,k] * B[k,j])";
  const auto equations = equalPrograms(q, {.budgetSeconds = 60});
  REQUIRE(equations.ok());
  CHECK(equations->standing == Standing::Proved);
  q.sizes = {{"M", 3}};
  const auto wrong = equalPrograms(q, {.budgetSeconds = 60});
  REQUIRE(wrong.ok());
  CHECK(wrong->standing == Standing::Refuted);
}
