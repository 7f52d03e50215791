#include "ssm/config/json_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ssm/base/text.h"

namespace ssm {
namespace {

using Inside = JsonSyntaxContext::Inside;

// The bytes of a token for people: up to the next blank or delimiter.
std::string_view WordAt(std::string_view text, size_t start) {
  const size_t end = text.find_first_of(" \t\r\n,:[]{}\"", start);
  if (end == start) return text.substr(start, 1);
  return text.substr(start, end == std::string_view::npos ? end : end - start);
}

std::string Lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Quotes that other languages and word processors use.
bool IsForeignQuote(std::string_view word) {
  for (const char* quote : {"'", "`", "\u2018", "\u2019", "\u201C", "\u201D"}) {
    if (word.starts_with(quote)) return true;
  }
  return false;
}

// Words of other languages and what JSON says instead.
std::string WordHint(std::string_view word) {
  const std::string lower = Lower(word);
  for (const char* exact : {"true", "false", "null"}) {
    if (lower == exact) return fmt::format("; write {}", exact);
  }
  if (lower == "none" || lower == "nil" || lower == "undefined") return "; write null, or \"none\"";
  if (lower == "nan" || lower == "-nan") return "; JSON has no NaN, and no field takes one";
  if (lower == "inf" || lower == "infinity" || lower == "+inf" || lower == "-inf" ||
      lower == "-infinity") {
    return "; JSON has no infinity: write \"inf\" where a field allows it";
  }
  if (IsForeignQuote(word)) return "; strings and keys take plain double quotes (\")";
  if (word.starts_with('#')) return "; comments start with //";
  const char first = word.empty() ? ' ' : word[0];
  if (std::isdigit(static_cast<unsigned char>(first)) || first == '-' || first == '+' ||
      first == '.') {
    return "; numbers are written like 10, -0.5 and 1e-3";
  }
  if (std::isalpha(static_cast<unsigned char>(first)) || first == '_') {
    return fmt::format("; write {}", Quote(word));
  }
  return "";
}

std::string StringSentence(std::string_view text, size_t stopped, bool bad_utf8) {
  if (bad_utf8) return "found bytes that are not UTF-8 inside a string; save the file as UTF-8";
  const auto byte = static_cast<unsigned char>(text[stopped]);
  if (byte == '\n' || byte == '\r') {
    return "found a line break inside a string; close the string before it, or write \\n";
  }
  if (byte < 0x20) {
    return fmt::format("found byte {:#04x} inside a string; write it as \\u{:04x}", unsigned{byte},
                       unsigned{byte});
  }
  // A broken surrogate pair is noticed at the byte after it.
  return "found an escape that is not JSON inside a string; allowed: \\\" \\\\ \\/ \\b \\f \\n \\r "
         "\\t and \\uXXXX (pairs beyond \\uD7FF)";
}

// What could have stood where the parser stopped.
std::string Allowed(const JsonSyntaxContext& context, char separator) {
  const bool object = context.inside == Inside::kObject;
  if (context.has_key && separator == 0) return "\":\" after the key " + Quote(context.key);
  if (context.has_key) return "a value for the key " + Quote(context.key);
  if (context.inside == Inside::kNothing) {
    return context.has_value ? "nothing after the end of the value" : "an object in { }";
  }
  if (context.has_value && separator == 0) return object ? "\",\" or \"}\"" : "\",\" or \"]\"";
  if (object) return separator == 0 ? "a key in double quotes, or \"}\"" : "a key in double quotes";
  return separator == 0 ? "a value, or \"]\"" : "a value";
}

std::string EndSentence(const JsonSyntaxContext& context) {
  if (context.inside == Inside::kNothing) return "found nothing; allowed: an object in { }";
  const bool object = context.inside == Inside::kObject;
  return fmt::format("the text ends inside the {} that begins at line {}; close it with \"{}\"",
                     object ? "object" : "list", context.opened.line, object ? '}' : ']');
}

std::string TokenSentence(std::string_view word, char separator, const JsonSyntaxContext& context) {
  if (separator == ',' && (word == "}" || word == "]")) {
    return fmt::format("found \"{}\" after a comma; take the comma away", word);
  }
  const bool named = word.starts_with('"');
  const auto first = static_cast<unsigned char>(word[0]);
  const bool starts_value = named || word == "{" || word == "[" || std::isalnum(first);
  std::string sentence = "found " + (named ? "a string" : JsonQuoted(word.substr(0, 60)));
  sentence += "; allowed: " + Allowed(context, separator);
  const bool after_value = context.has_value && !context.has_key && separator == 0;
  if (context.inside == Inside::kNothing && after_value) return sentence;
  if (after_value && starts_value) return sentence + "; is a comma missing before it?";
  if (after_value) {
    return sentence + fmt::format("; the {} begins at line {}",
                                  context.inside == Inside::kObject ? "object" : "list",
                                  context.opened.line);
  }
  const bool after_key = context.has_key && separator == 0;
  if (after_key) return sentence;
  // Another format altogether, not a word that lacks its quotes.
  const bool other_format = context.inside == Inside::kNothing && std::isalpha(first);
  return sentence + (other_format ? "; a config is JSON" : WordHint(word));
}

}  // namespace

JsonSyntaxError DescribeSyntaxError(std::string_view text, const JsonCursor& cursor, size_t stopped,
                                    const JsonSyntaxContext& context) {
  stopped = std::min(stopped, text.size());
  if (context.overflow) {
    const JsonCursor::Gap gap = cursor.Before(stopped);
    return {cursor.PlaceOf(gap.start),
            fmt::format("found {}; allowed: numbers up to 1.797e308", WordAt(text, gap.start))};
  }
  if (cursor.end() > stopped) {
    // The parser took the start of a word for a token: 01, 1_000, 0x10.
    const std::string_view word = WordAt(text, cursor.start());
    return {cursor.place(), "found " + JsonQuoted(word.substr(0, 60)) + WordHint(word)};
  }
  const JsonCursor::Gap gap = cursor.Before(stopped);
  if (gap.start >= text.size()) return {cursor.PlaceOf(text.size()), EndSentence(context)};
  if (text[gap.start] == '"' && stopped >= text.size()) {
    return {cursor.PlaceOf(gap.start), "found a string without its closing quote"};
  }
  if (text[gap.start] == '"' && context.bad_string) {
    return {cursor.PlaceOf(stopped), StringSentence(text, stopped, context.bad_utf8)};
  }
  return {cursor.PlaceOf(gap.start),
          TokenSentence(WordAt(text, gap.start), gap.separator, context)};
}

JsonSyntaxError FindForeignBytes(std::string_view text, const JsonCursor& cursor) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return {cursor.PlaceOf(0), "found UTF-16; save the file as UTF-8"};
  }
  const size_t nul = text.find('\0');
  if (nul == std::string_view::npos) return {};
  return {cursor.PlaceOf(nul), "found a NUL byte; allowed: text in UTF-8"};
}

}  // namespace ssm
