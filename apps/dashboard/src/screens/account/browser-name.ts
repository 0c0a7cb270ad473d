/** What a browser says of itself, in words that its owner knows it by. */

const BROWSERS: readonly [mark: RegExp, name: string][] = [
  [/\bEdgA?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bFirefox\/(\d+)/, 'Firefox'],
  [/\bFxiOS\/(\d+)/, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\w+ )?Safari\//, 'Safari'],
]
const SYSTEMS: readonly [mark: RegExp, name: string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]
const NAME_CHARS = 60

/** Null when it said nothing. */
export function browserName(client: string | null): string | null {
  if (client === null || client.trim() === '') return null
  for (const [mark, name] of BROWSERS) {
    const version = mark.exec(client)?.[1]
    if (version === undefined) continue
    const system = SYSTEMS.find(([shows]) => shows.test(client))?.[1]
    return system === undefined ? `${name} ${version}` : `${name} ${version} · ${system}`
  }
  // A program: its name comes first.
  return client.trim().split(/\s/, 1)[0]!.slice(0, NAME_CHARS)
}
