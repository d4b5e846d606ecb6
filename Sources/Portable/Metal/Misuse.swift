/// Ends the process, as Apple's frameworks do on misuse. `precondition` would keep its message to
/// itself in optimised builds.
package func misuse(_ message: String) -> Never { fatalError(message) }

/// Ends the process with the message unless the condition holds.
package func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { misuse(message()) }
}
