/** The dump that is measured: a generated history as XML, or one that is given, unpacked. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { corpusSite, historyCorpus } from '@minga/testkit'
import { writeDump } from '@minga/wiki'

export interface BenchDump {
  name: string
  /** Of the plain XML. */
  path: string
  xmlBytes: number
  /** SHA-256 of the XML: what has been measured of it before is known by it. */
  digest: string
}

/** What issues and papers call a whole history: 200 pages, over 100,000 revisions, 2 GB of text. */
const PAGES = 200
const REVISIONS = 110_000
const RAW_BYTES = 2.28e9
const PAGES_LEAST = 8

const UNPACKERS: Readonly<Record<string, readonly string[]>> = {
  bz2: ['bzip2', '-dc'],
  gz: ['gzip', '-dc'],
  xz: ['xz', '-dc'],
  zst: ['zstd', '-dcq', '--long=31'],
}

export async function generatedDump(folder: string, scale: number): Promise<BenchDump> {
  const spec = {
    seed: 1,
    pages: Math.max(PAGES_LEAST, Math.round(PAGES * scale)),
    revisions: Math.round(REVISIONS * scale),
    rawBytes: RAW_BYTES * scale,
  }
  const site = corpusSite()
  const attribution = { source: site.base, at: 0, licence: site.rights.text }
  const chunks = writeDump({ site, attribution, pages: pagesOf(historyCorpus(spec)) })
  const path = join(folder, 'corpus.xml')
  return { name: 'a generated history', path, ...(await written(chunks, path)) }
}

function* pagesOf(corpus: ReturnType<typeof historyCorpus>) {
  for (const { page, revisions } of corpus) yield { page, revisions: revisions() }
}

export async function givenDump(folder: string, given: string): Promise<BenchDump> {
  const name = basename(given)
  const unpacker = UNPACKERS[given.split('.').at(-1)!]
  if (unpacker === undefined) {
    return { name, path: given, ...(await written(createReadStream(given), null)) }
  }
  const path = join(folder, 'given.xml')
  const [program = '', ...args] = unpacker
  const child = spawn(program, [...args, given], { stdio: ['ignore', 'pipe', 'inherit'] })
  return { name, path, ...(await written(child.stdout, path)) }
}

/** Null: it is a file already, and is read for its digest alone. */
async function written(
  chunks: AsyncIterable<Uint8Array>,
  path: string | null,
): Promise<{ xmlBytes: number; digest: string }> {
  const hash = createHash('sha256')
  let xmlBytes = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      hash.update(chunk)
      xmlBytes += chunk.length
      yield chunk
    }
  }
  if (path === null) for await (const _ of counted());
  else await pipeline(counted(), createWriteStream(path))
  return { xmlBytes, digest: hash.digest('hex') }
}
