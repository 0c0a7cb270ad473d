import { useTranslation } from 'react-i18next'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { CategoryList } from './category-list.tsx'
import { FlagList } from './flag-list.tsx'
import { HostList } from './host-list.tsx'

export function AbuseScreen() {
  const { t } = useTranslation()
  return (
    <RequirePermission may="abuse:read" title={t('abuse.title')}>
      <h1>{t('abuse.title')}</h1>
      <FlagList />
      <HostList />
      <CategoryList />
    </RequirePermission>
  )
}
