import Foundation
import LucidCore
import Testing

@Suite(.serialized) struct RuntimeTests {
  @Test func repeatedOperationsHitTheCache() throws {
    let a = try Tensor((0..<77).map { Float($0) }, shape: [7, 11])
    let before = Engine.statistics
    for _ in 0..<10 { _ = try Tensor.apply("mul", [a, a]) }
    #expect(Engine.cached("mul", [[7, 11], [7, 11]]) == (1, 1))
    #expect(Engine.statistics.operationHits - before.operationHits >= 9)
    // A different attribute, type or shape is a different operation.
    _ = try Tensor.apply("sum", [a], [.ints([0])])
    _ = try Tensor.apply("sum", [a], [.ints([1])])
    #expect(Engine.cached("sum", [[7, 11]]) == (2, 2))
  }

  @Test func offsetsAndStridesAreNoPartOfKeys() throws {
    let base = try Tensor((0..<169).map { Float($0) }, shape: [13, 13])
    for i in 0..<13 {
      let row = try Tensor.apply("select", [base], [.int(0), .int(i)])[0]
      let column = try Tensor.apply("select", [base], [.int(1), .int(i)])[0]
      let sum = try Tensor.apply("add", [row, column])[0]
      #expect(try sum.floats() == (0..<13).map { Float(i * 13 + $0 + $0 * 13 + i) })
    }
    #expect(Engine.cached("add", [[13], [13]]) == (1, 1))
  }

  @Test func transposedOperandsAreReadAsTheyLie() throws {
    let a = try Tensor((0..<6).map { Float($0) }, shape: [2, 3])
    let t = try Tensor.apply("permute", [a], [.ints([1, 0])])[0]
    let square = try Tensor.apply("matmul", [t, a])[0]
    var expected = [Float](repeating: 0, count: 9)
    for i in 0..<3 {
      for j in 0..<3 { for k in 0..<2 { expected[i * 3 + j] += Float((k * 3 + i) * (k * 3 + j)) } }
    }
    #expect(try square.floats() == expected)
    #expect(try Tensor.apply("add", [t, t])[0].floats() == [0, 6, 2, 8, 4, 10])
  }

  @Test func emptyOperands() throws {
    let a = try Tensor.zeros([2, 0])
    let b = try Tensor.zeros([0, 3])
    #expect(try Tensor.apply("matmul", [a, b])[0].floats() == [Float](repeating: 0, count: 6))
    #expect(try Tensor.apply("matmul", [b, try Tensor.zeros([3, 4])])[0].shape == [0, 4])
    try a.setRequiresGrad(true)
    let loss = try Tensor.apply("sum", [try Tensor.apply("exp", [a])[0]])[0]
    try loss.backward()
    #expect(a.gradient?.shape == [2, 0])
  }

  @Test func gradientsAccumulateOverSlots() throws {
    // x in two slots of one operation, and in two operations.
    let x = try Tensor([3])
    try x.setRequiresGrad(true)
    let y = try Tensor.apply("add", [try Tensor.apply("mul", [x, x])[0], x])[0]
    try y.backward()
    #expect(try x.gradient?.floats() == [7])
  }

  @Test func retainedAndHookedGradients() throws {
    let x = try Tensor([1, 2])
    try x.setRequiresGrad(true)
    let y = try Tensor.apply("mul", [x, x])[0]
    try y.retainGradient()
    final class Calls: @unchecked Sendable { var count = 0 }
    let calls = Calls()
    let id = try y.addHook { gradient throws(LucidError) in
      calls.count += 1
      return try Tensor([10, 10])
    }
    let loss = try Tensor.apply("sum", [y])[0]
    try loss.backward(options: .retainGraph)
    #expect(try y.gradient?.floats() == [10, 10])
    #expect(try x.gradient?.floats() == [20, 40])
    try y.removeHook(id)
    try loss.backward()
    #expect(calls.count == 1)
    #expect(try x.gradient?.floats() == [22, 44])
  }

  @Test func modes() throws {
    let x = try Tensor([1])
    try x.setRequiresGrad(true)
    let y = try withGradMode(.off) { () throws(LucidError) in try Tensor.apply("exp", [x])[0] }
    #expect(!y.requiresGrad && y.isLeaf)
    #expect(throws: LucidError.self) { try y.backward() }
    let z = try Tensor.apply("exp", [x])[0]
    #expect(throws: LucidError.self) { try z.setRequiresGrad(false) }
    let integers = try Tensor(integers: [1])
    #expect(throws: LucidError.self) { try integers.setRequiresGrad(true) }
    let many = try Tensor.apply("expand", [z], [.dims([3])])[0]
    let error = #expect(throws: LucidError.self) { try many.backward() }
    #expect(error?.message == "grad can be implicitly created only for scalar outputs")
  }

  /// Nothing of a graph, tape or gradient stays alive once the tensors are gone.
  @Test func nothingLeaks() throws {
    weak var leaf: Tensor?
    weak var middle: Tensor?
    weak var gradient: Tensor?
    do {
      let x = try Tensor([1, 2, 3])
      try x.setRequiresGrad(true)
      let y = try Tensor.apply("mul", [x, try Tensor.apply("exp", [x])[0]])[0]
      try y.retainGradient()
      let loss = try Tensor.apply("sum", [y])[0]
      let first = try Tensor.gradients(
        of: [loss], cotangents: [nil], inputs: [x], options: .createGraph)[0]
      try Tensor.apply("sum", [first])[0].backward()
      (leaf, middle, gradient) = (x, y, x.gradient)
      #expect(gradient != nil)
    }
    #expect(leaf == nil && middle == nil && gradient == nil)
  }

  /// Threads share parameters and caches; each has its own tape and modes.
  @Test func threadsShareParameters() async throws {
    let w = try Tensor((0..<16).map { Float($0) / 16 }, shape: [4, 4])
    try w.setRequiresGrad(true)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seed in 0..<4 {
        group.addTask {
          for step in 0..<50 {
            let x = try Tensor((0..<4).map { Float($0 + seed + step % 3) }, shape: [1, 4])
            let loss = try Tensor.apply("sum", [try Tensor.apply("matmul", [x, w])[0]])[0]
            try loss.backward()
          }
        }
      }
      try await group.waitForAll()
    }
    // d/dW of sum(xW) is x in every column: the sum over all calls.
    var expected = [Float](repeating: 0, count: 16)
    for seed in 0..<4 {
      for step in 0..<50 {
        for i in 0..<4 { for j in 0..<4 { expected[i * 4 + j] += Float(i + seed + step % 3) } }
      }
    }
    #expect(try w.gradient?.floats() == expected)
  }
}

@Suite struct RelabelTests {
  /// The gradient of a reshape is the cotangent under another shape: no copy, and still its own box.
  @Test func reshapedGradientsShareMemoryUntilWritten() throws {
    let x = try Tensor([1, 2, 3, 4, 5, 6])
    try x.setRequiresGrad(true)
    let y = try Tensor.apply("reshape", [x], [.dims([2, 3])])[0]
    let cotangent = try Tensor([10, 20, 30, 40, 50, 60], shape: [2, 3])
    try y.backward(gradient: cotangent)
    let gradient = try #require(x.gradient)
    #expect(gradient.shape == [6])
    #expect(try gradient.floats() == [10, 20, 30, 40, 50, 60])
    try gradient.assign(try Tensor.number(0.0))
    #expect(try cotangent.floats() == [10, 20, 30, 40, 50, 60])
  }
}

@Suite struct RepeatedBackwardTests {
  /// As in PyTorch, only calls that kept something refuse a second pass.
  @Test func sumsCanBePassedTwice() throws {
    let x = try Tensor([1])
    try x.setRequiresGrad(true)
    let y = try Tensor.apply("add", [x, x])[0]
    try y.backward()
    try y.backward()
    #expect(try x.gradient?.floats() == [4])
  }
}
