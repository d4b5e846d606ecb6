extension Graph {
  /// The graph for one batch: every extent a number.
  func specialized(at batch: Int) -> Graph {
    var out = self
    for i in out.types.indices {
      out.types[i].shape = Shape(out.types[i].shape.evaluated(at: batch))
    }
    out.nodes = nodes.map { node in
      Node(
        op: node.op, inputs: node.inputs, attributes: node.attributes.specialized(at: batch),
        firstOutput: node.firstOutput, outputCount: node.outputCount)
    }
    return out
  }

  /// The batches with which some extent is 0: those of a·B + c = 0.
  var emptyBatches: Set<Int> {
    var out = Set<Int>()
    for type in types {
      for dim in type.shape.dims where dim.coefficient > 0 && dim.constant <= 0 {
        let (batch, rest) = dim.constant.quotientAndRemainder(dividingBy: -dim.coefficient)
        if rest == 0 { out.insert(batch) }
      }
    }
    return out
  }

  /// Why some operation cannot take an open batch here, nil if all can.
  var symbolicObstacle: String? {
    for node in nodes {
      let touchesBatch = (node.inputs + node.outputs).contains {
        !types[$0.position].shape.isStatic
      }
      guard touchesBatch, case .primitive(let rules) = OpCatalog[node.op].definition,
        case .unsupported(let why) = rules.symbolic
      else { continue }
      return "\(OpCatalog[node.op].name): \(why)"
    }
    return nil
  }
}

extension Attributes {
  /// The same with every extent a number.
  func specialized(at batch: Int) -> Attributes {
    Attributes(
      values.map { value in
        guard case .dims(let dims) = value else { return value }
        return .dims(dims.map { Dim($0.evaluated(at: batch)) })
      })
  }
}
