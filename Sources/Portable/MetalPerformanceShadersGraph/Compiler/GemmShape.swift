/// A batched matrix product over strided operands, with as few dimensions as the strides allow:
/// batch axes that only repeat the weights become rows.
struct GemmShape {
  var m: Int
  var n: Int
  var k: Int
  /// Extents, outermost first.
  var batch: [Int] = []
  /// Strides per batch axis, then row, then column.
  var a: [Int]
  var b: [Int]
  var c: [Int]
  /// How many of the result's rows each row index covers beyond its own axis.
  var foldedRows = 1

  /// `c` has the result's shape, [batch..., M, N].
  init(a left: StridedView, b right: StridedView, c result: StridedView) {
    let rank = result.shape.count
    let x = Self.matrices(left, like: result.shape)
    let y = Self.matrices(right, like: result.shape)
    m = rank > 1 ? result.shape[rank - 2] : 1
    n = rank > 0 ? result.shape[rank - 1] : 1
    k = left.shape.last ?? 1
    let row = rank > 1 ? result.strides[rank - 2] : 0
    a = [x.strides[x.strides.count - 2], x.strides[x.strides.count - 1]]
    b = [y.strides[y.strides.count - 2], y.strides[y.strides.count - 1]]
    c = [row, rank > 0 ? result.strides[rank - 1] : 0]
    var folding = true
    for axis in stride(from: rank - 3, through: 0, by: -1) where result.shape[axis] != 1 {
      let (sa, sb, sc) = (x.strides[axis], y.strides[axis], result.strides[axis])
      let size = result.shape[axis]
      let last = batch.count
      let aRow = a[a.count - 2]
      let cRow = c[c.count - 2]
      if folding, sb == 0, m == 1 || (sa == aRow * m && sc == cRow * m) {
        if m == 1 {
          a[a.count - 2] = sa
          c[c.count - 2] = sc
        }
        m *= size
        foldedRows *= size
        continue
      }
      folding = false
      if last > 0, sa == a[0] * batch[0], sb == b[0] * batch[0], sc == c[0] * batch[0] {
        batch[0] *= size
        continue
      }
      batch.insert(size, at: 0)
      a.insert(sa, at: 0)
      b.insert(sb, at: 0)
      c.insert(sc, at: 0)
    }
  }

  var batchCount: Int { batch.product }
  var isBatched: Bool { !batch.isEmpty }

  /// An operand with the batch axes of the result; a vector counts as one row.
  private static func matrices(_ view: StridedView, like result: [Int]) -> StridedView {
    var matrix = view
    while matrix.shape.count < 2 {
      matrix.shape.insert(1, at: 0)
      matrix.strides.insert(0, at: 0)
    }
    let rank = max(result.count, 2)
    let target = Array(result.dropLast(2)) + matrix.shape.suffix(2)
    return matrix.shape.count == rank && matrix.shape == target
      ? matrix : matrix.broadcast(to: target)
  }
}
