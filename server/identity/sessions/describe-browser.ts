/** In this order, because browsers also name the browsers that they are compatible with. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const

const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** The browser and system that a `User-Agent` header names, such as 'Firefox on Linux'. Null if it names neither. */
export function describeBrowser(userAgent: string): string | null {
  const find = (names: readonly (readonly [string, string])[]) =>
    names.find(([part]) => userAgent.includes(part))?.[1]
  const browser = find(browsers)
  const system = find(systems)
  if (browser === undefined) return system ?? null
  return system === undefined ? browser : `${browser} on ${system}`
}
