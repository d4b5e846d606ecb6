import CLucid
import Foundation
import LucidCore
import Testing

extension ABI {
  @Suite struct Gradients {
    @Test func backwardAccumulates() {
      balanced {
        let x = make([1, 2, 3], [3])
        #expect(lucid_tensor_set_requires_grad(x, 1) == 0)
        for round in 1...2 {
          let square = apply(number("mul"), [x, x])
          let sum = apply(number("sum"), [square], [0, 0, 0])
          #expect(lucid_backward([sum], nil, 1, 0) == 0, "\(message())")
          let gradient = lucid_tensor_grad(x)
          #expect(read(gradient, 3) == [2, 4, 6].map { $0 * Float(round) })
          for t in [square, sum, gradient] { lucid_tensor_release(t) }
        }
        #expect(lucid_tensor_set_grad(x, nil) == 0)
        #expect(lucid_tensor_grad(x) == nil)
        lucid_tensor_release(x)
      }
    }

    @Test func hooksReplaceGradients() {
      balanced {
        let x = make([1, 2], [2])
        lucid_tensor_set_requires_grad(x, 1)
        var id: Int64 = 0
        let status = lucid_tensor_add_hook(
          x,
          { _, gradient, _ in
            let two = lucid_tensor_number(Int32(LUCID_FLOAT32), 2, 0)
            let result = apply(number("mul"), [gradient, two])
            lucid_tensor_release(two)
            return result
          }, nil, nil, &id)
        #expect(status == 0)
        let sum = apply(number("sum"), [x], [0, 0, 0])
        #expect(lucid_backward([sum], nil, 1, 0) == 0)
        let gradient = lucid_tensor_grad(x)
        #expect(read(gradient, 2) == [2, 2])
        #expect(lucid_tensor_remove_hook(x, id) == 0)
        for t in [x, sum, gradient] { lucid_tensor_release(t) }
      }
    }

    @Test func inPlaceErrors() {
      balanced {
        let x = make([1, 2], [2])
        lucid_tensor_set_requires_grad(x, 1)
        let y = make([3, 4], [2])
        #expect(lucid_tensor_assign(x, y) == LUCID_ERROR_RUNTIME)
        #expect(
          message() == "a leaf Variable that requires grad is being used in an in-place operation.")
        let e = apply(number("exp"), [x])
        let sum = apply(number("sum"), [e], [0, 0, 0])
        #expect(lucid_tensor_assign(e, y) == 0)
        #expect(lucid_backward([sum], nil, 1, 0) == LUCID_ERROR_RUNTIME)
        #expect(message().contains("has been modified by an inplace operation"), "\(message())")
        #expect(message().contains("output 0 of ExpBackward"), "\(message())")
        for t in [x, y, e, sum] { lucid_tensor_release(t) }
      }
    }

    @Test func inPlaceWritesAreDifferentiated() {
      balanced {
        let x = make([1, 2, 3, 4], [2, 2])
        lucid_tensor_set_requires_grad(x, 1)
        let two = lucid_tensor_number(Int32(LUCID_FLOAT32), 2, 0)
        let y = apply(number("mul"), [x, two])
        let yt = apply(number("permute"), [y], [2, 1, 0])
        let z = make([5, 6], [2])
        lucid_tensor_set_requires_grad(z, 1)
        // Every row of the transposed view, so every column of y, becomes z.
        #expect(lucid_tensor_assign(yt, z) == 0, "\(message())")
        #expect(read(y, 4) == [5, 5, 6, 6])
        let weights = make([1, 10, 100, 1000], [2, 2])
        let product = apply(number("mul"), [y, weights])
        let sum = apply(number("sum"), [product], [0, 0, 0])
        #expect(lucid_backward([sum], nil, 1, 0) == 0, "\(message())")
        let gz = lucid_tensor_grad(z)
        #expect(read(gz, 2) == [11, 1100])
        // Nothing of x is left in y.
        #expect(lucid_tensor_grad(x) == nil)
        for t in [x, two, y, yt, z, weights, product, sum, gz] { lucid_tensor_release(t) }
      }
    }

    @Test func unusedInputs() {
      balanced {
        let x = make([1], [1])
        let u = make([1], [1])
        lucid_tensor_set_requires_grad(x, 1)
        lucid_tensor_set_requires_grad(u, 1)
        let y = apply(number("exp"), [x])
        var results: [OpaquePointer?] = [nil, nil]
        #expect(
          lucid_gradients([y], nil, 1, [x, u], 2, UInt32(LUCID_RETAIN_GRAPH), &results)
            == LUCID_ERROR_RUNTIME)
        #expect(message().contains("allow_unused"))
        #expect(lucid_gradients([y], nil, 1, [x, u], 2, UInt32(LUCID_ALLOW_UNUSED), &results) == 0)
        #expect(abs(read(results[0], 1)[0] - 2.7182817) < 1e-5)
        #expect(results[1] == nil)
        for t in [x, u, y, results[0]] { lucid_tensor_release(t) }
      }
    }

    /// Nothing recurses over a tape: a thread with a small stack can build, differentiate and release
    /// a long one.
    @Test func longChainsOnASmallStack() {
      balanced {
        final class Outcome: @unchecked Sendable { var gradient: Float = 0 }
        let outcome = Outcome()
        let thread = Thread {
          let x = make([1], [1])
          lucid_tensor_set_requires_grad(x, 1)
          let one = make([1], [1])
          var y = apply(number("add"), [x, one])
          for _ in 0..<20_000 {
            let next = apply(number("add"), [y, one])
            lucid_tensor_release(y)
            y = next
          }
          _ = lucid_backward([y], nil, 1, UInt32(LUCID_RETAIN_GRAPH))
          let gradient = lucid_tensor_grad(x)
          outcome.gradient = read(gradient, 1)[0]
          var view = apply(number("reshape"), [y], [2, 1, 0, 1, 0])
          for i in 0..<20_000 {
            let shape: [Int64] = i % 2 == 0 ? [1, 1, 0] : [2, 1, 0, 1, 0]
            let next = apply(number("reshape"), [view], shape)
            lucid_tensor_release(view)
            view = next
          }
          for t in [x, one, y, gradient, view] { lucid_tensor_release(t) }
        }
        thread.stackSize = 512 << 10
        thread.start()
        while !thread.isFinished { usleep(1000) }
        #expect(outcome.gradient == 1)
      }
    }
  }
}
