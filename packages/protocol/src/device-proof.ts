/**
 * How a device proves its identity: Ed25519 signatures over short texts, each beginning with what
 * it is for, so that a signature made for one purpose says nothing for another.
 *
 *   enrol   the key that is enrolled and the token: the key of another device cannot be enrolled
 *   hello   device, boot and the station's nonce: an intercepted proof is worth nothing
 *   upload  SHA-256 of all its bytes. Signing the manifest alone would leave out what it does not
 *           name, the headers in the WARC members; hashing 200 KB costs less than the signature.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'

/** Both halves as base64url of 32 bytes. The private one stays on the device. */
export interface DeviceKeys {
  publicKey: string
  privateKey: string
}

/** Where an upload carries its signature. */
export const SIGNATURE_HEADER = 'minga-signature'

export function newDeviceKeys(): DeviceKeys {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return { publicKey: x!, privateKey: d! }
}

export function privateKeyOf({ publicKey, privateKey }: DeviceKeys): KeyObject {
  const key = { kty: 'OKP', crv: 'Ed25519', x: publicKey, d: privateKey }
  return createPrivateKey({ key, format: 'jwk' })
}

/** Null when the text is no key. */
export function publicKeyOf(publicKey: string): KeyObject | null {
  try {
    const key = { kty: 'OKP', crv: 'Ed25519', x: publicKey }
    return createPublicKey({ key, format: 'jwk' })
  } catch {
    return null
  }
}

export function enrolProof(publicKey: string, token: string): Buffer {
  return proof('enrol', publicKey, hash('sha256', token))
}

export function helloProof(args: { device: string; boot: string; nonce: string }): Buffer {
  return proof('hello', args.device, args.boot, args.nonce)
}

export function uploadProof(body: Uint8Array): Buffer {
  return proof('upload', createHash('sha256').update(body).digest('hex'))
}

function proof(...parts: string[]): Buffer {
  return Buffer.from(`minga ${parts.join('\n')}`)
}

export function signProof(key: KeyObject, proven: Buffer): string {
  return sign(null, proven, key).toString('base64url')
}

export function isProof(key: KeyObject, proven: Buffer, signature: string): boolean {
  return verify(null, proven, key, Buffer.from(signature, 'base64url'))
}
