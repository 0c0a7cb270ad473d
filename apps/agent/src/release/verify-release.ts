/**
 * Is this tarball a release of the agent? Its manifest names version, digest and the oldest version that may still be
 * used, and is signed with Ed25519; the signature covers the exact bytes of the manifest, and the manifest the file.
 *
 * An old release has a good signature for ever. Against being led back to one with a known weakness there are two
 * minimums: that of the manifest, and `minimumVersion`, the highest that the caller has seen before.
 */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import {
  releaseManifest,
  releaseVersion,
  type ReleaseManifest,
} from '@minga/protocol/agent-release'
import { BadRelease } from '../errors.ts'

/** Ed25519: 64 bytes. */
const SIGNATURE = /^[A-Za-z0-9+/]{86}==\n?$/
/** A manifest has some hundred bytes. */
const MANIFEST_BYTES_MAX = 64 * 1024

export interface Release {
  /** The exact bytes that were signed. */
  manifest: Uint8Array
  /** Base64, one line. */
  signature: string
  file: Uint8Array
}

export interface ReleaseTrust {
  /** Public keys in PEM; a signature of one of them is enough, so that a key can be replaced. */
  keys: readonly string[]
  /** The highest minimum that was seen before. */
  minimumVersion: string
}

/** Throws a BadRelease that says what is wrong; nothing of the manifest is believed before its signature was checked. */
export function verifyRelease(release: Release, trust: ReleaseTrust): ReleaseManifest {
  const { manifest: bytes, signature, file } = release
  requireSignature(bytes, signature, trust.keys)
  const manifest = parseManifest(bytes)
  if (!releaseVersion.safeParse(trust.minimumVersion).success) {
    throw BadRelease.because(`"${trust.minimumVersion}" is no version such as 1.2.3`)
  }
  for (const minimum of [manifest.minimumVersion, trust.minimumVersion]) {
    if (compareVersions(manifest.version, minimum) < 0) {
      throw BadRelease.because(`version ${manifest.version} is older than the minimum ${minimum}`)
    }
  }
  if (file.byteLength !== manifest.bytes) {
    throw BadRelease.because(`the file has ${file.byteLength} bytes instead of ${manifest.bytes}`)
  }
  if (createHash('sha256').update(file).digest('hex') !== manifest.sha256) {
    throw BadRelease.because('the file is not the one that was signed')
  }
  return manifest
}

function requireSignature(bytes: Uint8Array, signature: string, keys: readonly string[]): void {
  if (bytes.byteLength > MANIFEST_BYTES_MAX) throw BadRelease.because('the manifest is too long')
  if (!SIGNATURE.test(signature)) throw BadRelease.because('the signature cannot be read')
  const signed = Buffer.from(signature.trim(), 'base64')
  const isSigned = keys.map(publicKeyIn).some((key) => verify(null, bytes, key, signed))
  if (!isSigned) throw BadRelease.because('the signature is not of a key that is trusted')
}

function publicKeyIn(pem: string): KeyObject {
  try {
    const key = createPublicKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Said below, as of a key of another kind.
  }
  throw BadRelease.because('the key is no Ed25519 key in PEM')
}

function parseManifest(bytes: Uint8Array): ReleaseManifest {
  try {
    return releaseManifest.parse(
      JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)),
    )
  } catch (cause) {
    throw BadRelease.because('the manifest cannot be read', { cause })
  }
}

/** Below 0: the first is older. Both are of the form 1.2.3. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number))
  const at = a!.findIndex((number, i) => number !== b![i])
  return at === -1 ? 0 : a![at]! - b![at]!
}
