/** Texts of pending batches, inflated when they are needed, a bounded number of bytes at a time. */
import type { Calls } from '@minga/store'
import type { BatchRow } from './batch-operations.ts'
import { decodeBatch } from './batch.ts'
import type { SlotText } from './segment-writer.ts'
import type { WikiOperations } from './wiki-operations.ts'

const CACHE_BYTES = 128 * 1024 * 1024

interface Inflated {
  bytes: number
  texts: Map<string, Uint8Array>
}

export class BatchTexts {
  readonly #call: Calls<WikiOperations>['call']
  readonly #wikiId: number
  readonly #inflated = new Map<number, Inflated>()
  #bytes = 0

  constructor(call: Calls<WikiOperations>['call'], wikiId: number) {
    this.#call = call
    this.#wikiId = wikiId
  }

  /** Those of the wanted texts that are still pending. */
  async of(revId: number, wanted: readonly { role: string; seq: number }[]): Promise<SlotText[]> {
    const found: SlotText[] = []
    for (const { role, seq } of wanted) {
      const text = (await this.#batch(seq)).texts.get(`${revId}/${role}`)
      if (text !== undefined) found.push({ role, text })
    }
    return found
  }

  async #batch(seq: number): Promise<Inflated> {
    const cached = this.#inflated.get(seq)
    if (cached) return cached
    const asked = { wikiId: this.#wikiId, seqs: [seq], hasTexts: true }
    const [row] = await this.#call('wikiReadBatches', asked)
    const inflated = row === undefined ? { bytes: 0, texts: new Map() } : inflate(row)
    this.#inflated.set(seq, inflated)
    this.#bytes += inflated.bytes
    for (const [oldest, { bytes }] of this.#inflated) {
      if (this.#bytes <= CACHE_BYTES || oldest === seq) break
      this.#inflated.delete(oldest)
      this.#bytes -= bytes
    }
    return inflated
  }
}

function inflate(row: BatchRow): Inflated {
  const texts = new Map<string, Uint8Array>()
  let bytes = 0
  for (const { revId, slots } of decodeBatch(row)) {
    for (const { role, text } of slots) {
      if (text === null) continue
      texts.set(`${revId}/${role}`, text)
      bytes += text.length
    }
  }
  return { bytes, texts }
}
