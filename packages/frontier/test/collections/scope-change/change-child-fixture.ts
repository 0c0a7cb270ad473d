/** A process that changes a collection, takes changes back and notes its counts until it is killed. Only the kill test starts it. */
import type { StoreOptions } from '@minga/store'
import { openStoreHere } from '../../../../store/test/open-store-fixture.ts'
import type { ContractOperations } from '../../contract-operations.ts'

if (import.meta.main) {
  const { options, id } = JSON.parse(process.argv[2] ?? '') as { options: StoreOptions; id: number }
  const store = await openStoreHere<ContractOperations>(options)
  process.stdout.write('ready\n')
  for (let now = Number(process.argv[3]); ; now += 1_000) {
    const isUndo = now % 3_000 === 0
    const who = { id, owner: null, by: 'operator', now }
    const exclude = [`/${now % 7}`]
    // Right after a start there may be nothing to take back.
    if (isUndo) await store.call('undoCollection', who).catch(() => undefined)
    else await store.call('changeCollection', { ...who, change: { exclude } })
    await store.call('sampleCollections', { now })
    for (let step = 0; step < 4; step++) await store.call('sweepScopes', { now })
    process.stdout.write(`${now}\n`)
  }
}
