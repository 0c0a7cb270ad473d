/** An archive that holds what a test puts there, with its index and nothing else around it. */
import fs from 'node:fs'
import path from 'node:path'
import { after } from 'node:test'
import { recordExchange } from '@minga/archive'
import { systemClock, type ArchiveTextPage } from '@minga/protocol'
import type { Store } from '@minga/store'
import {
  countingIds,
  sampleExchange,
} from '../../../../../packages/archive/test/sample-exchange.ts'
import type { Home, TestEngine } from '../../../../../packages/store/test/contract-engines.ts'
import { importWarc } from '../../../src/archive/import/import-warc.ts'
import type { TextFilter } from '../../../src/archive/search/search-texts.ts'
import { TextIndex } from '../../../src/archive/search/text-index.ts'
import { searchText } from '../../../src/archive/search/text-search.ts'
import type { TextsFixtureOperations } from './texts-fixture-operations.ts'

export const OPERATIONS = new URL('./texts-fixture-operations.ts', import.meta.url).href

interface KeptPage {
  url: string
  body: string
  at?: number
  type?: string
  status?: number
}

const EVERYTHING: TextFilter = {
  collectionId: null,
  host: null,
  fromAt: 0,
  toAt: Number.MAX_SAFE_INTEGER,
}

export class TestTexts {
  readonly store: Store<TextsFixtureOperations>
  readonly data: string
  readonly index: TextIndex
  charactersMost = 100_000
  #files = 0
  #isClosed = false

  constructor(store: Store<TextsFixtureOperations>, data: string) {
    this.store = store
    this.data = data
    const log = (line: string): void => void process.stderr.write(`${line}\n`)
    const charactersMost = (): number => this.charactersMost
    this.index = new TextIndex({ store, clock: systemClock, data, charactersMost, log })
  }

  /** Not indexed yet. */
  async keep(...pages: KeptPage[]): Promise<void> {
    const newId = countingIds()
    const members = pages.map(
      ({ url, body, at, type = 'text/html; charset=utf-8', status = 200 }) =>
        recordExchange(
          sampleExchange({
            url,
            body: Buffer.from(body),
            status,
            rawHeaders: [['Content-Type', type]],
            ...(at === undefined ? {} : { capturedAt: at }),
          }),
          newId,
        ).members,
    )
    const file = path.join(this.data, `kept-${++this.#files}.warc.gz`)
    fs.writeFileSync(file, Buffer.concat(members.flat()))
    await importWarc({ store: this.store, data: this.data }, file)
    fs.rmSync(file)
  }

  async kept(...pages: KeptPage[]): Promise<void> {
    await this.keep(...pages)
    await this.index.flush()
  }

  find(
    q: string,
    {
      after: from = null,
      limit = 20,
      ...filter
    }: Partial<TextFilter & { after: number | null; limit: number }> = {},
  ): Promise<ArchiveTextPage> {
    const parts = { store: this.store, texts: this.index }
    return searchText(parts, { q, filter: { ...EVERYTHING, ...filter }, after: from, limit })
  }

  async urls(q: string, filter: Partial<TextFilter> = {}): Promise<string[]> {
    return (await this.find(q, filter)).hits.map(({ url }) => url).toSorted()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.index.close()
    await this.store.close()
  }
}

export async function openTexts(engine: TestEngine, home?: Home): Promise<TestTexts> {
  const at = home ?? (await engine.home())
  const store = await at.openHere<TextsFixtureOperations>({ operations: OPERATIONS })
  const texts = new TestTexts(store, at.options.data)
  open.push(texts)
  return texts
}

const open: TestTexts[] = []
after(() => Promise.all(open.map((texts) => texts.close())))
