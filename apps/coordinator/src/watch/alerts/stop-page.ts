/** Where the link in an e-mail leads: one button, and what it did. Nothing in it runs. */
import { html } from '../../http/html.ts'
import type { AlertRule } from './alert-rules.ts'
import { ALERT_WORDS, filled } from './alert-words.ts'
import { simplePage } from './mailbox-page.ts'

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
  const { language } = rule.settings
  const words = ALERT_WORDS[language]
  const text = filled(words.stopText, { target: rule.target })
  // Without an action the form goes to where it stands.
  const form = html`<p>${text}</p>
    <form method="post"><button>${words.stop}</button></form>`
  return simplePage(language, words.stopTitle, form)
}

export function stoppedPage({ settings: { language } }: AlertRule): string {
  return simplePage(language, ALERT_WORDS[language].stopped, null)
}
