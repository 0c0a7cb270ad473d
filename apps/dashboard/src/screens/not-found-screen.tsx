import { Link, useRouterState } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'

export function NotFoundScreen() {
  const { t } = useTranslation()
  // The address that was resolved: while the next screen is loading, its address is not called missing.
  const pathname = useRouterState({
    select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname,
  })
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
