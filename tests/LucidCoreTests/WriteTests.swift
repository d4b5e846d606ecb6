import LucidCore
import Synchronization
import Testing

/// Writes through views, once by the engine's copies and once by graphs, as on Apple's engine.
@Suite(.serialized) struct WriteTests {
  private func onBothWays(_ body: () throws -> Void) throws {
    try body()
    CopyDoor.usesEngine.store(false, ordering: .relaxed)
    defer { CopyDoor.usesEngine.store(true, ordering: .relaxed) }
    try body()
  }

  private func narrow(_ t: Tensor, _ axis: Int, _ start: Int, _ length: Int) throws -> Tensor {
    try Tensor.apply("narrow", [t], [.int(axis), .int(start), .int(length)])[0]
  }

  @Test func sliceOfATransposedView() throws {
    try onBothWays {
      let base = try Tensor((0..<12).map { Float($0) }, shape: [3, 4])
      let columns = try narrow(try Tensor.apply("permute", [base], [.ints([1, 0])])[0], 0, 1, 2)
      #expect(columns.isView && columns.shape == [2, 3])
      #expect(try columns.floats() == [1, 5, 9, 2, 6, 10])
      try columns.assign(try Tensor([100, 200, 300]))
      #expect(try base.floats() == [0, 100, 100, 3, 4, 200, 200, 7, 8, 300, 300, 11])
      #expect(base.version == 1)
      #expect(try columns.floats() == [100, 200, 300, 100, 200, 300])
    }
  }

  @Test func overlappingSourceIsReadFirst() throws {
    try onBothWays {
      let base = try Tensor([1, 2, 3, 4, 5])
      try narrow(base, 0, 1, 4).assign(try narrow(base, 0, 0, 4))
      #expect(try base.floats() == [1, 1, 2, 3, 4])
    }
  }

  @Test func conversionAndBroadcast() throws {
    try onBothWays {
      let base = try Tensor(integers: [1, 2, 3, 4], shape: [2, 2])
      try base.assign(try Tensor.number(2.75))
      #expect(try base.integers() == [2, 2, 2, 2])
      let wrong = try Tensor.zeros([3])
      #expect(throws: LucidError.self) { try base.assign(wrong) }
    }
  }

  @Test func copiesOfViewsAreTheirOwn() throws {
    try onBothWays {
      let base = try Tensor([1, 2, 3, 4])
      let copy = try narrow(base, 0, 2, 2).to(.metal)
      try copy.assign(try Tensor([9, 9], device: .metal))
      #expect(try copy.floats() == [9, 9])
      #expect(try base.floats() == [1, 2, 3, 4])
    }
  }

  /// y = 2x; y[1:3] = z; the loss weighs y's elements.
  @Test func partialWriteIsDifferentiated() throws {
    try onBothWays {
      let x = try Tensor([1, 2, 3, 4])
      let z = try Tensor([10, 20])
      try x.setRequiresGrad(true)
      try z.setRequiresGrad(true)
      let y = try Tensor.apply("mul", [x, try Tensor.number(2.0)])[0]
      let part = try narrow(y, 0, 1, 2)
      try part.assign(z)
      #expect(try y.floats() == [2, 10, 20, 8])
      // The view follows its base's new history.
      let partSum = try Tensor.apply("sum", [part])[0]
      let weighed = try Tensor.apply("mul", [y, try Tensor([1, 10, 100, 1000])])[0]
      let loss = try Tensor.apply("add", [try Tensor.apply("sum", [weighed])[0], partSum])[0]
      try loss.backward()
      #expect(try x.gradient?.floats() == [2, 0, 0, 2000])
      #expect(try z.gradient?.floats() == [11, 101])
    }
  }

  /// The gradient that a tensor keeps is that of its value after the write.
  @Test func keptGradientsFollowWrites() throws {
    let x = try Tensor([1, 2])
    try x.setRequiresGrad(true)
    let y = try Tensor.apply("mul", [x, try Tensor.number(2.0)])[0]
    try y.retainGradient()
    try y.assign(try Tensor.apply("mul", [y, try Tensor.number(3.0)])[0])
    try Tensor.apply("sum", [y])[0].backward()
    #expect(try y.gradient?.floats() == [1, 1])
    #expect(try x.gradient?.floats() == [6, 6])
  }

  @Test func viewsOfLeavesAreProtected() throws {
    let x = try Tensor([1, 2, 3])
    try x.setRequiresGrad(true)
    let part = try narrow(x, 0, 0, 1)
    let error = #expect(throws: LucidError.self) { try part.assign(try Tensor([5])) }
    #expect(
      error?.message
        == "a view of a leaf Variable that requires grad is being used in an in-place operation.")
    try withGradMode(.off) { () throws(LucidError) in
      try x.assign(try Tensor([4, 5, 6]))
    }
    #expect(try x.floats() == [4, 5, 6])
    #expect(x.requiresGrad && x.isLeaf)
  }

  @Test func detachSharesMemoryAndVersion() throws {
    let x = try Tensor([1, 2])
    try x.setRequiresGrad(true)
    let y = try Tensor.apply("exp", [x])[0]
    let d = y.detach()
    #expect(!d.requiresGrad)
    try d.assign(try Tensor([0, 0]))
    #expect(try y.floats() == [0, 0])
    let loss = try Tensor.apply("sum", [y])[0]
    let error = #expect(throws: LucidError.self) { try loss.backward() }
    #expect(error?.message.contains("modified by an inplace operation") == true)
  }

  @Test func setDataReplacesMemory() throws {
    let p = try Tensor([1, 2])
    try p.setRequiresGrad(true)
    try p.setData(try Tensor([5, 6, 7]))
    #expect(p.shape == [3] && p.requiresGrad)
    #expect(try p.floats() == [5, 6, 7])
  }
}
