/** A plan in a sentence, the same for everyone: times are UTC, numbers plain. */
import { DAY_MS } from '../estimate/grid.ts'
import type { Plan } from './policy.ts'

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/**
 * `now`: times of the coming week are named by weekday; without it all have their date. `because`:
 * the reason of this policy, where it is known.
 */
export function explain({ at, why }: Plan, now?: number, because: string | null = null): string {
  const parts = [
    why.chance === null ? why.rule : `${percent(why.chance)} likely changed by then`,
    ...(why.perDay === null ? [] : [`rate ${rate(why.perDay)}/day${interval(why.low, why.high)}`]),
    ...(why.price === null ? [] : [`budget price ${rate(why.price)}`]),
    ...(why.chance === null ? [] : [why.rule]),
  ]
  const policy = [why.policy, why.instead ?? because].filter((part) => part !== null).join(': ')
  return `next visit ${moment(at, now)}: ${parts.join('; ')} (${policy})`
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`
}

/** Two figures, and never in powers of ten. */
function rate(value: number): string {
  if (value === 0) return '0'
  const digits = Math.max(0, 1 - Math.floor(Math.log10(Math.abs(value))))
  return value.toFixed(Math.min(digits, 12))
}

function interval(low: number | null, high: number | null): string {
  return low === null || high === null ? '' : ` [${rate(low)}–${rate(high)}]`
}

function moment(at: number, now: number | undefined): string {
  const iso = new Date(at).toISOString()
  const weekday = WEEKDAYS[new Date(at).getUTCDay()]!
  const isSoon = now !== undefined && at - now < 6 * DAY_MS
  return isSoon
    ? `${weekday} ${iso.slice(11, 16)}`
    : `${weekday} ${iso.slice(0, 10)} ${iso.slice(11, 16)}`
}
