/** What somebody typed as a moment of their own clock, in milliseconds; null when it is none. */
export function momentIn(typed: string): number | null {
  const at = Date.parse(typed)
  return Number.isNaN(at) ? null : at
}
