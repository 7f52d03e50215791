// JSON as it was written: numbers keep their text, every value its place. For this
// layer, and for sources of others that read JSON files of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ssm {

/// Where a value stands: which file or override, and where in it. Ordered as a reader meets them.
struct JsonPlace {
  int source = 0;  // index in a FaultList
  int line = 0;    // from 1; 0: the source as a whole
  int column = 0;  // bytes, from 1
  auto operator<=>(const JsonPlace&) const = default;
};

/// How a value came to stand in an object whose "type" was another when it was set.
enum class Stale {
  kNo,
  kReplaced,  // the type changed in a later file or override
  kBlock,     // the value belongs to a stack's block, the type to one of its layers
};

struct JsonMember;
struct JsonElementPatch;

/// A value, and what patching has done to it.
struct JsonValue {
  enum class Kind { kMissing, kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kMissing;
  std::string text;  // kNumber, kBool: as written; kString: its characters
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;  // in the order they were written
  JsonPlace place;

  bool bare = false;             // a word of an override, without quotes
  bool overrides = false;        // set by an override
  bool deletes = false;          // a null that takes the key away
  bool deletes_nothing = false;  // there was no such key
  Stale stale = Stale::kNo;
  std::vector<std::string> through;        // the types its object took on since it was set
  std::vector<JsonElementPatch> elements;  // overrides of single elements: "layers.0.norm=rms"
  std::vector<JsonValue> beneath;          // the number an object was laid over, if any

  bool Is(Kind k) const { return kind == k; }
  /// Whether there is nothing here, not even a patch of an element.
  bool Absent() const { return deletes || (kind == Kind::kMissing && elements.empty()); }
  const JsonValue* Find(std::string_view key) const;
  JsonMember* FindMember(std::string_view key);
  /// Appends a member of an object.
  void Add(std::string key, JsonValue value);

  static JsonValue Null();
  static JsonValue Bool(bool value);
  static JsonValue Int(int64_t value);
  /// The shortest number that reads back to the same bits; infinities as "inf" and "-inf".
  static JsonValue Real(double value);
  static JsonValue Text(std::string value);
  static JsonValue Array();
  static JsonValue Object();
};

struct JsonMember {
  std::string key;
  JsonPlace place;
  JsonValue value;
};

struct JsonElementPatch {
  int64_t index = 0;
  JsonValue patch;
};

/// Whether both would be written alike.
bool SameJson(const JsonValue& a, const JsonValue& b);

/// `text` in double quotes, escaped as JSON does.
std::string JsonQuoted(std::string_view text);
/// One line: {"a": 1, "b": [1, 2]}.
std::string JsonLine(const JsonValue& value);
/// Two-space indent, lists of scalars on one line, a trailing newline.
std::string JsonPage(const JsonValue& value);
/// For messages: as the user wrote it, cut after some 60 bytes.
std::string JsonExcerpt(const JsonValue& value);

/// `pointer` with one more step, escaped as RFC 6901 does.
std::string PointerTo(const std::string& pointer, std::string_view key);
/// "/model/block/norm" as an override names it: "model.block.norm".
std::string DottedPath(const std::string& pointer);

}  // namespace ssm
