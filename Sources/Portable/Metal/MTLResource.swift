import Foundation

/// Where the memory of a resource lives and who may reach it.
public enum MTLStorageMode: UInt, Sendable {
  case shared = 0
  case managed = 1
  case `private` = 2
  case memoryless = 3
}

/// How a resource is created.
public struct MTLResourceOptions: OptionSet, Sendable {
  /// The bits: cache mode, storage mode from bit 4, hazard tracking from bit 8.
  public let rawValue: UInt
  /// Makes a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The processor writes and does not read.
  public static let cpuCacheModeWriteCombined = MTLResourceOptions(rawValue: 1)
  /// Memory that the processor and the device share.
  public static let storageModeShared: MTLResourceOptions = []
  /// A copy on either side, kept in step on request.
  public static let storageModeManaged = MTLResourceOptions(rawValue: 1 << 4)
  /// Memory that only the device reaches.
  public static let storageModePrivate = MTLResourceOptions(rawValue: 2 << 4)
  /// Contents that last for one pass.
  public static let storageModeMemoryless = MTLResourceOptions(rawValue: 3 << 4)
  /// The caller orders the accesses.
  public static let hazardTrackingModeUntracked = MTLResourceOptions(rawValue: 1 << 8)
  /// The system orders the accesses.
  public static let hazardTrackingModeTracked = MTLResourceOptions(rawValue: 2 << 8)
}

/// Memory that a device can use.
public protocol MTLResource: NSObjectProtocol {
  /// The device that made the resource.
  var device: any MTLDevice { get }
  /// A name for people.
  var label: String? { get set }
  /// Where the memory lives; one memory serves both sides here, so it is always shared.
  var storageMode: MTLStorageMode { get }
}
