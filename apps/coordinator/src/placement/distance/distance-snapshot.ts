/**
 * Where the coordinates of agents and hosts stood last time, so that the next time they settle sooner and
 * move less. A snapshot is written in parts, each a call of its own, and counts from the moment
 * `place_totals` names it: who dies in between leaves the former one.
 */
import type { CoordinateSnapshot } from '@minga/partition'
import type { Sql, Calls } from '@minga/store'
import type { Operations } from '../../station/station-operations.ts'

interface Part {
  names: string
  state: Uint8Array
  neighbours: Uint8Array
}

interface SavedPart extends Part {
  snapshot: number
  part: number
}

/** A few hundred KB. */
const PART_NODES = 4_000
/** Neither names of hosts nor ids of devices have one. */
const SEPARATOR = '\n'

export async function saveCoordinates(sql: Sql, saved: SavedPart): Promise<void> {
  const { snapshot, part, names, state, neighbours } = saved
  await sql.insertMany({
    table: 'place_coordinates',
    columns: ['snapshot', 'part', 'names', 'state', 'neighbours'],
    rows: [[snapshot, part, names, state, neighbours]],
  })
}

/** False when parts are missing: another process published its snapshot in the meantime. */
export async function publishCoordinates(
  sql: Sql,
  { snapshot, parts }: { snapshot: number; parts: number },
): Promise<boolean> {
  const found = await sql.get<{ parts: number }>(
    'SELECT count(*) AS parts FROM place_coordinates WHERE snapshot = ?',
    [snapshot],
  )
  if (found!.parts !== parts) return false
  await sql.run('UPDATE place_totals SET snapshot = ?, snapshot_parts = ? WHERE id = 1', [
    snapshot,
    parts,
  ])
  await sql.run('DELETE FROM place_coordinates WHERE snapshot <> ?', [snapshot])
  return true
}

export interface CoordinatePart {
  snapshot: number
  parts: number
  part: Part | null
}

export async function coordinatePart(
  sql: Sql,
  { part }: { part: number },
): Promise<CoordinatePart> {
  const current = await sql.get<{ snapshot: number; parts: number }>(
    'SELECT snapshot, snapshot_parts AS parts FROM place_totals WHERE id = 1',
  )
  const row = await sql.get<Part>(
    'SELECT names, state, neighbours FROM place_coordinates WHERE snapshot = ? AND part = ?',
    [current!.snapshot, part],
  )
  return { ...current!, part: row ?? null }
}

type Caller = Calls<Operations>

/** `now` names the snapshot. */
export async function writeSnapshot(
  store: Caller,
  { names, state, neighbours }: CoordinateSnapshot,
  now: number,
): Promise<void> {
  const [perName, neighboursPerName] = [state, neighbours].map(
    ({ length }) => length / names.length,
  )
  const parts = Math.ceil(names.length / PART_NODES)
  for (let part = 0; part < parts; part++) {
    const [from, to] = [part * PART_NODES, Math.min(names.length, (part + 1) * PART_NODES)]
    await store.call('saveCoordinates', {
      snapshot: now,
      part,
      names: names.slice(from, to).join(SEPARATOR),
      state: bytesOf(state.slice(from * perName!, to * perName!)),
      neighbours: bytesOf(neighbours.slice(from * neighboursPerName!, to * neighboursPerName!)),
    } satisfies SavedPart)
  }
  await store.call('publishCoordinates', { snapshot: now, parts })
}

/** Null when there is none, or a new one came while it was read: then they are learnt from the start. */
export async function readSnapshot(store: Caller): Promise<CoordinateSnapshot | null> {
  const first = await store.call('coordinatePart', { part: 0 })
  const found: Part[] = []
  for (let part = 0; part < first.parts; part++) {
    const read = await store.call('coordinatePart', { part })
    if (read.snapshot !== first.snapshot || read.part === null) return null
    found.push(read.part)
  }
  if (found.length === 0) return null
  return {
    names: found.flatMap(({ names }) => names.split(SEPARATOR)),
    state: new Float64Array(joined(found.map(({ state }) => state))),
    neighbours: new Int32Array(joined(found.map(({ neighbours }) => neighbours))),
  }
}

const bytesOf = ({ buffer }: Float64Array | Int32Array): Uint8Array =>
  new Uint8Array(buffer as ArrayBuffer)

/** Copied, so that numbers stand at whole places. */
const joined = (parts: readonly Uint8Array[]): ArrayBuffer => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole.buffer
}

/** Without the nodes that are not measured any more, whose number would only grow. */
export function keptNodes(
  { names, state, neighbours }: CoordinateSnapshot,
  isKept: (name: string) => boolean,
): CoordinateSnapshot {
  const kept = [...names.keys()].filter((node) => isKept(names[node]!))
  const newNumber = new Map(kept.map((node, number) => [node, number]))
  const [perNode, most] = [state, neighbours].map(({ length }) => length / names.length)
  const keptState = new Float64Array(kept.length * perNode!)
  const keptNeighbours = new Int32Array(kept.length * most!).fill(-1)
  for (const [number, node] of kept.entries()) {
    keptState.set(state.subarray(node * perNode!, (node + 1) * perNode!), number * perNode!)
    const stillThere = [...neighbours.subarray(node * most!, (node + 1) * most!)].flatMap(
      (other) => newNumber.get(other) ?? [],
    )
    keptNeighbours.set(stillThere, number * most!)
  }
  return { names: kept.map((node) => names[node]!), state: keptState, neighbours: keptNeighbours }
}
