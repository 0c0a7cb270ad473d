/** What the store must know of a plan: how many tasks each stage has, who waits for whom, what is shown. */
import { BadQuery } from '../errors.ts'
import type { Binding, Plan, Stage } from '../model.ts'
import { partsOf } from './input-units.ts'

/** What the tasks of a stage read of another stage. */
export interface StageRead {
  /** The other stage's place in the plan. */
  stage: number
  output: string
  part: 'whole' | 'partition'
}

export interface StageShape {
  id: string
  about: string
  total: number
  /** How many stages must be done before. */
  waits: number
  /** Places of the stages that wait for this one. */
  follows: number[]
  reads: StageRead[]
  /** Outputs that hold rows of results while the query runs. */
  shows: { output: string; query: string }[]
}

export function shapeOf(plan: Plan): StageShape[] {
  const places = new Map(plan.stages.map(({ id }, place) => [id, place]))
  if (plan.stages.length === 0) throw new BadQuery('The plan has no stages.')
  if (places.size < plan.stages.length) throw new BadQuery('Two stages of the plan have one name.')
  const placeOf = (id: string): number => {
    const place = places.get(id)
    if (place === undefined) throw new BadQuery(`The plan has no stage "${id}".`)
    return place
  }
  const shapes = plan.stages.map((stage) => ({
    id: stage.id,
    about: stage.about,
    total: tasksOf(stage, plan),
    waits: new Set(stage.after).size,
    follows: followersOf(stage.id, plan),
    reads: readsOf(stage, placeOf),
    shows: showsOf(stage.id, plan),
  }))
  for (const stage of plan.stages) stage.after.forEach(placeOf)
  refuseCircles(shapes)
  return shapes
}

function tasksOf(stage: Stage, plan: Plan): number {
  switch (stage.tasks.over) {
    case 'one':
      return 1
    case 'partitions':
      if (stage.tasks.count < 1) throw new BadQuery(`Stage "${stage.id}" has no tasks.`)
      return stage.tasks.count
    case 'input':
      return partsOf(bindingOf(plan, stage.tasks.input)).length
  }
}

export function bindingOf(plan: Plan, input: string): Binding {
  const bound = plan.inputs[input]
  if (bound === undefined) throw new BadQuery(`The plan has no input "${input}".`)
  return bound.binding
}

function followersOf(id: string, plan: Plan): number[] {
  return plan.stages.flatMap(({ after }, place) => (after.includes(id) ? [place] : []))
}

function readsOf(stage: Stage, placeOf: (id: string) => number): StageRead[] {
  return stage.reads.flatMap((read) => {
    if (read.from !== 'stage') return []
    if (!stage.after.includes(read.stage)) {
      throw new BadQuery(`Stage "${stage.id}" reads "${read.stage}" without waiting for it.`)
    }
    return [{ stage: placeOf(read.stage), output: read.output, part: read.part }]
  })
}

function showsOf(id: string, plan: Plan): StageShape['shows'] {
  const shown = plan.results.filter(({ rows }) => rows.stage === id)
  return shown.map(({ rows, query }) => ({ output: rows.output, query }))
}

/** Opens stages as a run would; what is left waits for itself. */
function refuseCircles(shapes: readonly StageShape[]): void {
  const waits = shapes.map((shape) => shape.waits)
  const open = shapes.flatMap((_, place) => (waits[place] === 0 ? [place] : []))
  for (const place of open) {
    for (const next of shapes[place]!.follows) {
      waits[next] = waits[next]! - 1
      if (waits[next] === 0) open.push(next)
    }
  }
  if (open.length < shapes.length) throw new BadQuery('Stages of the plan wait for each other.')
}

/** How much there is to read, for progress. */
export function bytesOf(plan: Plan): number {
  const read = new Set(
    plan.stages.flatMap(({ tasks }) => (tasks.over === 'input' ? [tasks.input] : [])),
  )
  return [...read].reduce((total, input) => total + bytesOfBinding(bindingOf(plan, input)), 0)
}

function bytesOfBinding(binding: Binding): number {
  if (binding.kind === 'file') return binding.file.bytes
  return binding.manifest.segments.reduce((total, { bytes }) => total + bytes, 0)
}
