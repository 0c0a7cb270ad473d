// Goal: a dump becomes segments exactly, once, whatever was here before and however often the import is killed.
// Method: generated histories written as a dump, imported by real processes, compared revision by revision.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@minga/protocol'
import type { Store } from '@minga/store'
import {
  corpusSite,
  endAllProcesses,
  FAULT_POINTS,
  faultsEnv,
  historyCorpus,
  killAt,
  startProcess,
} from '@minga/testkit'
import {
  ENGINES,
  skipRepeats,
  temporaryFolder,
  type Home,
} from '../../../store/test/contract-engines.ts'
import { openDumpFile } from '../dump/dump-file.ts'
import { importDump } from '../dump/import-dump.ts'
import { writeDump } from '../dump/xml-writer.ts'
import type { ImportWork } from '../../test/revisions/import-child-fixture.ts'
import { encodeBatch } from './batch.ts'
import { openRevisions, type Revisions } from './revisions.ts'
import { everything, OPERATIONS } from '../../test/revisions/revisions-fixture.ts'
import type { FixtureOperations } from '../../test/revisions/fixture-operations.ts'

after(() => endAllProcesses())

const KEY = 'corpus.example'
const CHILD = fileURLToPath(
  new URL('../../test/revisions/import-child-fixture.ts', import.meta.url),
)
const PATIENCE_MS = 60_000

const corpus = () => [...historyCorpus({ seed: 7, pages: 12, revisions: 400, rawBytes: 3_000_000 })]

async function dumpFile(): Promise<string> {
  const file = path.join(temporaryFolder(), 'corpus.xml')
  const pages = corpus().map(({ page, revisions }) => ({ page, revisions: revisions() }))
  const attribution = { source: 'nowhere', at: 0, licence: null }
  const chunks: Uint8Array[] = []
  for await (const chunk of writeDump({ site: corpusSite(), pages, attribution }))
    chunks.push(chunk)
  fs.writeFileSync(file, Buffer.concat(chunks))
  return file
}

interface Opened {
  revisions: Revisions
  store: Store<FixtureOperations>
  close(): Promise<void>
}

async function open(home: Home): Promise<Opened> {
  const store = await home.openHere<FixtureOperations>({ operations: OPERATIONS })
  const clock = { ...systemClock, now: () => systemClock.now() + 30 * 60_000 }
  const revisions = openRevisions({ data: home.options.data, store, clock })
  const close = async (): Promise<void> => {
    await revisions.close()
    await store.close()
  }
  return { revisions, store, close }
}

async function importInto({ revisions }: Opened, file: string): Promise<void> {
  const sink = revisions.importSink({ dump: `${file} again`, seenAt: null, roundBytes: 1_000_000 })
  await importDump(await openDumpFile(file), sink, { clock: () => 0 })
  await sink.finish()
}

async function assertCorpus({ revisions }: Opened): Promise<void> {
  const found = new Map((await everything(revisions, KEY)).map((one) => [one.revId, one]))
  let count = 0
  for (const { page, revisions: own } of corpus()) {
    for (const revision of own()) {
      const stored = found.get(revision.revId)
      assert.ok(stored, `revision ${revision.revId} is here`)
      assert.equal(stored.pageId, page.pageId)
      assert.deepEqual(
        [stored.at, stored.user, stored.comment, stored.sha1, stored.isMinor],
        [revision.at, revision.user, revision.comment, revision.sha1, revision.isMinor],
      )
      assert.ok(Buffer.from(stored.slots[0]!.text!).equals(Buffer.from(revision.slots[0]!.text!)))
      count++
    }
  }
  assert.equal(found.size, count)
  const [stats] = await revisions.stats()
  assert.deepEqual([stats!.wiki, stats!.pages, stats!.revisions], [KEY, 12, count])
  assert.deepEqual((await revisions.verify(KEY)).damages, [])
}

for (const engine of ENGINES) {
  describe(`dumps into histories on ${engine.name}`, { skip: engine.skip }, () => {
    test(
      'an import that is killed at every point ends with the same histories',
      { skip: skipRepeats(engine) },
      async () => {
        const home = await engine.home()
        const file = await dumpFile()
        const options = { ...home.options, operations: OPERATIONS }
        const work: ImportWork = { options, file, roundBytes: 1_000_000 }
        const faults = FAULT_POINTS.filter((point) => point.startsWith('wiki:import:')).map(
          (point) => killAt(point, { passage: 2 }),
        )
        const env = faultsEnv(faults, path.join(home.options.data, 'faults'))
        let kills = 0
        for (;;) {
          const child = await startProcess(process.execPath, [CHILD, JSON.stringify(work)], { env })
          const { code, signal } = await child.waitExit(PATIENCE_MS)
          if (code === 0) break
          assert.equal(signal, 'SIGKILL', child.stderr())
          kills++
        }
        assert.equal(kills, faults.length)
        const opened = await open(home)
        await opened.revisions.tidy({ isOpening: true })
        await assertCorpus(opened)
        const { segments } = await opened.store.call('wikiManifest', { wikiId: 1 })
        const files = fs.readdirSync(path.join(home.options.data, 'wiki', '1'))
        assert.equal(files.length, segments.length * 2)
        await opened.close()
      },
    )

    test('a dump that is imported twice, after pages that came from the wiki itself, is there once', async () => {
      const opened = await open(await engine.home())
      const file = await dumpFile()
      const { wikiId } = await opened.store.call('wikiRegister', {
        site: {
          ...corpusSite(),
          apiUrl: `https://${KEY}/w/api.php`,
        },
        source: 'api',
        now: 1,
      })
      const [first] = corpus()
      const told = [...first!.revisions()].slice(0, 20)
      const tagged = told.map((one) => ({ ...one, tags: ['from the wiki'] }))
      const seenAt = systemClock.now()
      const batches = [encodeBatch(tagged, { source: 'api', seenAt })]
      await opened.store.call('wikiAddBatches', { wikiId, batches, now: seenAt })
      await opened.revisions.fold()
      await importInto(opened, file)
      await assertCorpus(opened)
      const bytes = (await opened.revisions.stats())[0]!.storedBytes
      await importInto(opened, file)
      await assertCorpus(opened)
      assert.ok((await opened.revisions.stats())[0]!.storedBytes <= bytes, 'nothing was added')
      const revision = await opened.revisions.revision(KEY, told[3]!.revId)
      assert.deepEqual([revision!.tags, revision!.source], [['from the wiki'], 'api'])
      await opened.close()
    })
  })
}
