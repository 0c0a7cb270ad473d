/**
 * `secrets.json` in the data folder, readable by its owner only: what must not be in the database. A service manager may
 * hand the same text over as a credential (`LoadCredential=minga-secrets:…` of systemd); then it is only read.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { cookieTagOf } from './station-secrets.ts'
import { BadSecretsFile, SecretsReadOnly } from '../errors.ts'

const KEY_BYTES = 32
const CREDENTIAL = 'minga-secrets'

const secretsFile = z.object({
  version: z.literal(1),
  /** Names the station's cookies. */
  cookieTag: z.string().regex(/^[0-9a-f]{8}$/),
  /** Newest first, with when each began; former ones are accepted until their time (milliseconds since 1970). */
  station: z
    .array(z.object({ secret: z.string().min(1), since: z.number(), until: z.number().nullable() }))
    .min(1),
  /** Keys of what is encrypted in the database, newest first (32 bytes, base64url). */
  database: z.array(z.string().regex(/^[\w-]{43}$/)).min(1),
  /** What the station shows to the issuer of log-ins; written here by the operator. */
  oidcClientSecret: z.string().min(1).optional(),
})

export type SecretsFile = z.infer<typeof secretsFile>

export interface SecretsPlace {
  data: string
  /** Where a service manager puts credentials; undefined without one. */
  credentials: string | undefined
}

/** Null when there is none yet. */
export async function readSecretsFile(place: SecretsPlace): Promise<SecretsFile | null> {
  const path = credentialOf(place) ?? join(place.data, 'secrets.json')
  if (!existsSync(path)) return null
  try {
    return secretsFile.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (cause) {
    throw new BadSecretsFile(path, { cause })
  }
}

/** On disk and whole when this resolves: what is encrypted with its keys must never be without them. */
export async function writeSecretsFile(place: SecretsPlace, file: SecretsFile): Promise<void> {
  const credential = credentialOf(place)
  if (credential !== null) throw new SecretsReadOnly(credential)
  const path = join(place.data, 'secrets.json')
  const handle = await open(`${path}.new`, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(file, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${path}.new`, path)
}

/** `known`: the secret of a station before there was such a file. */
export function newSecretsFile(known: string | null): SecretsFile {
  const secret = known ?? newSecret()
  return {
    version: 1,
    cookieTag: cookieTagOf(secret),
    station: [{ secret, since: 0, until: null }],
    database: [newKey()],
  }
}

/** Another secret and another key first; the former ones hold until `until`, or as long as something needs them. */
export function rotatedFile(
  file: SecretsFile,
  { now, until }: { now: number; until: number },
): SecretsFile {
  const former = file.station
    .map(({ secret, since, until: end }) => ({
      secret,
      since,
      until: Math.min(end ?? until, until),
    }))
    .filter((each) => each.until > now)
  return {
    ...file,
    station: [{ secret: newSecret(), since: now, until: null }, ...former],
    database: [newKey(), file.database[0]!],
  }
}

export const newSecret = (): string => randomBytes(KEY_BYTES).toString('hex')
const newKey = (): string => randomBytes(KEY_BYTES).toString('base64url')

function credentialOf({ credentials }: SecretsPlace): string | null {
  const path = credentials === undefined ? null : join(credentials, CREDENTIAL)
  return path !== null && existsSync(path) ? path : null
}
