/** The five calls of an agent. */
import {
  askMessage,
  beatMessage,
  helloMessage,
  PROTOCOL_VERSION,
  type Welcome,
} from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { requireToken } from './access.ts'
import type { ApiParts } from './api-routes.ts'
import { WrongProtocol } from './errors.ts'

/** Larger documents are cut here and marked as truncated. */
const PAGE_BYTES_MAX = 64 * 1024 * 1024

export function agentRoutes(app: FastifyInstance, parts: ApiParts): void {
  const { pipeline, tokens } = parts
  app.addHook('onRequest', async (request) => {
    requireToken(request, tokens.joinToken, 'Joining as an agent')
  })
  app.addContentTypeParser(
    'application/vnd.minga.upload',
    { parseAs: 'buffer' },
    (_request, body, done) => done(null, body),
  )

  app.post('/hello', async (request): Promise<Welcome> => {
    const message = helloMessage.parse(request.body)
    if (message.protocol !== PROTOCOL_VERSION) throw new WrongProtocol(message.protocol)
    await pipeline.hello(message)
    return {
      userAgent: parts.userAgent,
      limits: { bodyBytesMax: PAGE_BYTES_MAX },
      allowPrivateAddresses: parts.allowPrivateAddresses,
    }
  })
  app.post('/ask', (request) => pipeline.ask(askMessage.parse(request.body), parts.closing))
  app.post('/beat', (request) => pipeline.beat(beatMessage.parse(request.body)))
  app.post('/results', (request) => pipeline.take(request.body as Buffer))
  app.post('/goodbye', async (request) => {
    const { boot } = beatMessage.pick({ boot: true }).parse(request.body)
    await pipeline.goodbye(boot)
    return {}
  })
}
