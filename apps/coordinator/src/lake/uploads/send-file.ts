/** A file of the lake as an answer, whole or the part that a Range header names. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { openPart } from '../../archive/replay/replay-files.ts'

export interface SentFile {
  path: string
  type: string
  /** What a browser is to call it. */
  name?: string
  /** Files of the lake never change: who has a part asks for the rest by it. */
  tag?: string
}

/** Null when there is no such file. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, type, name, tag }: SentFile,
): Promise<FastifyReply | null> {
  const { range, 'if-range': ifRange } = request.headers
  const isStill = ifRange === undefined || ifRange === tag
  const asked = isStill ? range : undefined
  const part = await openPart(path, asked)
  if (part === null) {
    const whole = asked === undefined ? null : await openPart(path, undefined)
    if (whole === null) return null
    whole.bytes.destroy()
    return reply.status(416).header('content-range', `bytes */${whole.size}`).send()
  }
  const { size, start, end, bytes } = part
  const isPart = end - start < size
  void reply
    .type(type)
    .header('accept-ranges', 'bytes')
    .header('content-length', end - start)
  if (tag !== undefined) void reply.header('etag', tag)
  if (name !== undefined) void reply.header('content-disposition', `attachment; filename="${name}"`)
  if (isPart) void reply.status(206).header('content-range', `bytes ${start}-${end - 1}/${size}`)
  return reply.send(bytes)
}
