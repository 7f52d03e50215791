#include "ssm/config/base_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/config/config_limits.h"
#include "ssm/config/json_text.h"
#include "ssm/config/patch.h"

namespace ssm {
namespace {

using Kind = JsonValue::Kind;

// One file of the chain.
struct Link {
  JsonValue object;
  std::optional<JsonValue> base;  // the value of its key "base"
};

// Takes a key out that belongs to the file, not to the config.
std::optional<JsonValue> TakeKey(JsonValue& object, std::string_view key, FaultList& faults) {
  JsonMember* member = object.FindMember(key);
  if (member == nullptr) return std::nullopt;
  JsonValue value = std::move(member->value);
  object.members.erase(object.members.begin() + (member - object.members.data()));
  if (value.Is(Kind::kString)) return value;
  faults.Add(value.place, PointerTo("", key),
             "found " + JsonExcerpt(value) + "; allowed: a string, the path of a file");
  return std::nullopt;
}

Link ReadLink(const std::string& text, int source, FaultList& faults) {
  JsonDocument document = ParseJsonText(text, source);
  for (const DuplicateKey& key : document.duplicates) {
    faults.Add(key.place, key.pointer,
               fmt::format("found the key a second time, with {}; allowed: once (the first is at "
                           "line {})",
                           key.value, key.first.line));
  }
  if (document.error) {
    faults.Add(document.error->place, "", "not JSON: " + document.error->sentence);
    faults.Throw();
  }
  Link link;
  link.object = std::move(document.root);
  if (!link.object.Is(Kind::kObject)) {
    faults.Add(link.object.place, "",
               "found " + JsonExcerpt(link.object) + "; allowed: one object");
    faults.Throw();
  }
  TakeKey(link.object, "$schema", faults);
  const bool named = link.object.Find("base") != nullptr;
  link.base = TakeKey(link.object, "base", faults);
  if (named && !link.base) faults.Throw();  // without its base it lacks what it may rely on
  return link;
}

std::string Beside(const std::string& file, const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).lexically_normal().string();
}

// The same for all names of one file.
std::string Identity(const std::string& path) {
  std::error_code error;
  const auto canonical = std::filesystem::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

std::string ReadBase(const std::string& path, const JsonValue& base, const FaultList& faults) {
  try {
    return ReadFile(path, kLargestConfig);
  } catch (const Error& error) {
    const JsonPlace& place = base.place;
    throw Error(error.code(),
                fmt::format("{}:{}:{}: /base: {} A base is sought beside the file that names it.",
                            OneLine(faults.SourceName(place.source)), place.line, place.column,
                            error.what()));
  }
}

}  // namespace

JsonValue ReadBaseChain(const std::string& text, const std::string& name, FaultList& faults) {
  std::vector<Link> links;
  std::vector<std::string> identities = {Identity(name)};
  std::string path = name;
  links.push_back(ReadLink(text, faults.AddSource(name), faults));
  while (links.back().base) {
    const JsonValue& base = *links.back().base;
    path = Beside(path, base.text);
    const std::string identity = Identity(path);
    if (std::find(identities.begin(), identities.end(), identity) != identities.end()) {
      std::string circle;
      for (size_t i = 0; i < links.size(); ++i) {
        circle += faults.SourceName(static_cast<int>(i)) + " -> ";
      }
      faults.Add(base.place, "/base",
                 fmt::format("found {}, which closes a circle: {}{}; allowed: a chain of bases "
                             "that ends",
                             Quote(base.text), circle, path));
      faults.Throw();
    }
    identities.push_back(identity);
    const std::string base_text = ReadBase(path, base, faults);
    links.push_back(ReadLink(base_text, faults.AddSource(path), faults));
  }
  JsonValue result = std::move(links.back().object);
  for (size_t i = links.size() - 1; i > 0; --i) {
    ApplyPatch(result, std::move(links[i - 1].object), PatchKind::kFile);
  }
  return result;
}

}  // namespace ssm
