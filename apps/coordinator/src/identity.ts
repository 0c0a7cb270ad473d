/** How this program names itself to the web. */
const VERSION = '0.1.0'
export const SOFTWARE = `Minga/${VERSION}`

/** A site owner must be able to find out who this is and to reach them. */
export function userAgentOf(contact: string | null): string {
  return `MingaBot/${VERSION.split('.').slice(0, 2).join('.')} (+${contact ?? 'no-contact-given'})`
}
