/** From what a question names to what its plan reads: tables at a version, files that are whole. */
import {
  BadQuery,
  UnknownTable,
  type Binding,
  type FileBinding,
  type InspectedFile,
  type InputRules,
  type LakeFiles,
  type Query,
  type Tables,
} from '@minga/lake'
import type { InputSource } from '@minga/protocol'
import type { BindingClient } from './binding-client.ts'
import { seesTable, type LakeCaller } from '../workers/lake-caller.ts'
import { hasHiddenRows } from '../../accounts/visibility/limited-tables.ts'
import { OutsideInput, TableInput } from '../lake-errors.ts'
import { outsidePath } from '../tables/outside-file.ts'
import type { Uploads } from '../uploads/uploads.ts'

export interface BindParts {
  tables: Tables
  files: LakeFiles
  uploads: Uploads
  /** Files come from strangers: a process of its own looks into them. */
  binding: BindingClient
  /** Brings the station's own tables up to now, of those that are named. */
  flush: (tables: readonly string[]) => Promise<void>
}

export interface BindAsked {
  /** By whom the tables are held, until the query has ended. */
  reader: string
  sources: Readonly<Record<string, InputSource>>
}

export interface BoundInputs {
  bindings: Record<string, Binding>
  /** Gives back what was held. */
  release: () => Promise<void>
}

type TableSource = Extract<InputSource, { table: string }>

/** Of every input of the queries: what it is, said by the question or by the query itself. */
export async function bindInputs(
  parts: BindParts,
  caller: LakeCaller,
  queries: readonly Query[],
  { reader, sources }: BindAsked,
): Promise<BoundInputs> {
  const wanted = wantedInputs(queries, sources)
  const tables = wanted.filter(({ source }) => 'table' in source)
  await parts.flush(tables.map(({ source }) => (source as TableSource).table))
  for (const { source } of tables) await requireSeen(parts, caller, (source as TableSource).table)
  const held = await holdTables(parts, reader, tables)
  try {
    const bindings: Record<string, Binding> = { ...held.bindings }
    for (const { name, source, rules } of wanted) {
      if (!('table' in source)) bindings[name] = await bindFile(parts, caller, { source, rules })
    }
    return { bindings, release: held.release }
  } catch (error) {
    await held.release()
    throw error
  }
}

interface WantedInput {
  name: string
  source: InputSource
  /** Every cleaning that queries want of it. */
  rules: InputRules[]
}

function wantedInputs(
  queries: readonly Query[],
  sources: Readonly<Record<string, InputSource>>,
): WantedInput[] {
  const wanted = new Map<string, WantedInput>()
  for (const query of queries) {
    for (const [name, declared] of Object.entries(query.inputs)) {
      const own = 'table' in declared ? { table: declared.table } : undefined
      const source = sources[name] ?? own
      if (source === undefined) {
        throw new BadQuery(
          `Query ${query.name} reads "${name}"; say what that is, as in --input ${name}=FILE.`,
        )
      }
      const input: WantedInput = wanted.get(name) ?? { name, source, rules: [] }
      if ('columns' in declared) input.rules.push(declared)
      wanted.set(name, input)
    }
  }
  const unused = Object.keys(sources).find((name) => !wanted.has(name))
  if (unused !== undefined) {
    const names = [...wanted.keys()].join(', ')
    throw new BadQuery(`No query reads an input "${unused}"; they read ${names}.`)
  }
  return [...wanted.values()]
}

async function requireSeen({ tables }: BindParts, caller: LakeCaller, name: string): Promise<void> {
  // What a user may not see does not exist for them.
  const table = await tables.describe(name)
  if (!seesTable(caller, table, await caller.shared())) throw UnknownTable.named(name)
  // Workers read whole files.
  if (table.kind === 'system' && hasHiddenRows(name, await caller.hidden())) {
    throw TableInput.partlyHidden(name)
  }
}

async function holdTables(
  { tables }: BindParts,
  reader: string,
  wanted: readonly WantedInput[],
): Promise<BoundInputs> {
  const release = (): Promise<void> => tables.release(reader)
  if (wanted.length === 0) return { bindings: {}, release }
  const asked = wanted.map(({ source }) => {
    const { table, version } = source as TableSource
    return version === undefined ? { table } : { table, version }
  })
  const manifests = await tables.holdAs(reader, { tables: asked, who: 'query' })
  const bindings = Object.fromEntries(
    wanted.map(({ name }, i) => [name, { kind: 'table' as const, manifest: manifests[i]! }]),
  )
  return { bindings, release }
}

/** Binds a file that a user uploaded, or that the operator named. */
export async function bindFile(
  { files, uploads, binding }: BindParts,
  caller: LakeCaller,
  { source, rules }: { source: InputSource; rules: readonly InputRules[] },
): Promise<FileBinding> {
  if ('path' in source) {
    if (caller.owner !== null) throw OutsideInput.forbidden()
    return look(binding, { path: await outsidePath(source.path) }, rules)
  }
  const { upload } = source as { upload: string }
  const { file, name } = await uploads.ready(caller.owner, upload)
  return look(binding, { path: files.at(file), name, lakeName: file }, rules)
}

/** How many there are is not asked, so that a plan is the same for all; more than this find work in large files. */
const WORKERS_EXPECTED = 4

/** Its fields are compared with each cleaning; what it is and its parts are the same for all. */
async function look(
  binding: BindingClient,
  file: InspectedFile,
  rules: readonly InputRules[],
): Promise<FileBinding> {
  const distinct = [...new Map(rules.map((one) => [JSON.stringify(one), one])).values()]
  const looks = await Promise.all(
    (distinct.length === 0 ? [null] : distinct).map((one) =>
      binding.look({ file, wishes: { rules: one, workers: WORKERS_EXPECTED } }),
    ),
  )
  // Of lines of JSON, each look knows the fields that were asked for.
  const header = [...new Set(looks.flatMap((one) => one.header))]
  return { ...looks[0]!, header }
}
