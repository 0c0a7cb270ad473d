/** What mails about an account say. {…} stand for facts. */
import type { AlertLanguage } from '@minga/protocol'
import type { MailText } from './mail/mailer.ts'
import { html } from '../http/html.ts'

type Purpose = 'confirm' | 'reset'

interface Words {
  subject: string
  lead: string
  /** What to do when the mail was not requested. */
  otherwise: string
}

const WORDS: Record<AlertLanguage, Record<Purpose, Words>> = {
  en: {
    confirm: {
      subject: 'Confirm your e-mail address',
      lead: 'The account {name} at {host} wants to use this address. Open the link within an hour to confirm it:',
      otherwise: 'If that is not your account, do nothing: the address is not used then.',
    },
    reset: {
      subject: 'A new password for {name}',
      lead: 'A new password was requested for the account {name} at {host}. Open the link within an hour to choose it:',
      otherwise: 'If you did not request it, do nothing: your password stays as it is.',
    },
  },
  es: {
    confirm: {
      subject: 'Confirma tu dirección de correo',
      lead: 'La cuenta {name} de {host} quiere usar esta dirección. Abre el enlace antes de una hora para confirmarla:',
      otherwise: 'Si la cuenta no es tuya, no hagas nada: la dirección no se usará.',
    },
    reset: {
      subject: 'Una contraseña nueva para {name}',
      lead: 'Se pidió una contraseña nueva para la cuenta {name} de {host}. Abre el enlace antes de una hora para elegirla:',
      otherwise: 'Si no la pediste, no hagas nada: tu contraseña sigue igual.',
    },
  },
  pt: {
    confirm: {
      subject: 'Confirma o teu endereço de correio',
      lead: 'A conta {name} de {host} quer usar este endereço. Abre a ligação dentro de uma hora para o confirmar:',
      otherwise: 'Se a conta não é tua, não faças nada: o endereço não será usado.',
    },
    reset: {
      subject: 'Uma palavra-passe nova para {name}',
      lead: 'Foi pedida uma palavra-passe nova para a conta {name} de {host}. Abre a ligação dentro de uma hora para a escolher:',
      otherwise: 'Se não a pediste, não faças nada: a tua palavra-passe fica como está.',
    },
  },
}

export interface AccountMailFacts {
  purpose: Purpose
  language: AlertLanguage
  name: string
  link: string
}

export function composeAccountMail(facts: AccountMailFacts): MailText {
  const { purpose, language, name, link } = facts
  const words = WORDS[language][purpose]
  const { host } = new URL(link)
  const filled = (text: string): string =>
    text.replaceAll('{name}', () => name).replaceAll('{host}', () => host)
  const [subject, lead] = [filled(words.subject), filled(words.lead)]
  return {
    subject,
    text: `${lead}\n\n${link}\n\n${words.otherwise}\n`,
    html: html`<!doctype html>
      <html>
        <head>
          <meta charset="utf-8" />
          <title>${subject}</title>
        </head>
        <body style="font-family:sans-serif;max-width:44rem">
          <p>${lead}</p>
          <p><a href="${link}">${link}</a></p>
          <p>${words.otherwise}</p>
        </body>
      </html> `.text,
  }
}
