/** Where the link in an e-mail leads: one button, and what it did. Nothing in it runs. */
import { html, type Html } from '../html.ts'
import type { AlertRule } from './alert-rules.ts'
import { ALERT_WORDS, filled } from './alert-words.ts'

/** The referrer stays on: without it browsers send no Origin with a form, and the guard of browsers
 * wants one. */
export const STOP_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
}

export function stopPage(rule: AlertRule): string {
  const words = ALERT_WORDS[rule.settings.language]
  const text = filled(words.stopText, { target: rule.target })
  // Without an action the form goes to where it stands.
  const form = html`<p>${text}</p>
    <form method="post"><button>${words.stop}</button></form>`
  return page(rule, words.stopTitle, form)
}

export function stoppedPage(rule: AlertRule): string {
  const { stopped } = ALERT_WORDS[rule.settings.language]
  return page(rule, stopped, null)
}

function page({ settings }: AlertRule, title: string, main: Html | null): string {
  return html`<!doctype html>
    <html lang="${settings.language}">
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
