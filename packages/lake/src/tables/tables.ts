/**
 * Tables for the rest of the program: what there is, what it was, and how to read, fill and tidy it. Rows live in
 * Parquet files of the lake's folder, what belongs to a table in the store.
 */
import { faultPoint, isMingaError, type Clock, type Instant } from '@minga/protocol'
import type { Calls } from '@minga/store'
import { UnknownTable } from '../errors.ts'
import type { LakeFiles } from '../files/lake-files.ts'
import type { Manifest } from '../model.ts'
import type { ChangedTable, SegmentChange } from './apply-segments.ts'
import type { NewTable, TableView, VersionView } from './change-operations.ts'
import type { HoldTables } from './lease-operations.ts'
import type { TableOperations } from './table-operations.ts'
import {
  TABLES_FOLDER,
  removeSegments,
  sweepLake,
  type SweepCounts,
  type SweepOptions,
} from './sweep.ts'
import { selectOf } from './table-sql.ts'
import type { TableAt } from './table-rows.ts'

export interface TablesOptions {
  store: Calls<TableOperations>
  files: LakeFiles
  clock: Pick<Clock, 'now' | 'sleep'>
  /** Random: names readers and writers. Letters, digits and dashes. */
  newId: () => string
}

/** Tables that stay as they are until they are released. */
export interface HeldTables {
  readonly manifests: readonly Manifest[]
  /** Aborts when the lease is lost: what was held may be gone. */
  readonly signal: AbortSignal
  release(): Promise<void>
}

/** The right to write files of a table, until it ends. */
export interface TableWriter {
  readonly writer: string
  /** Of its files, below the lake's. */
  readonly folder: string
  /** Aborts when the lease is lost: what was written cannot be committed. */
  readonly signal: AbortSignal
  end(): Promise<void>
}

/** Long enough for a machine that stands still for a while; too long only keeps some garbage. */
const LEASE_MS = 5 * 60_000

/** More versions than anyone looks through at once. */
const VERSIONS_AT_ONCE = 100

export class Tables {
  readonly #options: TablesOptions

  constructor(options: TablesOptions) {
    this.#options = options
  }

  list(): Promise<TableView[]> {
    return this.#options.store.call('lakeTables', {})
  }

  async describe(table: string): Promise<TableView> {
    const [view] = await this.#options.store.call('lakeTables', { table })
    if (view === undefined) throw UnknownTable.named(table)
    return view
  }

  /** As it is now, or as it was at a version or a time. A long-running reader holds it instead. */
  manifest(table: string, when: { version?: number; at?: Instant } = {}): Promise<Manifest> {
    return this.#options.store.call('lakeManifest', { table, ...when })
  }

  /** Newest first; those before a version, if one is given. */
  versions(
    table: string,
    { before, most = VERSIONS_AT_ONCE }: { before?: number; most?: number } = {},
  ): Promise<VersionView[]> {
    const bound = before === undefined ? {} : { before }
    return this.#options.store.call('lakeVersions', { table, most, ...bound })
  }

  create(table: NewTable): Promise<ChangedTable> {
    return this.#options.store.call('lakeCreateTable', { ...table, now: this.#now() })
  }

  /** Adds segments to a table, or replaces some of it by others. */
  async change(change: SegmentChange): Promise<ChangedTable> {
    const asked = { ...change, now: this.#now() }
    const changed = await this.#options.store.call('lakeChangeSegments', asked)
    faultPoint('lake:change:after-commit')
    return changed
  }

  drop(table: string): Promise<void> {
    return this.#options.store.call('lakeDropTable', { table, now: this.#now() })
  }

  /** Holds tables, all as of one moment, and renews that by itself. */
  async hold(tables: readonly TableAt[] | 'all', who: string): Promise<HeldTables> {
    const { clock, newId } = this.#options
    const reader = newId()
    const manifests = await this.holdAs(reader, { tables, who })
    if (manifests.length === 0) {
      return { manifests, signal: new AbortController().signal, release: async () => {} }
    }
    const lease = keepLease({ clock, leaseMs: LEASE_MS }, async () => {
      const lost = await this.renewReaders([reader])
      return lost.length === 0
    })
    const release = async (): Promise<void> => {
      await lease.stop()
      await this.release(reader)
    }
    return { manifests, signal: lease.signal, release }
  }

  /**
   * Holds tables under an id of the caller's own, who renews it: so a restarted program continues
   * with what it held. Asked again under the same id it does no harm.
   */
  holdAs(
    reader: string,
    {
      tables,
      who,
      leaseMs = LEASE_MS,
    }: { leaseMs?: number } & Omit<HoldTables, 'reader' | 'until'>,
  ): Promise<Manifest[]> {
    const until = this.#now() + leaseMs
    return this.#options.store.call('lakeHold', { reader, tables, who, until } satisfies HoldTables)
  }

  /** Answers those that have lost what they held. */
  renewReaders(readers: readonly string[], leaseMs = LEASE_MS): Promise<string[]> {
    return this.#options.store.call('lakeRenewReaders', { readers, until: this.#now() + leaseMs })
  }

  release(reader: string): Promise<void> {
    return this.#options.store.call('lakeReleaseReader', { reader })
  }

  /** To be asked before anything is written; `writer` then goes with the change that adds the files. */
  async beginWriting(table: string): Promise<TableWriter> {
    const { clock, files, newId } = this.#options
    const writer = newId()
    const folder = `${TABLES_FOLDER}/${table}/${writer}`
    const lease = { writer, until: this.#now() + LEASE_MS }
    await this.#options.store.call('lakeBeginWriter', lease)
    await files.makeFolder(folder)
    const kept = keepLease({ clock, leaseMs: LEASE_MS }, () =>
      this.#options.store.call('lakeRenewWriter', { writer, until: this.#now() + LEASE_MS }),
    )
    const end = async (): Promise<void> => {
      await kept.stop()
      await this.#options.store.call('lakeEndWriter', { writer })
    }
    return { writer, folder, signal: kept.signal, end }
  }

  /** A table at a version as a SELECT of DuckDB on this machine's files. */
  selectOf(manifest: Manifest): string {
    return selectOf(manifest, (file) => this.#options.files.at(file))
  }

  /** Only what the table is now stays; readers of what it was lose it at once. Done again it does no harm. */
  async forgetOldVersions(table: string): Promise<void> {
    const { store, files, clock } = this.#options
    const tableId = await this.#options.store.call('lakeForgetVersions', { table })
    await removeSegments({ store, files, clock }, { tableId, retentionMs: 0 })
  }

  sweep(options: SweepOptions): Promise<SweepCounts> {
    const { store, files, clock } = this.#options
    return sweepLake({ store, files, clock }, options)
  }

  #now(): Instant {
    return this.#options.clock.now()
  }
}

interface KeptLease {
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal
  /** Renews no more. */
  stop(): Promise<void>
}

/** Three tries before the lease runs out: one lost call must not end a long reading. */
const TRIES = 3

/**
 * A lease that its holder renews in the background until it releases it, or until the store reports
 * it lost.
 * `renew` answers whether the lease was still there.
 */
function keepLease(
  { clock, leaseMs }: { clock: Pick<Clock, 'sleep'>; leaseMs: number },
  renew: () => Promise<boolean>,
): KeptLease {
  const lost = new AbortController()
  const stopped = new AbortController()
  const loop = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(leaseMs / TRIES, stopped.signal)
      if (stopped.signal.aborted) return
      if (!(await renewed(renew))) return lost.abort()
    }
  }
  const running = loop()
  return {
    signal: lost.signal,
    stop: () => {
      stopped.abort()
      return running
    },
  }
}

/** A store that cannot be reached says nothing about the lease: the next try may. */
async function renewed(renew: () => Promise<boolean>): Promise<boolean> {
  try {
    return await renew()
  } catch (error) {
    return isMingaError(error) && error.retry !== 'never'
  }
}
