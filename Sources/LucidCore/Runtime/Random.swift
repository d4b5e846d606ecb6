import Synchronization

/// A stream of random numbers: a seed, and how many 32-bit words were drawn.
public final class Generator: Sendable {
  /// What identifies the numbers that come next.
  public struct State: Hashable, Sendable {
    public var seed: Int64
    public var offset: Int64

    public init(seed: Int64, offset: Int64) { (self.seed, self.offset) = (seed, offset) }
  }

  /// The process's default.
  public static let `default` = Generator(seed: 0)

  private let current: Mutex<State>

  public init(seed: Int64) { current = Mutex(State(seed: seed, offset: 0)) }

  public var state: State {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// Takes `count` words and gives the state before.
  func draw(_ count: Int) -> State {
    current.withLock { state in
      let before = state
      state.offset &+= Int64(count)
      return before
    }
  }

  /// What this thread's operations draw from.
  public static var current: Generator { ThreadState.current.generator ?? .default }

  /// Makes this thread's operations draw from a generator; nil for the default.
  public static func use(_ generator: Generator?) { ThreadState.current.generator = generator }
}
