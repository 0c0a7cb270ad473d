/**
 * Who owns which host, as of an epoch. The map is an override: what it does not know is answered by
 * a fallback that is passed in (a hash, or holding the URL back). Epochs only rise; a change of the
 * map carries the epochs it leads from and to, and fits a map that stands exactly at its beginning.
 * One that was applied before changes nothing; any other is refused, because a host that changed
 * twice in the gap would silently keep the wrong owner.
 */
import { BadPlacement, PlacementGap } from './errors.ts'

/** Null: the host is no longer in the map. */
export type Move = readonly [host: string, part: number | null]

export interface PlacementDelta {
  from: number
  to: number
  moves: readonly Move[]
}

/** So that a shared beginning, or the rest behind it, has its length in one byte. */
const LONGEST_HOST = 255
export const LARGEST_PART = 2 ** 31 - 1

export class PlacementMap {
  #epoch: number
  readonly #parts: Map<string, number>

  constructor(epoch = 0, hosts: Iterable<readonly [string, number]> = []) {
    checkEpoch(epoch)
    this.#epoch = epoch
    this.#parts = new Map()
    for (const [host, part] of hosts) {
      checkMove([host, part])
      this.#parts.set(host, part)
    }
  }

  get epoch(): number {
    return this.#epoch
  }

  get size(): number {
    return this.#parts.size
  }

  hosts(): IterableIterator<[string, number]> {
    return this.#parts.entries()
  }

  has(host: string): boolean {
    return this.#parts.has(host)
  }

  /** The fallback may answer with something that is no part, for example that the URL is to wait. */
  ownerOf<Unknown>(host: string, fallback: (host: string) => Unknown): number | Unknown {
    return this.#parts.get(host) ?? fallback(host)
  }

  /** False when it was applied before. A delta that is refused has changed nothing. */
  apply(delta: PlacementDelta): boolean {
    checkDelta(delta)
    if (delta.to <= this.#epoch) return false
    if (delta.from !== this.#epoch) throw new PlacementGap(delta, this.#epoch)
    for (const [host, part] of delta.moves) {
      if (part === null) this.#parts.delete(host)
      else this.#parts.set(host, part)
    }
    this.#epoch = delta.to
    return true
  }
}

/** What leads from one map to a later one. */
export function deltaBetween(older: PlacementMap, newer: PlacementMap): PlacementDelta {
  if (newer.epoch <= older.epoch) {
    throw new BadPlacement(`Epoch ${newer.epoch} is not after epoch ${older.epoch}`)
  }
  const moves: Move[] = []
  const unknown = (): null => null
  for (const [host, part] of newer.hosts()) {
    if (older.ownerOf(host, unknown) !== part) moves.push([host, part])
  }
  for (const [host] of older.hosts()) if (!newer.has(host)) moves.push([host, null])
  return { from: older.epoch, to: newer.epoch, moves }
}

export function checkDelta({ from, to, moves }: PlacementDelta): void {
  checkEpoch(from)
  checkEpoch(to)
  if (from >= to) throw new BadPlacement(`A change cannot lead from epoch ${from} to ${to}`)
  moves.forEach(checkMove)
  const hosts = new Set(moves.map(([host]) => host))
  if (hosts.size < moves.length) throw new BadPlacement('A change names a host twice')
}

function checkEpoch(epoch: number): void {
  if (!Number.isSafeInteger(epoch) || epoch < 0) {
    throw new BadPlacement(`${epoch} is no epoch; epochs are whole numbers from 0`)
  }
}

/** Host names and addresses as canonical URLs write them: lower case ASCII, no spaces. */
function checkMove([host, part]: Move): void {
  if (!/^[!-@[-~]+$/.test(host) || host.length > LONGEST_HOST) {
    throw new BadPlacement(`${JSON.stringify(host.slice(0, 80))} is no canonical host`)
  }
  if (part !== null && !(Number.isInteger(part) && part >= 0 && part <= LARGEST_PART)) {
    throw new BadPlacement(`${host} cannot be in part ${part}`)
  }
}
