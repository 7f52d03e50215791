// Files whose every step is checked: reading whole, replacing at once, appending lines.
// Errors name the path and what the system said. Interrupted and short calls are continued.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ssm {

/// All bytes of a file or pipe.
/// @throws Error(kMissingInput) when there is none or a folder, Error(kBadData) above `limit`
/// bytes, giving `reason` where there is one, Error(kIoError) when reading fails.
std::string ReadFile(const std::string& path, int64_t limit = std::numeric_limits<int64_t>::max(),
                     std::string_view reason = "");
/// A file of data, of a size nobody promises: at most a quarter of the free memory is read, the
/// rest being for what is made of it; devices, which may never end, are refused.
/// @throws as ReadFile.
std::string ReadDataFile(const std::string& path);

/// Makes `path` hold `bytes`, all or nothing, also across a power cut: a temporary sibling is
/// written, synced and closed, then renamed over `path`, then the folder is synced. The sibling is
/// removed on failure. A pipe or a device is written to as it is.
/// @throws Error(kCannotCreate) when the sibling cannot be made, Error(kIoError) after that.
void AtomicWriteFile(const std::string& path, std::string_view bytes);

/// How names of temporary siblings end.
inline constexpr std::string_view kTemporarySuffix = ".tmp";

/// Removes what a killed AtomicWriteFile left in `folder`: names that end in ".tmp". For the one
/// process that owns the folder. Returns how many.
int64_t RemoveTemporaries(const std::string& folder);

/// Writes, syncs and closes a file that must not exist yet: one part of a folder that a later
/// RenameDurably commits. Throws as AtomicWriteFile.
void WriteNewFile(const std::string& path, std::string_view bytes);

/// Appends whole lines; each is handed to the system before Line returns, so a killed process
/// loses none. Only Sync survives a power cut.
class AppendFile {
 public:
  /// Opens or creates. Throws Error(kCannotCreate).
  explicit AppendFile(const std::string& path);
  /// The same, first cut back to `keep` bytes.
  /// @throws Error(kBadData) when the file is shorter than `keep`.
  AppendFile(const std::string& path, int64_t keep);
  ~AppendFile();
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;

  /// `line` has no newline; one is added. Throws Error(kIoError).
  void Line(std::string_view line);
  void Sync();
  /// Bytes in the file, all lines included.
  int64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  /// Checked close; the destructor closes without a check.
  void Close();

 private:
  std::string path_;
  int descriptor_ = -1;
  int64_t size_ = 0;
};

bool Exists(const std::string& path);
bool IsDirectory(const std::string& path);
/// Throws Error(kMissingInput).
int64_t FileSize(const std::string& path);

/// One mkdir. False when something of that name exists.
/// @throws Error(kCannotCreate) for any other reason.
bool TryMakeDirectory(const std::string& path);
/// One mkdir. Throws Error(kCannotCreate), also when something of that name exists.
void MakeDirectory(const std::string& path);
/// The folder and those above it; it may exist. Throws Error(kCannotCreate).
void MakeDirectories(const std::string& path);
/// That files can be made in a folder that exists, before something is computed for one.
/// @throws Error(kCannotCreate).
void RequireWritable(const std::string& folder);

/// rename(2) within one file system, then the folder of `to` is synced. Throws Error(kIoError).
void RenameDurably(const std::string& from, const std::string& to);
/// Throws Error(kIoError).
void FsyncDirectory(const std::string& path);
/// A file, or a folder with all it holds; symbolic links are removed, not followed. Nothing there
/// is fine. Throws Error(kIoError).
void RemoveTree(const std::string& path);
/// Names in a folder, sorted by bytes, without "." and "..".
/// @throws Error(kMissingInput) when there is no such folder, Error(kIoError).
std::vector<std::string> ListDirectory(const std::string& path);

/// "a/b": one slash between; `name` alone when it is absolute or `folder` is empty or "."; "." and
/// "./" of the name go.
std::string JoinPath(std::string_view folder, std::string_view name);
/// What precedes the last slash; "." when there is none.
std::string ParentPath(std::string_view path);
/// What follows the last slash.
std::string BaseName(std::string_view path);

}  // namespace ssm
