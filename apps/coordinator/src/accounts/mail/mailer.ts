/** E-mail through the operator's mail server, whose address may be a private one: it is theirs. */
import { isLoopbackName } from '@minga/protocol'
import type { Transporter } from 'nodemailer'

export interface MailText {
  subject: string
  text: string
  html: string
}

export interface MailSettings {
  /** As in `smtps://user:password@mail.example:465`; the password is never shown anywhere. */
  smtpUrl: string
  /** As in `Minga <alerts@example.org>`. */
  from: string
}

export interface OutgoingMail extends MailText {
  to: string
  /** The same at every try, so that a server which has it already can tell. */
  deliveryId: string
  /** Where one click ends it (RFC 8058); null when the world cannot reach this station. */
  stopUrl: string | null
}

/** The reason why the mail was rejected; null when it was accepted. */
export type SendMail = (mail: OutgoingMail) => Promise<string | null>

/** Together well below the time for which a delivery is claimed. */
const TIMEOUTS = { connectionTimeout: 20_000, greetingTimeout: 20_000, socketTimeout: 40_000 }

export function createMailer({ smtpUrl, from }: MailSettings): SendMail {
  let opened: Promise<Transporter> | undefined
  const domain = /@([^>\s]+)>?\s*$/.exec(from)?.[1] ?? 'minga.invalid'
  return async ({ to, deliveryId, stopUrl, subject, text, html }) => {
    try {
      const transport = await (opened ??= openTransport(smtpUrl))
      await transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId: `<${deliveryId}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated', ...stopHeaders(stopUrl) },
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      return null
    } catch (error) {
      return error instanceof Error ? error.message.split('\n', 1)[0]! : String(error)
    }
  }
}

/** Read with the first mail: most stations never send one. */
async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({ url, requireTLS: needsTls(url), ...TIMEOUTS })
}

/** Beyond this machine neither password nor mail goes out before STARTTLS; smtps has its TLS from the start. */
function needsTls(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'smtp:' && !isLoopbackName(hostname)
}

function stopHeaders(stopUrl: string | null): Record<string, string> {
  if (stopUrl === null) return {}
  return {
    'List-Unsubscribe': `<${stopUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}
