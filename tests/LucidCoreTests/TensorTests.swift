import LucidCore
import Testing

@Suite struct TensorTests {
  @Test func addsWithBroadcast() throws {
    let a = try Tensor([1, 2, 3, 4, 5, 6], shape: [2, 3])
    let b = try Tensor([10, 20, 30])
    let sum = try Tensor.apply("add", [a, b])[0]
    #expect(sum.shape == [2, 3])
    #expect(try sum.floats() == [11, 22, 33, 14, 25, 36])
  }

  @Test func linearLayerFromParts() throws {
    let x = try Tensor((0..<8).map { Float($0) }, shape: [1, 8])
    let w = try Tensor((0..<32).map { Float($0 % 5) - 2 }, shape: [4, 8])
    let b = try Tensor([1, 2, 3, 4])
    let wt = try Tensor.apply("permute", [w], [.ints([1, 0])])[0]
    #expect(wt.shape == [8, 4])
    #expect(wt.strides == [1, 8])
    let y = try Tensor.apply("add", [try Tensor.apply("matmul", [x, wt])[0], b])[0]
    var expected: [Float] = [1, 2, 3, 4]
    for i in 0..<4 { for k in 0..<8 { expected[i] += Float(k) * (Float((i * 8 + k) % 5) - 2) } }
    #expect(try y.floats() == expected)
  }

  @Test func shapeErrorsNameTheOperation() throws {
    let a = try Tensor.zeros([2, 3])
    let b = try Tensor.zeros([4])
    let error = #expect(throws: LucidError.self) { try Tensor.apply("add", [a, b]) }
    #expect(error?.code == .shape)
    #expect(error?.message.hasPrefix("add: ") == true)
  }

  @Test func emptyTensors() throws {
    let empty = try Tensor.zeros([0, 3])
    let relu = try Tensor.apply("relu", [empty])[0]
    #expect(relu.shape == [0, 3])
    #expect(try relu.floats().isEmpty)
    let sum = try Tensor.apply("sum", [empty], [.ints([0])])[0]
    #expect(try sum.floats() == [0, 0, 0])
  }

  @Test func gradientOfAProduct() throws {
    let a = try Tensor([1, 2, 3])
    let b = try Tensor([4, 5, 6])
    try a.setRequiresGrad(true)
    try b.setRequiresGrad(true)
    let loss = try Tensor.apply("sum", [try Tensor.apply("mul", [a, b])[0]])[0]
    #expect(loss.requiresGrad)
    try loss.backward()
    #expect(try a.gradient?.floats() == [4, 5, 6])
    #expect(try b.gradient?.floats() == [1, 2, 3])
    let error = #expect(throws: LucidError.self) { try loss.backward() }
    #expect(error?.message.contains("backward through the graph a second time") == true)
  }

  @Test func secondDerivative() throws {
    let x = try Tensor([2])
    try x.setRequiresGrad(true)
    let square = try Tensor.apply("mul", [x, x])[0]
    let cube = try Tensor.apply("mul", [square, x])[0]
    let first = try Tensor.gradients(
      of: [cube], cotangents: [nil], inputs: [x], options: .createGraph)[0]
    #expect(try first?.floats() == [12])
    let second = try Tensor.gradients(of: [#require(first)], cotangents: [nil], inputs: [x])[0]
    #expect(try second?.floats() == [12])
  }
}
