/**
 * The key with which this device signs its requests to sites, if its station wants them signed. Made
 * here, for that alone, and replaced every month: sites should know whose bot this is, not follow one
 * machine for years.
 */
import { createBotSigner, signDirectory, type FetcherOptions } from '@minga/net'
import {
  newDeviceKeys,
  privateKeyOf,
  type BotSigningKey,
  type Clock,
  type DeviceKeys,
} from '@minga/protocol'
import { randomBytes } from 'node:crypto'
import { readDataFile, removeDataFile, replaceDataFile } from '../system/data-folder.ts'

const KEY_FILE = 'signing-key.json'
const DAY_MS = 86_400_000
const REPLACED_MS = 30 * DAY_MS
/** Longer than a key is used: an agent that runs for months signs on with the key of its start. */
const DIRECTORY_VALID_S = 180 * 86_400
const NONCE_BYTES = 24

interface KeyFile extends DeviceKeys {
  madeAt: number
}

/** A file that cannot be read is replaced: nothing depends on the key that was in it. */
export async function openSigningKey(data: string, clock: Clock): Promise<DeviceKeys> {
  const known = parse(await readDataFile(data, KEY_FILE))
  const now = clock.now()
  if (known !== null && known.madeAt > now - REPLACED_MS && known.madeAt <= now) return known
  const fresh: KeyFile = { ...newDeviceKeys(), madeAt: now }
  await replaceDataFile(data, KEY_FILE, `${JSON.stringify(fresh, null, 2)}\n`)
  return fresh
}

/** It leaves with its device. */
export function removeSigningKey(data: string): Promise<void> {
  return removeDataFile(data, KEY_FILE)
}

function parse(text: string | null): KeyFile | null {
  try {
    const file = JSON.parse(text ?? 'null') as KeyFile | null
    if (file === null || typeof file.madeAt !== 'number') return null
    privateKeyOf(file)
    return file
  } catch {
    return null
  }
}

/** What the station publishes: the public half, and that it belongs into this directory. */
export function shownKey(keys: DeviceKeys, agent: string, clock: Clock): BotSigningKey {
  const { publicKey } = keys
  const bot = { key: privateKeyOf(keys), publicKey }
  return {
    publicKey,
    ...signDirectory(bot, { agent, nowMs: clock.now(), validS: DIRECTORY_VALID_S }),
  }
}

/** The fields that sign each request. */
export function signingHeaders(
  keys: DeviceKeys,
  agent: string,
  clock: Clock,
): NonNullable<FetcherOptions['headersFor']> {
  return createBotSigner({
    key: privateKeyOf(keys),
    publicKey: keys.publicKey,
    agent,
    nowMs: () => clock.now(),
    newNonce: () => randomBytes(NONCE_BYTES).toString('base64url'),
  })
}
