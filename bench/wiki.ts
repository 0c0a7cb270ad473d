/**
 * Whole histories of a wiki: how fast a dump is read in, how small it lies on disk, how fast it answers.
 *   npm run bench:wiki [-- --scale 1 --dump FILE --no-xz --write]
 * Ratios to others in the same run. With --scale 0.02 it takes half a minute, whole about ten: most of it is xz.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Measured } from './measured-process.ts'
import { machineFacts, writePart } from './report.ts'
import { generatedDump, givenDump, type BenchDump } from './wiki-dump.ts'
import { packedSizes } from './wiki-packed.ts'
import { peersHere, readWiki, runPeer, storedWiki, type WikiPeer } from './wiki-peers.ts'
import type { ReadFigures } from './wiki-reads-main.ts'
import { wikiReport } from './wiki-report.ts'

async function run(dump: BenchDump, folder: string, isPacking: boolean): Promise<string> {
  const data = join(folder, 'data')
  const passes = new Map<WikiPeer, Measured>()
  for (const peer of peersHere()) {
    passes.set(peer, await runPeer(peer, dump.path, data))
    console.error(`${peer.name}: ${passes.get(peer)!.seconds.toFixed(1)} s`)
  }
  const stored = await storedWiki(data)
  const reads = await readWiki<ReadFigures>(data, stored.wiki)
  console.error(`read: ${stored.revisions} revisions`)
  // Last, because it keeps both processors busy for minutes.
  const packed = isPacking ? await packedSizes(dump) : new Map<string, number>()
  return wikiReport({ dump, passes, stored, reads, packed })
}

const { values } = parseArgs({
  allowNegative: true,
  options: {
    scale: { type: 'string', default: '1' },
    dump: { type: 'string' },
    xz: { type: 'boolean', default: true },
    write: { type: 'boolean', default: false },
  },
})
const facts = machineFacts(new Date())
const folder = mkdtempSync(join(tmpdir(), 'minga-bench-wiki-'))
try {
  const dump =
    values.dump === undefined
      ? await generatedDump(folder, Number(values.scale))
      : await givenDump(folder, values.dump)
  const text = `${facts}\n\n${await run(dump, folder, values.xz)}`
  console.log(text)
  if (values.write) writePart('wiki', text)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
