/** A lease meets a host that it may not take. */
import type { Sql } from '@minga/store'
import { endClosedQueue } from '../hosts/host-rules.ts'
import { readSelf } from './federation-facts.ts'
import { wantOwners } from './host-claims.ts'
import { ELSEWHERE } from './route-found.ts'

/** The map brings a held host back at once; this is a safety net for unforeseen cases. */
const LOOK_AGAIN_MS = 600_000

interface HeldHost {
  collectionId: number
  hostId: number
  station: string | null
  now: number
}

/** Returns when it is to be checked again; null: it has nothing left. */
export async function passHeld(sql: Sql, host: HeldHost): Promise<number | null> {
  const { collectionId, hostId, station, now } = host
  if (station === null) {
    await wantOwners(sql, [hostId])
    return now + LOOK_AGAIN_MS
  }
  const self = await readSelf(sql)
  const collection = await sql.get<{ federated: number }>(
    'SELECT federated FROM collections WHERE id = ?',
    [collectionId],
  )
  if (station === self) return now + LOOK_AGAIN_MS
  // What all gather together is handed over; a client's request or a visit ends.
  if (collection?.federated === 1) {
    await handOverLater(sql, hostId)
    return now + LOOK_AGAIN_MS
  }
  await endClosedQueue(sql, { collectionId, hostId, code: ELSEWHERE, now })
  return null
}

/** It has URLs although it is another's: they were denied here once, and are wanted again. */
async function handOverLater(sql: Sql, hostId: number): Promise<void> {
  await sql.run(
    `INSERT INTO federation_handovers (host, to_station, epoch)
     SELECT p.host, p.station, p.epoch FROM hosts h JOIN placement_hosts p ON p.host = h.name
     WHERE h.id = ? ON CONFLICT DO NOTHING`,
    [hostId],
  )
}
