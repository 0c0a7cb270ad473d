import { useTranslation } from 'react-i18next'
import { ApiFailure } from '../api/call.ts'

/** The station's sentence when it gave one; it says what to do. */
export function Failure({ error, title }: { error: Error | null; title?: string }) {
  const { t } = useTranslation()
  if (error === null) return null
  const status = error instanceof ApiFailure ? error.status : 0
  const fallback = status === 0 ? t('failure.gone') : t('failure.answered', { status })
  const code = error instanceof ApiFailure ? error.code : null
  return (
    <div className="banner error" role="alert">
      {title === undefined ? null : <b>{title}: </b>}
      {error.message || fallback} {code === null ? null : <code>{code}</code>}
    </div>
  )
}
