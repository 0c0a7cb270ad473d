/**
 * The LOC record of a name (RFC 1876): where its owner says that it stands. Node's resolver does not know the
 * type, so the question is written and the answer read here; over UDP alone, as the answer is short.
 */
import { randomInt } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { getServers } from 'node:dns'
import { isIPv6 } from 'node:net'
import type { Clock } from '@minga/protocol'

export type LocAnswer =
  | {
      ok: true
      /** In the form in which name servers write it; null when there is none. */
      loc: string | null
    }
  | { ok: false; code: 'MINGA_DNS_FAILED' }

export type LocLookup = (name: string) => Promise<LocAnswer>

export interface LocLookupOptions {
  clock: Clock
  /** `address`, `address:port` or `[address]:port`; those of the system if absent. */
  servers?: readonly string[]
  timeoutMs?: number
}

const TIMEOUT_MS = 2_000
const SERVERS_ASKED = 2
const DNS_PORT = 53
const HEADER_BYTES = 12
const TYPE_LOC = 29
const CLASS_INTERNET = 1
const RECURSION_DESIRED = 0x01_00
const NAME_ERROR = 3
const FAILED: LocAnswer = { ok: false, code: 'MINGA_DNS_FAILED' }

export function createLocLookup(options: LocLookupOptions): LocLookup {
  return async (name) => {
    const question = questionFor(name, randomInt(0x1_00_00))
    if (question === null) return { ok: true, loc: null }
    const servers = options.servers ?? getServers()
    for (const server of servers.slice(0, SERVERS_ASKED)) {
      const answer = await ask(question, server, options)
      if (answer.ok) return answer
    }
    return FAILED
  }
}

/** Null for what is no name. */
function questionFor(name: string, id: number): Buffer | null {
  const labels = name.replace(/\.$/, '').split('.')
  if (!labels.every((label) => /^[\x21-\x7e]{1,63}$/.test(label)) || name.length > 253) return null
  const head = Buffer.alloc(HEADER_BYTES)
  head.writeUInt16BE(id, 0)
  head.writeUInt16BE(RECURSION_DESIRED, 2)
  head.writeUInt16BE(1, 4)
  const parts = labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)])
  const tail = Buffer.from([0, 0, TYPE_LOC, 0, CLASS_INTERNET])
  return Buffer.concat([head, ...parts, tail])
}

async function ask(
  question: Buffer,
  server: string,
  { clock, timeoutMs = TIMEOUT_MS }: LocLookupOptions,
): Promise<LocAnswer> {
  const { address, port } = placeOf(server)
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  const ended = new AbortController()
  try {
    return await Promise.race([
      answerTo(question, socket, { address, port }),
      clock.sleep(timeoutMs, ended.signal).then(() => FAILED),
    ])
  } finally {
    ended.abort()
    socket.close()
  }
}

function placeOf(server: string): { address: string; port: number } {
  const [, address, port] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(
    isIPv6(server) ? `[${server}]` : server,
  )!
  return { address: address!, port: port === undefined ? DNS_PORT : Number(port) }
}

/**
 * Connected, so that packets of other senders are dropped; an answer to another question is
 * ignored.
 */
function answerTo(
  question: Buffer,
  socket: Socket,
  { address, port }: { address: string; port: number },
): Promise<LocAnswer> {
  return new Promise((resolve) => {
    socket.on('error', () => resolve(FAILED))
    socket.on('message', (message) => {
      const answer = readAnswer(message, question)
      if (answer !== null) resolve(answer)
    })
    socket.connect(port, address, () => socket.send(question))
  })
}

/** Null when it answers another question. */
function readAnswer(message: Buffer, question: Buffer): LocAnswer | null {
  if (message.length < question.length || message.readUInt16BE(0) !== question.readUInt16BE(0)) {
    return null
  }
  const asked = message.subarray(HEADER_BYTES, question.length).toString('latin1').toLowerCase()
  if (asked !== question.subarray(HEADER_BYTES).toString('latin1').toLowerCase()) return null
  const status = message[3]! & 0x0f
  if (status === NAME_ERROR) return { ok: true, loc: null }
  if (status !== 0) return FAILED
  try {
    return { ok: true, loc: firstLoc(message, question.length) }
  } catch {
    // It ends in the middle of a record.
    return FAILED
  }
}

const LOC_BYTES = 16

function firstLoc(message: Buffer, start: number): string | null {
  const records = message.readUInt16BE(6)
  let at = start
  for (let record = 0; record < records; record++) {
    at = behindName(message, at)
    const type = message.readUInt16BE(at)
    const length = message.readUInt16BE(at + 8)
    const data = message.subarray(at + 10, at + 10 + length)
    at += 10 + length
    if (type === TYPE_LOC && data.length === LOC_BYTES && data[0] === 0) return textOf(data)
  }
  return null
}

function behindName(message: Buffer, start: number): number {
  let at = start
  for (;;) {
    const length = message.readUInt8(at)
    if (length === 0) return at + 1
    // The rest of the name stands elsewhere.
    if (length >= 0xc0) return at + 2
    at += 1 + length
  }
}

/** Thousandths of a second of arc, counted from here. */
const MIDDLE = 2 ** 31
const SECOND = 1_000
const MINUTE = 60 * SECOND
const DEGREE = 60 * MINUTE
/** Centimetres from this depth. */
const DEEPEST_M = 100_000

function textOf(data: Buffer): string {
  const lat = angleOf(data.readUInt32BE(4), ['N', 'S'])
  const lon = angleOf(data.readUInt32BE(8), ['E', 'W'])
  const altitudeM = data.readUInt32BE(12) / 100 - DEEPEST_M
  const [size, across, upright] = [data[1]!, data[2]!, data[3]!].map(metresOf)
  return `${lat} ${lon} ${altitudeM.toFixed(2)}m ${size}m ${across}m ${upright}m`
}

function angleOf(value: number, [positive, negative]: readonly [string, string]): string {
  const angle = Math.abs(value - MIDDLE)
  const degrees = Math.floor(angle / DEGREE)
  const minutes = Math.floor((angle % DEGREE) / MINUTE)
  const seconds = ((angle % MINUTE) / SECOND).toFixed(3)
  return `${degrees} ${minutes} ${seconds} ${value >= MIDDLE ? positive : negative}`
}

/** Two digits: a factor, and a power of ten, in centimetres. */
const metresOf = (byte: number): string => (((byte >> 4) * 10 ** (byte & 15)) / 100).toFixed(2)
