/**
 * What an import would do, tried on the beginning of its file in a process of its own: files come from strangers, and
 * one that breaks its reader must not take the station with it.
 */
import { BadInput, type FileBinding, type InputRules, type LakeFiles } from '@minga/lake'
import type { ImportPreview } from '@minga/protocol'
import { runProcess } from '../duckdb/run-process.ts'
import type { DuckDbRunner } from '../duckdb/runner.ts'
import { jsonRows } from '../queries/json-rows.ts'
import { PreviewBusy, PreviewLimit } from '../lake-errors.ts'
import type { PreviewQuestion, PreviewSaid } from './preview-process.ts'
import { SQL_FOLDER } from '../sql/sql-service.ts'
import type { Station } from '../../station/station.ts'

export interface PreviewServiceParts extends Pick<Station, 'clock' | 'closing'> {
  files: LakeFiles
  runner: DuckDbRunner
  newId: () => string
}

export interface PreviewWish {
  /** Of the file. */
  path: string
  binding: FileBinding
  rules: InputRules
  rows: number
  /** Aborted when the caller has disconnected. */
  signal: AbortSignal
}

/** One for each core of a small machine: a page asks again after every change of a rule. */
const AT_ONCE_MOST = 2
const TIMEOUT_MS = 60_000
const MEMORY_MB = 512
/** Of the file, unpacked. */
const READ_BYTES_MOST = 8 * 1024 * 1024
const SHOWN_ROWS = 50
const CELL_CHARACTERS = 200

export class PreviewService {
  readonly #parts: PreviewServiceParts
  #atOnce = 0

  constructor(parts: PreviewServiceParts) {
    this.#parts = parts
  }

  async ask(wish: PreviewWish): Promise<ImportPreview> {
    if (this.#atOnce >= AT_ONCE_MOST) throw new PreviewBusy()
    this.#atOnce++
    const { files, newId } = this.#parts
    // Next to the folders of SQL queries: what a crash leaves behind is removed from there.
    const work = `${SQL_FOLDER}/${newId()}`
    try {
      await files.makeFolder(work)
      return viewOf(wish, await this.#runChild(wish, files.at(work)))
    } finally {
      this.#atOnce--
      await files.removeFolder(work)
    }
  }

  async #runChild(wish: PreviewWish, work: string): Promise<PreviewOf> {
    const { clock, closing, runner } = this.#parts
    const { path, binding, rules, rows } = wish
    const question: PreviewQuestion = {
      path,
      binding,
      rules,
      rows,
      shown: SHOWN_ROWS,
      bytes: READ_BYTES_MOST,
      memoryMb: MEMORY_MB,
    }
    const signal = AbortSignal.any([wish.signal, closing])
    await runner.share([path])
    const child = { runner, name: 'preview' as const, folder: null, work }
    const limits = { clock, timeoutMs: TIMEOUT_MS, signal }
    const said = await runProcess<PreviewSaid>(child, question, limits)
    if (said === 'late') throw PreviewLimit.time(TIMEOUT_MS / 1_000)
    if (said === 'dead')
      throw new BadInput('The file crashed its reader. Check that the file is complete.')
    if ('problem' in said) throw refusalOf(said.problem)
    return said.preview
  }
}

type PreviewOf = Extract<PreviewSaid, { preview: unknown }>['preview']

function refusalOf({ code, message }: { code: string | null; message: string }): Error {
  if (code === 'MINGA_TASK_OUT_OF_MEMORY') return PreviewLimit.memory(MEMORY_MB)
  return new BadInput(code === 'MINGA_BAD_INPUT' ? message : `The file cannot be read: ${message}`)
}

function viewOf({ binding, rules }: PreviewWish, preview: PreviewOf): ImportPreview {
  const types = preview.columns.map(({ type }) => type)
  const rows = jsonRows(preview.rows, types).map((row) => row.map(shortened))
  return { format: binding.format, bytes: binding.file.bytes, rules, ...preview, rows }
}

/** A page shows what a value is, not all of it. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value) && JSON.stringify(value).length > CELL_CHARACTERS) {
    return shortened(JSON.stringify(value))
  }
  if (typeof value !== 'string' || value.length <= CELL_CHARACTERS) return value
  return `${value.slice(0, CELL_CHARACTERS)}…`
}
