/**
 * The published keys of Web Bot Auth (draft-meunier-http-message-signatures-directory): a server
 * that receives a signed request checks here whether its key is one of ours.
 */
import { directoryParams, KEY_DIRECTORY_PATH, KEY_DIRECTORY_TYPE, thumbprintOf } from '@minga/net'
import type { BotSigningKey } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { signatureAgentOf, type Station } from '../station/station.ts'

/** A blocked device's key is gone from caches this soon. */
const FRESH_S = 60
/** Read once for all who ask within this time: a popular site's machines all do at once. */
const KEPT_MS = 5_000
/** Each signature takes 250 bytes of a header, of which proxies take 8 KB. */
const SIGNATURES_MAX = 24

interface Directory {
  body: string
  headers: Record<string, string>
}

export function keyDirectoryRoutes(app: FastifyInstance, station: Station): void {
  const { store, clock } = station
  let kept: { directory: Promise<Directory>; untilMs: number } | null = null
  app.get(KEY_DIRECTORY_PATH, async (_request, reply) => {
    const agent = signatureAgentOf(station)
    if (agent === null) {
      const message = 'The requests of this station are not signed; there are no keys to publish.'
      return reply.status(404).send({ error: { code: 'MINGA_NOT_SIGNED', message } })
    }
    if (kept === null || kept.untilMs <= clock.monotonicMs()) {
      const keys = store.call('signingKeys', { now: clock.now() })
      const directory = keys.then((list) => directoryOf(agent, list))
      kept = { directory, untilMs: clock.monotonicMs() + KEPT_MS }
      directory.catch(() => (kept = null))
    }
    const { body, headers } = await kept.directory
    // As bytes: to a text the framework would add a charset that the type does not have.
    return reply.headers(headers).send(Buffer.from(body))
  })
}

function directoryOf(agent: string, keys: readonly BotSigningKey[]): Directory {
  const published = keys.map(({ publicKey }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    kid: thumbprintOf(publicKey),
    x: publicKey,
    use: 'sig',
  }))
  const signed = keys.slice(0, SIGNATURES_MAX)
  const inputs = signed.map((key, i) => `sig${i + 1}=${directoryParams(key.publicKey, key)}`)
  const signatures = signed.map(({ signature }, i) => `sig${i + 1}=:${signature}:`)
  return {
    body: JSON.stringify({ keys: published, signature_agent: agent }),
    headers: {
      'content-type': KEY_DIRECTORY_TYPE,
      'cache-control': `public, max-age=${FRESH_S}`,
      ...(signed.length === 0
        ? {}
        : { 'signature-input': inputs.join(', '), signature: signatures.join(', ') }),
    },
  }
}
