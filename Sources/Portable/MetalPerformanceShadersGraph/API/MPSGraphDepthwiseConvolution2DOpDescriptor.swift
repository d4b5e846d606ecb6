import Foundation

/// Strides, dilations, paddings and layouts of a depthwise convolution.
public final class MPSGraphDepthwiseConvolution2DOpDescriptor: MPSGraphObject, NSCopying {
  /// The step along the width.
  public var strideInX = 1
  /// The step along the height.
  public var strideInY = 1
  /// The distance of neighbouring weights along the width.
  public var dilationRateInX = 1
  /// The distance of neighbouring weights along the height.
  public var dilationRateInY = 1
  /// Zeros before the first column.
  public var paddingLeft = 0
  /// Zeros after the last column.
  public var paddingRight = 0
  /// Zeros before the first row.
  public var paddingTop = 0
  /// Zeros after the last row.
  public var paddingBottom = 0
  /// How paddings are found.
  public var paddingStyle = MPSGraphPaddingStyle.explicit
  /// The order of the dimensions of source and result.
  public var dataLayout = MPSGraphTensorNamedDataLayout.NCHW
  /// The order of the dimensions of the weights; "O" counts the kernels per channel.
  public var weightsLayout = MPSGraphTensorNamedDataLayout.OIHW

  /// The defaults.
  public override init() {}

  /// Everything at once.
  public convenience init?(
    strideInX: Int, strideInY: Int, dilationRateInX: Int, dilationRateInY: Int,
    paddingLeft: Int, paddingRight: Int, paddingTop: Int, paddingBottom: Int,
    paddingStyle: MPSGraphPaddingStyle, dataLayout: MPSGraphTensorNamedDataLayout,
    weightsLayout: MPSGraphTensorNamedDataLayout
  ) {
    self.init(dataLayout: dataLayout, weightsLayout: weightsLayout)
    self.strideInX = strideInX
    self.strideInY = strideInY
    self.dilationRateInX = dilationRateInX
    self.dilationRateInY = dilationRateInY
    self.paddingStyle = paddingStyle
    setExplicitPaddingWithPaddingLeft(
      paddingLeft, paddingRight: paddingRight, paddingTop: paddingTop,
      paddingBottom: paddingBottom)
  }

  /// The layouts, with strides and dilations of one and no padding.
  public convenience init?(
    dataLayout: MPSGraphTensorNamedDataLayout, weightsLayout: MPSGraphTensorNamedDataLayout
  ) {
    self.init()
    self.dataLayout = dataLayout
    self.weightsLayout = weightsLayout
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
    let copy = MPSGraphDepthwiseConvolution2DOpDescriptor()
    copy.strideInX = strideInX
    copy.strideInY = strideInY
    copy.dilationRateInX = dilationRateInX
    copy.dilationRateInY = dilationRateInY
    copy.setExplicitPaddingWithPaddingLeft(
      paddingLeft, paddingRight: paddingRight, paddingTop: paddingTop,
      paddingBottom: paddingBottom)
    copy.paddingStyle = paddingStyle
    copy.dataLayout = dataLayout
    copy.weightsLayout = weightsLayout
    return copy
  }

  func spec(_ method: StaticString) -> Conv2DSpec {
    var spec = Conv2DSpec()
    (spec.strideX, spec.strideY) = (strideInX, strideInY)
    (spec.dilationX, spec.dilationY) = (dilationRateInX, dilationRateInY)
    spec.padding = paddingStyle.padding(
      method, top: paddingTop, bottom: paddingBottom, left: paddingLeft, right: paddingRight)
    spec.channelsLast = dataLayout.isChannelsLast(method)
    spec.weightsHWIO = weightsLayout.isHWIO(method)
    return spec
  }
}
