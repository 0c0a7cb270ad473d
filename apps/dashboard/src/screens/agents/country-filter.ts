/** Devices of one country: a word in the address, set by the list's own filter, by a dot or by a row of the table. */
import type { FleetMap } from '@minga/protocol'

/** The station's word for "not known" is nothing at all, which in an address would be no filter. */
export const NOWHERE = 'none'

export const countryWord = (country: string | null): string => country ?? NOWHERE

/** As the station is asked. */
export const countryAsked = (word: string): string => (word === NOWHERE ? '' : word)

/** Pressing what is chosen already takes the choice back. */
export const toggled = (chosen: string, word: string): string => (chosen === word ? '' : word)

interface CountryChoice {
  value: string
  label: string
}

/** Where there are devices, by name; those of which it is not known come last. */
export function countryChoices(
  countries: FleetMap['countries'],
  { nameOf, unknown }: { nameOf: (country: string) => string; unknown: string },
): CountryChoice[] {
  const known = countries
    .flatMap(({ country }) => (country === null ? [] : [country]))
    .map((country) => ({ value: country, label: nameOf(country) }))
    .toSorted((a, b) => a.label.localeCompare(b.label))
  const hasUnknown = countries.some(({ country }) => country === null)
  return hasUnknown ? [...known, { value: NOWHERE, label: unknown }] : known
}
