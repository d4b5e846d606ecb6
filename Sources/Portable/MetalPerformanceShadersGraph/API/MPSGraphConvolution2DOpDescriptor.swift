import Foundation

/// Strides, dilations, paddings and layouts of a convolution.
public final class MPSGraphConvolution2DOpDescriptor: MPSGraphObject, NSCopying {
  /// The step along the width.
  public var strideInX = 1
  /// The step along the height.
  public var strideInY = 1
  /// The distance of neighbouring weights along the width.
  public var dilationRateInX = 1
  /// The distance of neighbouring weights along the height.
  public var dilationRateInY = 1
  /// How many groups of channels are convolved apart from each other.
  public var groups = 1
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
  /// The order of the dimensions of the weights.
  public var weightsLayout = MPSGraphTensorNamedDataLayout.OIHW

  /// The defaults.
  public override init() {}

  /// Everything at once.
  public convenience init?(
    strideInX: Int, strideInY: Int, dilationRateInX: Int, dilationRateInY: Int, groups: Int,
    paddingLeft: Int, paddingRight: Int, paddingTop: Int, paddingBottom: Int,
    paddingStyle: MPSGraphPaddingStyle, dataLayout: MPSGraphTensorNamedDataLayout,
    weightsLayout: MPSGraphTensorNamedDataLayout
  ) {
    self.init(
      strideInX: strideInX, strideInY: strideInY, dilationRateInX: dilationRateInX,
      dilationRateInY: dilationRateInY, groups: groups, paddingStyle: paddingStyle,
      dataLayout: dataLayout, weightsLayout: weightsLayout)
    setExplicitPaddingWithPaddingLeft(
      paddingLeft, paddingRight: paddingRight, paddingTop: paddingTop,
      paddingBottom: paddingBottom)
  }

  /// Everything but explicit paddings.
  public convenience init?(
    strideInX: Int, strideInY: Int, dilationRateInX: Int, dilationRateInY: Int, groups: Int,
    paddingStyle: MPSGraphPaddingStyle, dataLayout: MPSGraphTensorNamedDataLayout,
    weightsLayout: MPSGraphTensorNamedDataLayout
  ) {
    self.init()
    self.strideInX = strideInX
    self.strideInY = strideInY
    self.dilationRateInX = dilationRateInX
    self.dilationRateInY = dilationRateInY
    self.groups = groups
    self.paddingStyle = paddingStyle
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
    let copy = MPSGraphConvolution2DOpDescriptor()
    copy.strideInX = strideInX
    copy.strideInY = strideInY
    copy.dilationRateInX = dilationRateInX
    copy.dilationRateInY = dilationRateInY
    copy.groups = groups
    copy.setExplicitPaddingWithPaddingLeft(
      paddingLeft, paddingRight: paddingRight, paddingTop: paddingTop,
      paddingBottom: paddingBottom)
    copy.paddingStyle = paddingStyle
    copy.dataLayout = dataLayout
    copy.weightsLayout = weightsLayout
    return copy
  }

  func spec(_ method: StaticString, outputShape: [Int] = []) -> Conv2DSpec {
    var spec = Conv2DSpec()
    (spec.strideX, spec.strideY) = (strideInX, strideInY)
    (spec.dilationX, spec.dilationY) = (dilationRateInX, dilationRateInY)
    spec.groups = groups
    spec.padding = paddingStyle.padding(
      method, top: paddingTop, bottom: paddingBottom, left: paddingLeft, right: paddingRight)
    spec.channelsLast = dataLayout.isChannelsLast(method)
    spec.weightsHWIO = weightsLayout.isHWIO(method)
    spec.outputShape = outputShape
    return spec
  }
}

extension MPSGraphPaddingStyle {
  func padding(_ method: StaticString, top: Int, bottom: Int, left: Int, right: Int)
    -> Padding2D
  {
    switch self {
    case .explicit:
      require(
        top >= 0 && bottom >= 0 && left >= 0 && right >= 0,
        "MPSGraph.\(method): paddings \(top), \(bottom), \(left), \(right) are negative")
      return .explicit(top: top, bottom: bottom, left: left, right: right)
    case .TF_VALID: return .valid
    case .TF_SAME: return .same
    case .ONNX_SAME_LOWER: return .sameLower
    case .explicitOffset:
      misuse("MPSGraph.\(method): the padding style \(self) is not supported by this engine")
    }
  }
}

extension MPSGraphTensorNamedDataLayout {
  func isChannelsLast(_ method: StaticString) -> Bool {
    require(
      self == .NCHW || self == .NHWC,
      "MPSGraph.\(method): the data layout must be NCHW or NHWC, not \(self)")
    return self == .NHWC
  }

  func isHWIO(_ method: StaticString) -> Bool {
    require(
      self == .OIHW || self == .HWIO,
      "MPSGraph.\(method): the weights layout must be OIHW or HWIO, not \(self)")
    return self == .HWIO
  }
}
