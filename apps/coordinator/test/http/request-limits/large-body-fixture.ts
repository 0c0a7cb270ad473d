/** Bodies of 100 MB over raw sockets. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const MB = 1024 * 1024
const BODY_BYTES = 100 * MB
const CHUNK = Buffer.from('{},'.repeat(MB / 4))

const JSON_TYPE = { 'Content-Type': 'application/json' }

export interface SentBody {
  answer: string
  bytes: number
}

/** Sends as fast as it is received until the station answers, closes or has all of it. */
export async function sendLargeBody(
  port: number,
  path: string,
  { isChunked, headers = JSON_TYPE }: { isChunked: boolean; headers?: Record<string, string> },
): Promise<SentBody> {
  const socket = connect(port, '127.0.0.1')
  const sent: SentBody = { answer: '', bytes: 0 }
  socket.on('error', () => {})
  const isClosed = once(socket, 'close').catch(() => {})
  socket.on('data', (bytes) => {
    sent.answer += String(bytes)
  })
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${BODY_BYTES}`
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', ...lines]
  socket.write([...head, length, '\r\n'].join('\r\n'))
  void pour(socket, sent, isChunked)
  await isClosed
  return sent
}

async function pour(socket: Socket, sent: SentBody, isChunked: boolean): Promise<void> {
  while (sent.bytes < BODY_BYTES && socket.writable && sent.answer === '') {
    if (isChunked) socket.write(`${CHUNK.length.toString(16)}\r\n`)
    const isRoom = socket.write(CHUNK)
    if (isChunked) socket.write('\r\n')
    sent.bytes += CHUNK.length
    if (!isRoom) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
  }
}
