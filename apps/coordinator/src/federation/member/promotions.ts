/**
 * Promotions that were reported to this station. A promotion counts when the promoted station
 * itself has signed it, and is followed when an operator here has confirmed it: a member alone can
 * neither name another the registrar nor make itself one. Calls of a rejected station are ignored
 * until it is confirmed.
 */
import {
  isProof,
  promotionProof,
  publicKeyOf,
  type FederatedStation,
  type PromotedMessage,
} from '@minga/protocol'
import type { Standing } from '../station-rows.ts'
import type { Station } from '../../station/station.ts'

const REJECTED = 'federation.rejected'

export interface Promotion {
  registrar: string
  name: string
  term: number
}

export class Promotions {
  readonly #station: Station
  /** The best of those that were heard: the latest term, and of two of the same the greater id. */
  #heard: PromotedMessage | null = null

  constructor(station: Station) {
    this.#station = station
  }

  async hear(view: Standing, message: PromotedMessage): Promise<void> {
    const station = promotedIn(view, message)
    if (station === null || !isSigned(station, message)) return
    if (this.#heard !== null && !isLater(message, this.#heard)) return
    if ((await this.#rejected()).includes(station.id)) return
    this.#heard = message
    const { name } = station
    this.#station.log(
      `minga: federation, promotion: ${name} says that it is the registrar now. It is followed when an operator confirms it: minga station federate --confirm ${name} (or --reject ${name})`,
    )
  }

  /** What waits for an operator; null: nothing, or it is decided. */
  undecided(view: Standing): Promotion | null {
    const station = this.#heard === null ? null : promotedIn(view, this.#heard)
    if (station === null) return null
    return { registrar: station.id, name: station.name, term: this.#heard!.term }
  }

  async allow(station: string): Promise<void> {
    const rejected = await this.#rejected()
    if (rejected.includes(station)) await this.#write(rejected.filter((id) => id !== station))
  }

  async reject(station: string): Promise<void> {
    this.#heard = null
    await this.#write([...new Set([...(await this.#rejected()), station])])
  }

  async #rejected(): Promise<string[]> {
    const text = await this.#station.store.call('readFact', { name: REJECTED })
    return JSON.parse(text ?? '[]') as string[]
  }

  #write(ids: readonly string[]): Promise<void> {
    return this.#station.store.call('writeFact', { name: REJECTED, value: JSON.stringify(ids) })
  }
}

const isLater = (
  one: Pick<PromotedMessage, 'registrar' | 'term'>,
  other: Pick<PromotedMessage, 'registrar' | 'term'>,
): boolean => one.term > other.term || (one.term === other.term && one.registrar > other.registrar)

/** The station that it would make the registrar; null when it would change nothing. */
function promotedIn(
  view: Standing,
  message: Pick<PromotedMessage, 'registrar' | 'term'>,
): FederatedStation | null {
  const { registrar } = message
  if (registrar === view.registrar || registrar === view.self || !isLater(message, view))
    return null
  const station = view.stations.find(({ id }) => id === registrar)
  return station === undefined || station.state === 'left' ? null : station
}

function isSigned({ publicKey }: FederatedStation, message: PromotedMessage): boolean {
  const key = publicKeyOf(publicKey)
  if (key === null || message.signature === null) return false
  return isProof(key, promotionProof(message), message.signature)
}
