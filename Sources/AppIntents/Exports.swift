// As on Apple's systems, who imports App Intents has Foundation's dates and URLs.
@_exported import AppIntentsTypeSupport
@_exported import Foundation
