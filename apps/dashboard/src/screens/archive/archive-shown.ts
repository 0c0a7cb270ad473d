/** What a frame of an archived page says it shows: the word of a stranger. */
export interface ShownPage {
  url: string
  /** Null: the newest. */
  at: number | null
}

const URL_CHARS_MAX = 8_192

/** Null for everything that is not a plain web address with, at most, the time of a capture. */
export function shownIn(data: unknown): ShownPage | null {
  if (typeof data !== 'object' || data === null) return null
  const { type, url, ts } = data as Record<string, unknown>
  if (type !== 'minga:shown' || typeof url !== 'string' || url.length > URL_CHARS_MAX) return null
  if (!/^https?:\/\//i.test(url) || URL.parse(url) === null) return null
  return { url, at: typeof ts === 'string' ? momentOf(ts) : null }
}

/** The browser lets a frame of another site store nothing, so that nothing can be replayed in it. */
export function isBlocked(data: unknown): boolean {
  return (
    typeof data === 'object' && data !== null && 'type' in data && data.type === 'minga:blocked'
  )
}

/** `20260131120000`. */
function momentOf(timestamp: string): number | null {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(timestamp)
  if (parts === null) return null
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number)
  return Date.UTC(year!, month! - 1, day, hour, minute, second)
}
