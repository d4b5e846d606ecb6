/// Einstein summation as permutations, products and sums: operands are combined pairwise from the
/// left, each pair by one batched matrix product.
enum Einsum {
  /// A value with a label for each axis.
  private struct Term {
    var value: GraphValue
    var labels: [Int]
  }

  private static let comma = 44, dot = 46, minus = 45, greater = 62, space = 32
  /// Labels of the axes an ellipsis stands for, counted from the right, are negative.
  private static func ellipsis(_ i: Int) -> Int { -1 - i }

  static func expand(_ c: ExpandContext) throws(LucidError) -> GraphValue {
    let (inputs, output) = try parse(c)
    guard inputs.count == c.inputs.count, !inputs.isEmpty else {
      throw c.check.error(
        .value, "\(inputs.count) terms for \(c.inputs.count) operands", constraint: 1)
    }
    var terms: [Term] = []
    for (labels, value) in zip(inputs, c.inputs) {
      terms.append(try diagonals(Term(value: value, labels: labels), c.check))
    }
    let result = output ?? implicitOutput(inputs)
    guard Set(result).count == result.count else {
      throw c.check.error(.value, "a letter of the result occurs twice", constraint: 3)
    }
    var product = terms.removeFirst()
    while !terms.isEmpty {
      let next = terms.removeFirst()
      let needed = Set(result).union(terms.flatMap(\.labels))
      product = try combine(
        summed(product, keeping: needed.union(next.labels)),
        summed(next, keeping: needed.union(product.labels)), needed, c.check)
    }
    let final = try summed(product, keeping: Set(result))
    var order: [Int] = []
    for label in result {
      guard let axis = final.labels.firstIndex(of: label) else {
        throw c.check.error(.value, "a letter of the result occurs in no term", constraint: 3)
      }
      order.append(axis)
    }
    return try final.value.permute(order)
  }

  private static func parse(_ c: ExpandContext) throws(LucidError) -> ([[Int]], [Int]?) {
    let codes = c.attributes.ints(0).filter { $0 != space }
    var sides: [[[Int]]] = [[[]]]
    var i = 0
    while i < codes.count {
      switch codes[i] {
      case comma: sides[sides.count - 1].append([])
      case minus:
        guard i + 1 < codes.count, codes[i + 1] == greater, sides.count == 1 else {
          throw c.check.error(.value, "the equation has a stray '-'", constraint: 1)
        }
        sides.append([[]])
        i += 1
      case dot:
        guard i + 2 < codes.count, codes[i + 1] == dot, codes[i + 2] == dot else {
          throw c.check.error(.value, "the equation has a stray '.'", constraint: 1)
        }
        sides[sides.count - 1][sides[sides.count - 1].count - 1].append(dot)
        i += 2
      case 65...90, 97...122:
        sides[sides.count - 1][sides[sides.count - 1].count - 1].append(codes[i])
      default:
        throw c.check.error(.value, "the equation has character \(codes[i])", constraint: 1)
      }
      i += 1
    }
    var inputs: [[Int]] = []
    var widest = 0
    for (term, value) in zip(sides[0], c.inputs) {
      let letters = term.count { $0 != dot }
      let hidden = value.rank - letters
      let dots = term.count - letters
      guard hidden >= 0, dots <= 1, dots == 1 || hidden == 0 else {
        throw c.check.error(
          .shape, "a term of \(letters) letters for shape \(value.shape)", constraint: 1)
      }
      widest = max(widest, hidden)
      inputs.append(expanded(term, hidden))
    }
    if sides[0].count != c.inputs.count {
      throw c.check.error(
        .value, "\(sides[0].count) terms for \(c.inputs.count) operands", constraint: 1)
    }
    guard sides.count == 2 else { return (inputs, nil) }
    guard sides[1].count == 1 else {
      throw c.check.error(.value, "the result has several terms", constraint: 1)
    }
    return (inputs, expanded(sides[1][0], widest))
  }

  private static func expanded(_ term: [Int], _ hidden: Int) -> [Int] {
    term.flatMap { $0 == dot ? (0..<hidden).reversed().map(ellipsis) : [$0] }
  }

  /// Without "->": the ellipsis, then the letters that occur once, in alphabetical order.
  private static func implicitOutput(_ inputs: [[Int]]) -> [Int] {
    let all = inputs.flatMap { $0 }
    let hidden = Set(all.filter { $0 < 0 }).sorted()
    let letters = Set(all.filter { label in label > 0 && all.count { $0 == label } == 1 })
    return hidden + letters.sorted()
  }

  /// A label that occurs twice in a term stands for a diagonal.
  private static func diagonals(_ term: Term, _ check: InferContext) throws(LucidError) -> Term {
    var term = term
    var i = 0
    while i < term.labels.count {
      guard let j = term.labels[(i + 1)...].firstIndex(of: term.labels[i]) else {
        i += 1
        continue
      }
      guard check.equal(term.value.shape[i], term.value.shape[j]) else {
        throw check.error(
          .shape, "axes \(i) and \(j) of \(term.value.shape) differ", constraint: 2)
      }
      let label = term.labels[i]
      term.value = try term.value.call("diagonal", [], [.int(0), .int(i), .int(j)])
      term.labels.remove(at: j)
      term.labels.remove(at: i)
      term.labels.append(label)
    }
    return term
  }

  private static func summed(_ term: Term, keeping: Set<Int>) throws(LucidError) -> Term {
    let axes = term.labels.indices.filter { !keeping.contains(term.labels[$0]) }
    let dtype = term.value.dtype
    let value =
      axes.isEmpty
      ? term.value
      : try term.value.call("sum", [], [.ints(axes), .bool(false), .dtype(dtype)])
    return Term(value: value, labels: term.labels.filter { keeping.contains($0) })
  }

  /// One batched product over the labels both have and nobody needs any more.
  private static func combine(
    _ a: Term, _ b: Term, _ needed: Set<Int>, _ check: InferContext
  ) throws(LucidError) -> Term {
    let shared = a.labels.filter { b.labels.contains($0) }
    let inner = shared.filter { !needed.contains($0) }
    let batch = shared.filter { needed.contains($0) }
    let left = a.labels.filter { !shared.contains($0) }
    let right = b.labels.filter { !shared.contains($0) }
    let sizesA = Dictionary(zip(a.labels, a.value.shape.dims)) { first, _ in first }
    let sizesB = Dictionary(zip(b.labels, b.value.shape.dims)) { first, _ in first }
    var common: [Int: Dim] = [:]
    for label in shared {
      let (x, y) = (sizesA[label] ?? 1, sizesB[label] ?? 1)
      guard x == 1 || y == 1 || check.equal(x, y) else {
        throw check.error(.shape, "a letter has the extents \(x) and \(y)", constraint: 2)
      }
      common[label] = x == 1 ? y : x
    }
    func arranged(_ term: Term, _ order: [Int], _ groups: [[Int]]) throws(LucidError) -> GraphValue
    {
      let value = try term.value.permute(order.map { term.labels.firstIndex(of: $0) ?? 0 })
      let sizes = zip(order, value.shape.dims).map { common[$0] ?? $1 }
      let wide = try value.expand(Shape(sizes))
      let extents = Dictionary(zip(order, sizes)) { first, _ in first }
      var dims: [Dim] = []
      for group in groups {
        guard let extent = Shape(group.map { extents[$0] ?? 1 }).elementCount else {
          throw check.error(.unsupported, "the extents of \(wide.shape) have no affine product")
        }
        dims.append(extent)
      }
      return try wide.reshape(Shape(dims))
    }
    let x = try arranged(a, batch + left + inner, [batch, left, inner])
    let y = try arranged(b, batch + inner + right, [batch, inner, right])
    let labels = batch + left + right
    let sizes = labels.map { common[$0] ?? sizesA[$0] ?? sizesB[$0] ?? 1 }
    let flat = inner.isEmpty ? try x * y : try x.product(y)
    return Term(value: try flat.reshape(Shape(sizes)), labels: labels)
  }
}
