/**
 * `station.json` in the data folder: where the station is and the tokens that open it. Written
 * readable by its owner only. Tokens live as long as the data folder.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** In place of the process id of a station that was stopped, as opposed to one that died. */
export const STOPPED_PID = 0

export interface StationFile {
  url: string
  pid: number
  joinToken: string
  apiKey: string
  /** Opens the station to workers on queries; stations before them had none. */
  workerToken?: string | undefined
}

export type StationTokens = Record<'joinToken' | 'apiKey' | 'workerToken', string>

/** Null when there is none, or something else of that name. */
export async function readStationFile(data: string): Promise<StationFile | null> {
  try {
    return stationFileIn(JSON.parse(await readFile(join(data, 'station.json'), 'utf8')))
  } catch {
    return null
  }
}

/**
 * Parsed without zod: nearly every command reads this file, and loading zod for it would cost more
 * than the rest.
 */
function stationFileIn(value: Partial<Record<string, unknown>>): StationFile | null {
  const { url, pid, joinToken, apiKey, workerToken } = value
  if (typeof url !== 'string' || !Number.isSafeInteger(pid)) return null
  if (!isToken(joinToken) || !isToken(apiKey)) return null
  const known = { url, pid: pid as number, joinToken, apiKey }
  if (workerToken === undefined) return known
  return isToken(workerToken) ? { ...known, workerToken } : null
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

export async function stationTokens(data: string): Promise<StationTokens> {
  return { ...newStationTokens(), ...tokensIn(await readStationFile(data)) }
}

export function newStationTokens(): StationTokens {
  return { joinToken: newToken(), apiKey: newToken(), workerToken: newToken() }
}

function tokensIn(file: StationFile | null): Partial<StationTokens> {
  if (file === null) return {}
  const { joinToken, apiKey, workerToken } = file
  return { joinToken, apiKey, ...(workerToken === undefined ? {} : { workerToken }) }
}

function newToken(): string {
  return randomBytes(24).toString('base64url')
}

export async function writeStationFile(data: string, station: StationFile): Promise<void> {
  await mkdir(data, { recursive: true })
  const file = join(data, 'station.json')
  // Renamed into place: a reader never meets half a file.
  await writeFile(`${file}.new`, `${JSON.stringify(station, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}
