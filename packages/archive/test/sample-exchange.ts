/** Exchanges and small archives for the tests of this package. */

import { spawnSync } from 'node:child_process'
import { recordExchange, warcinfoMember, type Exchange } from '../src/exchange-members.ts'

export function sampleExchange(changes: Partial<Exchange> = {}): Exchange {
  return {
    url: 'http://example.org/a?b=1',
    capturedAt: Date.UTC(2026, 4, 6, 7, 8, 9, 123),
    address: '192.0.2.7',
    requestMethod: 'GET',
    requestHeaders: [['User-Agent', 'MingaBot/0.1 (+mailto:a@example.org)']],
    httpVersion: '1.1',
    status: 200,
    statusText: 'OK',
    rawHeaders: [['Content-Type', 'text/html; charset=utf-8']],
    body: Buffer.from('<p>hello'),
    truncated: null,
    fetchMs: 12.3,
    via: null,
    hops: 0,
    warcinfoId: '<urn:uuid:00000000-0000-4000-8000-00000000ffff>',
    previous: null,
    ...changes,
  }
}

/** Identifiers in order, so that the same test writes the same bytes. */
export function countingIds(): () => string {
  let made = 0
  return () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`
}

export function sampleWarcinfo(): Buffer {
  return warcinfoMember({
    id: '00000000-0000-4000-8000-00000000ffff',
    createdAt: Date.UTC(2026, 4, 6),
    fileName: 'sample.warc.gz',
    software: 'Minga/0.1',
    contact: 'a@example.org',
  })
}

/** A warcinfo and three members per body. */
export function sampleArchive(bodies: readonly Buffer[]): Buffer {
  const newId = countingIds()
  const members = bodies.flatMap(
    (body, index) =>
      recordExchange(sampleExchange({ url: `http://example.org/${index}`, body }), newId).members,
  )
  return Buffer.concat([sampleWarcinfo(), ...members])
}

/** The same bytes in pieces, as a file or a socket would give them. */
export async function* inPieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** For `skip`: false when the program is there, otherwise why the test cannot run. */
export function absent(program: string): string | false {
  return spawnSync(program, ['--version']).error ? `${program} is not installed` : false
}
