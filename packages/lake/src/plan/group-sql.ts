/**
 * A group in two halves: each task sums up what it has (`partial`), and after the shuffle the sums
 * are summed (`final`). Numbers that can be added are; values that cannot (distinct, list,
 * quantile) travel as separate rows next to the sums, with NULL where the others have theirs, so
 * that one file and one statement hold everything.
 *
 * Means are exact. A mean is kept as the quotient sum / count cut to 18 decimals, which loses
 * nothing that matters: two different means of whole numbers of fewer than 10^9 rows each differ by
 * more than 10^-18, so they stay different and in order; equal ones stay equal; and a mean that
 * lies exactly between two numbers of 6 decimals has only 7, so rounding half to even still sees
 * it. Numbers with six decimals of their own leave room for 10^6 rows in a group.
 */
import { sqlName } from '../kernel/sql-text.ts'
import { MEAN, QUANTILE_UNITS, type Aggregated } from './nodes.ts'
import { scaleOf } from './resolve.ts'
import { wrapped } from './clauses.ts'

export interface GroupSql {
  by: readonly string[]
  aggregates: readonly Aggregated[]
}

const MEAN_UNITS = '1000000000000000000'

/** `_a3`: what travels for the third aggregate. */
const travelling = (place: number): string => sqlName(`_a${place}`)
const travellingCount = (place: number): string => sqlName(`_a${place}_count`)

const isGathered = ({ is }: Aggregated): boolean =>
  is === 'distinct' || is === 'list' || is === 'quantile'

export function partialSql({ by, aggregates }: GroupSql, from: string): string {
  const keys = by.map(sqlName)
  const sums = aggregates.flatMap((of, place) => (isGathered(of) ? [] : partialOf(of, place)))
  const gathered = aggregates.flatMap((of, place) => {
    if (!isGathered(of) || of.of === null) return []
    const value = `${storedValue(wrapped(of.of.text), of.type)} AS ${travelling(place)}`
    const how = of.is === 'distinct' ? 'SELECT DISTINCT' : 'SELECT'
    return [`${how} ${[...keys, value].join(', ')} FROM ${sqlName(from)}`]
  })
  if (sums.length === 0 && gathered.length > 0) return gathered.join(' UNION ALL BY NAME ')
  const grouped = keys.length === 0 ? '' : ` GROUP BY ${keys.join(', ')}`
  const summed = `SELECT ${[...keys, ...sums].join(', ')} FROM ${sqlName(from)}${grouped}`
  return [summed, ...gathered].join(' UNION ALL BY NAME ')
}

export function finalSql({ by, aggregates }: GroupSql, from: string): string {
  const keys = by.map(sqlName)
  const inner = aggregates.flatMap(finalOf)
  const outer = aggregates.map((of, place) =>
    of.is === 'avg' ? meanOf(of, place) : sqlName(of.name),
  )
  const grouped = keys.length === 0 ? '' : ` GROUP BY ${keys.join(', ')}`
  const sums = `SELECT ${[...keys, ...inner].join(', ')} FROM ${sqlName(from)}${grouped}`
  return aggregates.some(({ is }) => is === 'avg')
    ? `SELECT ${[...keys, ...outer].join(', ')} FROM (${sums})`
    : sums
}

function partialOf({ is, of, type }: Aggregated, place: number): string[] {
  const value = of === null ? '*' : wrapped(of.text)
  const name = travelling(place)
  if (is === 'count') return [`count(${value}) AS ${name}`]
  if (is === 'min' || is === 'max') return [`${is}(${storedValue(value, type)}) AS ${name}`]
  const sum = `CAST(sum(${value}) AS DECIMAL(38,${scaleOf(type) ?? 0})) AS ${name}`
  return is === 'avg' ? [sum, `count(${value}) AS ${travellingCount(place)}`] : [sum]
}

const storedValue = (value: string, type: string): string =>
  /^U?HUGEINT$/u.test(type) ? `CAST(${value} AS DECIMAL(38,0))` : value

function finalOf({ name, is, type, q }: Aggregated, place: number): string[] {
  const value = travelling(place)
  const as = ` AS ${sqlName(name)}`
  switch (is) {
    case 'count':
      return [`CAST(coalesce(sum(${value}), 0) AS BIGINT)${as}`]
    case 'sum':
      return [`CAST(sum(${value}) AS DECIMAL(38,${scaleOf(type) ?? 0}))${as}`]
    case 'min':
    case 'max':
      return [`${is}(${value})${as}`]
    case 'distinct':
      return [`count(DISTINCT ${value})${as}`]
    case 'list':
      return [`coalesce(${sortedList(value)}, [])${as}`]
    case 'quantile':
      return [`${sortedList(value)}[CAST(${rankSql(`count(${value})`, q ?? 0n)} AS BIGINT)]${as}`]
    case 'avg': {
      const scale = scaleOf(type) ?? 0
      const units = `CAST(sum(${value}) * ${10n ** BigInt(scale)} AS HUGEINT)`
      return [
        `${units} * CAST(${10n ** BigInt(18 - scale)} AS HUGEINT) AS ${value}`,
        `CAST(sum(${travellingCount(place)}) AS HUGEINT) AS ${travellingCount(place)}`,
      ]
    }
  }
}

/** Lists are in the order of their values, because the order in which rows arrive is arbitrary. */
const sortedList = (value: string): string =>
  `list_sort(list(${value}) FILTER (WHERE ${value} IS NOT NULL))`

/** Nearest rank: ⌈q·n⌉, by whole numbers. */
export const rankSql = (count: string, q: bigint): string =>
  `(CAST(${count} AS HUGEINT) * ${q} + ${QUANTILE_UNITS - 1n}) // ${QUANTILE_UNITS}`

/** Downwards also below zero, where `//` cuts upwards. */
function meanOf({ name }: Aggregated, place: number): string {
  const [sum, count] = [travelling(place), travellingCount(place)]
  const quotient = `((${sum} - ((${sum} % ${count}) + ${count}) % ${count}) // ${count})`
  const whole = `CAST(${quotient} // CAST(${MEAN_UNITS} AS HUGEINT) AS ${MEAN})`
  const rest = `CAST(${quotient} % CAST(${MEAN_UNITS} AS HUGEINT) AS DECIMAL(18,0))`
  return `${whole} + ${rest} * 0.000000000000000001 AS ${sqlName(name)}`
}

/** A mean as people read it: 6 decimals, half to even. */
export function printedMean(column: string): string {
  const value = sqlName(column)
  const rounded = `CAST(${value} AS DECIMAL(38,6))`
  const isBetween = `abs(${value} - ${rounded}) = 0.0000005`
  const isOdd = `CAST(${rounded} * 1000000 AS HUGEINT) % 2 <> 0`
  const nearer = `${rounded} - CAST(sign(${value}) AS DECIMAL(1,0)) * 0.000001`
  return `CAST(CASE WHEN ${isBetween} AND ${isOdd} THEN ${nearer} ELSE ${rounded} END AS DECIMAL(38,6))`
}
