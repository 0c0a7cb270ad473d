/** A process that imports a dump, to be killed anywhere and started again. Only the test of imports starts it. */
import { systemClock } from '@minga/protocol'
import type { StoreOptions } from '@minga/store'
import { openStoreHere } from '../../../store/test/open-store-fixture.ts'
import { openDumpFile } from '../../src/dump/dump-file.ts'
import { importDump } from '../../src/dump/import-dump.ts'
import { openRevisions } from '../../src/revisions/revisions.ts'
import type { FixtureOperations } from './fixture-operations.ts'

export interface ImportWork {
  options: StoreOptions
  file: string
  roundBytes: number
}

if (import.meta.main) {
  const { options, file, roundBytes } = JSON.parse(process.argv[2] ?? '') as ImportWork
  const store = await openStoreHere<FixtureOperations>(options)
  const revisions = openRevisions({ data: options.data, store, clock: systemClock })
  await revisions.tidy({ isOpening: true })
  const known = await store.call('wikiReadCheckpoint', { dump: file })
  if (!known?.isDone) {
    const sink = revisions.importSink({ dump: file, seenAt: null, roundBytes })
    const clock = (): number => systemClock.now()
    await importDump(await openDumpFile(file), sink, { clock, from: known?.position ?? null })
    await sink.finish()
  }
  await revisions.close()
  await store.close()
}
