/** A span of time for people who read English: in its one or two largest units. */
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export function spanText(ms: number): string {
  if (ms < 10 * SECOND_MS) return `${Math.round(ms / 100) / 10} s`
  if (ms < MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`
  if (ms < HOUR_MS) return two(ms, [MINUTE_MS, 'min'], [SECOND_MS, 's'])
  if (ms < DAY_MS) return two(ms, [HOUR_MS, 'h'], [MINUTE_MS, 'min'])
  return two(ms, [DAY_MS, 'd'], [HOUR_MS, 'h'])
}

type Unit = readonly [sizeMs: number, name: string]

function two(ms: number, [largeMs, large]: Unit, [smallMs, small]: Unit): string {
  const rest = Math.floor((ms % largeMs) / smallMs)
  return `${Math.floor(ms / largeMs)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}
