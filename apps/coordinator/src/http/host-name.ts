/** The name by which a caller reached this machine, without the port; null when it is none. */
import type { FastifyRequest } from 'fastify'

/** It ends up in headers: what is no plain name or address is none. */
export function hostNameOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d+)?$/i.exec(headers.host ?? '')?.[1] ?? null
}
