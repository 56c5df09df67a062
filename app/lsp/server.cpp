#include "app/lsp/server.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "app/lsp/diagnostics.h"
#include "app/lsp/features.h"
#include "app/lsp/framing.h"
#include "app/lsp/inbox.h"
#include "core/base/work_budget.h"

namespace tessera::lsp {
namespace {

// Requests about a document. `waits`: for the answers to its text.
struct Feature {
  std::string_view method;
  Json (*answer)(const Known&, const Json& params);
  bool waits;
};
constexpr Feature kFeatures[] = {
    {"textDocument/completion", completionOf, false},
    {"textDocument/hover", hoverOf, true},
    {"textDocument/definition", definitionAnswer, false},
    {"textDocument/references", referencesOf, false},
    {"textDocument/documentHighlight", highlightsOf, false},
    {"textDocument/prepareRename", renamePlaceOf, false},
    {"textDocument/rename", renameOf, false},
    {"textDocument/documentSymbol", symbolsOf, true},
    {"textDocument/semanticTokens/full", tokensOf, false},
    {"textDocument/foldingRange", foldsOf, false},
    {"textDocument/inlayHint", inlayHintsOf, true},
    {"textDocument/codeAction", codeActionsOf, true},
};

Json capabilities(Encoding encoding) {
  return {
      {"positionEncoding", encoding == Encoding::Utf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
      {"completionProvider", {{"triggerCharacters", {" ", "(", ",", ".", "%", "#", "@"}}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"documentSymbolProvider", true},
      {"renameProvider", {{"prepareProvider", true}}},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix", "refactor.rewrite"}}}},
      {"inlayHintProvider", true},
      {"foldingRangeProvider", true},
      {"semanticTokensProvider",
       {{"legend", {{"tokenTypes", tokenTypes()}, {"tokenModifiers", Json::array()}}}, {"full", true}}},
  };
}

// A waiting or running request.
struct Asked {
  Json id;
  const Feature* feature = nullptr;
  Json params;
  std::string uri;
};

class Server {
 public:
  explicit Server(int output) : output_(output) {}

  int run(int input) {
    const std::jthread reader([this, input] { readMessages(input, inbox_); });
    while (!left_) {
      const Event event = inbox_.next();
      switch (event.kind) {
        case Event::Kind::Ended:
          left_ = true;
          break;
        case Event::Kind::Broken:
          fail(nullptr, Code::ParseError, event.text);
          break;
        case Event::Kind::Answered:
          answered(event.text);
          break;
        case Event::Kind::Message:
          take(*event.message);
      }
    }
    documents_.clear();  // their threads push to the inbox
    return exitCode_;
  }

 private:
  using Handler = void (Server::*)(const Json& params);

  // --- messages -----------------------------------------------------------------------------------------------------

  void send(const Json& message) { connected_ = connected_ && writeMessage(output_, bytesOf(message)); }
  void reply(const Json& id, Json result) { send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}); }
  void fail(const Json& id, Code code, const std::string& message) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", message}}}});
  }
  void notify(const char* method, Json params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
  }

  void take(const Json& message) {
    const Json* const method = findMember(message, "method");
    const Json* const id = findMember(message, "id");
    const bool request = id != nullptr && (id->is_string() || id->is_number_integer());
    if (!message.is_object() || (id != nullptr && !request && method != nullptr) ||
        (method != nullptr && !method->is_string()) || (method == nullptr && id == nullptr))
      return fail(request ? *id : Json(), Code::InvalidRequest, "a message is an object with a method");
    if (method == nullptr) return;  // a response; this server asks nothing
    const Json* const params = findMember(message, "params");
    const Json none = Json::object();
    guarded(request ? *id : Json(), [&] {
      if (request) {
        ask(*id, method->get_ref<const std::string&>(), params != nullptr ? *params : none);
      } else {
        hear(method->get_ref<const std::string&>(), params != nullptr ? *params : none);
      }
    });
  }

  // What goes wrong is the answer of the request; of a notification it is only logged.
  template <typename Body>
  void guarded(const Json& id, Body body) {
    const auto failed = [&](Code code, const std::string& why) {
      constexpr int kErrorMessage = 1;
      if (!id.is_null()) return fail(id, code, why);
      notify("window/logMessage", {{"type", kErrorMessage}, {"message", "tessera: " + why}});
    };
    try {
      body();
    } catch (const Failure& failure) {
      failed(failure.code(), failure.what());
    } catch (const OutOfBudget& end) {
      failed(Code::RequestFailed, end.what());
    } catch (const std::bad_alloc&) {
      failed(Code::InternalError, "there is not enough memory for this");
    } catch (const std::exception& error) {
      failed(Code::InternalError, fmt::format("internal error: {}; please report it", error.what()));
    }
  }

  // --- requests -----------------------------------------------------------------------------------------------------

  void ask(const Json& id, const std::string& method, const Json& params) {
    if (inbox_.takeCancelled(bytesOf(id))) return fail(id, Code::Cancelled, "cancelled");
    if (method == "initialize") return initialize(id, params);
    if (state_ == State::Fresh) return fail(id, Code::NotInitialized, "initialize is the first request");
    if (state_ == State::Down) return fail(id, Code::InvalidRequest, "the server was shut down");
    if (method == "shutdown") {
      state_ = State::Down;
      for (const Asked& waiting : std::exchange(waiting_, {})) fail(waiting.id, Code::Cancelled, "shut down");
      return reply(id, nullptr);
    }
    for (const Feature& feature : kFeatures)
      if (feature.method == method) return about({id, &feature, params, textOf(params, "textDocument.uri")});
    fail(id, Code::MethodNotFound, fmt::format("there is no method '{}'", method.substr(0, 100)));
  }

  void initialize(const Json& id, const Json& params) {
    if (state_ != State::Fresh) return fail(id, Code::InvalidRequest, "initialize was sent before");
    const auto lists = [&](std::string_view path, const char* item) {
      const Json* const list = findMember(params, path);
      return list != nullptr && list->is_array() && std::find(list->begin(), list->end(), item) != list->end();
    };
    if (lists("capabilities.general.positionEncodings", "utf-8")) encoding_ = Encoding::Utf8;
    markdown_ = lists("capabilities.textDocument.hover.contentFormat", "markdown");
    const Json* const status = findMember(params, "initializationOptions.status");
    status_ = status != nullptr && *status == true;
    state_ = State::Running;
    reply(id, {{"capabilities", capabilities(encoding_)},
               {"serverInfo", {{"name", "tessera"}, {"version", TESSERA_VERSION}}}});
  }

  void about(Asked asked) {
    const auto document = documents_.find(asked.uri);
    if (document == documents_.end())
      return fail(asked.id, Code::InvalidParams, fmt::format("'{}' is not open", asked.uri.substr(0, 200)));
    const Known known = knownOf(*document->second);
    if (known.tooLarge) return reply(asked.id, nullptr);
    if (asked.feature->waits && !known.current) {
      waiting_.push_back(std::move(asked));
      return;
    }
    reply(asked.id, asked.feature->answer(known, asked.params));
  }

  // Those of a document, which no longer wait.
  std::vector<Asked> takeWaiting(const std::string& uri) {
    std::vector<Asked> taken, rest;
    for (Asked& a : waiting_) (a.uri == uri ? taken : rest).push_back(std::move(a));
    waiting_ = std::move(rest);
    return taken;
  }
  void endWaiting(const std::string& uri) {
    for (const Asked& a : takeWaiting(uri)) fail(a.id, Code::ContentModified, "the text has changed");
  }

  // --- notifications ------------------------------------------------------------------------------------------------

  void hear(const std::string& method, const Json& params) {
    if (method == "exit") {
      exitCode_ = state_ == State::Down ? 0 : 1;
      left_ = true;
    }
    if (state_ != State::Running) return;
    static constexpr std::pair<std::string_view, Handler> kHandlers[] = {
        {"textDocument/didOpen", &Server::opened},
        {"textDocument/didChange", &Server::changed},
        {"textDocument/didClose", &Server::closed},
        {"$/cancelRequest", &Server::cancelled},
    };
    for (const auto& [name, handler] : kHandlers)
      if (name == method) return (this->*handler)(params);
  }

  void opened(const Json& params) {
    const Json& item = memberOf(params, "textDocument");
    const std::string uri = textOf(item, "uri");
    std::string text = textOf(item, "text");
    const i64 version = integerOf(item, "version");
    const Json* const language = findMember(item, "languageId");
    const bool program = uri.ends_with(".graphene") || (language != nullptr && *language == "graphene");
    endWaiting(uri);
    auto& document = documents_[uri];
    document.reset();
    document = std::make_unique<OpenDocument>(uri, program ? Language::Program : Language::Sheet, [this, uri] {
      inbox_.push({Event::Kind::Answered, nullptr, uri});
    });
    document->change(Text(std::move(text), encoding_), version);
    if (document->known().tooLarge) publish(document->known());
  }

  void changed(const Json& params) {
    const std::string uri = textOf(params, "textDocument.uri");
    const auto document = documents_.find(uri);
    if (document == documents_.end()) return;
    const Json& changes = memberOf(params, "contentChanges");
    if (!changes.is_array()) throw Failure(Code::InvalidParams, "contentChanges: expected an array");
    endWaiting(uri);
    const Known before = document->second->known();
    Text text = *before.text;
    for (const Json& change : changes) {
      std::string with = textOf(change, "text");
      const Json* const range = findMember(change, "range");
      const bool part = range != nullptr && !range->is_null();
      text = part ? text.replaced(spanOf(*range, text), with) : Text(std::move(with), encoding_);
    }
    const Json* const version = findMember(params, "textDocument.version");
    const bool given = version != nullptr && version->is_number_integer();  // null in older clients
    document->second->change(std::move(text), given ? version->get<i64>() : before.version + 1);
    if (document->second->known().tooLarge) publish(document->second->known());
  }

  void closed(const Json& params) {
    const std::string uri = textOf(params, "textDocument.uri");
    endWaiting(uri);
    if (documents_.erase(uri) == 0) return;
    notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  }

  void cancelled(const Json& params) {
    const Json& id = memberOf(params, "id");
    (void)inbox_.takeCancelled(bytesOf(id));
    const auto at = std::find_if(waiting_.begin(), waiting_.end(), [&](const Asked& a) { return a.id == id; });
    if (at == waiting_.end()) return;
    waiting_.erase(at);
    fail(id, Code::Cancelled, "cancelled");
  }

  // --- answers ------------------------------------------------------------------------------------------------------

  Known knownOf(const OpenDocument& document) const {
    Known known = document.known();
    known.markdown = markdown_;
    return known;
  }

  void answered(const std::string& uri) {
    const auto document = documents_.find(uri);
    if (document == documents_.end()) return;
    const Known known = knownOf(*document->second);
    if (!known.current) return;
    for (Asked& a : takeWaiting(uri)) {
      const Json id = a.id;
      guarded(id, [&] { about(std::move(a)); });
    }
    // The intermediate states of a long sheet are not worth the editor's time.
    constexpr std::size_t kLong = 2000;
    if (known.snapshot->complete || known.snapshot->outcomes.size() <= kLong) guarded(nullptr, [&] { publish(known); });
    if (status_) notify("$/tessera/status", statusOf(known));
  }

  void publish(const Known& known) {
    notify("textDocument/publishDiagnostics",
           {{"uri", known.uri}, {"version", known.version}, {"diagnostics", diagnosticsOf(known)}});
  }

  static Json statusOf(const Known& known) {
    const Snapshot::Count count = known.snapshot->count();
    return {{"uri", known.uri},           {"version", known.version}, {"complete", known.snapshot->complete},
            {"proved", count.proved},     {"refuted", count.refuted}, {"unknown", count.unknown},
            {"problems", count.problems}, {"pending", count.pending}, {"tasks", count.tasks},
            {"solved", count.solved}};
  }

  enum class State : unsigned char { Fresh, Running, Down };

  const int output_;
  Inbox inbox_;
  State state_ = State::Fresh;
  bool left_ = false, connected_ = true;
  int exitCode_ = 1;
  Encoding encoding_ = Encoding::Utf16;
  bool markdown_ = false, status_ = false;
  std::map<std::string, std::unique_ptr<OpenDocument>> documents_;
  std::vector<Asked> waiting_;
};

}  // namespace

int serve(int input, int output) { return Server(output).run(input); }

}  // namespace tessera::lsp
