import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { ApiFailure } from '../api/call.ts'

interface FailureProps {
  error: Error | null
  title?: string
  /** Gives a button to try it again. */
  onRetry?: () => void
}

/** The station's sentence when it gave one; it says what to do. */
export function Failure({ error, title, onRetry }: FailureProps) {
  const { t } = useTranslation()
  if (error === null) return null
  const status = error instanceof ApiFailure ? error.status : 0
  const fallback = status === 0 ? t('failure.gone') : t('failure.answered', { status })
  const code = error instanceof ApiFailure ? error.code : null
  return (
    <div className="banner error" role="alert">
      {title === undefined ? null : <b>{title}: </b>}
      {error.message || fallback} {code === null ? null : <code>{code}</code>}
      {onRetry === undefined ? null : (
        <>
          {' '}
          <Button onPress={onRetry}>{t('failure.retry')}</Button>
        </>
      )}
    </div>
  )
}
