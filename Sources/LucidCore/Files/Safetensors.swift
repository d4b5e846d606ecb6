import Foundation

/// Reads files in the safetensors format: a JSON header of names, types, shapes and offsets, then the
/// bytes. Data only, nothing in a file is run. Sizes and offsets are checked before memory is asked for.
public enum Safetensors {
  /// The tensors in a file, by name.
  ///
  /// - Throws: `LucidError` with code `value` for a file that is damaged or not in this format, and
  ///   `dtype` for element types that Lucid does not have; float64 becomes float32.
  public static func load(
    contentsOf url: URL, device: Device = .cpu
  ) throws(LucidError) -> [String: Tensor] {
    let data: Data
    do {
      data = try Data(contentsOf: url, options: .mappedIfSafe)
    } catch {
      throw LucidError(.value, "safetensors: \(url.path) cannot be read: \(error)")
    }
    return try load(data, device: device)
  }

  /// The tensors in a file's bytes, by name.
  public static func load(
    _ data: Data, device: Device = .cpu
  ) throws(LucidError) -> [String: Tensor] {
    let (header, body) = try parts(of: data)
    var tensors: [String: Tensor] = [:]
    for (name, value) in header where name != "__metadata__" {
      let entry = try Entry(name, value, bodyCount: body.count)
      let bytes = body[body.startIndex + entry.begin..<body.startIndex + entry.end]
      tensors[name] = try entry.tensor(bytes, device)
    }
    return tensors
  }

  /// The header cannot be larger than this, whatever a file claims.
  private static let headerLimit = 100 << 20

  private static func parts(of data: Data) throws(LucidError) -> ([String: Any], Data) {
    guard data.count >= 8 else {
      throw LucidError(.value, "safetensors: \(data.count) bytes are too few for a file")
    }
    var length: UInt64 = 0
    for byte in data.prefix(8).reversed() { length = length << 8 | UInt64(byte) }
    guard length <= UInt64(min(data.count - 8, headerLimit)) else {
      throw LucidError(.value, "safetensors: a header of \(length) bytes does not fit the file")
    }
    let start = data.startIndex + 8
    let json = data[start..<start + Int(length)]
    let parsed = try? JSONSerialization.jsonObject(with: json)
    guard let header = parsed as? [String: Any] else {
      throw LucidError(.value, "safetensors: the header is not a JSON object")
    }
    return (header, data[(start + Int(length))...])
  }

  /// One tensor's description, checked.
  private struct Entry {
    let name: String
    let kind: String
    let shape: [Int]
    let begin: Int
    let end: Int
    let elementSize: Int

    init(_ name: String, _ value: Any, bodyCount: Int) throws(LucidError) {
      guard let fields = value as? [String: Any], let kind = fields["dtype"] as? String,
        let shape = fields["shape"] as? [Int], let offsets = fields["data_offsets"] as? [Int],
        offsets.count == 2
      else { throw LucidError(.value, "safetensors: the entry of \(name) is incomplete") }
      guard let size = Entry.sizes[kind] else {
        throw LucidError(.dtype, "safetensors: \(name) has type \(kind), which Lucid does not have")
      }
      (self.name, self.kind, self.shape, elementSize) = (name, kind, shape, size)
      (begin, end) = (offsets[0], offsets[1])
      var bytes = size
      for extent in shape {
        guard extent >= 0 else {
          throw LucidError(.value, "safetensors: \(name) has a negative extent in \(shape)")
        }
        bytes = Dim.multiply(bytes, extent)
      }
      guard begin >= 0, begin <= end, end <= bodyCount, end - begin == bytes else {
        throw LucidError(
          .value,
          "safetensors: \(name) of shape \(shape) needs \(bytes) bytes, the file gives it "
            + "\(begin)..<\(end) of \(bodyCount)")
      }
    }

    private static let sizes = [
      "F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1,
      "BOOL": 1,
    ]

    private static let dtypes: [String: DType] = [
      "F32": .float32, "F16": .float16, "BF16": .bfloat16, "I64": .int64, "I32": .int32,
      "I16": .int16, "I8": .int8, "U8": .uint8, "BOOL": .bool,
    ]

    func tensor(_ bytes: Data, _ device: Device) throws(LucidError) -> Tensor {
      if let dtype = Entry.dtypes[kind] {
        return try Tensor(bytes: [UInt8](bytes), shape: shape, dtype: dtype, device: device)
      }
      var floats: [Float] = []
      floats.reserveCapacity(bytes.count / 8)
      bytes.withUnsafeBytes { raw in
        for i in 0..<raw.count / 8 {
          let bits = raw.loadUnaligned(fromByteOffset: i * 8, as: UInt64.self)
          floats.append(Float(Double(bitPattern: UInt64(littleEndian: bits))))
        }
      }
      return try Tensor(floats, shape: shape, device: device)
    }
  }
}
