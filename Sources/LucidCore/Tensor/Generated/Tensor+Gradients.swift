// Written by tools/generate.py from the operation catalog; change that, not this.

extension Tensor {
  /// The same elements, without leading back to the operand.
  public func detach() throws(LucidError) -> Tensor {
    try Tensor.apply("detach", [self])[0]
  }
}
