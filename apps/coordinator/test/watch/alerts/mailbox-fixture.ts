/** A person who reads a mailbox and follows the links in what arrives there. */
import assert from 'node:assert/strict'
import type { TestStation } from '../../station-fixture.ts'
import type { FakeMailServer } from './smtp-fixture.ts'

/** Quoted-printable as text. */
function unquoted(raw: string): string {
  const bytes = raw
    .replaceAll('=\r\n', '')
    .replaceAll(/=([\dA-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

export interface MailboxLinks {
  confirm: string
  refuse: string
}

/** Paths of the links of the last confirmation that was sent to an address. */
export function linksIn(mails: FakeMailServer['mails'], to: string): MailboxLinks {
  const asked = mails.findLast(
    (mail) => mail.to === to && mail.headers.get('message-id')!.startsWith('<confirm_'),
  )
  assert.ok(asked, `${to} was asked`)
  const [confirm] = /\/api\/alerts\/mailbox\/[\w-]+(?=\s)/.exec(unquoted(asked.raw))!
  return { confirm, refuse: `${confirm}/refuse` }
}

/** A button of a page that a link leads to; answers the status and the page. */
export async function press(
  station: TestStation,
  path: string,
): Promise<{ status: number; body: string }> {
  const { statusCode: status, body } = await station.app.inject({
    method: 'POST',
    url: path,
    headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'List-Unsubscribe=One-Click',
  })
  return { status, body }
}

const ROUNDS_MAX = 2_000

/** However its address is written. */
export const mailsTo = (smtp: FakeMailServer, to: string): FakeMailServer['mails'] =>
  smtp.mails.filter((mail) => mail.to.toLowerCase() === to.toLowerCase())

/** Until the mail server has as many messages for an address. */
export async function arrived(
  station: TestStation,
  smtp: FakeMailServer,
  { to, count }: { to: string; count: number },
): Promise<void> {
  for (let rounds = 0; mailsTo(smtp, to).length < count; rounds++) {
    assert.ok(rounds < ROUNDS_MAX, `${to} got ${mailsTo(smtp, to).length} of ${count}`)
    await station.clock.advance(1_000)
    await station.tick()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/** The mailbox is asked and agrees. */
export async function agree(station: TestStation, smtp: FakeMailServer, to: string): Promise<void> {
  const count = mailsTo(smtp, to).length + 1
  await arrived(station, smtp, { to, count })
  const { status } = await press(station, linksIn(smtp.mails, to).confirm)
  assert.equal(status, 200)
}
