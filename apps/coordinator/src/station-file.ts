/**
 * `station.json` in the data folder: where the station is and the tokens that open it. Written
 * readable by its owner only. Tokens live as long as the data folder.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface StationFile {
  url: string
  pid: number
  joinToken: string
  apiKey: string
}

export type StationTokens = Pick<StationFile, 'joinToken' | 'apiKey'>

export async function readStationFile(data: string): Promise<StationFile | null> {
  try {
    return JSON.parse(await readFile(join(data, 'station.json'), 'utf8')) as StationFile
  } catch {
    return null
  }
}

export async function stationTokens(data: string): Promise<StationTokens> {
  const former = await readStationFile(data)
  return {
    joinToken: former?.joinToken ?? newToken(),
    apiKey: former?.apiKey ?? newToken(),
  }
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
