// Graphene's tensors as values of the language: the rows of tests/cases/graphene.jsonl as a user types them, the
// functions, the claims, and the messages for typos.
#include "tests/support/ask.h"
#include "tests/support/cases.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

std::string said(const std::string& text) { return ask(text).text; }

// The operations of "%1.tile([8,8])" after the base.
std::string applied(const Json& row) {
  const std::string expression = row["expr"];
  const std::size_t name = expression.find_first_of(".[");
  return row["base"].get<std::string>() + (name == std::string::npos ? "" : expression.substr(name));
}

}  // namespace

TEST_CASE("the rows of graphene.jsonl, typed") {
  int typed = 0;
  for (const Json& row : rowsOf("graphene.jsonl")) {
    const std::string kind = row["kind"];
    INFO(row.dump());
    ++typed;
    if (kind == "address") {
      CHECK(said(applied(row)) == row["result"]["text"]);
      for (const Json& c : row["cases"]) {
        std::string call = "address(" + applied(row);
        for (const Json& level : c["coords"]) call += ", " + tupleText(level);
        CHECK(said(call + ")") == c["address"].dump());
      }
    } else if (kind == "to_axe") {
      const std::string axe = said("to_axe(" + row["tensor"].get<std::string>() + ")");
      CHECK(axe.substr(0, axe.find(" over")) == row["expect"]);
    } else if (kind == "indices") {
      for (const Json& v : row["values"]) {
        const std::string coordinates = said("(" + applied(row) + ")(" + v["tid"].dump() + ")");
        std::string wanted;
        for (const Json& level : v["indices"])
          for (const Json& dim : level) wanted += (wanted.empty() ? "" : ",") + std::to_string(dim[0].get<i64>());
        if (v["indices"][0][0].size() == 1 && v["indices"].back()[0].size() == 1)
          CHECK((coordinates == wanted || coordinates == "(" + wanted + ")"));
      }
    } else if (kind == "partial") {
      CHECK(said("predicate(" + applied(row) + ")").find(" < ") != std::string::npos);
      CHECK(said("surjective(" + applied(row) + ")").find("0") != 0);
    } else if (kind == "simplify") {
      std::string call = "simplify(" + row["expr"].get<std::string>(), ranges, names;
      for (const auto& [name, range] : row["ranges"].items()) {
        const std::string most = std::to_string(range[1].get<i64>() - 1);
        ranges += ", " + name + " in [" + range[0].dump() + ", " + most + "]";
        names += (names.empty() ? "" : ", ") + name;
      }
      const std::string simpler = said(call + ranges + ")");
      // The same function as the case's, and no longer than it was.
      const std::string head = "(" + names + ") -> (", tail = "), domain: " + ranges.substr(2);
      INFO(simpler);
      CHECK(ask("equal(" + head + simpler + tail + ", " + head + row["expect"].get<std::string>() + tail + ")").truth ==
            Truth::Proved);
      CHECK(simpler.size() <= row["expr"].get<std::string>().size());
    } else {
      --typed;
    }
  }
  CHECK(typed > 25);
}

TEST_CASE("tensors are bound by name, tiled by functions, and asked as every layout") {
  CHECK(askAll("D = %D:[(2,2),(2,4):(1,4),(2,8)].fp32.GL\naddress(%D.tile([2:1],[4:1]), (0,0), (1,3))").text == "11");
  CHECK(askAll("w = #w:[32:1].thread\n#w.tile([(4,2):(1,16)])").text == "#w:[4:4].[(4,2):(1,16)].thread");
  CHECK(said("tile(%A:[8,8].fp16.SH, _, [(2,2):(1,4)])") == "%A:[1,2:0,2].[8,(2,2):8,(1,4)].fp16.SH");
  CHECK(said("tile(#w:[32:1].thread, 8)") == "#w:[4:8].[8:1].thread");
  CHECK(said("reshape(#w:[4:8].[8:1].thread, 0, (2,2))") == "#w:[2,2:16,8].[8:1].thread");
  CHECK(said("reshape(#w:[4:8].[8:1].thread, 0, (2,2):(1,2))") == "#w:[2,2:8,16].[8:1].thread");
  CHECK(said("scalar(#w:[4:8].[8:1].thread)") == "#w:[].thread");
  CHECK(said("predicate(%v:[1023:1].fp32.GL.tile(128))") == "c0*128+c1 < 1023");
  CHECK(said("predicate(%v:[1024:1].fp32.GL.tile(128))") == "true");
  CHECK(said("address(%A:[1024,1024:1,1024].fp16.GL.tile([128:1],_)[@bm,0], (@m,3))").find("'@") != std::string::npos);
  CHECK(said("size(%A:[4,8:8,1].fp32.GL)") == "32");
  CHECK(said("to_cute(%C:[4,(2,4):2,(1,8)].fp32.GL)") == "(4,(2,4)):(2,(1,8))");
  CHECK(said("indices(#w:[32:1].thread.tile([8:1]))") ==
        "(tid) -> (i0: tid floordiv 8 mod 4, i1: tid mod 8), domain: tid in [0, 31]");
}

TEST_CASE("claims know the padding of partial tiles and the element type") {
  const auto truth = [](const std::string& claim) { return ask(claim).truth; };
  CHECK(truth("injective(%v:[1023:1].fp32.GL.tile(128))") == Truth::Proved);
  CHECK(truth("surjective(%v:[1023:1].fp32.GL.tile(128), 1023)") == Truth::Proved);
  CHECK(truth("equal(%B:[4,8:8,1].fp32.GL, (4,8):(8,1))") == Truth::Proved);
  CHECK(truth("equal(%A:[4,8:1,4].fp32.GL, (4,8):(8,1))") == Truth::Refuted);
  CHECK(truth("conflict_free(%A:[32,33:33,1].fp32.SH, st.shared.column)") == Truth::Proved);
  CHECK(truth("conflict_free(%A:[32,32:32,1].fp32.SH, st.shared.column)") == Truth::Refuted);
  CHECK(truth("bijective(#w:[32:1].thread.tile([8:1]))") == Truth::Proved);
}

TEST_CASE("what is wrong with a tensor is named where it is") {
  const auto outcome = [](const std::string& text) {
    Scope scope;
    return runStatement(splitStatements(text).at(0), scope);
  };
  const Outcome range = outcome("%A:[4,8:1,4].fp32.GL[4,0]");
  REQUIRE(range.diag);
  CHECK(range.diag->message == "index out of range: 4 in dimension 0");
  CHECK(range.diag->span == Span{20, 25});
  CHECK(said("%B.tile(8)").find("'%") != std::string::npos);
  CHECK(said("injective(%A:[M,N:N,1].fp32.GL)") == "M is not known, so this tensor has no table");
  CHECK(said("tile((4,8):(8,1), [2:1], [4:1])").find("Graphene") == std::string::npos);  // Axe's tile
  CHECK(said("indices(%A:[4,8].fp32.GL)") == "indices() of data");
  CHECK(said("indices(4:1)") == "argument 1 of indices is a layout");
}
