import { Link, useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'

export function NotFoundScreen() {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  // Another address is another screen, with a heading that is new to those who hear it.
  return (
    <section className="card" key={pathname}>
      <h1>{t('notFound.title')}</h1>
      <p>
        <code>{pathname}</code>
      </p>
      <p>{t('notFound.text')}</p>
      <Link to="/">{t('collection.back')}</Link>
    </section>
  )
}
