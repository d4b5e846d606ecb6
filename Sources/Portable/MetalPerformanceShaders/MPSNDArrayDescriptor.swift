import Foundation
import Metal

/// Shape and element type of an array, or, for `MPSNDArray.arrayView(with:)`, a part of it.
///
/// Apple counts dimensions from the fastest one in methods with a dimension number, and lists shapes
/// slowest first.
public class MPSNDArrayDescriptor: NSObject {
  /// One dimension of the view, in terms of the dimensions of the array it was taken from.
  package struct Axis {
    package var source: Int
    package var start = 0
    package var length: Int
  }

  /// The element type.
  public var dataType: MPSDataType
  /// Whether rows follow each other without gaps.
  public var preferPackedRows = false

  /// Fastest dimension first.
  package private(set) var axes: [Axis] = []
  /// False after a reshape: the axes do not name those of a source any more.
  package private(set) var isView = false

  /// Describes an array with the given shape, slowest dimension first.
  public convenience init(dataType: MPSDataType, shape: [NSNumber]) {
    self.init(dataType: dataType, dims: shape.map(\.intValue))
  }

  /// Describes an array with the given sizes, fastest dimension first.
  public convenience init(
    dataType: MPSDataType, dimensionCount: Int, dimensionSizes: UnsafeMutablePointer<Int>
  ) {
    let sizes = UnsafeBufferPointer(start: dimensionSizes, count: dimensionCount)
    self.init(dataType: dataType, dims: sizes.reversed())
  }

  /// Slowest dimension first, without boxed numbers.
  package init(dataType: MPSDataType, dims: [Int], isView: Bool = false) {
    require(
      dataType.isSupported, "MPSNDArrayDescriptor: \(dataType) is not supported by this engine")
    self.dataType = dataType
    super.init()
    reset(dims)
    self.isView = isView
  }

  private func reset(_ dims: [Int]) {
    require(
      dims.count <= 16 && dims.allSatisfy { $0 > 0 && $0 <= Int(Int32.max) },
      "MPSNDArrayDescriptor: \(dims) is not a shape of at most 16 positive sizes")
    axes = dims.reversed().enumerated().map { Axis(source: $0.offset, length: $0.element) }
    isView = false
  }

  /// Slowest dimension first.
  package var dims: [Int] { axes.reversed().map(\.length) }

  /// The number of dimensions; 0 for a scalar.
  public var numberOfDimensions: Int { axes.count }

  /// The sizes, slowest dimension first.
  public func getShape() -> [NSNumber] { dims.map { NSNumber(value: $0) } }

  /// The size of a dimension, counted from the fastest; 1 beyond the rank.
  public func length(ofDimension dimensionIndex: Int) -> Int {
    axes.indices.contains(dimensionIndex) ? axes[dimensionIndex].length : 1
  }

  /// Replaces the shape, slowest dimension first.
  public func reshape(withShape shape: [NSNumber]) { reset(shape.map(\.intValue)) }

  /// Replaces the shape, fastest dimension first.
  public func reshape(
    withDimensionCount numberOfDimensions: Int, dimensionSizes: UnsafeMutablePointer<Int>
  ) {
    reset(UnsafeBufferPointer(start: dimensionSizes, count: numberOfDimensions).reversed())
  }

  /// Swaps two dimensions.
  public func transposeDimension(_ dimensionIndex: Int, withDimension dimensionIndex2: Int) {
    requireDimension(dimensionIndex, "transposeDimension(_:withDimension:)")
    requireDimension(dimensionIndex2, "transposeDimension(_:withDimension:)")
    axes.swapAt(dimensionIndex, dimensionIndex2)
  }

  /// Reorders the dimensions: dimension `i` becomes what dimension `order[i]` was.
  public func permute(withDimensionOrder dimensionOrder: UnsafeMutablePointer<Int>) {
    let order = Array(UnsafeBufferPointer(start: dimensionOrder, count: axes.count))
    require(
      order.sorted() == Array(axes.indices),
      "MPSNDArrayDescriptor.permute(withDimensionOrder:): \(order) is not a permutation")
    axes = order.map { axes[$0] }
  }

  /// Keeps a part of a dimension.
  public func sliceDimension(_ dimensionIndex: Int, withSubrange subRange: MPSDimensionSlice) {
    requireDimension(dimensionIndex, "sliceDimension(_:withSubrange:)")
    let axis = axes[dimensionIndex]
    require(
      subRange.start >= 0 && subRange.length > 0 && subRange.start < axis.length
        && subRange.length <= axis.length - subRange.start,
      """
      MPSNDArrayDescriptor.sliceDimension(_:withSubrange:): start \(subRange.start), length \
      \(subRange.length) is outside a dimension of length \(axis.length)
      """)
    axes[dimensionIndex].start += subRange.start
    axes[dimensionIndex].length = subRange.length
  }

  private func requireDimension(_ index: Int, _ method: StaticString) {
    require(
      axes.indices.contains(index),
      "MPSNDArrayDescriptor.\(method): dimension \(index) is out of range for shape \(dims)")
  }
}
