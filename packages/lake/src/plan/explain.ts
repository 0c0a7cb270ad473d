/** A plan for people: a tree from each result down to the files, and the same as data for a drawing. */
import type { QueryStageView } from '@minga/protocol'
import type { Binding, Plan, Stage } from '../model.ts'
import { partsOf } from '../schedule/input-units.ts'

/** What is known of a stage while or after it runs. */
export type StageFacts = Pick<QueryStageView, 'done' | 'running' | 'rows' | 'bytes' | 'spentMs'>

export interface ExplainedPlan {
  text: string
  stages: QueryStageView[]
  /** The stage at the end of which a result's file stands. */
  results: { query: string; columns: string[]; stage: string }[]
}

export function explainPlan(
  plan: Plan,
  facts: Readonly<Record<string, StageFacts>> = {},
): ExplainedPlan {
  const stages = plan.stages.map((stage) => explained(stage, plan, facts[stage.id] ?? {}))
  const results = plan.results.map(({ query, columns, file }) => ({
    query,
    columns,
    stage: file.stage,
  }))
  return { text: treesOf(plan, stages, results), stages, results }
}

function explained(stage: Stage, plan: Plan, facts: StageFacts): QueryStageView {
  const inputs = stage.reads.flatMap((read) => {
    const input = read.from === 'input' ? plan.inputs[read.input] : undefined
    if (read.from !== 'input' || input === undefined) return []
    return [{ name: read.input, bytes: bytesOf(input.binding), columns: read.columns }]
  })
  const after = stage.reads.flatMap((read) =>
    read.from === 'stage' ? [{ stage: read.stage, part: read.part }] : [],
  )
  const tasks = tasksOf(stage, plan)
  const { id, about } = stage
  const program = stage.program.map(statementOf)
  const outputs = stage.outputs.map(({ name, format, partitionBy = [], partitions = 1 }) => ({
    name,
    partitionBy,
    partitions,
    format,
  }))
  return { id, about, tasks, inputs, after, program, outputs, ...facts }
}

function statementOf(one: Stage['program'][number]): string {
  if (one.op !== 'rowFunction') return `CREATE ${one.op.toUpperCase()} ${one.as} AS ${one.sql}`
  const { as, from, function: name, of, column } = one
  return `-- ${as}: ${from} with ${column.name} = ${name}(${of.join(', ')})`
}

function tasksOf({ tasks }: Stage, { inputs }: Plan): number {
  if (tasks.over === 'one') return 1
  if (tasks.over === 'partitions') return tasks.count
  const binding = inputs[tasks.input]?.binding
  return binding === undefined ? 1 : partsOf(binding).length
}

const bytesOf = (binding: Binding): number =>
  binding.kind === 'file'
    ? binding.file.bytes
    : binding.manifest.segments.reduce((sum, { bytes }) => sum + bytes, 0)

/** Results first, then what they wait for; a stage that several wait for is drawn once. */
function treesOf(
  { segments = [] }: Plan,
  stages: QueryStageView[],
  results: ExplainedPlan['results'],
): string {
  const byId = new Map(stages.map((stage) => [stage.id, stage]))
  const drawn = new Set<string>()
  const lines: string[] = []
  const draw = (id: string, indent: string, isLast: boolean) => {
    const stage = byId.get(id)
    if (stage === undefined) return
    const isKnown = drawn.has(id)
    drawn.add(id)
    lines.push(`${indent}${isLast ? '└─' : '├─'} ${isKnown ? `${id} (above)` : lineOf(stage)}`)
    if (isKnown) return
    const below = [...new Set(stage.after.map((one) => one.stage))]
    for (const [place, next] of below.entries()) {
      draw(next, `${indent}${isLast ? '   ' : '│  '}`, place === below.length - 1)
    }
  }
  for (const { query, columns, stage } of results) {
    lines.push(`${query}: ${columns.join(', ')}`)
    draw(stage, '', true)
  }
  for (const { table, columns, of } of segments) {
    lines.push(`table ${table}: ${columns.map(({ name }) => name).join(', ')}`)
    draw(of.stage, '', true)
  }
  return `${lines.join('\n')}\n`
}

function lineOf({ id, tasks, about, inputs, done, rows }: QueryStageView): string {
  const read = inputs.map(
    ({ name, bytes, columns }) => `${name} ${sizeOf(bytes)}: ${columns.join(', ')}`,
  )
  const known = [
    done === undefined ? null : `${done} of ${tasks} done`,
    rows === undefined ? null : `${rows} rows`,
  ].filter((text) => text !== null)
  const notes = [...read, ...known]
  return `${id} ${tasks === 1 ? '1 task' : `${tasks} tasks`}: ${about}${notes.length > 0 ? ` [${notes.join('; ')}]` : ''}`
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

function sizeOf(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`
}
