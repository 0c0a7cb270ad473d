/** A screen for users with a permission; others learn how to get it. */
import type { ComponentType, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { LogInForm } from './log-in-form.tsx'
import { useMe } from './use-me.ts'

interface RequirePermissionProps {
  may: string
  title: string
  children: ReactNode
}

export function RequirePermission({ may: action, title, children }: RequirePermissionProps) {
  const { t } = useTranslation()
  const { me, isKnown, may } = useMe()
  if (may(action)) return children
  return (
    <section className="card narrow">
      <h1>{title}</h1>
      {!isKnown ? <p className="quiet">{t('live.waiting')}</p> : null}
      {isKnown && me === null ? (
        <>
          <p>{t('people.needsLogIn')}</p>
          <LogInForm />
        </>
      ) : null}
      {me === null ? null : (
        <p>
          {t('people.needsRight', { name: me.account.name })} <code>{action}</code>
        </p>
      )}
    </section>
  )
}

/** `title` names a text. */
export const permitted = (may: string, title: string, Screen: ComponentType) =>
  function PermittedScreen() {
    const { t } = useTranslation()
    return (
      <RequirePermission may={may} title={t(title)}>
        <Screen />
      </RequirePermission>
    )
  }
