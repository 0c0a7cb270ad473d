/** A device with passkeys, as a browser shows it: one ES256 key pair, attestation `none` unless a test forges another. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const PRESENT = 0x01
const VERIFIED = 0x04
const WITH_KEY = 0x40
const NO_AAGUID = Buffer.alloc(16)

interface Ceremony {
  options: { challenge: string; rpId?: string; rp?: { id: string } }
  origin?: string
}

export class FakeDevice {
  readonly id = randomBytes(16)
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  counter = 0
  isUnlocked = true

  /** What navigator.credentials.create answers, as JSON. */
  create({ options, origin = 'http://localhost' }: Ceremony, attestation = cborNone()): object {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' })
    const key = cborMap([
      [cborInt(1), cborInt(2)],
      [cborInt(3), cborInt(-7)],
      [cborInt(-1), cborInt(1)],
      [cborInt(-2), cborBytes(Buffer.from(x!, 'base64url'))],
      [cborInt(-3), cborBytes(Buffer.from(y!, 'base64url'))],
    ])
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const head = this.#head(options.rp!.id, WITH_KEY)
    const authData = Buffer.concat([head, NO_AAGUID, length, this.id, key])
    const object = cborMap([
      [cborText('fmt'), attestation.format],
      [cborText('attStmt'), attestation.statement],
      [cborText('authData'), cborBytes(authData)],
    ])
    const clientData = clientDataOf('webauthn.create', options.challenge, origin)
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: object.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** What navigator.credentials.get answers, as JSON. */
  get({ options, origin = 'http://localhost' }: Ceremony): object {
    const authenticatorData = this.#head(options.rpId!, 0)
    const clientData = clientDataOf('webauthn.get', options.challenge, origin)
    const signed = Buffer.concat([
      authenticatorData,
      createHash('sha256').update(clientData).digest(),
    ])
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
    })
  }

  #head(rpId: string, more: number): Buffer {
    this.counter++
    const rest = Buffer.alloc(5)
    rest[0] = PRESENT | (this.isUnlocked ? VERIFIED : 0) | more
    rest.writeUInt32BE(this.counter, 1)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), rest])
  }

  #credential(response: object): object {
    return { id: this.id.toString('base64url'), type: 'public-key', response }
  }
}

function clientDataOf(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}

interface Attestation {
  format: Buffer
  statement: Buffer
}

function cborNone(): Attestation {
  return { format: cborText('none'), statement: cborMap([]) }
}

/** As a security key answers it, with a certificate that names an address to fetch. */
export function cborWithCertificate(certificate: Buffer): Attestation {
  const statement = cborMap([
    [cborText('alg'), cborInt(-7)],
    [cborText('sig'), cborBytes(randomBytes(70))],
    [cborText('x5c'), Buffer.concat([Buffer.from([0x81]), cborBytes(certificate)])],
  ])
  return { format: cborText('packed'), statement }
}

/** RFC 8949, as much as is needed: small numbers, and lengths below 65,536. */
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff])
}
const cborInt = (value: number): Buffer =>
  value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([cborHead(2, bytes.length), bytes])
const cborText = (text: string): Buffer =>
  Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)])
const cborMap = (pairs: [Buffer, Buffer][]): Buffer =>
  Buffer.concat([cborHead(5, pairs.length), ...pairs.flat()])
