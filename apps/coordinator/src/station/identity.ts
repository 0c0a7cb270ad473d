/** How this program names itself to the web. */
export const VERSION = '0.1.0'
export const SOFTWARE = `Minga/${VERSION}`

/** A site owner must be able to find out who this is and to reach them: at the station's own page for
 * them, where the world can reach it, and by the operator's contact. */
export function userAgentOf(contact: string | null, publicUrl: string | null = null): string {
  const known = [publicUrl && `${publicUrl}/bot`, contact].filter((one) => one !== null)
  const reached = known.length === 0 ? 'no-contact-given' : known.join('; ')
  return `MingaBot/${VERSION.split('.').slice(0, 2).join('.')} (+${reached})`
}

/** Scheme and authority alone, or null when it is no address of the web. */
export function publicUrlOf(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '') return null
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : null
}
