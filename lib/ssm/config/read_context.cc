#include "ssm/config/read_context.h"

#include <fmt/format.h>

#include <utility>

#include "ssm/base/text.h"
#include "ssm/config/field_paths.h"
#include "ssm/config/field_words.h"

namespace ssm {
namespace {

constexpr size_t kMostSuggestions = 3;
constexpr size_t kMostUnknown = 1000;  // searched for near names; hostile input has millions

void Suggest(std::vector<std::string>& suggestions, const std::string& name) {
  for (const std::string& suggestion : suggestions) {
    if (suggestion == name) return;
  }
  if (suggestions.size() < kMostSuggestions) suggestions.push_back(Quote(name));
}

// Near names in the same object first, then the same name elsewhere, then near names elsewhere.
std::string Suggestion(const UnknownKey& unknown, const std::vector<FieldPath>& paths) {
  std::vector<std::string> suggestions;
  const std::string near = NearestName(unknown.key, unknown.allowed);
  if (!near.empty()) Suggest(suggestions, near);
  for (const FieldPath& path : paths) {
    if (path.leaf == unknown.key && path.dotted != DottedPath(unknown.pointer)) {
      Suggest(suggestions, path.dotted);
    }
  }
  if (suggestions.empty()) {
    std::vector<std::string> leaves;
    for (const FieldPath& path : paths) leaves.push_back(path.leaf);
    const std::string leaf = NearestName(unknown.key, leaves);
    for (const FieldPath& path : paths) {
      if (!leaf.empty() && path.leaf == leaf) Suggest(suggestions, path.dotted);
    }
  }
  return suggestions.empty() ? "" : fmt::format("; did you mean {}?", Join(suggestions, " or "));
}

std::string Found(const UnknownKey& unknown) {
  return fmt::format("found the unknown key {}: {}", Quote(unknown.key), unknown.value);
}

std::string Sentence(const UnknownKey& unknown, const std::vector<FieldPath>& paths) {
  std::string sentence = Found(unknown);
  sentence += unknown.allowed.empty() ? "; allowed: no keys here"
                                      : "; allowed: " + Join(unknown.allowed, ", ");
  if (unknown.types.empty()) return sentence + Suggestion(unknown, paths);
  const bool several = unknown.types.size() > 1;
  return sentence + fmt::format("; {} is a key of the type{} {}", Quote(unknown.key),
                                several ? "s" : "", QuotedList(unknown.types));
}

}  // namespace

void ReadContext::Fault(const Where& where, const std::string& sentence) {
  ++faults_met_;
  if (muted_.count(where.place) > 0) return;
  faults_.Add(where.place, where.pointer, sentence);
}

void ReadContext::Unknown(UnknownKey unknown) {
  ++faults_met_;
  if (muted_.count(unknown.place) > 0) return;
  if (unknown_.size() < kMostUnknown) {
    unknown_.push_back(std::move(unknown));
  } else {
    faults_.Add(unknown.place, unknown.pointer, Found(unknown));
  }
}

std::set<JsonPlace> ReadContext::MuteKnown() {
  std::set<JsonPlace> places = faults_.Places();
  places.insert(muted_.begin(), muted_.end());
  for (const UnknownKey& unknown : unknown_) places.insert(unknown.place);
  return std::exchange(muted_, std::move(places));
}

void ReadContext::Dropped(const Where& where) {
  dropped_.push_back({where.pointer, faults_.SourceName(where.place.source)});
}

void ReadContext::ReportUnknown(Configurable& root) {
  if (unknown_.empty()) return;
  const std::vector<FieldPath> paths = FieldPaths(root);
  for (const UnknownKey& unknown : unknown_) {
    faults_.Add(unknown.place, unknown.pointer, Sentence(unknown, paths));
  }
  unknown_.clear();
}

}  // namespace ssm
