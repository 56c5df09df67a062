// Measurements as JSON: {"ok":true,"kind":"measurement","on":"device","device":{...},"us":{"median":41.2,...},...}

#include "app/cli/commands/measure.h"
#include "app/engine/json_writer.h"

namespace tessera {
namespace {

using namespace measure;

void addSizes(JsonWriter& json, const std::map<std::string, i64>& sizes) {
  json.key("sizes").beginObject();
  for (const auto& [name, value] : sizes) json.member(name, value);
  json.endObject();
}

void addChecks(JsonWriter& json, const std::vector<Comparison>& checks) {
  json.key("checks").beginArray();
  for (const Comparison& c : checks) {
    json.beginObject().member("output", c.output).member("elements", c.elements).member("compared", c.compared);
    if (c.compared > 0) {
      json.member("good", c.good).member("relativeError", c.relativeError).member("unwritten", c.unwritten);
      json.key("worst").beginObject().member("coordinate", c.coordinate);
      json.member("expected", c.expected).member("actual", c.actual).endObject();
    } else {
      json.member("why", c.why);
    }
    json.endObject();
  }
  json.endArray();
}

void addWork(JsonWriter& json, const measure::Work& work) {
  json.key("work").beginObject().member("bytesRead", work.bytesRead).member("bytesWritten", work.bytesWritten);
  json.member("matrixOperations", work.products).member("otherOperations", work.others);
  json.member("conditional", work.conditional).endObject();
}

void addDevice(JsonWriter& json, const Measurement& m) {
  const DeviceInfo& d = m.device;
  json.key("device").beginObject().member("name", d.name).member("architecture", d.architecture());
  json.member("driver", d.driver()).member("memoryBytes", d.memoryBytes).member("multiprocessors", d.multiprocessors);
  json.member("clockKilohertz", d.clockKilohertz).member("memoryClockKilohertz", d.memoryClockKilohertz);
  json.member("cacheBytes", d.cacheBytes).endObject();
  json.member("architecture", m.architecture).member("compiler", m.compiler).member("date", m.date);
  json.key("kernels").beginArray();
  for (const KernelReport& k : m.kernels) {
    json.beginObject().member("name", k.name).member("threads", k.threads).member("registers", k.registers);
    json.member("localBytes", k.localBytes).member("sharedBytes", k.sharedBytes);
    if (k.spillStores >= 0) json.member("spillStores", k.spillStores).member("spillLoads", k.spillLoads);
    json.member("blocksPerMultiprocessor", k.blocksPerMultiprocessor).endObject();
  }
  json.endArray();
}

void addTime(JsonWriter& json, const Measurement& m) {
  if (m.time.count > 0) {
    json.key("us").beginObject().member("median", m.time.median).member("lower", m.time.lower);
    json.member("upper", m.time.upper).member("least", m.time.least).member("most", m.time.most);
    json.member("runs", m.time.count)
        .member("launchesPerRun", m.time.launchesPerRun)
        .member("copies", m.time.copies)
        .member("graph", m.time.graph)
        .member("busyUs", m.time.busyMicroseconds)
        .member("lateRuns", m.time.lateRuns)
        .member("setBytes", m.time.setBytes)
        .member("timedBy", methodText(m.time))
        .member("inputs", inputsText(m.time, m.device.cacheBytes));
    if (!m.time.note.empty()) json.member("note", m.time.note);
    json.endObject();
  }
  json.key("roofline").beginObject().member("memoryUs", m.roofline.memoryMicroseconds);
  json.member("computeUs", m.roofline.computeMicroseconds).member("us", m.roofline.microseconds());
  json.member("bound", m.roofline.bound()).member("peak", m.roofline.peak).endObject();
}

void addPtx(JsonWriter& json, const SecondOpinion& o) {
  json.key("ptx").beginObject();
  if (!o.failure.empty()) {
    json.member("notRun", o.failure);
  } else {
    json.member("verdict", nameOf(o.run.verdict)).member("finding", o.run.finding);
    json.member("wavefronts", o.run.total.wavefronts).member("sectors", o.run.total.sectors);
    json.member("bounds", o.run.bounds).member("threadInstructions", o.run.threadInstructions);
    addChecks(json, o.checks);
  }
  json.endObject();
}

void addEmulated(JsonWriter& json, const Emulated& e) {
  json.member("architecture", e.architecture);
  if (!e.compiled.by.empty()) json.member("compiler", e.compiled.by);
  if (!e.compiled.failure.empty()) json.member("notCompiled", e.compiled.failure);
  json.key("kernels").beginArray();
  for (const Resources& r : e.compiled.resources) {
    json.beginObject().member("name", r.kernel).member("registers", r.registers).member("sharedBytes", r.sharedBytes);
    json.member("spillStores", r.spillStores).member("spillLoads", r.spillLoads).endObject();
  }
  json.endArray().key("counts").beginObject().member("instructions", e.total.executions);
  json.member("wavefronts", e.total.wavefronts).member("idealWavefronts", e.total.idealWavefronts);
  json.member("sectors", e.total.sectors).member("idealSectors", e.total.idealSectors).endObject();
  if (!e.stopped.empty()) json.member("stopped", e.stopped);
  if (e.ptx) addPtx(json, *e.ptx);
}

}  // namespace

std::string jsonOf(const MeasuredProgram& m, const std::string& file) {
  JsonWriter json;
  const auto& checks = m.device ? m.device->checks : m.emulated->checks;
  const std::string& wrong = m.device ? m.device->wrong : m.emulated->wrong;
  json.beginObject().member("ok", true).member("kind", "measurement").member("text", summaryOf(m));
  json.member("file", file).member("on", m.device ? "device" : "emulator");
  if (!m.device) json.member("noDevice", m.noDevice);
  json.member("right", wrong.empty() && comparedAny(m)).member("wrong", wrong);
  json.member("seed", m.device ? m.device->seed : m.emulated->seed);
  addSizes(json, m.device ? m.device->sizes : m.emulated->sizes);
  m.device ? addDevice(json, *m.device) : addEmulated(json, *m.emulated);
  addChecks(json, checks);
  if (m.device) addTime(json, *m.device);
  addWork(json, m.device ? m.device->work : m.emulated->work);
  return json.endObject().take();
}

}  // namespace tessera
