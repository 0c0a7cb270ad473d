/** How watches are written on a terminal: durations, times, columns, and small plots. */
import type { ForecastView, WatchView } from '@minga/protocol'
import { BadOption } from '../../errors.ts'

const UNITS: readonly [unit: string, ms: number][] = [
  ['w', 604_800_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
]

/** `6h`, `30m`, `2d`, `1w`, also together as in `1d12h`. */
export function durationIn(option: string): (text: string) => number {
  return (text) => {
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)([wdhm])/g)]
    const isWhole = parts.map(([part]) => part).join('') === text
    const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * msOf(unit!), 0)
    if (!isWhole || ms < 60_000 || !Number.isFinite(ms)) {
      throw new BadOption(option, 'a time of a minute or more, as in 6h, 30m, 2d or 1w', text)
    }
    return Math.round(ms)
  }
}

const msOf = (unit: string): number => UNITS.find(([name]) => name === unit)![1]

/** As `durationIn` reads it, to the minute. */
export function durationText(ms: number): string {
  let left = Math.round(ms / 60_000) * 60_000
  let text = ''
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(left / unitMs)
    if (count > 0) text += `${count}${unit}`
    left -= count * unitMs
  }
  return text === '' ? '0m' : text
}

export function timeText(at: number | null): string {
  return at === null ? '-' : new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

/** A moment that has passed, or a visit that waits in the queue of no station, is due and not under way. */
export function nextVisitText(
  { isActive, nextVisitAt, state }: Pick<WatchView, 'isActive' | 'nextVisitAt' | 'state'>,
  now: number,
): string {
  if (!isActive) return 'paused'
  if (nextVisitAt === null) return state === 'running' ? 'due now' : '-'
  return nextVisitAt <= now ? 'due now' : timeText(nextVisitAt)
}

export interface ForecastLine {
  when: string
  why: string
}

/** `isStation`: a station runs and does the visits. */
export function forecastLine(
  { nextVisitAt, outSince, plan }: Pick<ForecastView, 'nextVisitAt' | 'outSince' | 'plan'>,
  { now, isStation }: { now: number; isStation: boolean },
): ForecastLine {
  if (outSince !== null && isStation) return { when: timeText(outSince), why: 'is being visited' }
  if (outSince !== null || (nextVisitAt !== null && nextVisitAt <= now)) {
    const how = isStation ? 'is visited next' : '`minga watch run` or `minga up` visits it'
    return { when: 'due now'.padEnd(DATE_CHARS), why: how }
  }
  return { when: timeText(nextVisitAt), why: plan?.text ?? 'not visited yet' }
}

/** Of a time as `timeText` writes it. */
const DATE_CHARS = 16

/** Columns as wide as their widest cell, the last as it comes. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length)
  }
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]!)))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** Nothing is a dot, so that an empty day differs from a day with few visits. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(...values, 1)
  return values
    .map((value) =>
      value <= 0 ? '·' : BARS[Math.max(0, Math.ceil((value / most) * BARS.length) - 1)]!,
    )
    .join('')
}

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value))
}

/** Messages are for people; data goes to stdout. */
export function say(text: string): void {
  process.stderr.write(`minga: ${text}\n`)
}

/** Two digits, and all of a large number: 290 is read at a glance, 2.9e+2 is not. */
export const perDay = (rate: number): string =>
  rate < 100 ? String(Number(rate.toPrecision(2))) : String(Math.round(rate))
