/** Why a collection failed or finished with errors, and what to do about it. */
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Collection } from '../api/api-types.ts'
import { meaningKeyOf } from '../live/error-meaning.ts'

export function CollectionProblem({ collection }: { collection: Collection }) {
  const { t } = useTranslation()
  const { id, problem, outcome } = collection
  if (problem === null) return null
  const { code, url, advice } = problem
  // The general sentence about refused addresses names a flag that does not help against this one.
  const meaning = advice === 'other-address' ? 'problem.forbidden' : meaningKeyOf(code)
  return (
    <div className={outcome === 'failed' ? 'problem failed' : 'problem'}>
      <p>
        <b>{t(outcome === 'failed' ? 'problem.failed' : 'problem.withErrors')}</b> {t(meaning)}
      </p>
      {url === null ? null : <p className="address">{url}</p>}
      <p>
        {t(`problem.advice.${advice}`)}{' '}
        <Link to="/collections/$id" params={{ id: String(id) }} hash="errors">
          {t('problem.all')}
        </Link>
      </p>
    </div>
  )
}
