/** Operations that are run for a viewer, and a store that runs all of them so. */
import type { Operation, Store } from '@minga/store'
import { limitSql, listHidden, listHiddenWikis } from './limited-sql.ts'
import type { Viewer } from './viewer.ts'

interface ReadAs {
  viewer: Viewer
  operation: string
  args: unknown
}

/** Each operation has arguments of its own, as its callers know. */
type AnyOperation = Operation<never>

export function readAsOperation(
  operations: Readonly<Record<string, AnyOperation>>,
): Operation<ReadAs> {
  return async (sql, { viewer, operation, args }) => {
    // Asked before anything is hidden from the question itself.
    if (operation === 'hiddenCollections') return listHidden(sql, viewer)
    if (operation === 'hiddenWikis') return listHiddenWikis(sql, viewer)
    const run = Object.hasOwn(operations, operation) ? operations[operation] : undefined
    if (run === undefined) throw new TypeError(`There is no operation "${operation}".`)
    return run(await limitSql(sql, viewer), args as never)
  }
}

/** What a viewer may read of the store. */
export class ViewedStore implements Store {
  readonly #store: Store
  readonly #viewer: Viewer

  constructor(store: Store, viewer: Viewer) {
    this.#store = store
    this.#viewer = viewer
  }

  call<R>(operation: string, args: unknown): Promise<R> {
    return this.#store.call<R>('readAs', { viewer: this.#viewer, operation, args })
  }

  /** The store is not the viewer's to close. */
  async close(): Promise<void> {}
}
