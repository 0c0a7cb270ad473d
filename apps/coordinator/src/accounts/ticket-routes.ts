/** Tickets for downloads over HTTP. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { RouteContext } from './access.ts'
import { newTicket, TICKET_MS } from './download-tickets.ts'

/** Below /api, as a browser would ask for it: nothing that leads elsewhere. */
const ticketBody = z.object({
  path: z
    .string()
    .max(16_384)
    .regex(/^\/[\w-][!-~]*$/, 'must be an address below /api, as it is sent')
    .refine((path) => !/[#\\]|[?&]ticket=/.test(path), 'must be a plain address below /api'),
})

export function ticketRoutes(app: FastifyInstance, { access, store, clock }: RouteContext): void {
  app.post('/download-tickets', async (request): Promise<{ link: string; expiresAt: number }> => {
    const credential = access.requireCredential(request, 'Taking a file along')
    const { path } = ticketBody.parse(request.body)
    const address = `/api${path}`
    const { hash, link } = newTicket(address)
    const now = clock.now()
    await store.call('keepTicket', { hash, credential, address, now })
    return { link, expiresAt: now + TICKET_MS }
  })
}
