/**
 * Puts the coordinator's part of the lake together: services for queries, tables, SQL and workers
 * over one folder and one store, and the background maintenance. Maintenance may be repeated; still
 * only one of several coordinators does it.
 */
import { dirname, join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import {
  LakeFiles,
  Leadership,
  Scheduler,
  alwaysLeader,
  Tables,
  type LeaderLease,
} from '@minga/lake'
import { systemClock, type Clock } from '@minga/protocol'
import { ConditionVariable } from '@minga/protocol/condition-variable'
import type { LiveSettings } from '../station/settings/live-settings.ts'
import { BindingClient } from './queries/binding-client.ts'
import { ownRunner } from './duckdb/runner.ts'
import { socketRunner } from './duckdb/socket-runner.ts'
import { Extracts } from './extract/extracts.ts'
import { Feeds, type FeedLimits } from './feed/feeds.ts'
import { PreviewService } from './tables/preview-service.ts'
import { QueryService, readerOf } from './queries/query-service.ts'
import { RowsReader } from './tables/rows-reader.ts'
import { LAKE_FOLDER, SqlService, sqlLimits } from './sql/sql-service.ts'
import { TableService } from './tables/table-service.ts'
import type { Part } from '../station/ticking.ts'
import { Tidying } from './tables/tidying.ts'
import { Uploads } from './uploads/uploads.ts'
import { WorkerService } from './workers/worker-service.ts'
import type { RouteContext } from '../accounts/access.ts'
import type { Station } from '../station/station.ts'

interface LakeOptions extends Station {
  /** Whether other coordinators may have the same store. */
  isShared?: boolean
  /** Of the DuckDB service; without it DuckDB runs in children of this process. */
  duckdbSocket?: string
}

export interface LakeServices {
  files: LakeFiles
  scheduler: Scheduler
  tables: Tables
  reader: RowsReader
  /** Notified when a client that watches a query may see something new. */
  news: ConditionVariable
  clock: Clock
  queries: QueryService
  tableService: TableService
  sql: SqlService
  uploads: Uploads
  workers: WorkerService
  tidying: Tidying
  /** Which of several coordinators tidies. */
  leaderLease: LeaderLease
  /** What the station notes by itself. */
  feeds: Feeds
  /** Scraping. */
  extracts: Extracts
  ticking: Part[]
}

export interface LakeContext extends RouteContext {
  lake: LakeServices
}

export function createLake(station: LakeOptions): LakeServices {
  const { store, clock, data, settings, closing, log, isShared = false } = station
  const newId = (): string => randomUUID()
  const files = new LakeFiles(join(data, LAKE_FOLDER))
  const tables = new Tables({ store, files, clock, newId })
  const scheduler = new Scheduler(store, clock)
  const [work, news] = [new ConditionVariable(), new ConditionVariable()]
  const { duckdbSocket: socket } = station
  const runner =
    socket === undefined
      ? ownRunner
      : socketRunner({ socket, data: dirname(files.root), lake: files.root })
  const reader = new RowsReader({ files, runner, clock: systemClock, closing })
  const limits = limitsOf(settings)
  const uploads = new Uploads({ folder: files.root, clock, limits: limits.uploads, newId })
  const leaderLease = leaseOf(station, newId())
  const { feeds, extracts, flush } = feedsOf(station, { tables, files, leaderLease })
  const binding = new BindingClient({ files, runner, clock: systemClock, closing })
  const shared = {
    runner,
    scheduler,
    tables,
    files,
    uploads,
    newId,
    clock,
    closing,
    flush,
    binding,
  }
  const queries = new QueryService({ ...shared, work, limits: limits.queries })
  const tableService = new TableService({
    ...shared,
    queries,
    reader,
    previews: new PreviewService(shared),
  })
  const onEnded = (query: string): Promise<void> => tables.release(readerOf(query))
  const workers = new WorkerService({ ...shared, work, news, onEnded, isShared })
  const sql = new SqlService({ ...shared, limits: limits.sql })
  // Maintenance runs on the leader only; services serve every caller.
  const leading = {
    scheduler: new Scheduler(leaderLease, clock),
    tables: new Tables({ store: leaderLease, files, clock, newId }),
    leaderLease,
  }
  const tidying = new Tidying({
    ...shared,
    ...leading,
    tableService,
    work,
    news,
    log,
    limits: limits.tidying,
  })
  const services = { queries, tableService, sql, uploads, workers, tidying, leaderLease }
  const ticking = [leaderLease, tidying, feeds, extracts]
  return { files, scheduler, tables, reader, news, clock, feeds, extracts, ticking, ...services }
}

/** Called when no caller and no tick is left. */
export async function closeLake({
  feeds,
  extracts,
  tidying,
  leaderLease,
}: LakeServices): Promise<void> {
  await feeds.close()
  await extracts.close()
  await tidying.settled()
  // Otherwise the next leader waits for the end of our lease.
  await leaderLease.end().catch(() => {})
}

function leaseOf({ store, clock, isShared = false }: LakeOptions, id: string): LeaderLease {
  if (!isShared) return alwaysLeader(store)
  return new Leadership({ store, clock, holder: `${hostname()}-${process.pid}-${id}` })
}

function feedsOf(
  station: Station,
  { tables, files, leaderLease }: Pick<LakeServices, 'tables' | 'files' | 'leaderLease'>,
): { feeds: Feeds; extracts: Extracts; flush: (names: readonly string[]) => Promise<void> } {
  const limits = (): FeedLimits => {
    const { feedTables, feedEveryMs } = station.settings.current()
    return { everyMs: feedEveryMs, isOn: (feed) => feedTables?.split(',').includes(feed) ?? true }
  }
  const shared = { tables, files, mayLead: () => leaderLease.mayLead() }
  const extracts = new Extracts(station, shared)
  const ownRows = () => extracts.ownRows()
  const feeds = new Feeds({ ...station, ...shared, limits, ownRows })
  const flush = async (names: readonly string[]): Promise<void> => {
    await feeds.flush(names)
    await extracts.flush(names)
  }
  return { feeds, extracts, flush }
}

function limitsOf(settings: LiveSettings) {
  return {
    queries: () => {
      const values = settings.current()
      return {
        memoryMb: values.queryMemoryMb,
        openMax: values.queriesOpenMax,
        readerOpenMax: values.readerQueriesOpenMax,
        abandonedMs: values.queryAbandonedMs,
        keptMs: values.resultsKeptMs,
      }
    },
    uploads: () => {
      const { uploadBytesMax, readerUploadBytesMax, uploadKeptMs } = settings.current()
      const bytesMax = { bytesMax: uploadBytesMax, readerBytesMax: readerUploadBytesMax }
      return { ...bytesMax, keptMs: uploadKeptMs }
    },
    sql: () => sqlLimits(settings.current()),
    tidying: () => ({ retentionMs: settings.current().tableVersionsKeptMs }),
  }
}
