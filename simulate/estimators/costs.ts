/** What the default estimator costs on this machine. Not repeatable to the digit. */
import {
  classOf,
  decodeBelief,
  decodeWeightsInto,
  encodeBelief,
  maximumLikelihood,
  newBelief,
  observeVisit,
  packedBeliefs,
  rateAt,
  rateOf,
} from '@minga/forecast'
import { tableOf } from './compare-estimators.ts'
import { DAY_MS, streamOf } from './synthetic-visits.ts'

const MILLION = 1_000_000

export function costTable(seed: number): string {
  const random = streamOf(seed, 37)
  const history = Array.from({ length: 100 }, (_, n) => {
    return { at: n * DAY_MS, sinceMs: DAY_MS, changed: random() < 0.4 }
  })
  const belief = newBelief()
  let at = 0
  const visit = (): void => {
    at += DAY_MS / 2
    observeVisit(belief, { at, sinceMs: DAY_MS / 2, changed: random() < 0.4 })
  }
  const bytes = encodeBelief(belief)
  const packed = packedBeliefs(MILLION)
  let sum = 0
  const million = (name: string, one: (i: number) => void): string[] => {
    const ms = timed(MILLION, one)
    return [name, `${ms.toFixed(0)} ms for a million`]
  }
  const each = (name: string, times: number, one: () => void): string[] => {
    return [name, `${((1000 * timed(times, one)) / times).toFixed(1)} µs`]
  }
  return tableOf(
    ['operation', 'cost'],
    [
      each('take in a visit', 200_000, visit),
      each('rate with interval', 100_000, () => (sum += rateOf(belief).perDay)),
      each('decode, take in a visit, encode', 100_000, () => {
        const stored = decodeBelief(bytes)
        observeVisit(stored, { at, sinceMs: DAY_MS, changed: true })
        sum += encodeBelief(stored).length
      }),
      each(
        'maximum likelihood of 100 visits',
        2000,
        () => (sum += maximumLikelihood(history).perDay),
      ),
      each('class of 100 visits', 2000, () => (sum += classOf(history).reason.length)),
      million('decode weights into a packed array', (i) => decodeWeightsInto(packed, i, bytes)),
      million('read rates from a packed array', (i) => (sum += rateAt(packed, i))),
      ['bytes of a belief', String(bytes.length)],
      ['checked', String(sum > 0)],
    ],
  )
}

function timed(times: number, one: (i: number) => void): number {
  const begun = process.hrtime.bigint()
  for (let i = 0; i < times; i++) one(i)
  return Number(process.hrtime.bigint() - begun) / 1e6
}
