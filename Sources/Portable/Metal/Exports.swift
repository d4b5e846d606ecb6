// As on Apple's systems, importing Metal makes Foundation visible.
@_exported import Foundation
