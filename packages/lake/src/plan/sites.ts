/**
 * Sites are stages in the making: all that one set of tasks does. A node is put where its rows are;
 * a shuffle ends one site with an output and begins another that reads it.
 *
 * Nodes that begin with the same input (or behind the same shuffle) share one site, so that a unit
 * is read once for all queries. A site that waits for another's output, because something is
 * broadcast to it, is a separate site (distinguished by its wave) until `mergeSites` sees that no
 * site waits for both: then they become one.
 */
import type { Operation, Order, Stage } from '../model.ts'
import { wrapped } from './clauses.ts'
import { finalSql, partialSql } from './group-sql.ts'
import { neededOf } from './needs.ts'
import type { Node, Work } from './nodes.ts'
import {
  filterSql,
  firstPartSql,
  firstSql,
  joinSql,
  nameOf,
  projectSql,
  quantileSql,
  ranksSql,
  thresholdSql,
  topSql,
  wholeNameOf,
} from './step-sql.ts'
import { wordsOf } from './step-words.ts'

export interface Site {
  origin: string
  wave: number
  tasks: Stage['tasks']
  reads: Map<string, SiteRead>
  pieces: Map<string, Piece>
  outputs: Map<string, SiteOutput>
}

export type SiteRead =
  | { from: 'input'; node: Node; input: string }
  | { from: 'output'; output: string; part: 'whole' | 'partition' }

/** One statement of a site's program. */
export interface Piece {
  /** Its place among the others: statements stand after those they read. */
  order: number
  words: string
  reads: string[]
  /** Worth computing once when several read it. */
  isHeavy: boolean
  does: { sql: string } | Omit<Extract<Operation, { op: 'rowFunction' }>, 'op' | 'as'>
}

export interface SiteOutput {
  from: string
  columns?: string[]
  partitionBy?: string[]
  partitions?: number
  format: 'parquet' | 'csv' | 'jsonl'
  order?: Order[]
}

export class Sites {
  readonly all = new Map<string, Site>()
  /** Where an output is made. */
  readonly homes = new Map<string, Site>()
  readonly #located = new Map<string, Site>()

  /** The site that has this node's rows, in a wave that may be later than the node's own. */
  locate(node: Node, wave: number = node.place.wave): Site {
    const key = `${node.id}@${wave}`
    const known = this.#located.get(key)
    if (known !== undefined) return known
    const site = this.#put(node, wave)
    this.#located.set(key, site)
    return site
  }

  output(site: Site, name: string, output: SiteOutput): void {
    site.outputs.set(name, output)
    this.homes.set(name, site)
  }

  site(origin: string, wave: number, tasks: Stage['tasks']): Site {
    const key = `${origin}@${wave}`
    const known = this.all.get(key)
    if (known !== undefined) return known
    const site: Site = {
      origin,
      wave,
      tasks,
      reads: new Map(),
      pieces: new Map(),
      outputs: new Map(),
    }
    this.all.set(key, site)
    return site
  }

  #put(node: Node, wave: number): Site {
    const { work, place } = node
    if (work.step === 'scan') {
      const site = this.site(place.origin, wave, place.tasks)
      site.reads.set(nameOf(node), { from: 'input', node, input: work.input })
      return site
    }
    const isMoved = !place.isLocal && place.origin === `n${node.id}`
    const site = isMoved ? this.site(place.origin, wave, place.tasks) : this.locate(work.from, wave)
    if (!isMoved && work.step === 'join') this.#bring(site, work.with, node, wave)
    if (!isMoved && work.step === 'quantile') this.#bring(site, work.at, node, wave)
    if (isMoved) this.#shuffle(site, node)
    for (const [name, piece] of piecesOf(node, isMoved)) site.pieces.set(name, piece)
    return site
  }

  /** The other side of a join: here already, or written whole by its own tasks and read by each of ours. */
  #bring(site: Site, other: Node, { place }: Node, wave: number): void {
    if (place.isLocal) {
      this.locate(other, wave)
      return
    }
    const output = outputName(other, 'whole')
    const columns = neededOf(other)
    this.output(this.locate(other), output, { from: nameOf(other), columns, format: 'parquet' })
    site.reads.set(wholeNameOf(other), { from: 'output', output, part: 'whole' })
  }

  #shuffle(site: Site, node: Node): void {
    const { work, place } = node
    const count = place.tasks.over === 'partitions' ? place.tasks.count : 1
    const sides =
      work.step === 'join'
        ? ([
            ['left', work.from, work.on.map(([left]) => left)],
            ['right', work.with, work.on.map(([, right]) => right)],
          ] as const)
        : ([['part', (work as { from: Node }).from, place.cut ?? []]] as const)
    for (const [side, child, keys] of sides) {
      const home = this.locate(child)
      const output = outputName(node, side)
      const part = side === 'part' ? partOf(node) : null
      if (part !== null) home.pieces.set(`n${node.id}_part`, part)
      this.output(home, output, {
        from: part === null ? nameOf(child) : `n${node.id}_part`,
        ...(part === null ? { columns: neededOf(child) } : {}),
        ...(count > 1 ? { partitionBy: [...keys], partitions: count } : {}),
        format: 'parquet',
      })
      site.reads.set(inName(node, side), {
        from: 'output',
        output,
        part: count > 1 ? 'partition' : 'whole',
      })
    }
  }
}

const outputName = (node: Node, side: string): string =>
  `${nameOf(node).replaceAll(/[^a-z0-9]/gu, '-')}-${side}`

const inName = ({ id }: Node, side: 'part' | 'left' | 'right'): string =>
  side === 'part' ? `n${id}_in` : `n${id}_${side}`

/** What is done to a node's rows before they are shuffled; null: nothing. */
function partOf(node: Node): Piece | null {
  const { work } = node
  const sql = partialStatement(node, work)
  if (sql === null || work.step === 'scan') return null
  return {
    order: node.id,
    words: `${wordsOf(node)}, each task its own`,
    reads: [nameOf(work.from)],
    isHeavy: true,
    does: { sql },
  }
}

function partialStatement(node: Node, work: Work): string | null {
  switch (work.step) {
    case 'group':
      return partialSql(neededGroup(node, work), nameOf(work.from))
    case 'first':
      return firstPartSql(node, work)
    case 'top':
      return topSql(node, work, nameOf(work.from))
    case 'threshold':
      return ranksSql(work, node.columns[0]?.type ?? 'VARCHAR')
    default:
      return null
  }
}

const neededGroup = ({ needed }: Node, { by, aggregates }: Extract<Work, { step: 'group' }>) => ({
  by,
  aggregates: aggregates.filter(({ name }) => needed.has(name)),
})

/** The statements that give a node's rows; those of groups and thresholds are two wherever they are done. */
function piecesOf(node: Node, isMoved: boolean): [string, Piece][] {
  const { id, work } = node
  if (work.step === 'scan') return []
  const needsPart = !isMoved && (work.step === 'group' || work.step === 'threshold')
  const part = needsPart ? partOf(node) : null
  const source = isMoved ? `n${id}_in` : part === null ? nameOf(work.from) : `n${id}_part`
  const piece = {
    order: id + 0.5,
    words: wordsOf(node),
    ...statementOf(node, source, isMoved),
  }
  const name = nameOf(node)
  return part === null
    ? [[name, piece]]
    : [
        [`n${id}_part`, part],
        [name, piece],
      ]
}

function statementOf(
  node: Node,
  source: string,
  isMoved: boolean,
): Pick<Piece, 'reads' | 'isHeavy' | 'does'> {
  const { work, place } = node
  const heavy = (sql: string, ...reads: string[]) => ({ reads, isHeavy: true, does: { sql } })
  const light = (sql: string, ...reads: string[]) => ({ reads, isHeavy: false, does: { sql } })
  const side = (other: Node) => (place.isLocal ? nameOf(other) : wholeNameOf(other))
  switch (work.step) {
    case 'filter':
      return light(filterSql(node, work), source)
    case 'project':
      return light(projectSql(node, work), source)
    case 'first':
      return heavy(firstSql(node, work, source), source)
    case 'top':
      return heavy(topSql(node, work, source), source)
    case 'group':
      return heavy(finalSql(neededGroup(node, work), source), source)
    case 'threshold':
      return heavy(thresholdSql(work, source), source)
    case 'quantile':
      return heavy(quantileSql(node, work, side(work.at)), nameOf(work.from), side(work.at))
    case 'join': {
      const sides: [string, string] = isMoved
        ? [inName(node, 'left'), inName(node, 'right')]
        : [nameOf(work.from), side(work.with)]
      return heavy(joinSql(node, work, sides), ...sides)
    }
    case 'rowFunction': {
      const keep = neededOf(node).filter((name) => name !== work.as.name)
      const does = {
        from: source,
        function: work.function,
        of: work.of.map(({ text }) => wrapped(text)),
        column: work.as,
        keep,
      }
      return { reads: [source], isHeavy: true, does }
    }
    case 'scan':
      throw new TypeError('A scan is read, not computed.')
  }
}

/** Two sites of one origin become one when neither waits for the other, so that their input is read once. */
export function mergeSites({ all, homes }: Sites): Site[] {
  const sites = new Set([...all.values()].toSorted((a, b) => a.wave - b.wave))
  for (const early of sites) {
    const late = [...sites].find(
      (site) =>
        site !== early &&
        site.origin === early.origin &&
        site.wave > early.wave &&
        !waitsFor(site, early, homes) &&
        !waitsFor(early, site, homes),
    )
    if (late === undefined) continue
    for (const [name, read] of early.reads) late.reads.set(name, read)
    for (const [name, piece] of early.pieces) late.pieces.set(name, piece)
    for (const [name, output] of early.outputs) {
      late.outputs.set(name, output)
      homes.set(name, late)
    }
    sites.delete(early)
  }
  return [...sites]
}

function waitsFor(site: Site, other: Site, homes: ReadonlyMap<string, Site>): boolean {
  const seen = new Set<Site>()
  const left = [site]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const one of before(next, homes)) {
      if (one === other) return true
      if (!seen.has(one)) left.push(one)
      seen.add(one)
    }
  }
  return false
}

export function before(site: Site, homes: ReadonlyMap<string, Site>): Site[] {
  const sites = [...site.reads.values()].flatMap((read) =>
    read.from === 'output' ? (homes.get(read.output) ?? []) : [],
  )
  return [...new Set(sites)]
}
