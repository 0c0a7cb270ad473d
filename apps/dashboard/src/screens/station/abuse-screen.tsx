import { useTranslation } from 'react-i18next'
import { ForThoseWho } from '../../people/for-those-who.tsx'
import { CategoryList } from './category-list.tsx'
import { FlagList } from './flag-list.tsx'
import { HostList } from './host-list.tsx'

export function AbuseScreen() {
  const { t } = useTranslation()
  return (
    <ForThoseWho may="abuse:read" title={t('abuse.title')}>
      <h1>{t('abuse.title')}</h1>
      <FlagList />
      <HostList />
      <CategoryList />
    </ForThoseWho>
  )
}
