/**
 * From which countries anonymous editors write, as totals alone: addresses are looked up here and never leave. A
 * country that has fewer editors than the least joins the others, so that no total points at a person.
 */
import { numberOf, textOf, type Ask, type Choice } from './ask.ts'

/** An address to two letters, or null when the file of places does not know it. */
export type CountryOf = (address: string) => string | null

/** Groups below this are not shown: five is the customary floor of public statistics, ten is on the safe side. */
const EDITORS_LEAST = 10

/** One row per address: more than any wiki but the largest has. */
const ADDRESS_LIMITS = { rowsMax: 2_000_000, timeMs: 60_000 }

export interface CountryTotals {
  countries: { country: string; editors: number; edits: number }[]
  /** Countries too small to be shown, and addresses of unknown places, together; null when they too are few. */
  others: { editors: number; edits: number } | null
  /** Groups smaller than this are hidden. */
  atLeast: number
}

export async function countriesOf(
  ask: Ask,
  { where, values }: Choice,
  { countryOf, atLeast = EDITORS_LEAST }: { countryOf: CountryOf; atLeast?: number },
): Promise<CountryTotals> {
  const rows = await ask(
    `SELECT r."user" AS address, count(*) AS edits FROM revisions r
     WHERE ${where} AND r.editor = 'anonymous' AND r."user" IS NOT NULL GROUP BY 1`,
    values,
    ADDRESS_LIMITS,
  )
  const floor = Math.max(2, atLeast)
  const totals = new Map<string | null, { editors: number; edits: number }>()
  for (const row of rows) {
    const country = countryOf(textOf(row['address']))
    const total = totals.get(country) ?? { editors: 0, edits: 0 }
    totals.set(country, { editors: total.editors + 1, edits: total.edits + numberOf(row['edits']) })
  }
  const shown = [...totals].filter(([country, { editors }]) => country !== null && editors >= floor)
  const rest = [...totals].filter(([country, { editors }]) => country === null || editors < floor)
  const others = rest.reduce(
    (sum, [, { editors, edits }]) => ({ editors: sum.editors + editors, edits: sum.edits + edits }),
    { editors: 0, edits: 0 },
  )
  return {
    countries: shown
      .map(([country, total]) => ({ country: country ?? '', ...total }))
      .toSorted((a, b) => b.edits - a.edits || (a.country < b.country ? -1 : 1)),
    others: others.editors >= floor ? others : null,
    atLeast: floor,
  }
}
