/** Words that several screens of watches share. */
import type { WatchCategoryView } from '@minga/protocol'
import type { TFunction } from 'i18next'

/** The topics every station begins with are translated; what operators add or rename is theirs. */
const SEEDED: Readonly<Record<number, string>> = {
  300: 'art',
  301: 'science',
  302: 'architecture',
  303: 'sport',
  304: 'humour',
  305: 'fashion',
  306: 'news',
  307: 'politics',
  308: 'file sharing',
  309: 'intelligence',
  310: 'board games',
  311: 'environment',
  312: 'translation',
  313: 'travel',
  314: 'video games',
}

export function categoryName(
  t: TFunction,
  categories: readonly WatchCategoryView[],
  code: number | null,
): string {
  if (code === null) return t('watch.noCategory')
  const name = categories.find((category) => category.code === code)?.name ?? String(code)
  return SEEDED[code] === name ? t(`watch.topic.${code}`) : name
}
