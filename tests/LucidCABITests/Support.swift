import CLucid
import Testing

/// Tests count live handles, so they run one after the other.
@Suite(.serialized) struct ABI {}

/// What the last failure on this thread said.
func message() -> String { String(cString: lucid_error_message()) }

func liveTensors() -> Int64 {
  var stats = lucid_stats()
  stats.struct_size = UInt32(MemoryLayout<lucid_stats>.size)
  #expect(lucid_stats_read(&stats) == 0)
  return stats.live_tensors
}

/// Runs a body and expects that it releases every handle it gets.
func balanced(_ body: () throws -> Void) rethrows {
  let before = liveTensors()
  try body()
  #expect(liveTensors() == before)
}

func make(_ values: [Float], _ shape: [Int64]) -> OpaquePointer? {
  lucid_tensor_create(
    Int32(LUCID_FLOAT32), Int32(shape.count), shape, Int32(LUCID_CPU), values, values.count * 4)
}

func read(_ tensor: OpaquePointer?, _ count: Int) -> [Float] {
  var out = [Float](repeating: .nan, count: count)
  #expect(lucid_tensor_read(tensor, &out, count * 4) == 0, "\(message())")
  return out
}

func describe(_ tensor: OpaquePointer?) -> lucid_tensor_info {
  var info = lucid_tensor_info()
  info.struct_size = UInt32(MemoryLayout<lucid_tensor_info>.size)
  #expect(lucid_tensor_describe(tensor, &info) == 0, "\(message())")
  return info
}

/// Applies an operation with one result; nil after an error.
func apply(_ op: UInt32, _ operands: [OpaquePointer?], _ words: [Int64] = []) -> OpaquePointer? {
  var result: OpaquePointer?
  var count = 0
  let status = lucid_apply(op, operands, operands.count, words, words.count * 8, &result, 1, &count)
  return status == 0 ? result : nil
}
