import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'

export function FirstSteps() {
  const { t } = useTranslation()
  return (
    <section className="card first-steps">
      <h2>{t('start.title')}</h2>
      <p>{t('start.lead')}</p>
      <ol>
        <li>
          <h3>{t('start.one')}</h3>
          <p>{t('start.oneText')}</p>
        </li>
        <li>
          <h3>{t('start.two')}</h3>
          <p>
            <Link to="/new" className="button primary">
              {t('start.button')}
            </Link>
          </p>
          <pre>
            <code>npx minga crawl https://example.org/docs/ --scope prefix</code>
          </pre>
        </li>
        <li>
          <h3>{t('start.three')}</h3>
          <p>{t('start.threeText')}</p>
          <pre>
            <code>npx minga archive export --wacz site.wacz</code>
          </pre>
        </li>
      </ol>
      <p>{t('start.demo')}</p>
      <pre>
        <code>npm start -- --demo</code>
      </pre>
    </section>
  )
}
