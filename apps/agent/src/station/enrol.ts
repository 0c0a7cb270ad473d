/** Makes this machine a device of a station: with a join token the first time, by its key after. */
import {
  enrolProof,
  newDeviceKeys,
  privateKeyOf,
  PROTOCOL_VERSION,
  signProof,
  type DeviceFacts,
} from '@minga/protocol'
import { asEnrolment } from './checked-answers.ts'
import { openDeviceFile, writeDeviceFile, type DeviceFile } from './device-file.ts'
import { TokenNeeded } from '../errors.ts'
import type { OwnDevice } from './station-client.ts'
import { callStation } from './station-call.ts'

export interface EnrolOptions {
  url: string
  /** By what the device remembers its station. */
  station: string
  token?: string
  /** Where `device.json` lies. */
  data: string
  name: string
  facts: DeviceFacts
}

/** The device as its file says, or enrolled now if this station is new to it. */
export async function knownDevice(options: EnrolOptions, signal: AbortSignal): Promise<OwnDevice> {
  const file = await openDeviceFile(options.data)
  const isKnown = file.device !== null && file.station === options.station
  return isKnown ? ownDevice(file) : enrolHere(options, signal)
}

/** Shows the token, also when the station has forgotten a device that it knew. */
export async function enrolHere(options: EnrolOptions, signal: AbortSignal): Promise<OwnDevice> {
  const { url, station, token, data } = options
  const former = await openDeviceFile(data)
  if (token === undefined) throw new TokenNeeded(url, former.station)
  // Another station gets another key: with one key for two, either could pass on the other's
  // challenge and come in there in this device's name.
  const isOthers = former.station !== null && former.station !== station
  const keys = isOthers ? newDeviceKeys() : former
  if (isOthers) await writeDeviceFile(data, { ...keys, station, device: null })
  const device = await enrol({ ...options, token }, keys, signal)
  const file = { ...keys, station, device }
  await writeDeviceFile(data, file)
  return ownDevice(file)
}

async function enrol(
  { url, token, name, facts }: EnrolOptions & { token: string },
  keys: Pick<DeviceFile, 'publicKey' | 'privateKey'>,
  signal: AbortSignal,
): Promise<string> {
  const { publicKey } = keys
  const signature = signProof(privateKeyOf(keys), enrolProof(publicKey, token))
  const message = { protocol: PROTOCOL_VERSION, publicKey, name, facts, signature }
  const { device } = await callStation(
    { url, call: 'enrol', bearer: token, body: JSON.stringify(message) },
    asEnrolment,
    signal,
  )
  return device
}

function ownDevice(file: DeviceFile): OwnDevice {
  return { id: file.device!, key: privateKeyOf(file) }
}
