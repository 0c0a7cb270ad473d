/**
 * `device.json` in an agent's data folder: who this device is. Made at the first start, readable by
 * its owner only; the private key is written nowhere else and sent to nobody.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newDeviceKeys, type DeviceKeys } from '@minga/protocol'
import { BadDeviceFile } from './errors.ts'

export interface DeviceFile extends DeviceKeys {
  /** The station that knows this device, and by what id; null before it was enrolled. */
  station: string | null
  device: string | null
}

/** A folder without a device gets a new one. */
export async function openDeviceFile(data: string): Promise<DeviceFile> {
  const file = join(data, 'device.json')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text !== null) return parse(text, file)
  const fresh: DeviceFile = { station: null, device: null, ...newDeviceKeys() }
  await writeDeviceFile(data, fresh)
  return fresh
}

function parse(text: string, file: string): DeviceFile {
  try {
    const { station, device, publicKey, privateKey } = JSON.parse(text) as DeviceFile
    if (typeof publicKey === 'string' && typeof privateKey === 'string') {
      return { station, device, publicKey, privateKey }
    }
  } catch {
    // Said below: a key must not be thrown away because a file was half written or edited.
  }
  throw new BadDeviceFile(file)
}

export async function writeDeviceFile(data: string, device: DeviceFile): Promise<void> {
  await mkdir(data, { recursive: true })
  const file = join(data, 'device.json')
  // Renamed into place: a reader never meets half a file.
  await writeFile(`${file}.new`, `${JSON.stringify(device, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}
