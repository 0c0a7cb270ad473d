/**
 * Where an operator knows hosts to be, one per line:
 *   name latitude longitude [±km]      as in   *.example.org 38.72 -9.14 5
 * The name is a host, an address, or `*.` and a domain for all hosts below it; the longest that
 * fits counts. Lines that begin with # say nothing; an invalid one is reported with its number, and
 * the others count.
 */
import { BadPlaceList } from './errors.ts'
import { isPosition, type Position } from './great-circle.ts'

export interface KnownPlace extends Position {
  errorKm: number
}

const USUAL_ERROR_KM = 10
const HALF_THE_EARTH_KM = 20_038
const MOST_FAULTS = 100
const NUMBER = /^[+-]?\d{1,5}(\.\d{1,12})?$/

export class OperatorPlaces {
  readonly faults: BadPlaceList[] = []
  readonly #places = new Map<string, KnownPlace>()

  constructor(name: string, lines: Iterable<string>) {
    let number = 0
    for (const line of lines) {
      number++
      const problem = this.#read(line)
      if (problem === null || this.faults.length === MOST_FAULTS) continue
      this.faults.push(new BadPlaceList(name, number, problem))
    }
  }

  find(host: string, address: string | null): KnownPlace | null {
    const name = host.toLowerCase()
    const exact = this.#places.get(name) ?? this.#places.get(address ?? '')
    if (exact !== undefined) return exact
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      const place = this.#places.get(`*${name.slice(dot)}`)
      if (place !== undefined) return place
    }
    return null
  }

  /** What is wrong with the line, or null. */
  #read(line: string): string | null {
    const [name = '', ...numbers] = line.trim().split(/\s+/)
    if (name === '' || name.startsWith('#')) return null
    if (!/^(\*\.)?[^*]+$/.test(name)) return 'a name is a host, an address or *. and a domain'
    if (numbers.length < 2 || numbers.length > 3) return 'a place has a latitude and a longitude'
    const wrong = numbers.find((text) => !NUMBER.test(text))
    if (wrong !== undefined) return `${JSON.stringify(wrong.slice(0, 60))} is no number`
    const [lat, lon, errorKm = USUAL_ERROR_KM] = numbers.map(Number)
    const place = { lat: lat!, lon: lon!, errorKm }
    if (!isPosition(place)) return `${lat}, ${lon} is no place on the Earth`
    if (!(errorKm >= 0 && errorKm <= HALF_THE_EARTH_KM)) return `±${errorKm} km says nothing`
    this.#places.set(name.toLowerCase(), place)
    return null
  }
}
