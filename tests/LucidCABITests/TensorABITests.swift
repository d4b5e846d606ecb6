import CLucid
import Foundation
import LucidCore
import Testing

/// The dense number of an operation, as generated bindings know it.
func number(_ name: String) -> UInt32 {
  OpCatalog.find(name).map { UInt32($0.id.index) } ?? .max
}

/// Numbers that are the same in every run (a linear congruential generator, upper bits).
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 32) | (state &* 2_862_933_555_777_941_757) << 32
  }
}

extension ABI {
  @Suite struct Tensors {
    @Test func versionsAndDescriptions() {
      #expect(lucid_abi_version() == LUCID_ABI_VERSION)
      #expect(lucid_catalog_hash() != 0)
      #expect(!String(cString: lucid_backend_description()).isEmpty)
      #expect(lucid_device_available(0) == 1)
      #expect(lucid_device_available(7) == 0)
    }

    @Test func addAndRead() {
      balanced {
        let a = make([1, 2, 3, 4], [2, 2])
        let b = make([10, 20], [2])
        let c = apply(number("add"), [a, b])
        #expect(read(c, 4) == [11, 22, 13, 24])
        let info = describe(c)
        #expect(info.rank == 2 && info.shape.0 == 2 && info.shape.1 == 2)
        #expect(info.is_contiguous == 1 && info.is_leaf == 1 && info.requires_grad == 0)
        for t in [a, b, c] { lucid_tensor_release(t) }
      }
    }

    @Test func linearLayer() {
      balanced {
        let x = make((0..<8).map { Float($0) }, [1, 8])
        let w = make((0..<32).map { Float($0) * 0.5 }, [4, 8])
        let b = make([1, 2, 3, 4], [4])
        let wt = apply(number("permute"), [w], [2, 1, 0])
        let product = apply(number("matmul"), [x, wt])
        let y = apply(number("add"), [product, b])
        var expected: [Float] = [1, 2, 3, 4]
        for i in 0..<4 { for k in 0..<8 { expected[i] += Float(k) * Float(i * 8 + k) * 0.5 } }
        #expect(read(y, 4) == expected)
        #expect(describe(wt).is_view == 1)
        #expect(describe(wt).storage_id == describe(w).storage_id)
        for t in [x, w, b, wt, product, y] { lucid_tensor_release(t) }
      }
    }

    @Test func numbersYield() {
      balanced {
        let half = lucid_tensor_create(
          Int32(LUCID_FLOAT16), 1, [2], 0, [UInt16](arrayLiteral: 0x3C00, 0x4000), 4)
        let two = lucid_tensor_number(Int32(LUCID_FLOAT32), 2, 0)
        let product = apply(number("mul"), [half, two])
        #expect(describe(product).dtype == Int32(LUCID_FLOAT16))
        var bits: [UInt16] = [0, 0]
        #expect(lucid_tensor_read(product, &bits, 4) == 0)
        #expect(bits == [0x4000, 0x4400])
        for t in [half, two, product] { lucid_tensor_release(t) }
      }
    }

    @Test func failuresLeaveMessages() {
      balanced {
        let a = make([1, 2, 3], [3])
        let b = make([1, 2], [2])
        #expect(apply(number("add"), [a, b]) == nil)
        #expect(message().hasPrefix("add: "))
        #expect(lucid_error_status() == LUCID_ERROR_SHAPE)
        #expect(apply(number("add"), [a, nil]) == nil)
        #expect(!message().isEmpty)
        #expect(apply(60000, [a]) == nil)
        #expect(message().contains("60000"))
        #expect(apply(4_000_000_000, [a]) == nil)
        #expect(message().contains("4000000000"))
        #expect(lucid_tensor_create(99, 1, [2], 0, nil, 0) == nil)
        #expect(message().contains("99"))
        #expect(lucid_tensor_create(0, 17, [2], 0, nil, 0) == nil)
        #expect(lucid_tensor_create(0, -1, [2], 0, nil, 0) == nil)
        #expect(lucid_tensor_create(0, 1, nil, 0, nil, 0) == nil)
        #expect(lucid_tensor_create(0, 1, [-2], 0, nil, 0) == nil)
        #expect(lucid_tensor_create(0, 2, [Int64.max, Int64.max], 0, nil, 0) == nil)
        #expect(lucid_tensor_create(0, 1, [2], 9, nil, 0) == nil)
        #expect(lucid_error_status() == LUCID_ERROR_DEVICE)
        #expect(lucid_tensor_create(0, 1, [2], 0, [Float](arrayLiteral: 1), 4) == nil)
        #expect(lucid_tensor_describe(nil, nil) == LUCID_ERROR_TYPE)
        #expect(lucid_tensor_describe(a, nil) == LUCID_ERROR_TYPE)
        #expect(lucid_tensor_read(a, nil, 12) == LUCID_ERROR_TYPE)
        var four: Float = 0
        #expect(lucid_tensor_read(a, &four, 4) == LUCID_ERROR_VALUE)
        #expect(lucid_backward([a], nil, 1, 0) == LUCID_ERROR_RUNTIME)
        #expect(message().contains("does not require grad"))
        #expect(lucid_backward(nil, nil, 1, 0) == LUCID_ERROR_TYPE)
        lucid_tensor_release(nil)
        lucid_tensor_unexport(nil)
        for t in [a, b] { lucid_tensor_release(t) }
      }
    }

    @Test func exportsSeeWrites() {
      balanced {
        let a = make([1, 2, 3], [3])
        var address: UnsafeMutableRawPointer?
        #expect(lucid_tensor_export(a, &address) == 0)
        let floats = address?.assumingMemoryBound(to: Float.self)
        #expect(floats?[1] == 2)
        floats?[1] = 7
        #expect(lucid_tensor_mark_written(a) == 0)
        #expect(read(a, 3) == [1, 7, 3])
        let b = make([4, 5, 6], [3])
        #expect(lucid_tensor_assign(a, b) == 0)
        #expect(floats?[0] == 4)
        #expect(describe(a).version == 2)
        lucid_tensor_unexport(a)
        for t in [a, b] { lucid_tensor_release(t) }
      }
    }

    @Test func copiesShareUntilWritten() {
      balanced {
        let a = make([1, 2, 3], [3])
        let b = lucid_tensor_to_device(a, Int32(LUCID_METAL))
        #expect(describe(b).device == Int32(LUCID_METAL))
        let ones = make([1, 1, 1], [3])
        #expect(lucid_tensor_assign(a, ones) == 0)
        #expect(read(a, 3) == [1, 1, 1])
        #expect(read(b, 3) == [1, 2, 3])
        #expect(apply(number("add"), [a, b]) == nil)
        #expect(lucid_error_status() == LUCID_ERROR_DEVICE)
        for t in [a, b, ones] { lucid_tensor_release(t) }
      }
    }

    @Test func writesThroughViewsReachTheBase() {
      balanced {
        let a = make([1, 2, 3, 4, 5, 6], [2, 3])
        let t = apply(number("permute"), [a], [2, 1, 0])
        let value = make([10, 20], [2])
        #expect(lucid_tensor_assign(t, value) == 0, "\(message())")
        #expect(read(a, 6) == [10, 10, 10, 20, 20, 20])
        #expect(describe(a).version == 1 && describe(t).version == 1)
        for t in [a, t, value] { lucid_tensor_release(t) }
      }
    }

    @Test func importSharesAlignedMemory() {
      balanced {
        final class Flag { var isReleased = false }
        let flag = Flag()
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
        let floats = memory.bindMemory(to: Float.self, capacity: 16)
        for i in 0..<16 { floats[i] = Float(i) }
        let t = lucid_tensor_import(
          memory, 64, 0, 1, [16], nil, 0, 1,
          { Unmanaged<Flag>.fromOpaque($0!).takeRetainedValue().isReleased = true },
          Unmanaged.passRetained(flag).toOpaque())
        floats[3] = 42
        #expect(read(t, 16)[3] == 42)
        #expect(!flag.isReleased)
        lucid_tensor_release(t)
        #expect(flag.isReleased)
        memory.deallocate()
      }
    }

    @Test func junkAttributesNeverTrap() {
      balanced {
        var generator = Seeded(state: 20_261_201)
        let shapes: [[Int64]] = [[2, 3], [3], [], [1, 2, 3, 3], [0, 3], [3, 3], [2, 2, 2]]
        var operands: [OpaquePointer?] = [nil]
        for shape in shapes {
          for dtype in [LUCID_FLOAT32, LUCID_INT64, LUCID_BOOL, LUCID_FLOAT16] {
            operands.append(
              lucid_tensor_create(Int32(dtype), Int32(shape.count), shape, 0, nil, 0))
          }
        }
        for op in OpCatalog.all {
          for round in 0..<40 {
            let length = Int.random(in: 0..<10, using: &generator)
            let words = (0..<length).map { _ -> Int64 in
              switch round % 4 {
              case 0: Int64.random(in: -3...3, using: &generator)
              case 1: Int64.random(in: .min ... .max, using: &generator)
              case 2: [0, 1, 2, -1, Int64.max, Int64.min][Int.random(in: 0..<6, using: &generator)]
              default: Int64.random(in: 0...2, using: &generator)
              }
            }
            let count = Int.random(in: 0...max(op.operands.count, 3), using: &generator)
            let given = (0..<count).map { _ -> OpaquePointer? in
              // Often float32, so that some calls get as far as running.
              let i = Int.random(in: 0..<operands.count, using: &generator)
              return round % 2 == 0 && i > 0 ? operands[(i - 1) / 4 * 4 + 1] : operands[i]
            }
            var results = [OpaquePointer?](repeating: nil, count: 16)
            var made = 0
            let status = lucid_apply(
              UInt32(op.id.index), given, count, words, words.count * 8,
              &results, 16, &made)
            if status != 0 { #expect(!message().isEmpty) }
            for result in results.prefix(status == 0 ? made : 0) { lucid_tensor_release(result) }
          }
        }
        for t in operands { lucid_tensor_release(t) }
      }
    }
  }
}
