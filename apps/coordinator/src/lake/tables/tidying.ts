/**
 * Periodic maintenance of the lake: expired leases and deadlines, holds renewed for running
 * queries, unused files removed, small segments merged. Everything may be repeated after a crash.
 */
import {
  isNotLeader,
  planCompaction,
  type LakeFiles,
  type LeaderLease,
  type Scheduler,
  type Tables,
} from '@minga/lake'
import { isMingaError } from '@minga/protocol'
import type { ConditionVariable } from '@minga/protocol/condition-variable'
import { STATION } from '../workers/lake-caller.ts'
import { readerOf } from '../queries/query-service.ts'
import type { Asked } from '../queries/query-views.ts'
import { SQL_FOLDER } from '../sql/sql-service.ts'
import type { TableService } from './table-service.ts'
import type { Uploads } from '../uploads/uploads.ts'
import type { Station } from '../../station/station.ts'

export interface TidyingParts extends Pick<Station, 'clock' | 'closing' | 'log'> {
  scheduler: Scheduler
  tables: Tables
  /**
   * Scheduler and tables write through it: a coordinator that has lost the leadership changes
   * nothing.
   */
  leaderLease: Pick<LeaderLease, 'mayLead' | 'tick'>
  tableService: TableService
  files: LakeFiles
  uploads: Uploads
  work: ConditionVariable
  news: ConditionVariable
  limits: () => { retentionMs: number }
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
/** A hold lasts five minutes: four calls may be lost. */
const RENEW_EVERY_MS = MINUTE_MS
const REMOVE_EVERY_MS = 10 * SECOND_MS
/** Searches of folders, which cost more the more there is. */
const SEARCH_EVERY_MS = 10 * MINUTE_MS
/** A station that lives for one command has none of its workers to spare. */
const MERGE_AFTER_MS = MINUTE_MS
/** Long after any question in SQL has ended. */
const LEFT_BEHIND_MS = 3_600_000
const PATIENCE_MS = 100
const AT_ONCE = 100
const QUERIES_FOLDER = 'queries'

export class Tidying {
  readonly #parts: TidyingParts
  #sweepAt = 0
  #renewAt = 0
  #removeAt = 0
  #searchAt = 0
  #mergeAt = 0
  #hasBegun = false
  #beside: Promise<void> | null = null
  /** The last error, so that it is not repeated in the log every ten seconds. */
  #said = ''

  constructor(parts: TidyingParts) {
    this.#parts = parts
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { leaderLease } = this.#parts
    try {
      if (leaderLease.mayLead()) return await this.#tickAsLeader()
    } catch (error) {
      if (!isNotLeader(error)) throw error
    }
    // Who leads again may have slept: its leases last from then on.
    this.#hasBegun = false
  }

  async #tickAsLeader(): Promise<void> {
    const now = this.#parts.clock.now()
    if (!this.#hasBegun) await this.#begin()
    if (now >= this.#sweepAt) await this.#sweepTasks(now)
    if (now >= this.#renewAt) await this.#renew(now)
    this.#beside ??= this.#tidy(now).finally(() => {
      this.#beside = null
    })
    await this.#wait(this.#beside)
  }

  /**
   * Ends the background work, and leaves nothing of queries that have just ended: a station that
   * lived for one command may never be started again.
   */
  async settled(): Promise<void> {
    await this.#beside
    const { leaderLease, clock } = this.#parts
    if (leaderLease.mayLead()) await this.#orLater(() => this.#remove(clock.now()))
  }

  /**
   * Waits for a moment: longer work continues in the background, because other parts wait for the
   * tick.
   */
  async #wait(work: Promise<void>): Promise<void> {
    const over = new AbortController()
    await Promise.race([work, this.#parts.clock.sleep(PATIENCE_MS, over.signal)])
    over.abort()
  }

  async #tidy(now: number): Promise<void> {
    if (now >= this.#removeAt) await this.#orLater(() => this.#remove(now))
    if (now >= this.#searchAt) await this.#orLater(() => this.#search(now))
    if (now >= this.#mergeAt) await this.#orLater(() => this.#merge(now))
  }

  /** What cannot be removed now is no reason to end: the next round tries again. */
  async #orLater(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (this.#parts.closing.aborted || isNotLeader(error)) return
      const message = error instanceof Error ? error.message : String(error)
      if (message !== this.#said) this.#parts.log(`minga: the lake could not be tidied: ${message}`)
      this.#said = message
    }
  }

  /** Workers could not renew their leases while the station was down. */
  async #begin(): Promise<void> {
    await this.#parts.scheduler.keepLeases()
    this.#mergeAt = this.#parts.clock.now() + MERGE_AFTER_MS
    this.#hasBegun = true
  }

  async #sweepTasks(now: number): Promise<void> {
    const { scheduler, tables, work, news } = this.#parts
    const { freed, ended } = await scheduler.sweep()
    this.#sweepAt = now + SECOND_MS
    if (freed > 0) work.notifyAll()
    for (const { id } of ended) await tables.release(readerOf(id))
    if (ended.length > 0) news.notifyAll()
  }

  async #renew(now: number): Promise<void> {
    const { scheduler, tables, uploads } = this.#parts
    this.#renewAt = now + RENEW_EVERY_MS
    const running = await this.#running()
    await tables.renewReaders(running.map(({ id }) => readerOf(id)))
    const inUse = new Set(running.flatMap(({ ask }) => (ask as Asked).uploads))
    await this.#orLater(() => uploads.sweep(inUse))
    await scheduler.forget()
  }

  async #running(): Promise<Awaited<ReturnType<Scheduler['list']>>> {
    const { scheduler } = this.#parts
    const all = await scheduler.list({ states: ['running'], most: AT_ONCE })
    for (let last = all; last.length === AT_ONCE;) {
      last = await scheduler.list({
        states: ['running'],
        most: AT_ONCE,
        before: last.at(-1)!.number,
      })
      all.push(...last)
    }
    return all
  }

  async #remove(now: number): Promise<void> {
    const { scheduler, files } = this.#parts
    this.#removeAt = now + REMOVE_EVERY_MS
    for (const { id, folder, keep } of await scheduler.garbage({ most: AT_ONCE })) {
      const kept = new Set(keep)
      if (kept.size === 0) await files.removeFolder(folder)
      for (const { name } of kept.size === 0 ? [] : await files.list(folder)) {
        if (!kept.has(name)) await files.remove(name)
      }
      await scheduler.collected(id)
    }
  }

  async #search(now: number): Promise<void> {
    const { scheduler, tables, files } = this.#parts
    this.#searchAt = now + SEARCH_EVERY_MS
    const found = await files.folders(QUERIES_FOLDER)
    const ids = found.map(({ name }) => name.slice(QUERIES_FOLDER.length + 1))
    for (const id of await scheduler.strays(ids)) {
      await files.removeFolder(`${QUERIES_FOLDER}/${id}`)
    }
    for (const { name, changedAtMs } of await files.folders(SQL_FOLDER)) {
      if (changedAtMs < now - LEFT_BEHIND_MS) await files.removeFolder(name)
    }
    const { retentionMs } = this.#parts.limits()
    const living = async (): Promise<Set<string>> => new Set(await scheduler.living())
    await tables.sweep({ retentionMs, living })
  }

  /** One merging at a time for each table. */
  async #merge(now: number): Promise<void> {
    const { tables, tableService } = this.#parts
    this.#mergeAt = now + SEARCH_EVERY_MS
    const running = await this.#running()
    const busy = new Set(
      running.filter(({ kind }) => kind === 'compact').flatMap(({ ask }) => (ask as Asked).queries),
    )
    for (const { name, segments } of await tables.list()) {
      if (segments < 2 || busy.has(name)) continue
      if (planCompaction(await tables.manifest(name)).length === 0) continue
      await tableService.compact(STATION, name).catch(unlessGone)
    }
  }
}

/** Dropped in between. */
function unlessGone(error: unknown): void {
  if (!isMingaError(error) || error.code !== 'MINGA_UNKNOWN_TABLE') throw error
}
