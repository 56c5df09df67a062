// The product that a specification states, against the meaning of its equations and its MatMul, also by the (fake)
// library.
#include "solver/measure/report/library_product.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/graphene/listing.h"
#include "measure/fakes.h"
#include "solver/measure/reference/inputs.h"
#include "solver/measure/reference/reference.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

const std::map<std::string, i64> kSizes = {{"M", 5}, {"K", 4}};

// A is 5x4, B 4x3, C 5x3; each may lie the other way.
const std::string kA = "%A:[M,K:K,1].fp16.GL ", kTurnedA = "%A:[K,M:1,K].fp16.GL ", kColumnA = "%A:[M,K:1,M].fp16.GL ";
const std::string kB = "%B:[K,3:3,1].fp16.GL ", kTurnedB = "%B:[3,K:K,1].fp16.GL ";
const std::string kC = "%C:[M,3:3,1].fp32.GL ", kColumnC = "%C:[M,3:1,M].fp32.GL ";
const std::string kBias = "%v:[3].fp32.GL ", kRowBias = "%v:[M].fp32.GL ", kFlatBias = "%v:[1,3].fp32.GL ";
const std::string kSum = "(sum(k < K) %A[i,k] * %B[k,j])";

struct Stated {
  graphene::Listing listing;
  std::vector<Operand> operands;
  Result<LibraryProduct> product = Diag{"", "", "", {}};
};
Stated stated(const std::string& tensors, const std::string& equations) {
  const std::string inputs = tensors.find("%v") == std::string::npos ? "%A,%B" : "%A,%B,%v";
  auto listing = graphene::readListing("p", tensors + "\n#b:[1].block #t:[32].thread\n%C <- Spec<f><<<#b,#t>>>(" +
                                                inputs + ") means {\n" + equations + "\n} {\n}\n");
  INFO(tensors << equations << (listing ? "" : listing.error().message));
  REQUIRE(listing.ok());
  Stated out{*std::move(listing), {}};
  std::vector<Expr> values;
  for (const graphene::Variable& v : out.listing.program->variables)
    values.push_back(kSizes.contains(v.name) ? Expr::constant(kSizes.at(v.name)) : Expr::constant(0));
  for (const graphene::Tensor& t : out.listing.program->operands) {
    if (t.threads) continue;
    auto operand = operandOf(t, values, 1);
    REQUIRE(operand.ok());
    operand->input = true;
    operand->output = t.name == "C";
    out.operands.push_back(*std::move(operand));
  }
  out.product = libraryProductOf(*out.listing.program, out.operands, kSizes);
  return out;
}

// The values of an operand as they lie in its buffer.
std::vector<double> buffer(const Inputs& in, const std::string& name) {
  const int k = in.find(name);
  const Operand& o = in.operands()[static_cast<std::size_t>(k)];
  std::vector<double> out(static_cast<std::size_t>(o.places));
  for (i64 e = 0; e < o.elements; ++e) out[static_cast<std::size_t>(o.address(e))] = in.at(k, e);
  return out;
}

// What Gemm's formula makes of the buffers, beside what the equation says of every element.
void checkSame(const Stated& s, bool turned) {
  const Gemm& g = s.product->gemm;
  auto in = Inputs::of(s.operands, 3);
  REQUIRE(in.ok());
  ReferenceOptions options;
  options.sizes = kSizes;
  const auto meant = equationReference(s.listing.program, options);
  REQUIRE(meant.has_value());
  const Operand& c = in->operands()[static_cast<std::size_t>(in->find("C"))];
  std::vector<i64> elements(static_cast<std::size_t>(c.elements));
  for (i64 e = 0; e < c.elements; ++e) elements[static_cast<std::size_t>(e)] = e;
  const auto expected = (*meant)(*in, "C", elements);
  REQUIRE(expected.ok());
  const auto a = buffer(*in, turned ? "B" : "A"), b = buffer(*in, turned ? "A" : "B"), old = buffer(*in, "C");
  const auto at = [](const std::vector<double>& m, i64 rows, i64 columns, bool row, i64 i, i64 j) {
    return m[static_cast<std::size_t>(row ? i * columns + j : j * rows + i)];
  };
  const bool biased = g.epilogue == Epilogue::Bias || g.epilogue == Epilogue::BiasRelu;
  const auto v = biased ? buffer(*in, "v") : std::vector<double>();
  for (i64 i = 0; i < g.m; ++i)
    for (i64 j = 0; j < g.n; ++j) {
      double x = g.accumulate ? at(old, g.m, g.n, g.rowC, i, j) : 0;
      for (i64 k = 0; k < g.k; ++k) x += at(a, g.m, g.k, g.rowA, i, k) * at(b, g.k, g.n, g.rowB, k, j);
      if (biased) x += v[static_cast<std::size_t>(j)];
      if (g.epilogue == Epilogue::Relu || g.epilogue == Epilogue::BiasRelu) x = std::max(x, 0.0);
      const i64 place = g.rowC ? i * g.n + j : j * g.m + i;
      for (i64 e = 0; e < c.elements; ++e)
        if (c.address(e) == place) CHECK(std::abs((*expected)[static_cast<std::size_t>(e)] - x) < 1e-9);
    }
}

}  // namespace

TEST_CASE("what equations state is the library's product with its epilogue, however they are written") {
  struct Row {
    std::string tensors, equations;
    Epilogue epilogue;
    bool accumulate = false, turned = false;
  };
  const Row rows[] = {
      {kA + kB + kC, "%C[i,j] = " + kSum, Epilogue::None},
      {kA + kB + kC, "%C[i,j] = sum(k < 4) %B[k,j] * %A[i,k]", Epilogue::None},
      {kColumnA + kTurnedB + kC, "%C[i,j] = sum(k < K) %A[i,k] * %B[j,k]", Epilogue::None},
      {kTurnedA + kTurnedB + kColumnC, "%C[y,x] = sum(q < K) %B[x,q] * %A[q,y]", Epilogue::None},
      {kA + kB + kC, "%C[i,j] = %C[i,j] + " + kSum, Epilogue::None, true},
      {kA + kB + kC, "%C[i,j] = relu(" + kSum + ")", Epilogue::Relu},
      {kA + kB + kC, "%C[i,j] = max(0, " + kSum + " + %C[i,j])", Epilogue::Relu, true},
      {kA + kB + kC + kBias, "%C[i,j] = %v[j] + " + kSum, Epilogue::Bias},
      {kA + kB + kC + kFlatBias, "%C[i,j] = max(" + kSum + " + %v[0,j], 0)", Epilogue::BiasRelu},
      {kA + kB + kC + kBias, "s[x,y] = sum(k < K) %A[x,k] * %B[k,y]\n z[i,j] = s[i,j] + %v[j]\n %C[i,j] = relu(z[i,j])",
       Epilogue::BiasRelu},
      {kA + kB + kC + kBias, "p[i,j,k] = %A[i,k] * %B[k,j]\n %C[i,j] = %v[j] + %C[i,j] + (sum(k < K) p[i,j,k])",
       Epilogue::Bias, true},
      {kA + kB + kColumnC + kRowBias, "%C[i,j] = relu(" + kSum + " + %v[i])", Epilogue::BiasRelu, false, true},
      {kTurnedA + kTurnedB + kColumnC + kRowBias, "%C[i,j] = %v[i] + %C[i,j] + sum(k < K) %A[k,i] * %B[j,k]",
       Epilogue::Bias, true, true},
  };
  for (const Row& row : rows) {
    INFO(row.tensors << row.equations);
    const Stated s = stated(row.tensors, row.equations);
    INFO((s.product ? "" : s.product.error().message));
    REQUIRE(s.product.ok());
    const Gemm& g = s.product->gemm;
    CHECK(g.epilogue == row.epilogue);
    CHECK(g.accumulate == row.accumulate);
    CHECK(g.m == (row.turned ? 3 : 5));
    CHECK(g.n == (row.turned ? 5 : 3));
    CHECK(g.k == 4);
    CHECK(s.product->note.empty());
    checkSame(s, row.turned);
    const Fakes fakes("cache=64");
    RunOptions options;
    options.runs = 1;
    const auto library = runBaseline(g, options);
    INFO((library ? library->wrong : library.error().message));
    REQUIRE(library.ok());
    CHECK(library->wrong.empty());
    CHECK(library->time.count == 1);
  }
}

TEST_CASE("a bias of another type is the library's, and the row says so") {
  const Stated s = stated(kA + kB + "%C:[M,3:3,1].fp16.GL " + kBias, "%C[i,j] = %v[j] + " + kSum);
  REQUIRE(s.product.ok());
  CHECK(s.product->note == "with a bias of fp16, which the library takes; %v is fp32");
}

TEST_CASE("what the library has not is refused with the part that it has not") {
  struct Row {
    std::string tensors, equations, why;
  };
  const Row rows[] = {
      {kA + kB + kC + kRowBias, "%C[i,j] = %v[i] + " + kSum,
       "%v runs along the rows of a row-major result, and the library's bias along the columns"},
      {kA + kB + kColumnC + kBias, "%C[i,j] = %v[j] + " + kSum,
       "%v runs along the columns of a column-major result, and the library's bias along the rows"},
      {kA + kB + kC + "%v:[3:2].fp32.GL ", "%C[i,j] = %v[j] + " + kSum, "%v is not a vector of 3 contiguous values"},
      {kA + kB + kC, "%C[i,j] = tanh(" + kSum + ")", "its epilogues are a bias, relu or both, but there is 'tanh'"},
      {kA + kB + kC, "%C[i,j] = relu(" + kSum + ") + %C[i,j]",
       "its epilogues are a bias, relu or both, but there is 'relu'"},
      {kA + kB + kC, "%C[i,j] = 2 * " + kSum, "its epilogues are a bias, relu or both, but there is '*'"},
      {kA + kB + kC, "%C[i,j] = max(1, " + kSum + ")", "its epilogues are a bias, relu or both, but there is 'max'"},
      {kA + kB + kC, "%C[i,j] = " + kSum + " + 1", "1 is added"},
      {kA + kB + kC, "%C[i,j] = " + kSum + " + [j]", "an index is added"},
      {kA + kB + kC, "%C[i,j] = where(i < 2, 0, " + kSum + ")", "it has cases (where)"},
      {kA + kB + kC, "%C[i,j] = " + kSum + " + " + kSum, "its equation has several sums"},
      {kA + kB + kC, "%C[i,j] = max(k < K) %A[i,k] * %B[k,j]", "max over an index is not a sum"},
      {kA + kB + kC, "%C[i,j] = sum(k < K) (%A[i,k] + %B[k,j])", "its summands are not products of two elements"},
      {kA + kB + kC, "%C[i,j] = sum(k < K) %A[i,k] * %A[i,k]", "its factors are not %A[i,k] and %B[k,j]"},
      {kA + kB + kC, "%C[i,j] = sum(k < K) %A[i,k] * %B[3 - k,j]", "its factors are not %A[i,k] and %B[k,j]"},
      {kA + kB + kC, "%C[i,j] = sum(k < 3) %A[i,k] * %B[k,j]", "it does not use all rows and columns of its matrices"},
      {kA + kB + kC, "%C[i,j] = sum(k = 1 < K) %A[i,k] * %B[k,j]",
       "its sum does not start at 0, or has no fixed length"},
      {kA + kB + kC, "%C[i,j] = %C[i,j] + %C[i,j] + " + kSum, "%C is added twice"},
      {kA + kB + kC, "%C[i,j] = %C[0,j] + " + kSum, "%C is not a vector of 3 contiguous values"},
      {kA + kB + kC, "%C[i,j] = %C[0,0] + " + kSum, "one value of %C is added to all"},
      {kA + kB + kC + "%v:[M,3].fp32.GL ", "%C[i,j] = %v[i,j] + " + kSum,
       "the matrix %v is added, not the old value of the result"},
      {kA + kB + kC + kBias, "%C[i,j] = %v[j] + %v[j] + " + kSum, "two vectors are added, %v and %v"},
      {kA + kB + kC + kBias, "%C[i,j] = %v[j/2] + " + kSum, "%v is added, but is not a bias of the columns"},
      {kA + kB + kC + kBias, "%C[i,j] = %v[j] + %C[i,j]", "its equation has no sum of products"},
      {kA + "%B:[K,3:6,2].fp16.GL " + kC, "%C[i,j] = " + kSum, "%B is neither row-major nor column-major"},
      {kA + "%B:[K,3:3,1].fp32.GL " + kC, "%C[i,j] = " + kSum, "A and B have different types"},
  };
  for (const Row& row : rows) {
    INFO(row.tensors << row.equations);
    const Stated s = stated(row.tensors, row.equations);
    REQUIRE_FALSE(s.product.ok());
    if (!row.why.empty()) CHECK(s.product.error().message == "the library has no such product: " + row.why);
  }
}
