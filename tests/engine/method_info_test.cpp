// Every method that the prover names has a sentence, and the sentence says how certain the verdict is.
#include "app/engine/help/method_info.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/run_document.h"

using namespace tessera;

TEST_CASE("every method has a sentence") {
  const char* const kText = R"(
A = (64,64):(64,1)
S = Sw<3,3,3> o A
prove bijective(A)
prove injective(S)
prove injective((4,2):(1,2))
prove surjective(A, 9000)
prove equal(composition(A, (64,64):(1,64)), A)
prove conflict_free(S, ldmatrix.x4, fp16)
prove conflict_free(A, ldmatrix.x4, fp16)
prove injective((3,5):(7,2)) by exhaustive
prove injective((N,8):(8,1))
prove equal((N,8):(8,1), (N,8):(8,1))
prove in_bounds((N,8):(8,1), 8*N)
prove roundtrip(S)
f(i, j) = i * 64 + (j ^ (i & 7)) over (64, 64)
prove injective(f) by z3
prove race_free(f, f)
)";
  std::set<std::string> methods;
  for (const Outcome& o : runDocument(kText)) {
    if (!o.verdict || o.verdict->method.empty()) continue;
    methods.insert(o.verdict->method);
    INFO(o.statement.text << " by " << o.verdict->method);
    const std::string info = methodInfo(*o.verdict);
    CHECK_FALSE(info.empty());
    if (o.verdict->truth == Truth::Proved)
      CHECK((info.find("exact") != std::string::npos || info.find("as certain as Z3") != std::string::npos));
    if (o.verdict->truth == Truth::Refuted && o.verdict->counterexample)
      CHECK(info.find("evaluated again") != std::string::npos);
    CHECK(info.back() == '.');
  }
  CHECK(methods.size() >= 4);
  CHECK(methodInfo({}).empty());
}
