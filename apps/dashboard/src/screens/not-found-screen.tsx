import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'

export function NotFoundScreen() {
  const { t } = useTranslation()
  return (
    <section className="card">
      <h1>{t('notFound.title')}</h1>
      <p>{t('notFound.text')}</p>
      <Link to="/">{t('collection.back')}</Link>
    </section>
  )
}
