/** From what the store leased to what a worker is given: which files, which ranges, which folder. */
import { isDeciding } from '../clean/clean-sql.ts'
import { BadCommit, BadQuery } from '../errors.ts'
import type { FileRef, Plan, Read, Stage, StageOutput, Task, TaskDone, TaskRead } from '../model.ts'
import { partsOf, wholeOf, type InputPart } from './input-units.ts'
import { bindingOf } from './plan-shape.ts'

export interface LeaseId {
  /** Its client's own id. */
  query: string
  stage: string
  index: number
  fence: number
}

/** What committed tasks of a stage wrote as one of its outputs, in the order of these tasks. */
export interface StageFiles {
  stage: number
  output: string
  part: 'whole' | 'partition'
  files: FileRef[]
}

export interface LeasedTask extends LeaseId {
  attempt: number
  limits: Task['limits']
  files: StageFiles[]
}

export function resolveTask(plan: Plan, leased: LeasedTask, leaseMs: number): Task {
  const { query, index, fence, attempt, limits } = leased
  const stage = stageNamed(plan, leased.stage)
  return {
    query,
    stage: stage.id,
    index,
    fence,
    leaseMs,
    attempt,
    reads: stage.reads.map((read) =>
      read.from === 'input'
        ? inputRead(plan, stage, { read, index })
        : stageRead(plan, read, leased.files),
    ),
    program: stage.program,
    outputs: stage.outputs,
    limits,
    folder: folderOf(plan, query, stage.id),
  }
}

/**
 * Below the lake's folder. Segments are written where they will stay, as the table's own files; if the query
 * does not end well no manifest names them, and the sweep of tables takes them.
 */
function folderOf(plan: Plan, query: string, stage: string): string {
  const segments = plan.segments?.find(({ of }) => of.stage === stage)
  return segments ? `tables/${segments.table}/${query}` : `${queryFolder(query)}/${stage}`
}

export function queryFolder(query: string): string {
  return `queries/${query}`
}

function stageNamed(plan: Plan, id: string): Stage {
  const stage = plan.stages.find((candidate) => candidate.id === id)
  if (stage === undefined) throw new BadQuery(`The plan has no stage "${id}".`)
  return stage
}

interface InputWanted {
  read: Extract<Read, { from: 'input' }>
  index: number
}

function inputRead(plan: Plan, stage: Stage, { read, index }: InputWanted): TaskRead {
  const { as, input, columns, withRow, rejectsAs } = read
  const binding = bindingOf(plan, input)
  const part = stage.tasks.over === 'input' ? partsOf(binding)[index] : wholeOf(binding)
  if (part === undefined) throw new BadQuery(`Input "${input}" has no part ${index}.`)
  const { unit, place } = part
  if (unit.kind === 'range') {
    const rejects = rejectsAs === undefined ? {} : { rejectsAs }
    return { as, ...rangeOf(plan, input, part), columns, withRow, ...rejects }
  }
  const types = binding.kind === 'table' ? { types: binding.manifest.columns } : {}
  return { as, kind: 'parquet', files: unit.files, columns, withRow, ...types, unit: place }
}

function rangeOf(plan: Plan, input: string, { unit, place }: InputPart) {
  const { rules } = plan.inputs[input]!
  const binding = bindingOf(plan, input)
  if (binding.kind !== 'file' || unit.kind !== 'range' || rules === null) {
    throw new BadQuery(`Input "${input}" is a file without rules for its columns.`)
  }
  const { format, kind: _, units: __, ...file } = binding
  return {
    ...file,
    format,
    kind: 'range' as const,
    from: unit.from,
    to: unit.to,
    ...(unit.rows && { rows: unit.rows }),
    unit: place,
    rules,
  }
}

function stageRead(
  plan: Plan,
  read: Extract<Read, { from: 'stage' }>,
  found: readonly StageFiles[],
): TaskRead {
  const stage = plan.stages.findIndex(({ id }) => id === read.stage)
  const { files } = found.find(
    (one) => one.stage === stage && one.output === read.output && one.part === read.part,
  ) ?? { files: [] }
  return { as: read.as, kind: 'parquet', files, columns: null, withRow: false }
}

/**
 * What a query has read is counted in rows of its inputs. Where a stage reads only what was read
 * before, it reads the same rows once more, and only flaws of columns that were not read yet are
 * new.
 */
export function countedOnce(plan: Plan, lease: LeaseId, done: TaskDone): TaskDone {
  const place = plan.stages.findIndex(({ id }) => id === lease.stage)
  const reads = inputReads(plan.stages.slice(place, place + 1))
  const before = inputReads(plan.stages.slice(0, place))
  const isNew = reads.some(({ input }) => before.every((one) => one.input !== input))
  if (isNew || reads.length === 0) return done
  const news = reads.flatMap(({ input, columns }) => {
    const seen = new Set(before.flatMap((one) => (one.input === input ? one.columns : [])))
    const rules = plan.inputs[input]?.rules?.columns ?? {}
    // Rows are dropped alike in every stage.
    return columns.filter(
      (column) => !seen.has(column) && !(rules[column] && isDeciding(rules[column])),
    )
  })
  const rejects = Object.entries(done.rejects).filter(([reason]) =>
    news.some((column) => reason.startsWith(`${column}:`)),
  )
  return { ...done, rowsRead: 0, bytesRead: 0, rejects: Object.fromEntries(rejects) }
}

const inputReads = (stages: readonly Stage[]): Extract<Read, { from: 'input' }>[] =>
  stages.flatMap(({ reads }) => reads.filter((read) => read.from === 'input'))

/** Refuses a commit that lacks an output or names a file that is not this lease's own: rows would be lost. */
export function checkDone(plan: Plan, lease: LeaseId, done: TaskDone): void {
  const stage = stageNamed(plan, lease.stage)
  const prefix = `${folderOf(plan, lease.query, stage.id)}/${lease.index}-${lease.fence}-`
  const written = new Map(done.outputs.map((one) => [`${one.output}/${one.partition ?? ''}`, one]))
  const expected = stage.outputs.flatMap(namesOf)
  if (written.size !== expected.length || done.outputs.length !== expected.length) {
    throw new BadCommit(`A task of stage "${stage.id}" writes ${expected.length} files.`)
  }
  for (const name of expected) {
    const one = written.get(name)
    if (one === undefined) throw new BadCommit(`The task did not write "${name}".`)
    if (!one.file.startsWith(prefix) || one.file.slice(prefix.length).includes('/')) {
      throw new BadCommit(`"${one.file}" is not a file of this lease.`)
    }
  }
}

function namesOf({ name, partitionBy = [], partitions = 1 }: StageOutput): string[] {
  if (partitionBy.length === 0) return [`${name}/`]
  return Array.from({ length: partitions }, (_, part) => `${name}/${part}`)
}
