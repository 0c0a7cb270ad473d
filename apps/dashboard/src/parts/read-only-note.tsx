import { useTranslation } from 'react-i18next'
import { useMe } from '../people/use-me.ts'

export function ReadOnlyNote() {
  const { t } = useTranslation()
  const { me, isKnown, may } = useMe()
  if (!isKnown || may('collections:write')) return null
  return (
    <aside className="banner info" aria-label={t('readOnly.title')}>
      <b>{t('readOnly.title')}.</b>{' '}
      {me === null ? `${t('readOnly.text')} ${t('readOnly.lost')}` : t('readOnly.account')}
    </aside>
  )
}
