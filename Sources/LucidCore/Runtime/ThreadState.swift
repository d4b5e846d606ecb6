import Foundation

/// Whether operations are differentiated.
public enum GradMode: Int32, Sendable {
  case off = 0
  case on = 1
  /// Off, and results cannot take part in differentiation later.
  case inference = 2

  /// This thread's mode.
  public static var current: GradMode {
    get { ThreadState.current.gradMode }
    set { ThreadState.current.gradMode = newValue }
  }
}

/// What belongs to one thread: modes, the stream, and scratch memory that saves allocations.
final class ThreadState {
  var gradMode = GradMode.on
  /// What operations draw random numbers from; nil for the process's default.
  var generator: Generator?
  /// Records operations instead of running them, while a function is traced.
  var recorder: (any Recorder)?
  let stream = Stream()
  var lookup = OpLookup()
  /// Tape nodes whose last reference went away while another was being released.
  var released: [TapeNode] = []
  var isReleasing = false

  private init() {}

  static var current: ThreadState {
    if let pointer = pthread_getspecific(slot) {
      return Unmanaged<ThreadState>.fromOpaque(pointer).takeUnretainedValue()
    }
    return make()
  }

  private static func make() -> ThreadState {
    let state = ThreadState()
    pthread_setspecific(slot, Unmanaged.passRetained(state).toOpaque())
    return state
  }

  private static let slot: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { ThreadState.end($0) }
    return key
  }()

  /// The pointer is optional on Linux and not on macOS.
  private static func end(_ pointer: UnsafeMutableRawPointer?) {
    guard let pointer else { return }
    let state = Unmanaged<ThreadState>.fromOpaque(pointer).takeRetainedValue()
    state.stream.commit()
  }
}
