// Goal: neither a password nor a mail crosses a network in plain text. Method: a mail server without TLS on this machine,
// called by its loopback address and by one that is none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMailer } from './mailer.ts'
import { openMailServer } from '../../../test/watch/alerts/smtp-fixture.ts'

const MAIL = {
  to: 'ana@a.test',
  deliveryId: 'd1',
  stopUrl: null,
  subject: 's',
  text: 't',
  html: 'h',
}

test('beyond this machine a mail server without STARTTLS gets nothing', async () => {
  const server = await openMailServer()
  const sendTo = (smtpUrl: string): Promise<string | null> =>
    createMailer({ smtpUrl, from: 'minga@a.test' })(MAIL)
  assert.match((await sendTo(server.url.replace('127.0.0.1', '0.0.0.0')))!, /STARTTLS/)
  assert.equal(server.mails.length, 0)
  assert.equal(await sendTo(server.url), null)
  assert.equal(server.mails.length, 1)
})
