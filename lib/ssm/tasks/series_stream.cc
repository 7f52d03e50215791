#include "ssm/tasks/series_stream.h"

#include <algorithm>
#include <cmath>

namespace ssm {
namespace {

/// The last two observed values of a column.
struct Track {
  double last = NAN, before = NAN;
  int64_t last_row = 0, before_row = 0;

  void See(int64_t row, double value) {
    if (std::isnan(value)) return;
    before = last;
    before_row = last_row;
    last = value;
    last_row = row;
  }
  /// Expected `horizon` rows after `row` if the column keeps its speed.
  double Extrapolate(const SeriesData& data, int64_t row) const {
    if (std::isnan(before)) return last;
    const double speed = (last - before) / data.Between(before_row, last_row);
    return last + speed * (data.Between(last_row, row) + data.ahead_time);
  }
};

class SeriesStream final : public SequenceStream {
 public:
  SeriesStream(const SeriesData& data, const SeriesView& view, const SeriesWindow& window)
      : data_(&data),
        view_(view),
        row_(window.begin),
        tracks_(data.names.size()),
        channels_(std::ssize(SeriesChannels(data, view))),
        left_(window.steps) {}

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, left_);
    for (int64_t k = 0; k < count; ++k, row_ += view_.stride, first_ = false) {
      for (int64_t c = 0; c < data_->columns(); ++c) {
        tracks_[static_cast<size_t>(c)].See(row_, data_->at(row_, c));
      }
      if (row.reals != nullptr) WriteInput(row.reals + k * channels_);
      if (row.dt != nullptr) row.dt[k] = Elapsed();
      WriteTarget(k, row);
      if (row.references != nullptr) WriteReferences(row.references + k * 3 * data_->columns());
    }
    left_ -= count;
    return count;
  }

 private:
  void WriteInput(double* out) const {
    const int64_t columns = data_->columns();
    if (view_.input != SeriesInput::kChange) {
      for (int64_t c = 0; c < columns; ++c) {
        *out++ = OrZero(data_->value[static_cast<size_t>(c)].Apply(data_->at(row_, c)));
      }
    }
    if (view_.input != SeriesInput::kValue) {
      for (int64_t c = 0; c < columns; ++c) *out++ = first_ ? 0 : OrZero(Change(c));
    }
    for (int64_t c = 0; c < columns; ++c) {
      if (data_->missing[static_cast<size_t>(c)]) *out++ = std::isnan(data_->at(row_, c)) ? 0 : 1;
    }
  }

  double Change(int64_t c) const {
    const double step = data_->at(row_, c) - data_->at(row_ - view_.stride, c);
    const double elapsed = data_->Between(row_ - view_.stride, row_);
    return data_->change[static_cast<size_t>(c)].Apply(step / elapsed);
  }

  /// Time since the step before, in median intervals; the first step has none and gets the usual.
  double Elapsed() const {
    return first_ ? static_cast<double>(view_.stride) : data_->Between(row_ - view_.stride, row_);
  }

  const SeriesScale& TargetScale(int64_t c) const {
    const bool change = view_.predict == SeriesPredict::kChange;
    return (change ? data_->change_ahead : data_->value)[static_cast<size_t>(c)];
  }

  void WriteTarget(int64_t k, const PieceRow& row) const {
    const int64_t columns = data_->columns();
    const bool gaps = data_->any_missing();
    for (int64_t c = 0; c < columns; ++c) {
      double ahead = data_->at(row_ + data_->horizon, c);
      if (view_.predict == SeriesPredict::kChange) ahead -= data_->at(row_, c);
      if (row.targets != nullptr) {
        row.targets[k * columns + c] = OrZero(TargetScale(c).Apply(ahead));
      }
      if (row.weights == nullptr) continue;
      if (gaps) row.weights[k * columns + c] = std::isnan(ahead) ? 0 : 1;
    }
    if (row.weights != nullptr && !gaps) row.weights[k] = 1;
  }

  void WriteReferences(double* out) const {
    const int64_t columns = data_->columns();
    for (int64_t c = 0; c < columns; ++c) {
      const Track& track = tracks_[static_cast<size_t>(c)];
      const bool change = view_.predict == SeriesPredict::kChange;
      const double base = change ? track.last : 0;
      const double ahead = track.Extrapolate(*data_, row_);
      out[c] = OrZero(TargetScale(c).Apply(track.last - base));
      out[columns + c] = OrZero(TargetScale(c).Apply(ahead - base));
      out[2 * columns + c] = 0;  // the training mean
    }
  }

  static double OrZero(double value) { return std::isnan(value) ? 0 : value; }

  const SeriesData* data_;
  SeriesView view_;
  int64_t row_;
  bool first_ = true;
  std::vector<Track> tracks_;
  int64_t channels_;
  int64_t left_;
};

}  // namespace

int64_t SeriesWindowing::CountIn(int64_t rows) const {
  if (steps > rows / stride + 1 || this->rows() > rows) return 0;  // the product may overflow
  return (rows - this->rows()) / (steps * stride) + 1;
}

std::vector<std::string> SeriesChannels(const SeriesData& data, const SeriesView& view) {
  std::vector<std::string> channels;
  if (view.input != SeriesInput::kChange) channels = data.names;
  if (view.input != SeriesInput::kValue) {
    for (const std::string& name : data.names) channels.push_back("change of " + name);
  }
  for (size_t c = 0; c < data.names.size(); ++c) {
    if (data.missing[c]) channels.push_back("seen " + data.names[c]);
  }
  return channels;
}

std::unique_ptr<SequenceStream> MakeSeriesStream(const SeriesData& data, const SeriesView& view,
                                                 const SeriesWindow& window) {
  return std::make_unique<SeriesStream>(data, view, window);
}

}  // namespace ssm
