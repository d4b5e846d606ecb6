import Foundation
import Metal

/// A device that graphs are compiled for.
public final class MPSGraphDevice: MPSGraphObject {
  /// The kind of the device.
  public var type: MPSGraphDeviceType { .metal }
  /// The Metal device.
  public let metalDevice: (any MTLDevice)?

  package init(metal: any MTLDevice) { metalDevice = metal }

  /// The graph device for a Metal device.
  public convenience init(mtlDevice metalDevice: any MTLDevice) { self.init(metal: metalDevice) }
}
