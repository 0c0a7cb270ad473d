/** Puts an answer on the wire, in whatever way it wants to travel, and tells when it ended. */

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import { systemClock } from '@minga/protocol/clock'

import type { Answer, Wire } from './answer.ts'

export interface Delivery {
  response: ServerResponse
  answer: Answer
  /**
   * Called once, with whether the whole answer went out and when its last write began. The client
   * may have all of it before that write returns, if this process loses the processor in the
   * meantime: a later stamp would accuse a punctual client.
   */
  ended: (whole: boolean, lastWriteMs?: number) => void
}

export function deliver(delivery: Delivery): void {
  const { response, answer } = delivery
  switch (answer.wire?.how) {
    case undefined:
      return deliverAtOnce(delivery)
    case 'hang':
      return onClose(delivery, () => 0)
    case 'slow':
      return void deliverSlowly(delivery, answer.wire)
    case 'raw': {
      const { wire } = answer
      // Pipelined: earlier answers own the connection until they are through.
      if (response.socket) return deliverRaw(delivery, wire, response.socket)
      response.once('socket', (socket: Socket) => deliverRaw(delivery, wire, socket))
    }
  }
}

function deliverAtOnce(delivery: Delivery): void {
  const { response, answer, ended } = delivery
  writeHead(response, answer)
  const lastWriteMs = systemClock.monotonicMs()
  response.end(answer.body())
  if (response.socket?.writableLength === 0) return ended(true, lastWriteMs)
  onClose(delivery, () => lastWriteMs)
}

function writeHead(response: ServerResponse, answer: Answer): void {
  const hasBody = answer.status !== 304 && answer.status !== 204
  const length = hasBody ? ['content-length', String(answer.body().length)] : []
  response.writeHead(answer.status, [...answer.headers, ...length])
}

async function deliverSlowly(delivery: Delivery, wire: Wire & { how: 'slow' }): Promise<void> {
  const { response, answer } = delivery
  const gone = new AbortController()
  let lastWriteMs = 0
  onClose(delivery, () => lastWriteMs)
  response.once('close', () => gone.abort())

  await systemClock.sleep(wire.firstByteMs, gone.signal)
  if (gone.signal.aborted) return
  writeHead(response, answer)
  const body = answer.body()
  const stepBytes = wire.dripMs === 0 ? Infinity : wire.dripBytes
  let from = 0
  for (; body.length - from > stepBytes && !gone.signal.aborted; from += stepBytes) {
    response.write(body.subarray(from, from + stepBytes))
    await systemClock.sleep(wire.dripMs, gone.signal)
  }
  lastWriteMs = systemClock.monotonicMs()
  response.end(body.subarray(from))
}

function deliverRaw(delivery: Delivery, wire: Wire & { how: 'raw' }, socket: Socket): void {
  const bytes = wire.bytes()
  const lastWriteMs = systemClock.monotonicMs()
  const finish = (): void => {
    delivery.ended(true, lastWriteMs)
    if (wire.after === 'close') socket.end()
    // A plain destroy would send an orderly FIN; this sends RST.
    if (wire.after === 'reset') socket.resetAndDestroy()
    // Tells node:http that this response is over, so that the next one gets the connection.
    if (wire.after === 'stay') delivery.response.emit('finish')
    if (wire.after === 'stay' && !delivery.response.shouldKeepAlive) socket.end()
  }
  if (bytes.length === 0) return finish()
  socket.write(bytes, finish)
}

function onClose({ response, ended }: Delivery, lastWriteMs: () => number): void {
  // `close` comes after `finish`, and also when the client leaves.
  let isOver = false
  const over = (): void => {
    if (isOver) return
    isOver = true
    if (response.writableFinished) ended(true, lastWriteMs())
    else ended(false)
  }
  response.once('finish', over)
  response.once('close', over)
}
