/** What the user typed as a local date and time, in milliseconds; null when it is invalid. */
export function momentIn(typed: string): number | null {
  const at = Date.parse(typed)
  return Number.isNaN(at) ? null : at
}
