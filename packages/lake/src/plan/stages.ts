/** From sites to stages: in the order in which they can run, their statements as views or tables. */
import type { Operation, OutputName, Read, Stage } from '../model.ts'
import { neededOf } from './needs.ts'
import { ROW } from './nodes.ts'
import { before, mergeSites, type Piece, type Site, type Sites } from './sites.ts'

export function stagesOf(sites: Sites): {
  stages: Stage[]
  idOf: (output: string) => OutputName
} {
  const ordered = inOrder(mergeSites(sites), sites)
  const ids = new Map(ordered.map((site, place) => [site, `s${place + 1}`]))
  const idOf = (output: string): OutputName => {
    const home = sites.homes.get(output)
    const stage = home === undefined ? undefined : ids.get(home)
    if (stage === undefined) throw new TypeError(`No stage writes ${output}.`)
    return { stage, output }
  }
  const stages = ordered.map((site, place) => ({
    id: `s${place + 1}`,
    about: aboutOf(site),
    tasks: site.tasks,
    reads: readsOf(site, idOf),
    program: programOf(site),
    outputs: [...site.outputs].map(([name, output]) => ({ name, ...output })),
    after: before(site, sites.homes)
      .map((one) => ids.get(one) ?? '')
      .toSorted(byNumber),
  }))
  return { stages, idOf }
}

/** Those that wait stand after those they wait for; else in the order in which the queries were asked. */
function inOrder(sites: Site[], { homes }: Sites): Site[] {
  const ordered: Site[] = []
  const left = new Set(sites)
  while (left.size > 0) {
    const next = [...left].find((site) => before(site, homes).every((one) => !left.has(one)))
    if (next === undefined) throw new TypeError('Stages wait for each other.')
    left.delete(next)
    ordered.push(next)
  }
  return ordered
}

const byNumber = (one: string, other: string): number =>
  Number(one.slice(1)) - Number(other.slice(1))

function readsOf({ reads }: Site, idOf: (output: string) => OutputName): Read[] {
  return [...reads].map(([as, read]): Read => {
    if (read.from === 'output') {
      return { as, from: 'stage', ...idOf(read.output), part: read.part }
    }
    const needed = neededOf(read.node)
    const columns = needed.filter((name) => name !== ROW)
    return { as, from: 'input', input: read.input, columns, withRow: needed.includes(ROW) }
  })
}

function piecesInOrder({ pieces }: Site): [string, Piece][] {
  return [...pieces].toSorted(([, one], [, other]) => one.order - other.order)
}

/** A heavy statement that would run more than once becomes a table; everything else stays a view. */
function programOf(site: Site): Operation[] {
  const runs = new Map<string, number>()
  const add = (name: string, times: number) => runs.set(name, (runs.get(name) ?? 0) + times)
  for (const { from } of site.outputs.values()) add(from, 1)
  const program: Operation[] = []
  for (const [as, { does, isHeavy, reads }] of piecesInOrder(site).toReversed()) {
    const times = runs.get(as) ?? 0
    const isTable = !('sql' in does) || (isHeavy && times > 1)
    for (const name of reads) add(name, isTable ? 1 : times)
    program.push(
      'sql' in does
        ? { op: isTable ? 'table' : 'view', as, sql: does.sql }
        : { op: 'rowFunction', as, ...does },
    )
  }
  return program.toReversed()
}

/** What costs time; filters and columns are in the statements. */
function aboutOf(site: Site): string {
  const inputs = [...site.reads.values()].flatMap((read) =>
    read.from === 'input' ? [`read ${read.input}`] : [],
  )
  const words = piecesInOrder(site).flatMap(([, piece]) => (piece.isHeavy ? [piece.words] : []))
  const files = [...site.outputs].flatMap(([name, { order }]) => (order ? [`sort ${name}`] : []))
  return [...new Set([...inputs, ...words, ...files])].join(' → ')
}
