/**
 * Signs a tarball of the agent: `MINGA_SIGNING_KEY=key.pem npm run pack`, or as a program with the path of a tarball.
 *   in:  an Ed25519 private key (`openssl genpkey -algorithm ed25519 -out key.pem`), kept outside of the repository
 *   out: FILE.manifest.json, and FILE.manifest.json.sig, the base64 of the signature of its exact bytes
 */
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { RELEASE_FORMAT, type ReleaseManifest } from '@minga/protocol/agent-release'

/** To be raised when a version has a weakness to which no agent must be downgraded. */
const MINIMUM_AGENT_VERSION = '0.1.0'

export function signRelease(
  tarball: string,
  options: { version: string; keyFile: string },
): string {
  const key = createPrivateKey(readFileSync(options.keyFile))
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${options.keyFile} is no Ed25519 key.`)
  const body = readFileSync(tarball)
  const manifest: ReleaseManifest = {
    format: RELEASE_FORMAT,
    version: options.version,
    file: basename(tarball),
    bytes: body.length,
    sha256: createHash('sha256').update(body).digest('hex'),
    minimumVersion: MINIMUM_AGENT_VERSION,
  }
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  const out = `${tarball}.manifest.json`
  writeFileSync(out, bytes)
  writeFileSync(`${out}.sig`, `${sign(null, bytes, key).toString('base64')}\n`)
  return out
}
