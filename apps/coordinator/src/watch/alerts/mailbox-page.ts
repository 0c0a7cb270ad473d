/** Where the links in a confirmation lead. Mail programs look behind links before people do: only a button decides. */
import type { AlertLanguage } from '@minga/protocol'
import { html, type Html } from '../../http/html.ts'
import { ALERT_WORDS, filled } from './alert-words.ts'
import type { AskedMailbox } from './mailbox-service.ts'

export function confirmPage({ language, address }: AskedMailbox): string {
  const words = ALERT_WORDS[language]
  return decisionPage(language, words.confirmTitle, {
    text: filled(words.confirmText, { target: address }),
    button: words.confirm,
  })
}

export function refusePage({ language, address }: AskedMailbox): string {
  const words = ALERT_WORDS[language]
  return decisionPage(language, words.refuseTitle, {
    text: filled(words.stopText, { target: address }),
    button: words.refuse,
  })
}

export function confirmedPage({ language }: AskedMailbox): string {
  return simplePage(language, ALERT_WORDS[language].confirmed, null)
}

export function refusedPage({ language }: AskedMailbox): string {
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
export function simplePage(language: AlertLanguage, title: string, main: Html | null): string {
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
