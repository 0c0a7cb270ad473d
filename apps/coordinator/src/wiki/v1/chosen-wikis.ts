/** Which of the wikis that are kept a call is about. */
import { chooseWikis, type Revisions, type SiteInfo } from '@minga/wiki'

export interface ChosenWiki {
  key: string
  language: string | null
  site: SiteInfo
}

/**
 * By default all that are not hidden from the caller; a wiki that is not here is an error, a
 * language that none has leaves none.
 */
export async function chosenWikis(
  revisions: Revisions,
  { wiki, locale }: { wiki?: unknown; locale?: unknown },
  hidden: readonly string[],
): Promise<ChosenWiki[]> {
  const rows = typeof wiki === 'string' ? [await revisions.wiki(wiki)] : await revisions.wikis()
  const seen = rows.filter(({ key }) => !hidden.includes(key))
  const kept = seen.map(({ key, site }) => ({ key, language: site.language, site }))
  return chooseWikis(typeof locale === 'string' ? { locale } : {}, kept)
}
