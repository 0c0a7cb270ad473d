/** A name server on loopback that knows a few TXT and LOC records, for tests of DNS clients. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

export interface TestDns {
  /** As a resolver's list of servers names it. */
  server: string
  /** By name, to be changed at will. */
  txt: Map<string, string[]>
  /** By name: the bytes of the record. */
  loc: Map<string, Buffer>
  asked: string[]
  close(): Promise<void>
}

const HEADER_BYTES = 12
const TYPE_TXT = 16
const TYPE_LOC = 29
const NAME_ERROR = 3

export async function startTestDns(): Promise<TestDns> {
  const socket = createSocket('udp4')
  const txt = new Map<string, string[]>()
  const loc = new Map<string, Buffer>()
  const asked: string[] = []
  socket.on('message', (query, from) => {
    const { name, end } = readName(query)
    asked.push(name)
    const isLoc = query.readUInt16BE(end - 4) === TYPE_LOC
    const place = loc.get(name)
    const records = isLoc
      ? place && [recordOf(TYPE_LOC, place)]
      : txt.get(name)?.map((text) => recordOf(TYPE_TXT, textData(text)))
    socket.send(answerTo(query.subarray(0, end), records), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const server = `127.0.0.1:${socket.address().port}`
  return { server, txt, loc, asked, close: () => close(socket) }
}

async function close(socket: Socket): Promise<void> {
  const closed = once(socket, 'close')
  socket.close()
  await closed
}

/** The question's name, and where the question ends. */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  while (query[at] !== 0) {
    const length = query[at]!
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 + 4 }
}

function answerTo(question: Buffer, records: Buffer[] | undefined): Buffer {
  const head = Buffer.from(question)
  head.writeUInt16BE(0x81_80 | (records === undefined ? NAME_ERROR : 0), 2)
  head.writeUInt16BE(records?.length ?? 0, 6)
  // No authority and no additional records.
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, ...(records ?? [])])
}

/** Long texts travel in parts of 255 bytes. */
function textData(text: string): Buffer {
  const parts = text.match(/.{1,255}/gs) ?? ['']
  return Buffer.concat(
    parts.flatMap((part) => [Buffer.from([part.length]), Buffer.from(part, 'latin1')]),
  )
}

function recordOf(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12)
  // The name is the question's, by a pointer to it.
  head.writeUInt16BE(0xc0_00 | HEADER_BYTES, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(0, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
