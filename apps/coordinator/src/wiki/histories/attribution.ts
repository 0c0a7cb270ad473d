/** Where what is handed on is from, and under which licence. */
import type { Attribution, SiteInfo } from '@minga/wiki'

export function attributionOf(site: SiteInfo, now: number): Attribution {
  const licence = site.rights.text ?? site.rights.url
  return { source: site.base === '' ? site.name : site.base, at: now, licence }
}
