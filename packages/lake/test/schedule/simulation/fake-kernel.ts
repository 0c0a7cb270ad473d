/**
 * A kernel without data: what a task writes is a digest of all that it read. One row too many, too few, or in
 * another order anywhere gives another digest in the result, so equal results mean that every task read exactly
 * what a run of one task after another would have read.
 */
import type { Plan, Stage, StageOutput, Task, TaskDone } from '../../../src/model.ts'
import { partsOf, wholeOf } from '../../../src/schedule/input-units.ts'

/** Contents of files by their names below the lake's folder. */
export type Disk = Map<string, string>

/** A file that was to be read is not there. */
export class FileGone extends Error {
  readonly file: string

  constructor(file: string) {
    super(`${file} is not there.`)
    this.file = file
  }
}

/** What a task would write; nothing is written yet. */
export function runFake(task: Task, disk: Disk): { done: TaskDone; contents: Map<string, string> } {
  const read = task.reads.map((one) =>
    one.kind === 'range'
      ? `${one.file.name} ${one.unit} ${one.from}-${one.to}`
      : one.files
          .map(({ name, at }) => (at === 'outside' ? name : contentOf(disk, name)))
          .join('+'),
  )
  const contents = new Map<string, string>()
  const outputs = task.outputs.flatMap((output) =>
    partsOfOutput(output).map((partition) => {
      const part = partition === null ? '' : `-p${partition}`
      const file = `${task.folder}/${task.index}-${task.fence}-${output.name}${part}.parquet`
      contents.set(file, digest(`${task.stage} ${output.name}${part} ${read.join('|')}`))
      return { output: output.name, partition, file, rows: 1, bytes: 8 }
    }),
  )
  return { done: { outputs, rowsRead: 1, bytesRead: 8, rejects: { 'a:missing': 1 } }, contents }
}

function contentOf(disk: Disk, name: string): string {
  const content = disk.get(name)
  if (content === undefined) throw new FileGone(name)
  return content
}

/** What one process would compute, one task after another, straight from the plan. */
export class PlainRun {
  readonly #plan: Plan
  readonly #known = new Map<string, string>()

  constructor(plan: Plan) {
    this.#plan = plan
  }

  /** The content of what a task of a stage writes as one of its outputs. */
  content(stage: Stage, index: number, output: string, part: number | null): string {
    const name = part === null ? output : `${output}-p${part}`
    const key = `${stage.id} ${index} ${name}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const read = stage.reads.map((one) =>
      one.from === 'input'
        ? this.#input(stage, one.input, index)
        : this.contentsOf(
            this.#plan.stages.find(({ id }) => id === one.stage)!,
            one.output,
            one.part === 'partition' ? index : null,
          ).join('+'),
    )
    const content = digest(`${stage.id} ${name} ${read.join('|')}`)
    this.#known.set(key, content)
    return content
  }

  tasksOf({ tasks }: Stage): number {
    if (tasks.over === 'one') return 1
    if (tasks.over === 'partitions') return tasks.count
    return partsOf(this.#plan.inputs[tasks.input]!.binding).length
  }

  #input(stage: Stage, input: string, index: number): string {
    const { binding } = this.#plan.inputs[input]!
    const { unit, place } =
      stage.tasks.over === 'input' ? partsOf(binding)[index]! : wholeOf(binding)
    if (unit.kind === 'segments') return unit.files.map(({ name }) => name).join('+')
    return `${binding.kind === 'file' ? binding.file.name : ''} ${place} ${unit.from}-${unit.to}`
  }

  /** Of all tasks of a stage, in their order; of one partition only, if it is named. */
  contentsOf(stage: Stage, name: string, part: number | null = null): string[] {
    const output = stage.outputs.find((one) => one.name === name)!
    const contents: string[] = []
    for (let index = 0; index < this.tasksOf(stage); index++) {
      for (const each of partsOfOutput(output)) {
        if (part === null || each === part) contents.push(this.content(stage, index, name, each))
      }
    }
    return contents
  }
}

function partsOfOutput({ partitionBy = [], partitions = 1 }: StageOutput): (number | null)[] {
  if (partitionBy.length === 0) return [null]
  return Array.from({ length: partitions }, (_, part) => part)
}

/** 52 bits of a text: FNV-1a twice. */
function digest(text: string): string {
  let a = 0x811c9dc5
  let b = 0x1b873593
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ (code + i), 0x85ebca6b)
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36)
}
