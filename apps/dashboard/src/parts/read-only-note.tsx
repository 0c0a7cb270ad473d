import { useTranslation } from 'react-i18next'
import { readKey } from '../api/key.ts'

export function ReadOnlyNote() {
  const { t } = useTranslation()
  if (readKey() !== null) return null
  return (
    <aside className="banner info" aria-label={t('readOnly.title')}>
      <b>{t('readOnly.title')}.</b> {t('readOnly.text')} {t('readOnly.lost')}
    </aside>
  )
}
