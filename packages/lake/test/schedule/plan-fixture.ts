/** Plans made by hand, and what a worker would say of their tasks without doing anything. */
import type { Binding, Plan, Read, Stage, StageOutput, Task, TaskDone } from '../../src/model.ts'

export interface StageWanted {
  id: string
  tasks?: Stage['tasks']
  /** Stage or input names with `*` before them: all of it; otherwise this task's partition or part. */
  reads?: string[]
  /** Into how many partitions its output is cut; 0: not at all. */
  partitions?: number
}

/** A stage has one output, of its own name. */
function stage({ id, tasks = { over: 'one' }, reads = [], partitions = 0 }: StageWanted): Stage {
  const from = reads.map((name) => name.replace('*', ''))
  const output: StageOutput = { name: id, from: 'x', format: 'parquet' }
  return {
    id,
    about: `does ${id}`,
    tasks,
    reads: [
      ...(tasks.over === 'input' ? [inputRead(tasks.input)] : []),
      ...from.map((name, place): Read => ({
        as: name,
        from: 'stage',
        stage: name,
        output: name,
        part: reads[place]!.startsWith('*') ? 'whole' : 'partition',
      })),
    ],
    program: [],
    outputs: [partitions === 0 ? output : { ...output, partitionBy: ['k'], partitions }],
    after: from,
  }
}

function inputRead(input: string): Read {
  return { as: input, from: 'input', input, columns: ['a'], withRow: false }
}

/** A file of so many units of 100 bytes behind a header of 10. */
export function fileOf(units: number): Binding {
  const bytes = 10 + units * 100
  return {
    kind: 'file',
    file: { at: 'outside', name: '/data/books.csv', bytes, changedAtMs: 5 },
    format: 'csv',
    header: ['a'],
    units: Array.from({ length: units }, (_, i) => ({
      kind: 'range',
      from: 10 + i * 100,
      to: 110 + i * 100,
    })),
  }
}

export interface PlanWanted {
  stages: StageWanted[]
  inputs?: Record<string, Binding>
  /** Stages of which the outputs are rows and file of the query `q`. */
  rows?: string
  file?: string
  segments?: NonNullable<Plan['segments']>
}

export function plan({ stages, inputs = {}, rows, file, segments }: PlanWanted): Plan {
  const last = file ?? stages.at(-1)!.id
  const first = rows ?? last
  return {
    stages: stages.map(stage),
    inputs: Object.fromEntries(
      Object.entries(inputs).map(([name, binding]) => [
        name,
        { rules: { columns: { a: { type: 'text' as const } } }, binding },
      ]),
    ),
    results: segments
      ? []
      : [
          {
            query: 'q',
            columns: ['a'],
            rows: { stage: first, output: first },
            file: { stage: last, output: last },
          },
        ],
    ...(segments ? { segments } : {}),
  }
}

/** Scan in three tasks, spread over two partitions, count in two, sort in one. */
export const SMALL = plan({
  inputs: { books: fileOf(3) },
  stages: [
    { id: 'scan', tasks: { over: 'input', input: 'books' }, partitions: 2 },
    { id: 'count', tasks: { over: 'partitions', count: 2 }, reads: ['scan'] },
    { id: 'sort', reads: ['*count'] },
  ],
  rows: 'count',
})

export function doneOf(task: Task, more: Partial<TaskDone> = {}): TaskDone {
  const { folder, index, fence } = task
  return {
    outputs: task.outputs.flatMap(({ name: output, partitionBy, partitions = 1 }) =>
      Array.from({ length: partitions }, (_, place) => {
        const partition = partitionBy ? place : null
        const part = partition === null ? '' : `-p${partition}`
        const file = `${folder}/${index}-${fence}-${output}${part}.parquet`
        return { output, partition, file, rows: 1, bytes: 10 }
      }),
    ),
    rowsRead: 7,
    bytesRead: 100,
    rejects: {},
    ...more,
  }
}
