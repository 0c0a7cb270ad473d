/** Tables as those who ask see them: what there is, some rows, and how rows come in and go. */
import {
  compactionPlan,
  planCompaction,
  planImport,
  TableTaken,
  UnknownTable,
  withTypes,
  type FileBinding,
  type InputRules,
  type Manifest,
  type Plan,
  type TableView as LakeTable,
  type VersionView,
} from '@minga/lake'
import {
  isMingaError,
  type FileSummary,
  type ImportPreview,
  type InputSource,
  type previewMessage,
  type QueryView,
  type TableView,
} from '@minga/protocol'
import type { z } from 'zod'
import { bindFile, type BindParts } from '../queries/bind-inputs.ts'
import { FEED_NAMES } from '../feed/feed-tables.ts'
import { seesTable, type LakeCaller } from '../workers/lake-caller.ts'
import { TableInput } from '../lake-errors.ts'
import type { PreviewService } from './preview-service.ts'
import type { QueryService } from '../queries/query-service.ts'
import type { Import } from '../queries/query-views.ts'
import type { SeenTables } from '../sql/sql-service.ts'
import { withoutHidden } from '../../accounts/visibility/limited-tables.ts'
import type { ReadRows } from './rows-process.ts'
import type { RowsReader } from './rows-reader.ts'

export interface TableServiceParts extends BindParts {
  queries: QueryService
  previews: PreviewService
  reader: RowsReader
  newId: () => string
}

export interface RowsAt {
  version?: number | undefined
  skip: number
  most: number
}

export interface RejectedRows extends ReadRows {
  /** How many rows were dropped for each, the most frequent first. */
  reasons: Record<string, number>
}

type Preview = z.infer<typeof previewMessage>
type Types = NonNullable<Import['types']>

export class TableService {
  readonly #parts: TableServiceParts

  constructor(parts: TableServiceParts) {
    this.#parts = parts
  }

  async list(caller: LakeCaller): Promise<TableView[]> {
    return (await this.#seen(caller)).map(viewOf)
  }

  async describe(caller: LakeCaller, name: string): Promise<TableView> {
    return viewOf(await this.#find(caller, name))
  }

  async versions(caller: LakeCaller, name: string, before?: number): Promise<VersionView[]> {
    await this.#find(caller, name)
    return this.#parts.tables.versions(name, before === undefined ? {} : { before })
  }

  async rows(caller: LakeCaller, name: string, { version, ...page }: RowsAt): Promise<ReadRows> {
    const { tables, reader, flush } = this.#parts
    await this.#find(caller, name)
    if (version === undefined) await flush([name])
    const at = version === undefined ? { table: name } : { table: name, version }
    const held = await tables.hold([at], 'rows')
    try {
      const [manifest] = held.manifests
      const select = tables.selectOf(manifest!)
      const files = this.#filesOf(manifest!)
      const shown = withoutHidden(select, manifest!, await caller.hidden())
      return await reader.ofSelect(shown, { ...page, files })
    } finally {
      await held.release()
    }
  }

  /** Rows that imports dropped, with the reason of each, and all of them counted; none when nothing ever was. */
  async rejects(
    caller: LakeCaller,
    name: string,
    page: Omit<RowsAt, 'version'>,
  ): Promise<RejectedRows> {
    await this.#find(caller, name)
    const { tables, reader } = this.#parts
    const side = `${name}${REJECTS}`
    const isThere = (await this.#seen(caller)).some((table) => table.name === side)
    if (!isThere) return { columns: [], rows: [], reasons: {} }
    const held = await tables.hold([{ table: side }], 'rows')
    try {
      const select = tables.selectOf(held.manifests[0]!)
      const files = this.#filesOf(held.manifests[0]!)
      const counts = `SELECT reason, count(*) FROM (${select}) GROUP BY 1 ORDER BY 2 DESC, 1`
      const reasons = await reader.ofSelect(counts, { skip: 0, most: REASONS_MOST, files })
      const found = await reader.ofSelect(select, { ...page, files })
      return { ...found, reasons: Object.fromEntries(reasons.rows) as Record<string, number> }
    } finally {
      await held.release()
    }
  }

  /** What a user may see, as it is now; of the station's own tables those that the query names. */
  async holdSeen(caller: LakeCaller, who: string, question: string): Promise<SeenTables> {
    const asked = question.toLowerCase()
    await this.#parts.flush(FEED_NAMES.filter((name) => asked.includes(name)))
    const seen = await this.#seen(caller)
    const tables = seen.map(({ name: table }) => ({ table }))
    const hidden = await caller.hidden()
    return { ...(await this.#parts.tables.hold(tables, who)), hidden }
  }

  /** Throws unless they decide who reads it. */
  async requireOwn(caller: LakeCaller, name: string): Promise<void> {
    const { kind } = await this.#own(caller, name)
    if (kind === 'system') throw TableInput.ofStation(name)
  }

  async drop(caller: LakeCaller, name: string): Promise<void> {
    await this.requireOwn(caller, name)
    await this.#parts.tables.drop(name)
    const side = `${name}${REJECTS}`
    const rejects = (await this.#seen(caller)).find((table) => table.name === side)
    if (rejects !== undefined) await this.#parts.tables.drop(side)
  }

  /** Rows of a file become rows of a table, all at once, when all are read. */
  async import(caller: LakeCaller, name: string, message: Import): Promise<QueryView> {
    const { queries, newId } = this.#parts
    const { id = newId(), input } = message
    const known = await queries.known(caller, id)
    if (known !== null) return known
    await queries.requireRoom(caller)
    const table = await this.#target(caller, name)
    const plan = await this.#importPlan(caller, { name, message, table })
    const ask = {
      queries: [name],
      format: 'parquet' as const,
      uploads: 'upload' in input ? [input.upload] : [],
      imported: message,
    }
    const tableOwner = table === null ? caller.accountId : table.owner
    await queries.start(caller, { id, kind: 'import', plan, ask, tableOwner })
    return queries.view(caller, id)
  }

  /** What a file is, and the columns that it would have; nothing is kept. */
  async inspect(caller: LakeCaller, input: InputSource): Promise<FileSummary> {
    if ('table' in input) throw TableInput.isTable(input.table)
    const binding = await bindFile(this.#parts, caller, { source: input, rules: [] })
    const rules = await this.#infer(binding)
    return { format: binding.format, bytes: binding.file.bytes, rules }
  }

  /** What importing it would do, tried on its beginning; nothing is kept. */
  async preview(
    caller: LakeCaller,
    { input, rules: given, types = {}, rows }: Preview,
    signal: AbortSignal,
  ): Promise<ImportPreview> {
    const { binding, rules } = await this.#read(caller, { input, given, types })
    const path = this.#pathOf(binding)
    return this.#parts.previews.ask({ path, binding, rules, rows, signal })
  }

  /** Merges small segments; null when there is nothing to merge. */
  async compact(caller: LakeCaller, name: string): Promise<QueryView | null> {
    const { tables, queries, newId } = this.#parts
    await this.#own(caller, name)
    // A file for each wiki, which is replaced whole when the wiki changes.
    if (name === 'revisions') return null
    const manifest = await tables.manifest(name)
    const [group] = planCompaction(manifest)
    if (group === undefined) return null
    const id = newId()
    const ask = { queries: [name], format: 'parquet' as const, uploads: [] }
    const plan = compactionPlan(manifest, group)
    await queries.start(caller, { id, kind: 'compact', plan, ask })
    return queries.view(caller, id)
  }

  async #importPlan(
    caller: LakeCaller,
    { name, message, table }: { name: string; message: Import; table: LakeTable | null },
  ): Promise<Plan> {
    const { input, rules: given, types = {}, isReplacing } = message
    const plan = planImport({ table: name, ...(await this.#read(caller, { input, given, types })) })
    if (!isReplacing || table === null) return plan
    // What the former rows had wrong with them goes with them.
    const changes = (plan.segments ?? []).map((change) => ({ ...change, replaces: 'all' as const }))
    return { ...plan, segments: changes }
  }

  /** The file that a user named, and the rules by which its rows are cleaned. */
  async #read(
    caller: LakeCaller,
    { input, given, types }: { input: InputSource; given: Import['rules']; types: Types },
  ): Promise<{ binding: FileBinding; rules: InputRules }> {
    if ('table' in input) throw TableInput.isTable(input.table)
    const declared = given === undefined ? [] : [given]
    const binding = await bindFile(this.#parts, caller, { source: input, rules: declared })
    const found = given ?? (await this.#infer(binding))
    return { binding, rules: withTypes(found, types) }
  }

  #infer(binding: FileBinding): Promise<InputRules> {
    return this.#parts.binding.infer({ path: this.#pathOf(binding), binding })
  }

  #filesOf({ segments }: Manifest): string[] {
    return segments.map(({ file }) => this.#parts.files.at(file))
  }

  #pathOf({ file }: FileBinding): string {
    return file.at === 'lake' ? this.#parts.files.at(file.name) : file.name
  }

  /** The table that rows are to go to; null when it is to be made. */
  async #target(caller: LakeCaller, name: string): Promise<LakeTable | null> {
    const table = await this.#parts.tables.describe(name).catch(unlessUnknown)
    if (table === null) return null
    // The name is in use; the error says so even when the table is another user's, but reveals
    // nothing else about it.
    if (table.kind !== 'own' || !isOwn(caller, table)) throw TableTaken.named(name)
    return table
  }

  async #own(caller: LakeCaller, name: string): Promise<LakeTable> {
    const table = await this.#find(caller, name)
    if (isOwn(caller, table)) return table
    throw table.kind === 'own' ? TableInput.ofAnother(name) : TableInput.ofStation(name)
  }

  async #find(caller: LakeCaller, name: string): Promise<LakeTable> {
    const table = await this.#parts.tables.describe(name)
    if (!seesTable(caller, table, await caller.shared())) throw UnknownTable.named(name)
    return table
  }

  async #seen(caller: LakeCaller): Promise<LakeTable[]> {
    const shared = await caller.shared()
    return (await this.#parts.tables.list()).filter((table) => seesTable(caller, table, shared))
  }
}

/** Columns times what can be wrong with one: more are no longer read by anyone. */
const REASONS_MOST = 1_000

/** The side table that keeps what an import dropped. */
const REJECTS = '_rejects'

const isOwn = ({ owner }: LakeCaller, table: LakeTable): boolean =>
  owner === null || table.owner === owner

function unlessUnknown(error: unknown): null {
  if (isMingaError(error) && error.code === 'MINGA_UNKNOWN_TABLE') return null
  throw error
}

function viewOf(table: LakeTable): TableView {
  const { name, kind, owner, columns, version, rows, bytes, segments, changedAt } = table
  return { name, kind, owner, columns, version, rows, bytes, segments, changedAt }
}
