#include "app/engine/program/certificate_json.h"

#include "app/engine/json_writer.h"

namespace tessera {
namespace {

void addForm(JsonWriter& json, const graphene::LinearForm& form) {
  json.beginObject();
  for (const auto& [monomial, coefficient] : form.terms) json.member(graphene::print(monomial), coefficient);
  json.endObject();
}

void addProof(JsonWriter& json, const graphene::Refutation& proof) {
  json.beginObject();
  if (proof.below) {
    addForm(json.key("split"), proof.split);
    json.member("at", proof.at);
    addProof(json.key("below"), *proof.below);
    addProof(json.key("above"), *proof.above);
  } else {
    json.key("sum").beginArray();
    for (const auto& [number, multiplier] : proof.multipliers)
      json.beginArray().value(number).value(multiplier).endArray();
    json.endArray();
  }
  json.endObject();
}

void addChoice(JsonWriter& json, const graphene::ChosenInstance& c) {
  json.beginObject();
  if (!c.test.empty()) {
    json.member("if", c.test);
    addChoice(json.key("then"), c.parts[0]);
    addChoice(json.key("else"), c.parts[1]);
  } else {
    json.member("site", c.site).key("values").beginObject();
    for (const auto& [name, value] : c.values) json.member(name, value);
    json.endObject();
  }
  json.endObject();
}

void addObligation(JsonWriter& json, const graphene::ObligationCertificate& o) {
  json.key(label(o.obligation)).beginObject();
  if (!o.complete) {
    json.member("open", o.open).endObject();
    return;
  }
  json.key("choices").beginObject();
  for (const graphene::ChosenInstance& c : o.choices) addChoice(json.key(c.name), c);
  json.endObject().key("goals").beginObject();
  for (const graphene::CertifiedGoal& goal : o.goals) {
    json.key(goal.name).beginObject().key("uses").beginArray();
    for (std::size_t k = 0; k < goal.why.uses.size(); ++k) {
      const auto factors = goal.products.find(k);
      if (factors == goal.products.end()) {
        addForm(json, goal.why.uses[k]);
        continue;
      }
      json.beginArray();
      addForm(json, factors->second.first);
      addForm(json, factors->second.second);
      json.endArray();
    }
    json.endArray().key("proof");
    addProof(json, goal.why.proof);
    json.endObject();
  }
  json.endObject().endObject();
}

}  // namespace

std::string certificateJson(const graphene::Certificate& certificate, std::string_view program,
                            const std::map<std::string, i64>& sizes) {
  const LineIndex index(program);
  JsonWriter json;
  json.beginObject().member("format", "tessera-certificate").member("version", 3).member("program", program);
  const bool expanded = !certificate.expanded.empty();  // with numbers for the sizes
  json.key("expanded");
  expanded ? json.value(certificate.expanded) : json.null();
  json.key("sizes").beginObject();
  if (!expanded)
    for (const auto& [name, value] : sizes) json.member(name, value);
  json.endObject().key("kernels").beginArray();
  for (const graphene::KernelCertificate& kernel : certificate.kernels) {
    json.beginObject().member("line", index.at(kernel.span.begin).line).member("specification", kernel.spec);
    json.key("obligations").beginObject();
    for (const graphene::ObligationCertificate& o : kernel.obligations) addObligation(json, o);
    json.endObject().endObject();
  }
  json.endArray().endObject();
  return json.take() + "\n";
}

}  // namespace tessera
