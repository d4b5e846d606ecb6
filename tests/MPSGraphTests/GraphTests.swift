/// The graph as a data structure.
@Suite struct GraphTests {
  /// Neither building nor freeing may recurse over the graph.
  @Test func longChainsAreFreed() {
    weak var freed: MPSGraph?
    weak var last: MPSGraphTensor?
    do {
      let graph = MPSGraph()
      freed = graph
      var x = graph.placeholder(shape: [2], dataType: .float32, name: nil)
      for _ in 0..<100_000 { x = graph.negative(with: x, name: nil) }
      last = x
    }
    #expect(freed == nil)
    #expect(last == nil)
  }

  @Test func longDependenciesAreFreed() {
    weak var freed: MPSGraph?
    do {
      let graph = MPSGraph()
      freed = graph
      var x = graph.placeholder(shape: [2], dataType: .float32, name: nil)
      for _ in 0..<20_000 {
        let before = x.operation
        x =
          graph.controlDependency(
            with: [before], dependentBlock: { [graph.negative(with: x, name: nil)] }, name: nil)[0]
      }
      #expect(x.operation.controlDependencies.count == 1)
    }
    #expect(freed == nil)
  }

  @Test func operationsAreLinked() {
    let graph = MPSGraph()
    let x = graph.placeholder(shape: [2, 3], dataType: .float32, name: "x")
    let y = graph.multiplication(x, x, name: "y")
    #expect(graph.placeholderTensors == [x])
    #expect(x.operation.name == "x")
    #expect(y.operation.inputTensors == [x, x])
    #expect(y.operation.outputTensors == [y])
    #expect(y.operation.graph === graph)
    #expect([x: 1, y: 2][y] == 2)
  }

  @Test func typesAreValues() {
    let type = MPSGraphShapedType(shape: [2, -1], dataType: .float16)
    #expect(type.isEqual(to: MPSGraphShapedType(shape: [2, -1], dataType: .float16)))
    #expect(!type.isEqual(to: MPSGraphShapedType(shape: nil, dataType: .float16)))
    let other = MPSGraphShapedType(shape: [2, 3], dataType: .float16)
    #expect(type != other)
    other.shape = [2, -1]
    #expect(type == other)
  }

  @Test func variablesKnowTheirType() throws {
    let graph = MPSGraph()
    let data = Data(repeating: 0, count: 24)
    let variable = graph.variable(with: data, shape: [2, 3], dataType: .float32, name: "v")
    let operation = try #require(variable.operation as? MPSGraphVariableOp)
    #expect(operation.shape == [2, 3])
    #expect(graph.read(variable, name: nil).shape == [2, 3])
  }
}
