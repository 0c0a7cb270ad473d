/** Stations come, stay and go: the registrar's transactions about them. */
import type { FederatedStation, FederationFacts, MapRow } from '@minga/protocol'
import { logEvents, type Sql } from '@minga/store'
import { readFact, writeFact } from '../../station/station-facts.ts'
import { InviteRefused, StationCallRefused } from '../errors.ts'
import { mapSince, nextEpoch } from './map-rows.ts'
import { hasHosts, readFacts, readStations, writeStations } from '../station-rows.ts'
import { INVITE_MS } from '../timing.ts'

const INVITES = 'federation.invites'

interface Invite {
  /** SHA-256 of the token, so that a copy of the store does not reveal it. */
  hash: string
  expiresAt: number
}

async function readInvites(sql: Sql, now: number): Promise<Invite[]> {
  const text = await readFact(sql, { name: INVITES })
  return (JSON.parse(text ?? '[]') as Invite[]).filter(({ expiresAt }) => expiresAt > now)
}

export async function inviteStation(
  sql: Sql,
  { hash, now }: { hash: string; now: number },
): Promise<{ expiresAt: number }> {
  await nextEpoch(sql)
  const expiresAt = now + INVITE_MS
  const invites = [...(await readInvites(sql, now)), { hash, expiresAt }]
  await writeFact(sql, { name: INVITES, value: JSON.stringify(invites) })
  return { expiresAt }
}

/** An invitation counts once, but its bearer may ask again when the answer was lost. */
export async function admitStation(
  sql: Sql,
  args: { hash: string; station: FederatedStation; now: number },
): Promise<FederationFacts> {
  const { hash, station, now } = args
  await nextEpoch(sql)
  const invites = await readInvites(sql, now)
  const stations = await readStations(sql)
  const isHere = stations.some(({ id, state }) => id === station.id && state === 'active')
  if (!isHere) {
    if (!invites.some((invite) => invite.hash === hash)) throw new InviteRefused()
    const rest = invites.filter((invite) => invite.hash !== hash)
    await writeFact(sql, { name: INVITES, value: JSON.stringify(rest) })
    const others = stations.filter(({ id }) => id !== station.id)
    await writeStations(sql, { stations: [...others, station], now })
    await noteHeard(sql, station.id, now)
  }
  return readFacts(sql)
}

interface RenewArgs {
  id: string
  epoch: number
  capacity: number
  self: Pick<FederatedStation, 'name' | 'url' | 'ca' | 'branch'> | null
  settled: readonly string[]
  now: number
}

export interface Renewed extends FederationFacts {
  since: number
  rows: MapRow[]
  epoch: number
  more: boolean
  /** Whether it may dial once it has these rows. */
  isActive: boolean
  /** Its map is of another past. */
  isAhead: boolean
}

export async function renewStation(sql: Sql, args: RenewArgs): Promise<Renewed> {
  const { id, now } = args
  await noteHeard(sql, id, now)
  await clearAwaited(sql, id, args.settled)
  // One that is ahead has what was lost here, by an old copy of this store say: it takes the whole map.
  const isAhead = args.epoch >= (await nextEpoch(sql))
  const page = await mapSince(sql, { epoch: isAhead ? 0 : args.epoch })
  const known = (await readStations(sql)).find((station) => station.id === id)
  if (known === undefined || known.state === 'left') throw StationCallRefused.unknown(id)
  const isActive = known.state === 'active' || (!page.more && !(await hasHosts(sql, id)))
  const { self, capacity } = args
  const told: FederatedStation = {
    ...known,
    ...self,
    capacity,
    // Back from being lost: it knows now that it owns nothing, and may be given hosts again.
    state: isActive ? 'active' : known.state,
  }
  if (JSON.stringify(told) !== JSON.stringify(known)) await changeStation(sql, told, now)
  if (told.state === 'active' && known.state === 'lost') {
    const sentence = `The station ${told.name} is back.`
    await logEvents(sql, [
      { at: now, code: 'federation:back', subject: id, sentence, details: { name: told.name } },
    ])
  }
  return { ...(await readFacts(sql)), ...page, isActive, isAhead }
}

async function changeStation(sql: Sql, told: FederatedStation, now: number): Promise<void> {
  await nextEpoch(sql)
  const others = (await readStations(sql)).filter(({ id }) => id !== told.id)
  await writeStations(sql, { stations: [...others, told], now })
}

async function noteHeard(sql: Sql, id: string, now: number): Promise<void> {
  await sql.run('UPDATE federation_stations SET heard_at = ? WHERE id = ?', [now, id])
}

/**
 * What its owners waited for has arrived: these hosts may be moved again. No other station depends
 * on it, so it needs no epoch.
 */
async function clearAwaited(sql: Sql, id: string, hosts: readonly string[]): Promise<void> {
  await sql.updateMany({
    table: 'placement_hosts',
    keys: ['host', 'station'],
    set: ['awaits'],
    rows: hosts.map((host) => [host, id, null]),
  })
}

/**
 * A station that has been silent for so long does not dial any more. The store is checked, too:
 * another process of this station may have received its call.
 */
export async function loseStation(
  sql: Sql,
  { id, silentSince, now }: { id: string; silentSince: number; now: number },
): Promise<boolean> {
  await nextEpoch(sql)
  const heard = await sql.get<{ heard_at: number | null }>(
    'SELECT heard_at FROM federation_stations WHERE id = ?',
    [id],
  )
  if ((heard?.heard_at ?? 0) > silentSince) return false
  const stations = await readStations(sql)
  await writeStations(sql, {
    stations: stations.map((one) => (one.id === id ? { ...one, state: 'lost' } : one)),
    now,
  })
  await sql.run('UPDATE federation_stations SET lost_at = ? WHERE id = ?', [now, id])
  const name = stations.find((one) => one.id === id)?.name ?? id
  const sentence = `The station ${name} was silent for too long; its hosts go to others.`
  await logEvents(sql, [
    { at: now, code: 'federation:lost', subject: id, sentence, details: { name } },
  ])
  return true
}

/** It has handed everything over. */
export async function dismissStation(
  sql: Sql,
  { id, now }: { id: string; now: number },
): Promise<void> {
  await nextEpoch(sql)
  const stations = await readStations(sql)
  await writeStations(sql, {
    stations: stations.map((one) => (one.id === id ? { ...one, state: 'left' } : one)),
    now,
  })
}
