/**
 * Names of devices for clients: a device has the same name within a batch, so that a client can
 * compare, and another name in every other batch, so that a volunteer cannot be tracked.
 */
import { createHmac } from 'node:crypto'
import { OPERATOR } from '@minga/fleet'
import type { Sql } from '@minga/store'
import { limitSql } from '../accounts/visibility/limited-sql.ts'

const NAME_CHARS = 12

/** Names kept at hand: a batch's results are read in one go, and few devices did them. */
const KEPT_MAX = 1_000

export class Pseudonyms {
  readonly #secret: string
  readonly #kept = new Map<string, string>()

  constructor(secret: string) {
    this.#secret = secret
  }

  of(batchId: string, device: string): string {
    const both = `${batchId} ${device}`
    const known = this.#kept.get(both)
    if (known !== undefined) return known
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear()
    const digest = createHmac('sha256', this.#secret).update(both).digest('hex')
    const name = `agent-${digest.slice(0, NAME_CHARS)}`
    this.#kept.set(both, name)
    return name
  }
}

/** What is public, and what they asked for themselves; whether they also read what is shared is not known here. */
export async function archiveOfClient(sql: Sql, client: string): Promise<Sql> {
  return client === OPERATOR ? sql : limitSql(sql, { account: client, isReader: false })
}
