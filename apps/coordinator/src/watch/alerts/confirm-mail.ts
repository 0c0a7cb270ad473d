/**
 * What a mailbox receives before its first alert. Nothing in it comes from the user who wants the
 * alert or from the watched pages: no user can send their own words to an address that has not
 * agreed.
 */
import type { AlertLanguage } from '@minga/protocol'
import { html } from '../../http/html.ts'
import { ALERT_WORDS, filled } from './alert-words.ts'
import type { MailText } from '../../accounts/mail/mailer.ts'

export interface ConfirmMail {
  language: AlertLanguage
  /** Where this station is; null when the world cannot reach it. */
  publicUrl: string | null
  confirmPath: string
  refusePath: string
}

export function composeConfirmMail({ language, publicUrl, ...mail }: ConfirmMail): MailText {
  const words = ALERT_WORDS[language]
  const at = (path: string): string => `${publicUrl ?? ''}${path}`
  const [confirmUrl, refuseUrl] = [at(mail.confirmPath), at(mail.refusePath)]
  const lead = filled(words.askText, { station: publicUrl ?? words.aStation })
  const where = publicUrl === null ? words.askWhere : ''
  const text = [
    lead,
    `${words.confirm}: ${confirmUrl}`,
    ...(where === '' ? [] : [where]),
    words.askElse,
    `-- \n${words.refuse}: ${refuseUrl}`,
  ].join('\n\n')
  const rich = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <title>${words.askSubject}</title>
      </head>
      <body style="font-family:sans-serif;max-width:44rem">
        <p>${lead}</p>
        <p><a href="${confirmUrl}">${words.confirm}</a> ${where}</p>
        <p>${words.askElse}</p>
        <hr />
        <p>
          <small><a href="${refuseUrl}">${words.refuse}</a></small>
        </p>
      </body>
    </html> `.text
  return { subject: words.askSubject, text: `${text}\n`, html: rich }
}
