/** Where a reset link leads: a new password for the holder of the link. */
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { forgetLogin } from '../../api/people.ts'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'

/** Behind the #, and out of the address bar as soon as it is read. */
export function takeToken(): string {
  const token = location.hash.replace(/^#/, '')
  if (token !== '') history.replaceState(history.state, '', location.pathname)
  return token
}

export function ResetScreen() {
  const { t } = useTranslation()
  const [token] = useState(takeToken)
  const [password, setPassword] = useState('')
  const reset = useMutation({
    mutationFn: () => station('POST /resets/use', { body: { token, password } }),
    onSuccess: forgetLogin,
  })
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (password !== '') reset.mutate()
  }
  return (
    <section className="card narrow">
      <h1>{t('reset.title')}</h1>
      {token === '' ? <p>{t('reset.noToken')}</p> : null}
      {reset.isSuccess ? (
        <p role="status">
          {t('reset.done')} <Link to="/log-in">{t('people.logIn')}</Link>
        </p>
      ) : (
        <Form onSubmit={send} validationBehavior="aria" className="form">
          <Field
            label={t('people.newPassword')}
            value={password}
            onChange={setPassword}
            type="password"
            autoComplete="new-password"
            help={t('people.passwordHelp')}
          />
          <Failure error={reset.error} />
          <div className="actions">
            <Button type="submit" className="primary" isDisabled={token === '' || reset.isPending}>
              {t('reset.set')}
            </Button>
          </div>
        </Form>
      )}
    </section>
  )
}
