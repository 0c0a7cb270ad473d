/**
 * Whose call this is. What a session token stands for never changes, so it is remembered here;
 * whether it still holds is looked up by every operation that acts for it.
 */
import { hash, type KeyObject } from 'node:crypto'
import { publicKeyOf, UnknownAgent } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { Operations } from '../station/station-operations.ts'

export interface AgentSession {
  readonly boot: string
  readonly device: string
  readonly key: KeyObject
  readonly owner: string
  /** Enrolled by the operator, as one of the station's own. */
  readonly isTrusted: boolean
}

/** About 1 KB each; the least recently opened are looked up again. */
const REMEMBERED_MAX = 20_000

export class AgentSessions {
  readonly #store: Store<Operations>
  readonly #known = new Map<string, AgentSession>()
  readonly #hashOfBoot = new Map<string, string>()

  constructor(store: Store<Operations>) {
    this.#store = store
  }

  async of(authorization: string | undefined): Promise<AgentSession> {
    const token = (authorization ?? '').replace(/^Bearer /, '')
    if (token === '') throw new UnknownAgent('without a session')
    const tokenHash = hash('sha256', token)
    return this.#known.get(tokenHash) ?? this.#look(tokenHash)
  }

  async #look(tokenHash: string): Promise<AgentSession> {
    const args = { hash: tokenHash }
    const { publicKey, ...known } = await this.#store.call('deviceSession', args)
    const { boot } = known
    const session = { ...known, key: publicKeyOf(publicKey)! }
    const [oldest] = this.#known.values()
    if (oldest && this.#known.size >= REMEMBERED_MAX) this.forget(oldest.boot)
    this.forget(boot)
    this.#known.set(tokenHash, session)
    this.#hashOfBoot.set(boot, tokenHash)
    return session
  }

  /** The boot is over, or its session was replaced. */
  forget(boot: string): void {
    const tokenHash = this.#hashOfBoot.get(boot)
    if (tokenHash === undefined) return
    this.#known.delete(tokenHash)
    this.#hashOfBoot.delete(boot)
  }
}
