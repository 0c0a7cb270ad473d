/** A mail server on loopback (RFC 5321, as much as is needed): it keeps what it is given. */
import { createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

interface TakenMail {
  from: string
  to: string
  /** Headers, unfolded, by name in lower case. */
  headers: Map<string, string>
  raw: string
}

export class FakeMailServer {
  readonly url: string
  readonly mails: TakenMail[] = []
  /** What it says to the end of a message; 250 takes it. */
  answer = '250 taken'

  constructor(url: string) {
    this.url = url
  }

  readonly #waiting: { count: number; resolve: () => void }[] = []

  /** Resolves when it was given that many mails. */
  received(count: number): Promise<void> {
    if (this.mails.length >= count) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ count, resolve }))
  }

  take(mail: TakenMail): void {
    this.mails.push(mail)
    for (const { count, resolve } of this.#waiting) if (this.mails.length >= count) resolve()
  }

  get last(): TakenMail {
    return this.mails.at(-1)!
  }
}

const servers: Server[] = []
after(() => servers.forEach((server) => server.close()))

export async function openMailServer(): Promise<FakeMailServer> {
  const server = createServer((socket) => converse(socket, mailServer))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const mailServer = new FakeMailServer(`smtp://127.0.0.1:${port}`)
  return mailServer
}

function converse(socket: Socket, server: FakeMailServer): void {
  const envelope = { from: '', to: '' }
  let received = ''
  let isData = false
  const say = (line: string): void => void socket.write(`${line}\r\n`)
  const obey = (line: string): void => {
    const address = /<([^>]*)>/.exec(line)?.[1] ?? ''
    if (/^MAIL FROM/i.test(line)) envelope.from = address
    if (/^RCPT TO/i.test(line)) envelope.to = address
    isData = /^DATA/i.test(line)
    if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
    else if (/^STARTTLS/i.test(line)) say('502 not here')
    else say(isData ? '354 go on' : '250 ok')
  }
  const take = (end: number): void => {
    const raw = received.slice(0, end)
    if (server.answer.startsWith('250')) {
      server.take({ ...envelope, headers: headersIn(raw), raw })
    }
    received = received.slice(end + END.length)
    isData = false
    say(server.answer)
  }
  socket.on('error', () => socket.destroy())
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
    for (;;) {
      const end = received.indexOf(isData ? END : '\r\n')
      if (end === -1) return
      if (isData) take(end)
      else {
        const line = received.slice(0, end)
        received = received.slice(end + 2)
        obey(line)
      }
    }
  })
  say('220 fake')
}

const END = '\r\n.\r\n'

function headersIn(raw: string): Map<string, string> {
  const head = raw.split('\r\n\r\n', 1)[0]!.replaceAll(/\r\n[ \t]+/g, ' ')
  return new Map(
    head.split('\r\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}
