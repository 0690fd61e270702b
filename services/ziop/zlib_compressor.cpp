// SPDX-License-Identifier: Apache-2.0
#include "zlib_compressor.hpp"

#include <zlib.h>

#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace corbel::ziop {
namespace {

using Compression::CompressionException;
using FactoryRef = IDL::traits<Compression::CompressorFactory>::ref_type;

constexpr int kLastLevel = 9;

[[noreturn]] void fail(int reason, const z_stream& stream) {
  throw CompressionException(reason, stream.msg != nullptr ? stream.msg : zError(reason));
}

/// A stream of one of the two directions, with the 256 or 44 KiB that zlib needs for it.
class Stream {
 public:
  enum class Way : std::uint8_t { deflate, inflate };

  Stream(Way way, int level) : way_(way) {
    const int made = way == Way::deflate ? deflateInit(&stream_, level) : inflateInit(&stream_);
    if (made == Z_MEM_ERROR) throw std::bad_alloc();
    if (made != Z_OK) fail(made, stream_);
  }
  ~Stream() { (void)(way_ == Way::deflate ? deflateEnd(&stream_) : inflateEnd(&stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void reset() { (void)(way_ == Way::deflate ? deflateReset(&stream_) : inflateReset(&stream_)); }
  /// All of `source` to `target`; returns how much came of it. Throws if there is no room for that.
  std::size_t run(base::ConstByteSpan source, base::ByteSpan target) {
    if (source.size() > std::numeric_limits<uInt>::max() || target.size() > std::numeric_limits<uInt>::max()) {
      throw CompressionException(Z_BUF_ERROR, "too long for zlib");
    }
    Bytef nothing = 0;                                    // zlib takes no null pointers
    stream_.next_in = const_cast<Bytef*>(source.data());  // zlib's structure has no const
    stream_.avail_in = static_cast<uInt>(source.size());
    stream_.next_out = target.empty() ? &nothing : target.data();
    stream_.avail_out = static_cast<uInt>(target.size());
    const int done = way_ == Way::deflate ? deflate(&stream_, Z_FINISH) : inflate(&stream_, Z_FINISH);
    if (done != Z_STREAM_END) fail(done == Z_OK ? Z_BUF_ERROR : done, stream_);
    if (stream_.avail_in != 0) throw CompressionException(Z_DATA_ERROR, "octets behind the end");
    return target.size() - stream_.avail_out;
  }
  std::size_t bound(std::size_t size) { return deflateBound(&stream_, static_cast<uLong>(size)); }

 private:
  const Way way_;
  z_stream stream_{};
};

/// Streams that no thread uses just now; a few are kept, as to make one takes longer than to compress a small message.
class Streams {
 public:
  Streams(Stream::Way way, int level) : way_(way), level_(level) {}

  /// A stream for one use, which returns when this is gone.
  class Lent {
   public:
    explicit Lent(Streams& all) : all_(all), stream_(all.take()) {}
    ~Lent() { all_.put(std::move(stream_)); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    Stream* operator->() const noexcept { return stream_.get(); }

   private:
    Streams& all_;
    std::unique_ptr<Stream> stream_;
  };

 private:
  static constexpr std::size_t kMostIdle = 4;

  std::unique_ptr<Stream> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto stream = std::move(idle_.back());
        idle_.pop_back();
        return stream;
      }
    }
    return std::make_unique<Stream>(way_, level_);
  }
  void put(std::unique_ptr<Stream> stream) noexcept {
    stream->reset();
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMostIdle) idle_.push_back(std::move(stream));  // there is room: reserved
  }

  const Stream::Way way_;
  const int level_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Stream>> idle_ = [] {
    std::vector<std::unique_ptr<Stream>> room;
    room.reserve(kMostIdle);
    return room;
  }();
};

class ZlibCompressor final : public Compression::Compressor, public InPlace {
 public:
  ZlibCompressor(FactoryRef factory, Compression::CompressionLevel level)
      : factory_(std::move(factory)),
        level_(level),
        deflating_(Stream::Way::deflate, level),
        inflating_(Stream::Way::inflate, level) {}

  void compress(const Compression::Buffer& source, Compression::Buffer& target) override {
    const Streams::Lent stream(deflating_);
    target.resize(stream->bound(source.size()));
    target.resize(stream->run(source, target));
    uncompressed_.fetch_add(source.size(), std::memory_order_relaxed);
    compressed_.fetch_add(target.size(), std::memory_order_relaxed);
  }
  void decompress(const Compression::Buffer& source, Compression::Buffer& target) override {
    const Streams::Lent stream(inflating_);
    target.resize(stream->run(source, target));
  }
  void decompress_to(base::ConstByteSpan source, base::ByteSpan target) override {
    const Streams::Lent stream(inflating_);
    if (stream->run(source, target) != target.size()) throw CompressionException(Z_DATA_ERROR, "less than was said");
  }
  FactoryRef compressor_factory() override { return factory_; }
  Compression::CompressionLevel compression_level() override { return level_; }
  std::uint64_t compressed_bytes() override { return compressed_.load(std::memory_order_relaxed); }
  std::uint64_t uncompressed_bytes() override { return uncompressed_.load(std::memory_order_relaxed); }
  Compression::CompressionRatio compression_ratio() override {
    const auto all = static_cast<float>(uncompressed_bytes());
    return all == 0 ? 1 : static_cast<float>(compressed_bytes()) / all;
  }

 private:
  const FactoryRef factory_;
  const Compression::CompressionLevel level_;
  Streams deflating_;
  Streams inflating_;
  std::atomic<std::uint64_t> compressed_{0};
  std::atomic<std::uint64_t> uncompressed_{0};
};

class ZlibFactory final : public Compression::CompressorFactory {
 public:
  Compression::CompressorId compressor_id() override { return Compression::COMPRESSORID_ZLIB; }
  IDL::traits<Compression::Compressor>::ref_type get_compressor(Compression::CompressionLevel level) override {
    if (level > kLastLevel) {
      throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO,
                             "zlib has levels from 0 to 9, not " + std::to_string(level));
    }
    return CORBA::make_reference<ZlibCompressor>(_this(), level);
  }
};

}  // namespace

FactoryRef make_zlib() {
  return CORBA::make_reference<ZlibFactory>();
}

}  // namespace corbel::ziop
