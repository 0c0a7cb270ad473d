/** A small OpenID Connect issuer on loopback: discovery, code flow with PKCE, tokens signed with a real key. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

export const CLIENT_ID = 'a station'
export const CLIENT_SECRET = 'the secret of the station'

interface Code {
  challenge: string
  nonce: string
  redirectUri: string
}

export class FakeIssuer {
  /** Who is logged in there. */
  subject = 'subject-1'
  username = 'rosa'
  /** Changes what is signed, for tests of forged tokens. */
  forge: (claims: Record<string, unknown>) => Record<string, unknown> = (claims) => claims
  /** Its client shows no secret. */
  isPublic = false
  /** Signs with a key that is not published. */
  usesForeignKey = false
  readonly #published = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #codes = new Map<string, Code>()
  url = ''

  answer(request: IncomingMessage, body: string): { status: number; json?: object; to?: string } {
    const { pathname, searchParams } = new URL(request.url!, this.url)
    if (pathname === '/.well-known/openid-configuration')
      return { status: 200, json: this.#facts() }
    if (pathname === '/jwks') return { status: 200, json: { keys: [this.#jwk()] } }
    if (pathname === '/authorize') return { status: 302, to: this.#authorize(searchParams) }
    if (pathname === '/token') return this.#token(request, new URLSearchParams(body))
    return { status: 404, json: {} }
  }

  #facts(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    }
  }

  #jwk(): object {
    return { ...this.#published.publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256' }
  }

  #authorize(asked: URLSearchParams): string {
    if (asked.get('code_challenge_method') !== 'S256' || asked.get('client_id') !== CLIENT_ID) {
      throw new Error('The station sent another request than was agreed.')
    }
    const code = randomBytes(16).toString('base64url')
    const redirectUri = asked.get('redirect_uri')!
    const challenge = asked.get('code_challenge')!
    this.#codes.set(code, { challenge, nonce: asked.get('nonce')!, redirectUri })
    const query = new URLSearchParams({ code, state: asked.get('state')! }).toString()
    return `${redirectUri}?${query}`
  }

  #token(request: IncomingMessage, form: URLSearchParams): { status: number; json: object } {
    const code = this.#codes.get(form.get('code') ?? '')
    this.#codes.delete(form.get('code') ?? '')
    const verifier = form.get('code_verifier') ?? ''
    const isProven =
      code?.challenge === createHash('sha256').update(verifier).digest('base64url') &&
      code.redirectUri === form.get('redirect_uri') &&
      request.headers.authorization === (this.isPublic ? undefined : BASIC)
    if (!isProven) return { status: 400, json: { error: 'invalid_grant' } }
    const now = Math.floor(Date.now() / 1_000)
    const claims = this.forge({
      iss: this.url,
      sub: this.subject,
      aud: CLIENT_ID,
      iat: now,
      exp: now + 300,
      nonce: code.nonce,
      preferred_username: this.username,
    })
    const token = this.#signed(claims)
    return {
      status: 200,
      json: { access_token: 'unused', token_type: 'Bearer', id_token: token },
    }
  }

  #signed(claims: object): string {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const text = `${part({ alg: 'ES256', kid: 'k1', typ: 'JWT' })}.${part(claims)}`
    const { privateKey: key } = this.usesForeignKey ? this.#foreign : this.#published
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
    return `${text}.${signature.toString('base64url')}`
  }
}

/** Each part is encoded as a form (RFC 6749, section 2.3.1). */
const BASIC = `Basic ${Buffer.from(
  [CLIENT_ID, CLIENT_SECRET]
    .map((text) => encodeURIComponent(text).replaceAll('%20', '+'))
    .join(':'),
).toString('base64')}`

export async function openIssuer(): Promise<FakeIssuer> {
  const issuer = new FakeIssuer()
  const server = createServer((request, response) => void serve(issuer, request, response))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return issuer
}

async function serve(
  issuer: FakeIssuer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let body = ''
  for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString()
  const { status, json, to } = issuer.answer(request, body)
  const headers = to === undefined ? { 'content-type': 'application/json' } : { location: to }
  response.writeHead(status, headers)
  response.end(json === undefined ? '' : JSON.stringify(json))
}
