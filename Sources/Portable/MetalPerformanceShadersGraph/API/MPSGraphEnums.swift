/// When results become visible to the processor.
public enum MPSGraphOptions: UInt64, Sendable {
  case none = 0
  case synchronizeResults = 1
  case verbose = 2
  /// Results are visible when a run is complete.
  public static let `default` = MPSGraphOptions.synchronizeResults
}

/// How much the compiler may do.
public enum MPSGraphOptimization: UInt64, Sendable {
  case level0 = 0
  case level1 = 1
}

/// The moment of a run at which an event is signalled.
public enum MPSGraphExecutionStage: UInt64, Sendable {
  case completed = 0
}

/// The kind of a device.
public enum MPSGraphDeviceType: UInt32, Sendable {
  case metal = 0
}

/// The order of named dimensions.
public enum MPSGraphTensorNamedDataLayout: UInt, Sendable {
  case NCHW = 0
  case NHWC = 1
  case OIHW = 2
  case HWIO = 3
  case CHW = 4
  case HWC = 5
  case HW = 6
  case NCDHW = 7
  case NDHWC = 8
  case OIDHW = 9
  case DHWIO = 10
}

/// How much padding surrounds the image of a convolution or pooling.
public enum MPSGraphPaddingStyle: UInt, Sendable {
  case explicit = 0
  case TF_VALID = 1
  case TF_SAME = 2
  case explicitOffset = 3
  case ONNX_SAME_LOWER = 4
}

/// What padded elements hold.
public enum MPSGraphPaddingMode: Int, Sendable {
  case constant = 0
  case reflect = 1
  case symmetric = 2
  case clampToEdge = 3
  case zero = 4
  case periodic = 5
  case antiPeriodic = 6
}

/// How updates combine with what they meet.
public enum MPSGraphScatterMode: Int, Sendable {
  case add = 0
  case sub = 1
  case mul = 2
  case div = 3
  case min = 4
  case max = 5
  case set = 6
}

/// How a loss is reduced over everything but its axis.
public enum MPSGraphLossReductionType: UInt64, Sendable {
  case none = 0
  case sum = 1
  case mean = 2
  /// No reduction, by its first name.
  public static let axis = MPSGraphLossReductionType.none
}

/// What the indices of a max pooling count.
public enum MPSGraphPoolingReturnIndicesMode: UInt, Sendable {
  case none = 0
  case globalFlatten1D = 1
  case globalFlatten2D = 2
  case globalFlatten3D = 3
  case globalFlatten4D = 4
  case localFlatten1D = 5
  case localFlatten2D = 6
  case localFlatten3D = 7
  case localFlatten4D = 8
}
