import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { LogInForm } from '../../auth/log-in-form.tsx'

export function LogInScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return (
    <section className="card narrow">
      <h1>{t('people.logIn')}</h1>
      <LogInForm onDone={() => void navigate({ to: '/' })} />
    </section>
  )
}

export function RegisterScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return (
    <section className="card narrow">
      <h1>{t('people.registerTitle')}</h1>
      <p className="quiet">{t('people.registerLead')}</p>
      <LogInForm isNew onDone={() => void navigate({ to: '/account' })} />
    </section>
  )
}
