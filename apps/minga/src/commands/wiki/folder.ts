/** The histories that a command is about: of the station that serves the folder, or of the folder itself. */
import { isMingaError, systemClock, usePrivateUmask } from '@minga/protocol'
import { resolve } from 'node:path'
import { apiInProcess, findStation, type Api } from '../../api.ts'
import { requireDataFolder } from '../../output-place.ts'
import { requireArchive } from '../archive/folder.ts'

export interface WikiOptions {
  data: string
  json?: boolean
}

/** Another command that has the folder open is soon done. */
const PATIENCE_MS = 60_000
const LOOK_EVERY_MS = 100

/** `isWriting`: the folder is made if it is not there. */
export async function throughWikis<R>(
  options: WikiOptions,
  work: (api: Api, isStation: boolean) => Promise<R>,
  { isWriting = false }: { isWriting?: boolean } = {},
): Promise<R> {
  const postgresUrl = process.env['MINGA_POSTGRES']
  const data = isWriting || postgresUrl ? resolve(options.data) : requireArchive(options.data)
  const station = await findStation(data)
  const api = station ?? (await openFolder(data, { isWriting, postgresUrl }))
  try {
    return await work(api, station !== null)
  } finally {
    await api.close()
  }
}

async function openFolder(
  data: string,
  { isWriting, postgresUrl }: { isWriting: boolean; postgresUrl: string | undefined },
): Promise<Api> {
  usePrivateUmask()
  if (isWriting) await requireDataFolder(data)
  const { openWikiFolder } = await import('@minga/coordinator/wiki-folder')
  const untilMs = systemClock.monotonicMs() + PATIENCE_MS
  for (;;) {
    try {
      const folder = { data, isWriting, ...(postgresUrl ? { postgresUrl } : {}) }
      return apiInProcess({ ...(await openWikiFolder(folder)), apiKey: null })
    } catch (error) {
      const isLocked = isMingaError(error) && error.code === 'MINGA_STORE_LOCKED'
      if (!isLocked || systemClock.monotonicMs() > untilMs) throw error
      await systemClock.sleep(LOOK_EVERY_MS)
      // The process that has it may be a station that is just starting.
      const station = await findStation(data)
      if (station !== null) return station
    }
  }
}

/** The path of a wiki's routes: its name may hold a port, slashes, or be a whole address. */
export function wikiPath(wiki: string, rest = ''): string {
  return `/wikis/${encodeURIComponent(wiki)}${rest}`
}

/** One JSON object that may be hours in the making. */
export async function slowly<T>(api: Api, path: string): Promise<T> {
  const pieces: Uint8Array[] = []
  for await (const piece of await api.stream(path)) pieces.push(piece)
  return JSON.parse(Buffer.concat(pieces).toString()) as T
}

/** What is undefined or false is left out. */
export function queryOf(fields: Record<string, string | number | boolean | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== false) query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query.toString()}`
}
