/** A screen that broke leaves the rest of the page as it is. */
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'

export function CrashScreen({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation()
  const router = useRouter()
  return (
    <section className="card narrow" role="alert">
      <h1>{t('crash.title')}</h1>
      <p>{t('crash.text')}</p>
      <pre>
        <code>{error instanceof Error ? error.message : String(error)}</code>
      </pre>
      <div className="actions">
        <Button
          className="primary"
          onPress={() => {
            reset()
            void router.invalidate()
          }}
        >
          {t('failure.retry')}
        </Button>
        <Button onPress={() => location.reload()}>{t('crash.reload')}</Button>
      </div>
    </section>
  )
}
