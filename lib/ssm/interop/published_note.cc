#include "ssm/interop/published_note.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/io/safetensors_header.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "ssm-published-1";
constexpr DType kFloats[] = {DType::kF64, DType::kF32, DType::kF16, DType::kBF16};

}  // namespace

std::string PublishedNoteText(const PublishedNote& note) {
  Json tensors = Json::object();
  for (const auto& [name, dtype] : note.tensors) tensors[name] = InfoOf(dtype).name;
  const Json json = {{"format", kFormat},
                     {"family", note.family},
                     {"sha256", note.sha256},
                     {"context", note.context},
                     {"tensors", tensors}};
  return json.dump(2) + "\n";
}

PublishedNote ReadPublishedNote(const std::string& path) {
  constexpr int64_t kLargest = int64_t{1} << 26;
  const Json json = Json::parse(ReadFile(path, kLargest), nullptr, false);
  PublishedNote note;
  try {
    if (json.at("format") != kFormat) throw Json::other_error::create(0, "", nullptr);
    note.family = json.at("family");
    note.sha256 = json.at("sha256");
    note.context = json.at("context");
    for (const auto& [name, word] : json.at("tensors").items()) {
      for (const DType dtype : kFloats) {
        if (word == InfoOf(dtype).name) note.tensors[name] = dtype;
      }
    }
  } catch (const Json::exception&) {
    Fail(ExitCode::kBadData, fmt::format("{} is no note of an import.", QuotePath(path)));
  }
  return note;
}

}  // namespace ssm
