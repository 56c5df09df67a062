#include "support.h"

#include <chrono>
#include <future>
#include <thread>

namespace tessera_python {
namespace {

PyObject* errorType = nullptr;

constexpr const char* kErrorDoc =
    "A fault in a text or in a value. str() is the message with the faulty piece underlined.\n\n"
    "Attributes: message, expected, hint, line, column, begin, end (bytes).";

}  // namespace

void addError(nb::module_& m) {
  errorType = PyErr_NewExceptionWithDoc("tessera.Error", kErrorDoc, PyExc_ValueError, nullptr);
  if (errorType == nullptr) throw nb::python_error();
  m.attr("Error") = nb::handle(errorType);
}

void raise(const ts::Error& error) {
  // A cut in the middle of a character, or bytes of the input that are not UTF-8, must not hide the message.
  const auto text = [](const std::string& s) {
    return nb::steal(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace"));
  };
  nb::object instance = nb::handle(errorType)(text(error.marked()));
  instance.attr("message") = text(error.message);
  instance.attr("expected") = text(error.expected);
  instance.attr("hint") = text(error.hint);
  instance.attr("line") = error.line;
  instance.attr("column") = error.column;
  instance.attr("begin") = error.begin;
  instance.attr("end") = error.end;
  PyErr_SetObject(errorType, instance.ptr());
  throw nb::python_error();
}

void runWithSignals(const std::function<void(const ts::CancelFlag&)>& body) {
  const ts::CancelFlag flag;
  std::future<void> running = std::async(std::launch::async, [&] { body(flag); });
  for (;;) {
    {
      const nb::gil_scoped_release release;
      if (running.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready) break;
    }
    if (PyErr_CheckSignals() == 0) continue;
    nb::python_error interrupt;  // takes the exception of the handler
    flag.raise();
    {
      const nb::gil_scoped_release release;
      running.wait();
    }
    throw interrupt;
  }
  running.get();
}

ts::Names namesOf(const nb::dict& names) {
  ts::Names out;
  for (const auto [name, layout] : names) {
    if (!nb::isinstance<ts::Layout>(layout)) {
      const std::string text = nb::cast<std::string>(name) + " is no Layout";
      throw nb::type_error(text.c_str());
    }
    out.emplace_back(nb::cast<std::string>(name), nb::cast<const ts::Layout&>(layout));
  }
  return out;
}

ts::Numbers numbersOf(const nb::args& args) {
  ts::Numbers out;
  const auto append = [&](nb::handle item) {
    const nb::object index = nb::steal(PyNumber_Index(item.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    const long long value = PyLong_AsLongLong(index.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    out.push_back(value);
  };
  if (args.size() == 1 && (PyTuple_Check(args[0].ptr()) != 0 || PyList_Check(args[0].ptr()) != 0)) {
    for (const nb::handle item : nb::borrow<nb::sequence>(args[0])) append(item);
    return out;
  }
  out.reserve(args.size());
  for (const nb::handle item : args) append(item);
  return out;
}

}  // namespace tessera_python

NB_MODULE(_engine, m) {
  namespace nb = nanobind;
  namespace tp = tessera_python;
  m.doc() = "The engine of Tessera: its public C++ API (include/tessera/tessera.h).";
  m.attr("__version__") = std::string(tessera::api::version());
  nb::set_leak_warnings(false);  // modules of the user keep layouts until the interpreter has ended
  tp::addError(m);
  tp::addLayouts(m);
  tp::addProofs(m);
  tp::addKernels(m);
  tp::addModules(m);
}
