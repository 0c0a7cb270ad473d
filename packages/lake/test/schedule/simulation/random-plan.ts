/** Small plans of every shape: several inputs, empty ones, shuffles, broadcasts, diamonds, imports. */
import type { Binding, Plan, Read, Stage, StageOutput } from '../../../src/model.ts'
import { between, type Dice } from './dice.ts'

export function randomPlan(dice: Dice, segmentsOf: string | null): Plan {
  const inputs: Plan['inputs'] = {}
  const stages: Stage[] = []
  for (let i = 0; i <= dice.integer(2); i++) {
    const name = `in${i}`
    inputs[name] = { rules: { columns: {} }, binding: randomInput(dice, name) }
    stages.push(scanOf(dice, name))
  }
  const middle = between(dice, 0, 3)
  for (let i = 0; i < middle; i++) stages.push(middleStage(dice, `m${i}`, stages))
  if (segmentsOf !== null) {
    const of = { stage: stages.at(-1)!.id, output: 'o' }
    const columns = [{ name: 'a', type: 'VARCHAR' }]
    return { stages, inputs, results: [], segments: [{ table: segmentsOf, columns, of }] }
  }
  // The last stage sorts; it reads whatever no other stage reads.
  const read = new Set(stages.flatMap(({ after }) => after))
  const open = stages.filter(({ id }) => !read.has(id))
  stages.push({ ...plain('sort'), reads: open.map((one) => whole(one)), after: open.map(idOf) })
  const rows = { stage: dice.pick(open).id, output: 'o' }
  const file = { stage: 'sort', output: 'o' }
  return { stages, inputs, results: [{ query: 'q', columns: ['a'], rows, file }] }
}

function randomInput(dice: Dice, name: string): Binding {
  const units = dice.chance(0.1) ? 0 : between(dice, 1, 4)
  if (dice.chance(0.5)) {
    const files = Array.from({ length: units }, (_, i) => ({
      file: `tables/${name}/${i}`,
      rows: 1,
      bytes: dice.pick([10_000_000, 30_000_000]),
    }))
    return { kind: 'table', manifest: { table: name, version: 1, columns: [], segments: files } }
  }
  return {
    kind: 'file',
    file: { at: 'outside', name: `/${name}.csv`, bytes: units * 10, changedAtMs: 1 },
    format: 'csv',
    header: [],
    units: Array.from({ length: units }, (_, i) => ({
      kind: 'range',
      from: i * 10,
      to: i * 10 + 10,
    })),
  }
}

function plain(id: string): Stage {
  return {
    id,
    about: id,
    tasks: { over: 'one' },
    reads: [],
    program: [],
    outputs: [{ name: 'o', from: 'x', format: 'parquet' }],
    after: [],
  }
}

function scanOf(dice: Dice, input: string): Stage {
  return {
    ...plain(`scan-${input}`),
    tasks: { over: 'input', input },
    reads: [{ as: 'x', from: 'input', input, columns: [], withRow: false }],
    outputs: [randomOutput(dice)],
  }
}

function randomOutput(dice: Dice): StageOutput {
  const output: StageOutput = { name: 'o', from: 'x', format: 'parquet' }
  return dice.chance(0.5)
    ? { ...output, partitionBy: ['k'], partitions: between(dice, 1, 3) }
    : output
}

/** Reads one or two stages: partition by partition where the first is cut, all of them otherwise. */
function middleStage(dice: Dice, id: string, before: readonly Stage[]): Stage {
  const first = dice.pick(before)
  const second = dice.pick(before)
  const { partitions } = first.outputs[0]!
  const reads = [
    partitions === undefined ? whole(first) : { ...whole(first), part: 'partition' as const },
  ]
  if (second !== first) reads.push(whole(second))
  return {
    ...plain(id),
    tasks: partitions === undefined ? { over: 'one' } : { over: 'partitions', count: partitions },
    reads,
    outputs: [randomOutput(dice)],
    after: [...new Set([first.id, second.id])],
  }
}

function whole({ id }: Stage): Extract<Read, { from: 'stage' }> {
  return { as: id, from: 'stage', stage: id, output: 'o', part: 'whole' }
}

const idOf = ({ id }: Stage): string => id
