/// A part of one dimension.
public struct MPSDimensionSlice: Sendable {
  /// The first index.
  public var start: Int
  /// The number of indices.
  public var length: Int

  /// An empty slice.
  public init() { (start, length) = (0, 0) }
  /// The indices `start ..< start + length`.
  public init(start: Int, length: Int) { (self.start, self.length) = (start, length) }
}
