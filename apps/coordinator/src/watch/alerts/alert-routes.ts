/** Alerts over HTTP: rules for those who watch; feeds and the link that ends e-mails for anyone. */
import { alertRequest, type AlertLanguage } from '@minga/protocol'
import { errorCodes, type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import { idParams } from '../../accounts/fields.ts'
import type { WatchContext } from '../watch-context.ts'
import { html, type Html } from '../../http/html.ts'
import type { Alerts } from './alerts.ts'
import type { AlertRule } from './alert-rules.ts'
import { ALERT_WORDS, filled } from './alert-words.ts'
import type { AskedMailbox } from './mailbox-service.ts'

/** The referrer stays on: without it browsers send no Origin with a form, and the guard of browsers
 * wants one. */
const STOP_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
}

function stopPage(rule: AlertRule): string {
  const { language } = rule.settings
  const words = ALERT_WORDS[language]
  const text = filled(words.stopText, { target: rule.target })
  // Without an action the form goes to where it stands.
  const form = html`<p>${text}</p>
    <form method="post"><button>${words.stop}</button></form>`
  return simplePage(language, words.stopTitle, form)
}

function stoppedPage({ settings: { language } }: AlertRule): string {
  return simplePage(language, ALERT_WORDS[language].stopped, null)
}

// Who may make watches is known to the operator; everyone else must not send mail through us.
const WRITE = may('watches:write')
const PUBLIC = { config: { isPublic: true } }
const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data']

const watchQuery = z.object({ watchId: z.coerce.number().int().optional() })
const deliveryQuery = watchQuery.extend({
  ruleId: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(50),
})
const turnBody = z.object({ isActive: z.boolean() })
const linkParams = z.object({ token: z.string().min(1).max(100) })
const suppressBody = z.object({ address: z.string().min(3).max(254) })
const tokenParams = idParams.extend({ token: z.string().min(1).max(100) })

export function alertRoutes(app: FastifyInstance, { access, alerts, store }: WatchContext): void {
  app.post('/alerts', WRITE, (request) =>
    alerts.create(access.requireAction(request, 'watches:write'), alertRequest.parse(request.body)),
  )
  app.get('/alerts', WRITE, (request) =>
    alerts.list(
      access.ownerFor(request, 'watches:write'),
      watchQuery.parse(request.query).watchId ?? null,
    ),
  )
  app.get('/alerts/deliveries', WRITE, (request) =>
    alerts.deliveries(
      access.ownerFor(request, 'watches:write'),
      deliveryQuery.parse(request.query),
    ),
  )
  app.patch('/alerts/:id', WRITE, (request) => {
    const { id } = idParams.parse(request.params)
    const { isActive } = turnBody.parse(request.body)
    return alerts.turn(access.ownerFor(request, 'watches:write'), id, isActive)
  })
  app.delete('/alerts/:id', WRITE, async (request) => {
    const { id } = idParams.parse(request.params)
    await store.call('removeAlertRule', { id, owner: access.ownerFor(request, 'watches:write') })
    return {}
  })
  app.post('/alerts/:id/test', WRITE, (request) => {
    const { id } = idParams.parse(request.params)
    return alerts.test(access.ownerFor(request, 'watches:write'), id)
  })
  app.get('/alerts/suppressed', may('abuse:read'), (request) => {
    access.requireAction(request, 'abuse:read')
    return alerts.mailboxes.suppressed()
  })
  app.post('/alerts/suppressed', may('abuse:write'), (request) => {
    const { accountId } = access.requireAction(request, 'abuse:write')
    return alerts.mailboxes.suppress(suppressBody.parse(request.body).address, accountId)
  })
  openRoutes(app, alerts)
  mailboxRoutes(app, alerts)
  // What is being sent is noted before the store closes, so that nothing goes out twice.
  app.addHook('onClose', () => alerts.settled())
}

function openRoutes(app: FastifyInstance, alerts: Alerts): void {
  app.get('/alerts/:id/feed/:token', PUBLIC, async (request, reply) => {
    const { id, token } = tokenParams.parse(request.params)
    const { tag, body } = await alerts.feed(id, token, request.headers['if-none-match'])
    void reply.headers({ etag: tag, 'cache-control': 'private, no-cache' })
    if (body === null) return reply.status(304).send()
    return reply.type('application/atom+xml; charset=utf-8').send(body)
  })
  // Mail programs look behind links before people do: looking changes nothing (RFC 8058).
  app.get('/alerts/:id/unsubscribe/:token', PUBLIC, async (request, reply) => {
    const { id, token } = tokenParams.parse(request.params)
    return reply.headers(STOP_HEADERS).send(stopPage(await alerts.stopping(id, token)))
  })
  // Forms are taken here and nowhere else; their one line says what the address says.
  app.addContentTypeParser(
    FORM_TYPES,
    { parseAs: 'string', bodyLimit: 8_192 },
    ({ url, headers }, _body, done) => {
      const isOurs = /\/alerts\/([^/]+\/unsubscribe|mailbox)\//.test(url)
      const Refused = errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE
      done(isOurs ? null : new Refused(headers['content-type']))
    },
  )
  app.post('/alerts/:id/unsubscribe/:token', PUBLIC, async (request, reply) => {
    const { id, token } = tokenParams.parse(request.params)
    return reply.headers(STOP_HEADERS).send(stoppedPage(await alerts.unsubscribe(id, token)))
  })
}

/** Links of confirmations: who has one reads the mailbox. */
function mailboxRoutes(app: FastifyInstance, alerts: Alerts): void {
  const { mailboxes } = alerts
  app.get('/alerts/mailbox/:token', PUBLIC, async (request, reply) => {
    const { token } = linkParams.parse(request.params)
    return reply.headers(STOP_HEADERS).send(confirmPage(await mailboxes.find(token)))
  })
  app.post('/alerts/mailbox/:token', PUBLIC, async (request, reply) => {
    const { token } = linkParams.parse(request.params)
    return reply.headers(STOP_HEADERS).send(confirmedPage(await mailboxes.confirm(token)))
  })
  app.get('/alerts/mailbox/:token/refuse', PUBLIC, async (request, reply) => {
    const { token } = linkParams.parse(request.params)
    return reply.headers(STOP_HEADERS).send(refusePage(await mailboxes.find(token)))
  })
  app.post('/alerts/mailbox/:token/refuse', PUBLIC, async (request, reply) => {
    const { token } = linkParams.parse(request.params)
    return reply.headers(STOP_HEADERS).send(refusedPage(await mailboxes.refuse(token)))
  })
}

/** Where the links in a confirmation lead. Mail programs look behind links before people do: only a button decides. */
function confirmPage({ language, address }: AskedMailbox): string {
  const words = ALERT_WORDS[language]
  return decisionPage(language, words.confirmTitle, {
    text: filled(words.confirmText, { target: address }),
    button: words.confirm,
  })
}

function refusePage({ language, address }: AskedMailbox): string {
  const words = ALERT_WORDS[language]
  return decisionPage(language, words.refuseTitle, {
    text: filled(words.stopText, { target: address }),
    button: words.refuse,
  })
}

function confirmedPage({ language }: AskedMailbox): string {
  return simplePage(language, ALERT_WORDS[language].confirmed, null)
}

function refusedPage({ language }: AskedMailbox): string {
  return simplePage(language, ALERT_WORDS[language].stopped, null)
}

/** Without an action the form goes to where it stands. */
function decisionPage(
  language: AlertLanguage,
  title: string,
  { text, button }: { text: string; button: string },
): string {
  const form = html`<p>${text}</p>
    <form method="post"><button>${button}</button></form>`
  return simplePage(language, title, form)
}

/** Nothing in it runs. */
function simplePage(language: AlertLanguage, title: string, main: Html | null): string {
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${main}
        </main>
      </body>
    </html>`.text
}
