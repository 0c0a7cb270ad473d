/**
 * `device.json` in an agent's data folder: the identity of this device. Made at the first start,
 * readable by its owner only; the private key is written nowhere else and never sent.
 */
import { join } from 'node:path'
import { newDeviceKeys, type DeviceKeys } from '@minga/protocol'
import { readDataFile, removeDataFile, replaceDataFile } from '../system/data-folder.ts'
import { BadDeviceFile } from '../errors.ts'

const DEVICE_FILE = 'device.json'

export interface DeviceFile extends DeviceKeys {
  /** The station that knows this device, and by what id; null before it was enrolled. */
  station: string | null
  device: string | null
}

/** A folder without a device gets a new one. */
export async function openDeviceFile(data: string): Promise<DeviceFile> {
  const known = await readDeviceFile(data)
  if (known !== null) return known
  const fresh: DeviceFile = { station: null, device: null, ...newDeviceKeys() }
  await writeDeviceFile(data, fresh)
  return fresh
}

/** Null in a folder without a device. */
export async function readDeviceFile(data: string): Promise<DeviceFile | null> {
  const text = await readDataFile(data, DEVICE_FILE)
  return text === null ? null : parse(text, join(data, DEVICE_FILE))
}

/** The key is gone with it: this device cannot be used any more. */
export async function removeDeviceFile(data: string): Promise<void> {
  await removeDataFile(data, DEVICE_FILE)
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
  await replaceDataFile(data, DEVICE_FILE, `${JSON.stringify(device, null, 2)}\n`)
}
