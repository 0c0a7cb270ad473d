/** How an address of the API is described: the same words make the route and its documentation. */
import type { Action } from '@minga/fleet'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'

export interface V1Call {
  request: FastifyRequest
  reply: FastifyReply
  /** Parameters that the address has, as they were given. */
  given: Record<string, unknown>
}

export interface V1Route {
  method: 'GET' | 'POST' | 'PATCH'
  /** Below /api/v1, with `:id` for what varies. */
  path: string
  summary: string
  /** What calling it is in the table of rights. */
  action: Action
  query: z.ZodObject
  params?: z.ZodObject
  body?: z.ZodType
  /** How it answers when all is well. */
  status: 200 | 202
  answer: z.ZodType
  /** Rows that can also be had as lines of JSON and as CSV. */
  isTable?: boolean
  /** May be answered in the background. */
  canWait?: boolean
  run: (call: V1Call) => unknown
}

const params = z.record(z.string(), z.string())

/** Of `:id` and the like. */
export function paramOf({ request }: V1Call, name: string): string {
  return params.parse(request.params)[name] ?? ''
}
