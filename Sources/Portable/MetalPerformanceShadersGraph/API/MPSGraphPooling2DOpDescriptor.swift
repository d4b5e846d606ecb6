import Foundation
import MetalPerformanceShaders

/// Kernel, strides, dilations, paddings and layout of a pooling.
public final class MPSGraphPooling2DOpDescriptor: MPSGraphObject, NSCopying {
  /// The width of the window.
  public var kernelWidth = 1
  /// The height of the window.
  public var kernelHeight = 1
  /// The step along the width.
  public var strideInX = 1
  /// The step along the height.
  public var strideInY = 1
  /// The distance of neighbouring elements of the window along the width.
  public var dilationRateInX = 1
  /// The distance of neighbouring elements of the window along the height.
  public var dilationRateInY = 1
  /// Padding before the first column.
  public var paddingLeft = 0
  /// Padding after the last column.
  public var paddingRight = 0
  /// Padding before the first row.
  public var paddingTop = 0
  /// Padding after the last row.
  public var paddingBottom = 0
  /// How paddings are found.
  public var paddingStyle = MPSGraphPaddingStyle.explicit
  /// The order of the dimensions.
  public var dataLayout = MPSGraphTensorNamedDataLayout.NCHW
  /// What the indices of a max pooling count.
  public var returnIndicesMode = MPSGraphPoolingReturnIndicesMode.none
  /// The type of the indices: int32.
  public var returnIndicesDataType = MPSDataType.int32
  /// Whether a last window that is not complete counts.
  public var ceilMode = false
  /// Whether padding counts in an average.
  public var includeZeroPadToAverage = false

  /// The defaults.
  public override init() {}

  /// Everything at once.
  public convenience init?(
    kernelWidth: Int, kernelHeight: Int, strideInX: Int, strideInY: Int, dilationRateInX: Int,
    dilationRateInY: Int, paddingLeft: Int, paddingRight: Int, paddingTop: Int,
    paddingBottom: Int, paddingStyle: MPSGraphPaddingStyle,
    dataLayout: MPSGraphTensorNamedDataLayout
  ) {
    self.init(
      kernelWidth: kernelWidth, kernelHeight: kernelHeight, strideInX: strideInX,
      strideInY: strideInY, paddingStyle: paddingStyle, dataLayout: dataLayout)
    self.dilationRateInX = dilationRateInX
    self.dilationRateInY = dilationRateInY
    setExplicitPaddingWithPaddingLeft(
      paddingLeft, paddingRight: paddingRight, paddingTop: paddingTop,
      paddingBottom: paddingBottom)
  }

  /// Everything but dilations and explicit paddings.
  public convenience init?(
    kernelWidth: Int, kernelHeight: Int, strideInX: Int, strideInY: Int,
    paddingStyle: MPSGraphPaddingStyle, dataLayout: MPSGraphTensorNamedDataLayout
  ) {
    self.init()
    self.kernelWidth = kernelWidth
    self.kernelHeight = kernelHeight
    self.strideInX = strideInX
    self.strideInY = strideInY
    self.paddingStyle = paddingStyle
    self.dataLayout = dataLayout
  }

  /// Sets the explicit paddings.
  public func setExplicitPaddingWithPaddingLeft(
    _ paddingLeft: Int, paddingRight: Int, paddingTop: Int, paddingBottom: Int
  ) {
    self.paddingLeft = paddingLeft
    self.paddingRight = paddingRight
    self.paddingTop = paddingTop
    self.paddingBottom = paddingBottom
  }

  /// A descriptor with the same contents.
  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = MPSGraphPooling2DOpDescriptor()
    copy.kernelWidth = kernelWidth
    copy.kernelHeight = kernelHeight
    copy.strideInX = strideInX
    copy.strideInY = strideInY
    copy.dilationRateInX = dilationRateInX
    copy.dilationRateInY = dilationRateInY
    copy.setExplicitPaddingWithPaddingLeft(
      paddingLeft, paddingRight: paddingRight, paddingTop: paddingTop,
      paddingBottom: paddingBottom)
    copy.paddingStyle = paddingStyle
    copy.dataLayout = dataLayout
    copy.returnIndicesMode = returnIndicesMode
    copy.returnIndicesDataType = returnIndicesDataType
    copy.ceilMode = ceilMode
    copy.includeZeroPadToAverage = includeZeroPadToAverage
    return copy
  }

  func spec(_ mode: Pool2DSpec.Mode, _ method: StaticString) -> Pool2DSpec {
    var spec = Pool2DSpec()
    spec.mode = mode
    (spec.kernelX, spec.kernelY) = (kernelWidth, kernelHeight)
    (spec.strideX, spec.strideY) = (strideInX, strideInY)
    (spec.dilationX, spec.dilationY) = (dilationRateInX, dilationRateInY)
    spec.padding = paddingStyle.padding(
      method, top: paddingTop, bottom: paddingBottom, left: paddingLeft, right: paddingRight)
    spec.ceilMode = ceilMode
    spec.channelsLast = dataLayout.isChannelsLast(method)
    spec.countsPadding = includeZeroPadToAverage
    return spec
  }
}
