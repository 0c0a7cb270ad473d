/**
 * Answers SQL queries, each in a separate process that is ended when it takes too long, so that no
 * query can harm the station. The tables are as they were when the query came.
 */
import type { HeldTables, LakeFiles } from '@minga/lake'
import { selectOf } from '@minga/lake/table-sql'
import type { ResultFormat, SqlLimitsView } from '@minga/protocol'
import type { SettingValues } from '../../station/settings/registry.ts'
import { answerFile, type SqlQuestionTask, type SqlTaskAnswer } from './answer-sql.ts'
import { runProcess } from '../duckdb/run-process.ts'
import type { DuckDbRunner } from '../duckdb/runner.ts'
import { type Hidden, withoutHidden } from '../../accounts/visibility/limited-tables.ts'
import { BadSql, SqlBusy, SqlLimit } from '../lake-errors.ts'
import type { Station } from '../../station/station.ts'

export interface SqlLimits {
  rowsMax: number
  bytesMax: number
  memoryMb: number
  timeoutMs: number
  /** Questions at a time, and of one account. */
  atOnceMax: number
}

export function sqlLimits(values: SettingValues): SqlLimits {
  return {
    rowsMax: values.sqlRowsMax,
    bytesMax: values.sqlBytesMax,
    memoryMb: values.sqlMemoryMb,
    timeoutMs: values.sqlTimeoutMs,
    atOnceMax: values.sqlAtOnceMax,
  }
}

export interface SqlServiceParts extends Pick<Station, 'clock' | 'closing'> {
  files: LakeFiles
  runner: DuckDbRunner
  limits: () => SqlLimits
  newId: () => string
}

/** Held for a question, with what it may not see of them. */
export interface SeenTables extends HeldTables {
  hidden: Hidden
}

export interface SqlAsked {
  owner: string
  sql: string
  format: ResultFormat | 'json'
  rowsMax?: number | undefined
  timeoutMs?: number | undefined
  hold: () => Promise<SeenTables>
  /** Aborted when the caller has disconnected. */
  signal: AbortSignal
}

export interface SqlFile {
  /** Path below the lake's folder. */
  file: string
  bytes: number
  /** To be called when it was sent. */
  remove: () => Promise<void>
}

/** One client leaves room for another. */
const OWNER_SHARE = 2
/** A page shows a table, not a million rows. */
const JSON_ROWS_MAX = 10_000
const THREADS = 2
/** Below the data folder. */
export const LAKE_FOLDER = 'lake'
export const SQL_FOLDER = 'sql'

export class SqlService {
  readonly #parts: SqlServiceParts
  readonly #asking = new Map<string, number>()

  constructor(parts: SqlServiceParts) {
    this.#parts = parts
  }

  limits(): SqlLimitsView {
    const { rowsMax, bytesMax, memoryMb, timeoutMs } = this.#parts.limits()
    const jsonRowsMax = Math.min(rowsMax, JSON_ROWS_MAX)
    return { rowsMax, jsonRowsMax, bytesMax, memoryMb, timeoutMs }
  }

  async ask(asked: SqlAsked): Promise<SqlFile> {
    const leave = this.#enter(asked.owner)
    try {
      return await this.#answer(asked)
    } finally {
      leave()
    }
  }

  #enter(owner: string): () => void {
    const { atOnceMax } = this.#parts.limits()
    const all = [...this.#asking.values()].reduce((sum, count) => sum + count, 0)
    const own = this.#asking.get(owner) ?? 0
    if (all >= atOnceMax || own >= Math.ceil(atOnceMax / OWNER_SHARE)) throw new SqlBusy()
    this.#asking.set(owner, own + 1)
    return () => {
      const left = this.#asking.get(owner)! - 1
      if (left === 0) this.#asking.delete(owner)
      else this.#asking.set(owner, left)
    }
  }

  async #answer(asked: SqlAsked): Promise<SqlFile> {
    const { files, newId } = this.#parts
    const work = `${SQL_FOLDER}/${newId()}`
    await files.makeFolder(work)
    const remove = (): Promise<void> => files.removeFolder(work)
    const held = await asked.hold()
    try {
      const question = this.#questionOf(asked, held)
      const said = await this.#runChild(question, asked, work)
      if ('problem' in said) throw new BadSql(said.problem)
      if ('over' in said) throw limitOf(said.over, question)
      // The process does not name the file: a table that it read may have taken it over.
      const file = answerFile(work, question.format)
      const bytes = await files.size(file)
      if (bytes === null) throw limitOf('memory', question)
      return { file, bytes, remove }
    } catch (error) {
      await remove()
      throw error
    } finally {
      await held.release()
    }
  }

  #questionOf(asked: SqlAsked, { manifests, hidden }: SeenTables): SqlQuestionTask {
    const { rowsMax, bytesMax, memoryMb } = this.#parts.limits()
    const most = asked.format === 'json' ? Math.min(rowsMax, JSON_ROWS_MAX) : rowsMax
    return {
      sql: asked.sql,
      format: asked.format,
      views: manifests.map((manifest) => ({
        name: manifest.table,
        select: withoutHidden(
          selectOf(manifest, (file) => file),
          manifest,
          hidden,
        ),
      })),
      files: manifests.flatMap(({ segments }) => segments.map(({ file }) => file)),
      rowsMax: Math.min(asked.rowsMax ?? most, most),
      bytesMax,
      memoryMb,
      threads: THREADS,
    }
  }

  async #runChild(
    question: SqlQuestionTask,
    asked: SqlAsked,
    work: string,
  ): Promise<SqlTaskAnswer> {
    const { clock, closing, files, runner } = this.#parts
    const { timeoutMs: most } = this.#parts.limits()
    const timeoutMs = Math.min(asked.timeoutMs ?? most, most)
    const signal = AbortSignal.any([asked.signal, closing])
    await runner.share(question.files.map((file) => files.at(file)))
    const answer = {
      path: files.at(answerFile(work, question.format)),
      bytesMax: question.bytesMax,
    }
    const child = { runner, name: 'sql' as const, folder: files.root, work, answer }
    const said = await runProcess<SqlTaskAnswer>(child, question, { clock, timeoutMs, signal })
    if (said === 'late') throw SqlLimit.time(timeoutMs / 1_000)
    return said === 'dead' ? { over: 'memory' } : said
  }
}

function limitOf(over: 'rows' | 'bytes' | 'memory', question: SqlQuestionTask): SqlLimit {
  if (over === 'rows') return SqlLimit.rows(question.rowsMax)
  if (over === 'bytes') return SqlLimit.bytes(question.bytesMax)
  return SqlLimit.memory(question.memoryMb)
}
