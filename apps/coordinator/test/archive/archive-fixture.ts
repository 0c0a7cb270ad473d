/** A station whose archive holds what a test puts there, at the times it says, reached over HTTP. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recordExchange, type Exchange } from '@minga/archive'
import { sampleExchange } from '../../../../packages/archive/test/sample-exchange.ts'
import { temporaryFolder } from '../../../../packages/store/test/contract-engines.ts'
import type { ImportedCapture } from '../../src/archive/import/import-captures.ts'
import { openStation, type StationChanges, type TestStation } from '../station-fixture.ts'

export const DAY_MS = 86_400_000

export class TestArchive {
  readonly station: TestStation
  /** Where it answers. */
  readonly url: string
  readonly #folder = temporaryFolder()
  #made = 0

  constructor(station: TestStation, url: string) {
    this.station = station
    this.url = url
  }

  /** Imports exchanges with these URLs, times, bodies … */
  async keep(...changes: Partial<Exchange>[]): Promise<void> {
    const newId = (): string => `00000000-0000-4000-8000-${String(++this.#made).padStart(12, '0')}`
    const members = changes.flatMap(
      (change) => recordExchange(sampleExchange(change), newId).members,
    )
    const file = join(this.#folder, `${++this.#made}.warc.gz`)
    await writeFile(file, Buffer.concat(members))
    const said = await this.station.post('/archive/import', { file })
    assert.equal(said.status, 200, JSON.stringify(said.body))
  }

  /** Rows of the index without anything behind them: many are made quickly. */
  async keepRows(
    ...captures: (Pick<ImportedCapture, 'url' | 'capturedAt'> & Partial<ImportedCapture>)[]
  ): Promise<void> {
    const facts = { kind: 'response' as const, status: 200, mime: 'text/html', payloadBytes: 1 }
    const file = `rows-${++this.#made}.warc.gz`
    await this.station.store.call('importCaptures', {
      file,
      captures: captures.map((capture, i) => ({
        ...facts,
        digest: `sha256:${i}`,
        offset: i * 10,
        length: 10,
        recordId: null,
        ...capture,
      })),
      total: captures.length,
    })
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.url + path, { headers, redirect: 'manual' })
  }

  async text(path: string): Promise<string> {
    const response = await this.get(path)
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return text
  }

  async json<T>(path: string): Promise<T> {
    return JSON.parse(await this.text(path)) as T
  }
}

export async function openArchive(changes: StationChanges = {}): Promise<TestArchive> {
  const station = await openStation(changes)
  await station.app.listen({ host: 'localhost', port: 0 })
  const { port } = station.app.addresses()[0] as { port: number }
  return new TestArchive(station, `http://localhost:${port}`)
}
