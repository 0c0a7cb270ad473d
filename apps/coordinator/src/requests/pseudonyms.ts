/**
 * Names of devices for clients: the same device has the same name inside a batch, so that a client
 * can compare, and another name in every other batch, so that nobody can follow a volunteer.
 */
import { createHmac } from 'node:crypto'

const NAME_CHARS = 12

export class Pseudonyms {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  of(batchId: string, device: string): string {
    const digest = createHmac('sha256', this.#secret).update(`${batchId} ${device}`).digest('hex')
    return `agent-${digest.slice(0, NAME_CHARS)}`
  }
}
