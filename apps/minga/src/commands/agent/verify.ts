/** `minga agent verify`: is this file a signed release of the agent? */
import { verifyRelease } from '@minga/agent'
import type { ReleaseManifest } from '@minga/protocol/agent-release'
import { readFile } from 'node:fs/promises'
import { UnreadableFile } from '../../errors.ts'
import { EXIT } from '../../exit-codes.ts'

export interface VerifyOptions {
  key: string[]
  manifest?: string
  minimum: string
  json?: boolean
}

/** Exit code 1 and the reason when it is not. */
export async function verify(file: string, options: VerifyOptions): Promise<number> {
  const { manifest: path = `${file}.manifest.json`, key, minimum, json = false } = options
  const [body, manifest, signature, ...keys] = await Promise.all(
    [file, path, `${path}.sig`, ...key].map((each) => readOrName(each)),
  )
  const release = { file: body!, manifest: manifest!, signature: signature!.toString('latin1') }
  const trust = { keys: keys.map((each) => each.toString('latin1')), minimumVersion: minimum }
  const verified = verifyRelease(release, trust)
  process.stdout.write(json ? `${JSON.stringify(verified)}\n` : sentenceOf(verified))
  return EXIT.ok
}

const sentenceOf = ({ version, file, sha256 }: ReleaseManifest): string =>
  `This is the signed ${file}, version ${version} (SHA-256 ${sha256}).\n`

async function readOrName(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (cause) {
    throw new UnreadableFile(file, { cause })
  }
}
