/**
 * A process that appends and inserts as fast as it can and prints the number of every call that
 * was acknowledged, until it is killed. Only the crash test starts it.
 */
import { type StoreOptions, openStore } from '../src/open-store.ts'
import type { ContractOperations } from './contract-operations.ts'

export interface CrashArgs {
  readonly options: StoreOptions
  readonly firstId: number
}

/** The same bytes for the same number, of very different lengths. */
export function bytesOf(id: number): Uint8Array {
  const length = 1 + ((id * 7919) % 700) + (id % 50 === 0 ? 40_000 : 0)
  return Uint8Array.from({ length }, (_, index) => (index * 31 + id) % 251)
}

if (import.meta.main) {
  const { options, firstId } = JSON.parse(process.argv[2] ?? '') as CrashArgs
  const store = await openStore<ContractOperations>(options)
  await store.call('setUp', undefined)
  process.stdout.write('ready\n')
  let nextId = firstId
  const work = async (): Promise<never> => {
    for (;;) {
      const id = nextId++
      const series = id % 3 === 0 ? 'headed' : 'pack'
      // Every fifth call fails after its append, so that kills also meet rollbacks.
      const fail = id % 5 === 0
      const call = store.call('append', { id, series, chunks: [bytesOf(id)], fail })
      const isDone = await call.then(
        () => true,
        () => false,
      )
      if (isDone) process.stdout.write(`${id}\n`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
}
