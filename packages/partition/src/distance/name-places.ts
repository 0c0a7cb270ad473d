/**
 * Places that host names speak of: routers and servers are often named after the airport or the city
 * they stand at (`xe-0-1.fra3.example.net`), or after an institution.
 */
import type { Position } from './great-circle.ts'

export type NameKind = 'airport' | 'city' | 'institution'

export interface NamedPlace extends Position {
  kind: NameKind
  /** A code of three letters, or a name without accents and blanks; small letters. */
  name: string
}

/** Codes of airports that are words of host names more often than airports. */
const NEVER_CODES = new Set(
  'www web ftp dns mail smtp mta imap pop vpn api cdn dev img app lan wan net isp dsl ppp pos eth gig bgp gre ipv nat rtr sto top int ext adm cpe'.split(
    ' ',
  ),
)
const CODE_LETTERS = 3
/** Shorter names of cities and institutions are found in too many words. */
const LEAST_NAME_LETTERS = 4

export class NamePlaces {
  readonly #places = new Map<string, Position>()

  constructor(places: readonly NamedPlace[]) {
    for (const { kind, name, lat, lon } of places) {
      this.#places.set(`${kind} ${name.toLowerCase()}`, { lat, lon })
    }
  }

  /**
   * Codes count only left of the registered name (the last two labels), where they are not a brand;
   * longer names everywhere but in the last label. Two places in one name are none.
   */
  find(host: string, kind: NameKind): Position | null {
    const labels = host.toLowerCase().split('.')
    const searched = kind === 'airport' ? labels.slice(0, -2) : labels.slice(0, -1)
    const found = new Map<string, Position>()
    for (const word of searched.flatMap(wordsOf)) {
      if (!fits(word, kind)) continue
      const place = this.#places.get(`${kind} ${word}`)
      if (place !== undefined) found.set(`${place.lat} ${place.lon}`, place)
    }
    const [only] = found.values()
    return found.size === 1 ? only! : null
  }
}

function fits(word: string, kind: NameKind): boolean {
  if (kind !== 'airport') return word.length >= LEAST_NAME_LETTERS
  return word.length === CODE_LETTERS && !NEVER_CODES.has(word)
}

/** `ae1-fra3` has the words ae and fra: numbers count machines. */
const wordsOf = (label: string): string[] => label.split(/[^a-z]+/).filter((word) => word !== '')
