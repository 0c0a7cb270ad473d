/** Patterns that leave out a host or a folder, as the station reads them: regular expressions over the whole address. */

const escaped = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')

/** `host` may carry a port. */
export const patternOfHost = (host: string): string => `^https?://${escaped(host)}/`

/** The folder that an address stands in, and everything below it. Null for what stands at the top. */
export function folderOf(url: string): string | null {
  const parsed = URL.parse(url)
  if (parsed === null) return null
  const folder = parsed.pathname.slice(0, parsed.pathname.lastIndexOf('/') + 1)
  return folder === '/' ? null : `${parsed.host}${folder}`
}

export const patternOfFolder = (folder: string): string => `^https?://${escaped(folder)}`
