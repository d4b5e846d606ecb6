// Written by tools/generate.py from the operation catalog; change that, not this.

extension Tensor {
  /// The positions of nonzero elements, one row each, in row-major order.
  public func nonzero() throws(LucidError) -> Tensor {
    try Tensor.apply("nonzero", [self])[0]
  }

  /// The elements where the mask holds, in row-major order.
  public func maskedSelect(_ mask: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("masked_select", [self, mask])[0]
  }

  /// The distinct elements in order, where each element of input is among them, and how often they occur. NaN counts as distinct each time.
  public func unique() throws(LucidError) -> [Tensor] {
    try Tensor.apply("unique", [self])
  }

  /// unique, but only neighbours of the flat tensor count as equal.
  public func uniqueConsecutive() throws(LucidError) -> [Tensor] {
    try Tensor.apply("unique_consecutive", [self])
  }

  /// How often each number from 0 up to the largest (or minlength - 1) occurs.
  public func bincount(minlength: Int = 0) throws(LucidError) -> Tensor {
    try Tensor.apply("bincount", [self], [.int(minlength)])[0]
  }

  /// Each position i of repeats, repeats[i] times: what repeat_interleave selects.
  public func repeatPositions() throws(LucidError) -> Tensor {
    try Tensor.apply("repeat_positions", [self])[0]
  }
}
