/** Operations that are run for a viewer, and a store that runs all of them so. */
import type { Operation, OperationArgs, OperationResult, OperationTable, Store } from '@minga/store'
import { limitSql, listHidden, listHiddenWikis } from './limited-sql.ts'
import type { Viewer } from './viewer.ts'
import type { Operations } from '../../station/station-operations.ts'

interface ReadAs {
  viewer: Viewer
  operation: string
  args: unknown
}

export function readAsOperation(operations: OperationTable): Operation<ReadAs> {
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
export class ViewedStore implements Store<Operations> {
  readonly #store: Store<Operations>
  readonly #viewer: Viewer

  constructor(store: Store<Operations>, viewer: Viewer) {
    this.#store = store
    this.#viewer = viewer
  }

  async call<K extends keyof Operations>(
    operation: K,
    args: OperationArgs<Operations[K]>,
  ): Promise<OperationResult<Operations[K]>> {
    const answer = await this.#store.call('readAs', { viewer: this.#viewer, operation, args })
    // `readAs` answers what the operation that it runs answers.
    return answer as OperationResult<Operations[K]>
  }

  /** The store is not the viewer's to close. */
  async close(): Promise<void> {}
}
